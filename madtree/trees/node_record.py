"""How a node of a forest's tree is packed into bytes: whoever grows trees writes it, and readers take it apart."""

from __future__ import annotations

RECORD_FLOATS = ("threshold", "weight", "impurity", "risk", "complexity", "improvement")
FIELD_SIZES = {"i1": 1, "i4": 4, "i8": 8, "f8": 8}


def record_fields(is_classification: bool) -> tuple[tuple[str, str], ...]:
    """The fields of a node's record, by name and numpy's code of the type; behind them, a float8 for each class.

    `feature` is the position from 1, 0 in a leaf; `prediction` a number, or the class's position from 1. The `n_left`
    categories that a split sends left, and then the `n_right` others, are in `category_sets` from `categories` on,
    counted from 0; it is -1 where a node does not split by categories. NaN stands for no number.
    """
    return (
        ("node_id", "i8"),
        ("n_rows", "i8"),
        ("feature", "i4"),
        ("majority_left", "i1"),
        ("prediction", "i4" if is_classification else "f8"),
        ("categories", "i4"),
        ("n_left", "i4"),
        ("n_right", "i4"),
        *((name, "f8") for name in RECORD_FLOATS),
    )


def fixed_size(is_classification: bool) -> int:
    """Bytes of a record without its weights of classes."""
    return sum(FIELD_SIZES[kind] for _, kind in record_fields(is_classification))
