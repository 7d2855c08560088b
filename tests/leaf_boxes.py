"""Where the leaves of a tree lie, told from the rows of `<model>_nodes`: to prove what holds for every row there could
be, and not for some that were tried.

It shares no code with the package.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

Node = Mapping[str, Any]
ABSENT = object()  # any category that no split of the tree names


@dataclass(frozen=True)
class Box:
    """Rows that reach a leaf.

    Attributes:
        low, high: by ordered feature, above and up to which its values lie.
        known: by ordered feature, whether a value may be there; `missing`: whether it may not.
        categories: by unordered feature, None for a missing one.
    """

    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    missing: dict[str, bool] = field(default_factory=dict)
    categories: dict[str, frozenset[Any]] = field(default_factory=dict)

    def interval(self, feature: str) -> tuple[float, float]:
        return self.low.get(feature, -math.inf), self.high.get(feature, math.inf)

    def may_lack(self, feature: str) -> bool:
        return self.missing.get(feature, True)

    def meets(self, other: Box, but_for: str) -> bool:
        """Whether two rows may be in the two boxes that differ in one ordered feature alone."""
        for feature in (self.low.keys() | self.high.keys() | other.low.keys() | other.high.keys()) - {but_for}:
            (a, b), (c, d) = self.interval(feature), other.interval(feature)
            if not (max(a, c) < min(b, d) or (self.may_lack(feature) and other.may_lack(feature))):
                return False
        shared = self.categories.keys() & other.categories.keys()
        return all(self.categories[feature] & other.categories[feature] for feature in shared)


def trees_of(nodes: Sequence[Node]) -> dict[int, dict[int, Node]]:
    """By tree and node id."""
    found: dict[int, dict[int, Node]] = defaultdict(dict)
    for node in nodes:
        found[node["tree_id"]][node["node_id"]] = node
    return found


def leaves_of(tree: Mapping[int, Node]) -> list[tuple[Box, float, list[str]]]:
    """Of each leaf its box, what it says, and the features on the way to it."""
    named: dict[str, set[Any]] = defaultdict(set)
    for node in tree.values():
        if not node["is_leaf"] and node["left_levels"] is not None:
            named[node["feature"]] |= {*node["left_levels"], *node["right_levels"]}
    every = {feature: frozenset({*levels, None, ABSENT}) for feature, levels in named.items()}
    return list(_below(tree, 0, Box(categories=every), []))


def _below(tree: Mapping[int, Node], number: int, box: Box, path: list[str]) -> Iterator[tuple[Box, float, list[str]]]:
    node = tree[number]
    if node["is_leaf"]:
        yield box, node["prediction"], path
        return
    feature = node["feature"]
    for side, child in ((0, 2 * number + 1), (1, 2 * number + 2)):
        own = Box(dict(box.low), dict(box.high), dict(box.missing), dict(box.categories))
        gets_unknown = node["majority_left"] == (side == 0)
        if node["left_levels"] is not None:
            here, there = [
                set(node[name])
                for name in (("left_levels", "right_levels")[side], ("right_levels", "left_levels")[side])
            ]
            mine = box.categories[feature] - there if gets_unknown else box.categories[feature] & here
            own.categories[feature] = frozenset(mine)
        else:
            low, high = box.interval(feature)
            if side == 0:
                own.high[feature] = min(high, node["threshold"])
            else:
                own.low[feature] = max(low, node["threshold"])
            own.missing[feature] = box.may_lack(feature) and gets_unknown
        yield from _below(tree, child, own, [*path, feature])


def against(tree: Mapping[int, Node], feature: str, direction: int) -> list[tuple[float, float]]:
    """What pairs of leaves say that two rows may reach which differ in nothing but `feature`, where the row with the
    larger value is told less, or with a `direction` of -1 more: that of the lower row first.
    """
    wrong = []
    for (below, first, _), (above, second, _) in permutations(leaves_of(tree), 2):
        (low, high), (from_, to) = below.interval(feature), above.interval(feature)
        there = low < high and from_ < to and low < to  # a value in the first box, and a larger one in the second
        if there and below.meets(above, feature) and direction * (second - first) < 0:
            wrong.append((first, second))
    return wrong
