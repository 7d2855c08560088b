"""Numbers that the block scorer says of a row, as columns."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.model import output_columns
from madtree.score.outcomes import Part
from madtree.score.routed_rows import EXPONENT_ABOVE, NUMBER_BYTES
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.outcome_numbers import float_of
from madtree.sqltext.predict import Output
from madtree.trees import Joining, Model

EVALUATED = "judged"  # a type of prediction that evaluation asks for: the class's number, and the classes' mean shares
# The class's number of a row that has one.
CLASS_OF_ROW = "CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN scored.outcome END"


def numbers_of(n: int, first: int = 0) -> tuple[list[Part], list[str]]:
    """The parts of `n` numbers, of which the first one begins at byte `first`, and the numbers as SQL."""
    parts: list[Part] = []
    for k in range(n):
        start = first + NUMBER_BYTES * k
        parts += [(f"mantissa_{k}", start, 8), (f"exponent_{k}", start + 8, 2)]
    return parts, [float_of(f"scored.mantissa_{k}", f"scored.exponent_{k}", EXPONENT_ABOVE) for k in range(n)]


def columns_of(each: list[str], outputs: Sequence[Output]) -> list[str]:
    """A column for each number, or all of them as one array, NULL where there are none."""
    if len(outputs) == len(each):
        return each
    return [array_of(each)]


def array_of(each: list[str]) -> str:
    return f"CASE WHEN {each[0]} IS NOT NULL THEN ARRAY[{', '.join(each)}] END"


def question_to(model: Model, taken: str) -> tuple[str, dict[str, Output]]:
    """What evaluation asks of the block scorer: a type of prediction, and its columns by their names in
    `sqltext.cells.Question`. Of a single tree it is the leaf, whose rows are then counted together; of many the
    prediction itself, as no leaf says it.

    Args:
        taken: a name that no column may have.
    """
    if model.kind.joining is Joining.NONE:
        return "leaf", {"leaf": output_columns(model, "leaf", QUALIFIED, taken)[0]}
    if not model.is_classification:
        return "response", {"prediction": output_columns(model, "response", QUALIFIED, taken)[0]}
    types = {"predicted": "pg_catalog.int4", "shares": "pg_catalog.float8[]"}
    return EVALUATED, {name: Output(name, type_, lambda _: "NULL") for name, type_ in types.items()}
