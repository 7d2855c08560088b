"""Which way one row goes at a node: the same rules that `madtree.sqltext.branch` writes as SQL."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

from madtree.records import dataclass
from madtree.trees.features import Feature, FeatureKind
from madtree.trees.model import Node, Split
from madtree.trees.threshold import last_decimal

Value = str | float | Decimal | None


@dataclass(frozen=True)
class Direction:
    """Which way a row goes at an inner node, and why.

    Attributes:
        goes_left: towards the true branch.
        split: the one that could tell: the node itself or one of its surrogates; None if rows go with the majority.
        rank: of the surrogate, from 1; 0 for the node's own split.
    """

    goes_left: bool
    split: Split | None
    rank: int


def comparable(feature: Feature, text: str | None) -> Value:
    """A value as splits compare it, from its text; see `madtree.sqltext.explain.row_by_id`."""
    if text is None or feature.kind is FeatureKind.UNORDERED:
        return text
    return Decimal(text) if feature.type == "numeric" and not feature.labels else float(text)


def find_direction(
    node: Node, features: Mapping[str, Feature], row: Mapping[str, Value], seen: Mapping[str, Sequence[str]]
) -> Direction:
    """Ask the node's split, then its surrogates, then the majority (semantics, section 4).

    Args:
        features: as expressions over the row's table, by their names in the model.
        row: values by the same names.
        seen: `Tree.seen_categories`.
    """
    splits: tuple[Split, ...] = (node, *node.surrogates)
    for rank, split in enumerate(splits):
        name = str(split.feature)
        answer = _goes_left(split, features[name], row[name], seen.get(name, ()))
        if answer is not None:
            return Direction(answer, split, rank)
    return Direction(bool(node.majority_left), None, 0)


def is_missing(value: Value) -> bool:
    return value is None or (not isinstance(value, str) and math.isnan(value))


def _goes_left(split: Split, feature: Feature, value: Value, seen: Sequence[str]) -> bool | None:
    """None if the split cannot tell."""
    if feature.kind is FeatureKind.UNORDERED:
        left, right = split.left_levels or (), split.right_levels or ()
        category = value if isinstance(value, str) else None
        # Where NULL is a category, what was never seen goes its way.
        if None in (*left, *right) and category not in (*left, *right, *seen):
            category = None
        return True if category in left else False if category in right else None
    if feature.null_last and is_missing(value):
        return not split.low_goes_left
    if is_missing(value) or split.threshold is None or value is None or isinstance(value, str):
        return None
    return _is_below(value, split.threshold) == split.low_goes_left


def _is_below(value: float | Decimal, threshold: float) -> bool:
    if isinstance(value, Decimal):
        # As numeric becomes float8, but for values that float8 cannot hold.
        text, inclusive = last_decimal(threshold)
        last = Decimal(text)
        return value <= last if inclusive else value < last
    return value <= threshold
