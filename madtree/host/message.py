"""What is said to a user while a call runs: a sentence and, of a step that is done, the figures behind it as values.

PostgreSQL's messages have fields that psql shows only where it is asked for all: schema, table, column. A message about
progress names the view `madtree.activity` by the first two, and has its figures as JSON in the third.
"""

from __future__ import annotations

import json
import math
from typing import Any

from madtree.records import dataclass

# What is counted: levels of a tree, trees, rounds of boosting, blocks of small groups, page ranges that are read,
# settings that are tried.
UNITS = frozenset(["level", "tree", "round", "block", "pack", "setting"])
_VIEW = {"schema_name": "madtree", "table_name": "activity"}
_MOST = 2**63


@dataclass(frozen=True)
class StepDone:
    """A step of a training that is done.

    Attributes:
        unit: what is counted, one of `UNITS`.
        n_done: how many are done, this one included.
        n_total: how many there are; None where nobody knows.
        n_rows: rows that the step worked on; None where that is not known.
        seconds: since the step before.
        training_loss, validation_loss: mean losses after a round of boosting; None where they are not known.
    """

    unit: str
    n_done: int
    n_total: int | None = None
    n_rows: int | None = None
    seconds: float = 0.0
    training_loss: float | None = None
    validation_loss: float | None = None

    def to_fields(self) -> dict[str, str]:
        """The fields of a message that have it, by their names in PL/Python and in psycopg."""
        return {**_VIEW, "column_name": json.dumps(vars(self))}

    @classmethod
    def from_fields(cls, fields: Any) -> StepDone | None:
        """What the fields of a message tell, which have these names as attributes; None where that is no step."""
        if any(getattr(fields, name) != value for name, value in _VIEW.items()):
            return None
        try:
            step = cls(**json.loads(fields.column_name or ""))
        except (ValueError, TypeError, RecursionError):
            return None
        return step if step._is_valid else None

    @property
    def _is_valid(self) -> bool:
        """Anybody's function may send such a message."""
        counts = [self.n_done, *(each for each in (self.n_total, self.n_rows) if each is not None)]
        numbers = [self.seconds, *(each for each in (self.training_loss, self.validation_loss) if each is not None)]
        return (
            isinstance(self.unit, str)
            and self.unit in UNITS
            and all(type(each) is int and 0 <= each < _MOST for each in counts)
            and all(type(each) is float and math.isfinite(each) for each in numbers)
            and self.seconds >= 0
        )


@dataclass(frozen=True)
class Message:
    """What is said.

    Attributes:
        severity: INFO, NOTICE, WARNING, ... in English.
        step: that the message is about, or None.
    """

    severity: str
    text: str
    hint: str | None = None
    step: StepDone | None = None

    @classmethod
    def of(cls, diagnostic: Any) -> Message:
        """A message of the server's, as psycopg has it."""
        return cls(
            diagnostic.severity_nonlocalized or "",
            diagnostic.message_primary or "",
            diagnostic.message_hint,
            StepDone.from_fields(diagnostic),
        )
