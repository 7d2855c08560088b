"""The path to a leaf as one readable condition, with all that it says of a feature in one place."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.render.labels import IS_KNOWN, IS_MISSING, SIX, among_text, one_line, room_for_categories, threshold_text
from madtree.trees import Categories, Feature, FeatureKind, Model, Node, Split, Tree

Branch = tuple[Node, bool]  # an inner node, and whether the path goes left there

ALL_ROWS = "all rows"


def rule_text(model: Model, tree: Tree, node_id: int, full: bool = False) -> str:
    """``x > 3 and x <= 5 and (carrier in {AA,UA} or missing)``; features in the order in which the path meets them.

    "or missing" stands where a row that the splits cannot tell of (NULL, NaN, an unknown category) comes to this node
    with the majority at every split on the feature; "surrogates if missing" where surrogates are asked first.
    Long lists of categories are shortened unless `full`.
    """
    by_feature: dict[str, list[Branch]] = {}
    for node, goes_left in tree.path(node_id):
        by_feature.setdefault(str(node.feature), []).append((node, goes_left))
    conditions = [_of_feature(model.feature(name), branches, full) for name, branches in by_feature.items()]
    return " and ".join(conditions) or ALL_ROWS


def side_text(split: Split, feature: Feature, left: bool, full: bool = False, digits: int = SIX) -> str:
    """What the rows that a split sends to one side have in common: ``x <= 5`` or ``x > 5``; `full` as of `rule_text`,
    `digits` as of `split_text`.
    """
    if feature.kind is FeatureKind.UNORDERED:
        return _in_categories(feature, *_sides(split, left), full)
    low = left == split.low_goes_left
    text = f"{one_line(feature.name)} {_bound(feature, split.threshold or 0.0, low, digits)}"
    return f"{text} or missing" if feature.null_last and not low and not text.endswith(IS_MISSING) else text


def _of_feature(feature: Feature, branches: Sequence[Branch], full: bool) -> str:
    text = _categories(feature, branches, full) if feature.kind is FeatureKind.UNORDERED else _range(feature, branches)
    missing = None if text.endswith(IS_MISSING) else _missing(feature, branches)
    return f"({text} or {missing})" if missing else text


def _range(feature: Feature, branches: Sequence[Branch]) -> str:
    name = one_line(feature.name)
    lows = [node.threshold or 0.0 for node, goes_left in branches if not goes_left]
    highs = [node.threshold or 0.0 for node, goes_left in branches if goes_left]
    bounds = [_bound(feature, max(lows), False)] if lows else []
    bounds += [_bound(feature, min(highs), True)] if highs else []
    return " and ".join(f"{name} {bound}" for bound in bounds)


def _categories(feature: Feature, branches: Sequence[Branch], full: bool) -> str:
    """The categories that take the path at every branch."""
    both = [_sides(node, goes_left) for node, goes_left in branches]
    sides = [own for own, _ in both if own]
    excluded = dict.fromkeys(each for own, other in both if not own for each in other)
    if not sides:
        return _in_categories(feature, (), tuple(excluded), full)
    others = [frozenset(side) for side in sides[:-1]]  # of tens of thousands of categories each
    kept = tuple(each for each in sides[-1] if each not in excluded)
    common = tuple(each for each in kept if all(each in other for other in others))
    # A category that an earlier split does not name came with the majority.
    return _in_categories(feature, common or kept or sides[-1], (), full)


def _sides(split: Split, left: bool) -> tuple[Categories, Categories]:
    """The categories of a side, and of the other one."""
    own, other = (split.left_levels or (), split.right_levels or ())[:: 1 if left else -1]
    return own, other


def _missing(feature: Feature, branches: Sequence[Branch]) -> str | None:
    """How a row comes here of which the splits cannot tell; None if it cannot."""
    if feature.null_last:
        return None if any(goes_left for _, goes_left in branches) else "missing"
    for node, goes_left in branches:
        by_category = None in (*(node.left_levels or ()), *(node.right_levels or ()))
        if by_category or (goes_left != node.majority_left and not node.surrogates):
            return None
    return "surrogates if missing" if any(node.surrogates for node, _ in branches) else "missing"


def _in_categories(feature: Feature, categories: Categories, others: Categories, full: bool) -> str:
    return f"{one_line(feature.name)} {among_text(categories, others, room_for_categories(full))}"


def _bound(feature: Feature, threshold: float, low: bool, digits: int = SIX) -> str:
    """``<= 5``, or its opposite ``> 5``; of infinity ``is known``, or ``is missing``."""
    text = threshold_text(feature, threshold, digits)
    if low:
        return text
    if text == IS_KNOWN:
        return IS_MISSING
    return f"> {text[3:]}" if text.startswith("<= ") else f">= {text[2:]}"
