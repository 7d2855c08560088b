"""What others see of a training while it runs: how far it has come, as the view `madtree.activity` reads it.

The text is the session's name in pg_stat_activity, which every role of the cluster may read. So there are no names of
tables in it, only words of ours and numbers; and it is ASCII, of at most 63 bytes:

    madtree boost round 40/100 12s 1000000 16402

Behind `madtree`, or `madtree-client` for an engine outside of the server: the function, the stage or what is counted,
how many are done of how many, the seconds that remain, the training rows, the OID of the training relation. What is not
known is a `-`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from madtree.host import Host, Stage
from madtree.learn.requests import Progress
from madtree.trees import TREE, ModelKind

_LONGEST = 63  # what PostgreSQL keeps
# Stages that come again and again for each step of a unit, and would hide how far it is.
_WITHIN: dict[str, tuple[Stage, ...]] = {
    "tree": ("passes", "write"),
    "round": ("passes", "prune"),  # rounds may stop early, and what is written then is the end
    "block": ("pack", "passes", "prune", "write"),
}


class Activity:
    """Is told of stages and steps, and shows them."""

    def __init__(
        self,
        show: Callable[[str], None] = lambda text: None,
        kind: ModelKind = TREE,
        relation: int | None = None,
        in_server: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            show: is handed each text.
            relation: OID of the training relation, where it is in this database.
        """
        self._show, self._clock, self._relation = show, clock, relation
        self._who = f"{'madtree' if in_server else 'madtree-client'} {kind.trains.removesuffix('_train')}"
        self._unit = kind.unit
        self._rows: int | None = None
        self._stage: Stage = "write"
        self._stage_since = self._pack_since = self._since = clock()
        self._counted = ""
        self._step, self._done, self._total = "", 0, 0

    @staticmethod
    def of(host: Host, show: Callable[[str], None], kind: ModelKind, relation: int) -> Activity:
        """Of a training in that session; the relation of another server is not named."""
        return Activity(show, kind, relation if host.source is host else None, host.in_server)

    def counted(self, n_rows: int) -> None:
        """So many training rows there are."""
        self._rows = n_rows

    def begin(self, stage: Stage) -> None:
        """A stage begins. Within what is counted, as where trees are written while others grow, the count is shown."""
        if self._done < self._total and stage in _WITHIN.get(self._counted, ()):
            self._show(self._step)
            return
        self._stage_since = self._clock()
        if stage == "pack":
            self._pack_since = self._stage_since
        self._stage = stage
        if stage != "write":
            self._counted = ""
        self._show(self._text(stage, "-", "-"))

    def report(self, progress: Progress) -> None:
        """Something of it may be a step."""
        step = progress.step
        if step is not None:
            self._report("block" if step.unit == "block" else self._unit, step.n_done, step.n_total)

    def read(self, n_read: int, n_ranges: int) -> None:
        """So many page ranges of the rows have been read."""
        self._report(self._stage, n_read, n_ranges)

    def _report(self, unit: str, n_done: int, n_total: int | None) -> None:
        """So many are done; the others are expected to take as long as these have taken."""
        if unit != self._counted or n_done < self._done:
            self._counted = unit
            self._since = self._pack_since if unit == "block" else self._stage_since
        self._done, self._total = n_done, n_total or 0
        if n_total is None:
            self._step = self._text(unit, str(n_done), "-")
        else:
            left = (self._clock() - self._since) / max(n_done, 1) * (n_total - n_done)
            self._step = self._text(unit, f"{n_done}/{n_total}", f"{round(left)}s")
        self._show(self._step)

    def _text(self, what: str, done: str, left: str) -> str:
        rows, relation = ("-" if number is None else str(number) for number in (self._rows, self._relation))
        text = f"{self._who} {what} {done} {left} {rows} {relation}"
        return text if len(text) <= _LONGEST else f"{self._who} {what} {done} {left} - -"
