"""What a split says of one value: the same rules that `madtree.sqltext.branch` writes as SQL."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from madtree.trees.model import Feature, Kind, Node, Split, Surrogate
from madtree.trees.threshold import last_decimal

Value = str | float | Decimal | None


@dataclass(frozen=True)
class Decision:
    """Which way a row goes at an inner node, and why.

    Attributes:
        goes_left: towards the true branch.
        asked: the split that could tell: the node itself or one of its surrogates; None if the majority decided.
        rank: of the surrogate, from 1; 0 for the node's own split.
    """

    goes_left: bool
    asked: Node | Surrogate | None
    rank: int


def comparable(feature: Feature, text: str | None) -> Value:
    """A value as splits compare it, from its text; see `madtree.sqltext.explain.row_by_id`."""
    if text is None or feature.kind is Kind.UNORDERED:
        return text
    return Decimal(text) if feature.type == "numeric" and not feature.labels else float(text)


def decide(
    node: Node, features: Mapping[str, Feature], row: Mapping[str, Value], seen: Mapping[str, Sequence[str]]
) -> Decision:
    """Ask the node's split, then its surrogates, then the majority (semantics, section 4).

    Args:
        features: as expressions over the row's table, by their names in the model.
        row: values by the same names.
        seen: `Tree.levels`.
    """
    splits: tuple[Split, ...] = (node, *node.surrogates)
    for rank, split in enumerate(splits):
        name = str(split.feature)
        answer = _goes_left(split, features[name], row[name], seen.get(name, ()))
        if answer is not None:
            return Decision(answer, split, rank)
    return Decision(bool(node.majority_left), None, 0)


def is_missing(value: Value) -> bool:
    return value is None or (not isinstance(value, str) and math.isnan(value))


def _goes_left(split: Split, feature: Feature, value: Value, seen: Sequence[str]) -> bool | None:
    """None if the split cannot tell."""
    if feature.kind is Kind.UNORDERED:
        left, right = split.left_levels or (), split.right_levels or ()
        level = value if isinstance(value, str) else None
        # Where NULL is a level, what was never seen goes its way.
        if None in (*left, *right) and level not in (*left, *right, *seen):
            level = None
        return True if level in left else False if level in right else None
    if is_missing(value) or split.threshold is None or value is None or isinstance(value, str):
        return None
    return _is_below(value, split.threshold) == split.low_goes_left


def _is_below(value: float | Decimal, threshold: float) -> bool:
    if isinstance(value, Decimal):
        # As numeric becomes float8, but for values that float8 cannot hold.
        text, inclusive = last_decimal(threshold)
        boundary = Decimal(text)
        return value <= boundary if inclusive else value < boundary
    return value <= threshold
