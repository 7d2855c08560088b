"""The client's engine: rows are fetched and learnt from outside the server, and the model is written into it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import madtree
from measure.inside import Train
from measure.session import Session
from measure.table import SCHEMA
from measure.timing import Action, Parts

_STAGE = re.compile(r"(\w+) ([0-9.]+) s")


@dataclass(frozen=True)
class TrainByClient(Train):
    """As `Train`, with a connection of its own, as those who fetch rows need one. `more` cannot be said here."""

    def action(self, session: Session) -> Action:
        shape = dict(re.findall(r"(\w+) => (\d+)", self.shape))

        def run() -> Parts:
            said: list[str] = []
            with madtree.connect(session.dsn, engine="client", on_message=said.append) as client:
                client.tree_train(
                    self.table.relation,
                    f"{SCHEMA}.{self.model}",
                    "id",
                    self.dependent,
                    self.table.arguments,
                    verbose=True,
                    replace=True,
                    **{name: int(value) for name, value in shape.items()},  # type: ignore[arg-type]
                )
            stages = next((line for line in reversed(said) if line.startswith("stages: ")), "")
            return {name: float(seconds) for name, seconds in _STAGE.findall(stages)}

        return Action(run)
