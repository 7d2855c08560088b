"""What rows may have beside their features, declared once.

A numeric column of rows is declared here, and as an argument of the functions that train (`interface`). From that
follow how it is read and what is said of it in tasks, models and new tables, that rows without it are left out, how its
range is found and checked, and how it comes to the learner: as an attribute of its name of `learn.packing.RawRows`.
What a program makes of it is the program's.
"""

from __future__ import annotations

from math import inf

from madtree.records import dataclass


@dataclass(frozen=True)
class RowNumber:
    """A numeric column, or expression, of the training table.

    Attributes:
        name: among `OWN_NUMBERS`.
        argument: by which users give it; summaries of models have a column of that name.
        is_summed: whether what it is, times the weight, is summed over rows, on a grid of its own.
        between: what it must lie between in each row, and `fault` what is said of it where it does not; None where that
            is looked at otherwise.
    """

    name: str
    argument: str
    is_summed: bool = False
    between: tuple[float, float] | None = None
    fault: str = ""

    @property
    def least(self) -> str:
        """What its smallest value is called."""
        return f"least_{self.name}"

    @property
    def largest(self) -> str:
        """What its largest value is called."""
        return f"largest_{self.name}"


WEIGHT = RowNumber("weight", "weights", is_summed=True)
# Over which the target was counted.
EXPOSURE = RowNumber("exposure", "exposure", True, (0.0, inf), "not above 0, or not finite,")
# What is known of a row's score before any tree. Squares of the largest, and their sums, are numbers, too.
OFFSET = RowNumber("offset", "offsets", False, (-1e100, 1e100), "infinite or NaN, or beyond 1e100,")
ROW_NUMBERS = (WEIGHT, EXPOSURE, OFFSET)
SUMMED_NUMBERS = tuple(number for number in ROW_NUMBERS if number.is_summed)
# Those whose ranges the learner is told.
RANGED_NUMBERS = tuple(number for number in ROW_NUMBERS if number.between is not None)
# All numbers of a row beside its features, in their order, as far as it has them; the target is always there.
OWN_NUMBERS = ("tree", "target", *(number.name for number in ROW_NUMBERS), "fold", "identity")
