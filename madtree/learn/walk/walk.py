"""The way down finished trees: what is handed to whoever walks, and checked there before any row is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Bools, Coroutine, Floats, Ints, Values, ascends, narrowest, require
from madtree.learn.walk.by_bits import FEW_ROWS, BitTrees
from madtree.learn.walk.by_codes import CodeTrees
from madtree.learn.walk.by_values import ValueTrees
from madtree.learn.walk.categories import KEYS, CategoryCodes
from madtree.learn.walk.flat_trees import FlatTrees, by_node, children_in_order
from madtree.records import dataclass
from madtree.trees import MAX_DEPTH_LIMIT


class Route(Protocol):
    """The ways of some rows down the trees."""

    def leaves(self, root: int | Ints) -> Coroutine[Ints]:
        """(n_rows,) the leaves that the rows end in, from one root or from their own (n_rows,)."""

    def of(self, rows: Ints) -> Route:
        """The ways of these rows alone."""


class RouteByNodes(Route, Protocol):
    """A route of which single nodes can be asked."""

    def sides(self, nodes: Ints) -> Coroutine[Bools]:
        """(n_nodes, n_rows) whether the rows leave inner nodes to the right, whether they come there or not."""

    def of(self, rows: Ints) -> RouteByNodes:
        """As `Route`."""


@dataclass(frozen=True)
class Walk:
    """Finished trees, ready for rows. Each way down ends in a leaf, and no look-up leaves its array.

    Attributes:
        groups: (n_groups,) numbers of the groups, ascending.
        roots: (n_trees,) of the trees, group by group.
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own position.
        missing_right, feature: of the nodes (n_nodes,) whether rows without a value go right, and what is asked; behind
            what nodes ask stands what surrogates do.
        is_category: of each feature whether its values are keys of categories.
        trees: what the nodes ask.
        categories: their codes.
        counts: (n_groups,) trees of each group, where these differ; else None.
    """

    groups: Ints
    roots: Ints
    child: Ints
    missing_right: Bools
    feature: Ints
    is_category: list[bool]
    trees: CodeTrees | ValueTrees
    categories: CategoryCodes
    counts: Ints | None = None

    @staticmethod
    def values_of(
        trees: FlatTrees, members: int, between: Callable[[], None] = lambda: None, counts: Sequence[int] = ()
    ) -> dict[str, Any]:
        """What there is to say of trees, for `codec.dump`, in as few bytes as hold it: each block is handed the whole.

        Args:
            members: trees of each group, whose ids follow each other; 0 for single trees, which never go by codes.
            counts: where these differ, of every group, also of those without a tree; `members` is the most.
            between: called after each few passes over all nodes, for cancels to be let in.

        Raises:
            MadtreeError: some trees of a group are missing.
        """
        group_of_nodes = trees.group_of_nodes(members, counts)
        groups, found = np.unique(group_of_nodes[trees.roots], return_counts=True)
        # Trees behind those of the last group are of a group that should have none.
        wanted = np.append(counts, 0).take(groups - 1) if counts else np.full(len(groups), max(members, 1))
        if not np.array_equal(found, wanted):
            raise MadtreeError("the model is damaged: some of its trees are missing")
        n_nodes, feature = len(trees.child), trees.splits.feature
        of_splits = (CodeTrees.values_of(trees, between) if members else None) or ValueTrees.values_of(trees)
        return {
            "trees": groups.astype(np.int64),
            "roots": trees.roots.astype(np.int64),
            "child": narrowest(trees.child),
            "missing_right": (feature[:n_nodes] >= 0) & ~trees.majority_left,
            "feature": narrowest(np.maximum(feature, 0)),
            **({"counts": wanted.astype(np.int64)} if counts else {}),
            **of_splits,
            "is_category": trees.is_category,
            **CategoryCodes.of(trees, groups, group_of_nodes, between).to_values(),
        }

    @classmethod
    def from_values(cls, given: Values, members: int) -> Walk:
        """What `values_of` says. Raises MadtreeError where it is none of trees."""
        is_category = given.booleans("is_category", None)
        n_features = len(is_category)
        groups = given.ints("trees", (None,), *KEYS)
        require(ascends(groups), "trees", "ascending")
        counts = given.ints("counts", (len(groups),), 1, members) if "counts" in given else None
        n_trees = len(groups) * max(members, 1) if counts is None else int(counts.sum())
        child, roots, deepest = _children(given, n_trees)
        leaf = child == np.arange(len(child))
        feature = given.ints("feature", (None,), 0, max(n_features - 1, 0))
        require(bool(is_category) or bool(leaf.all()), "is_category", "of one feature at least, to split by")
        missing_right = given.bools("missing_right", (len(child),))
        require(not missing_right[leaf].any(), "missing_right", "false in a leaf")
        categories = CategoryCodes.from_values(given, is_category, len(feature), len(groups))
        trees: CodeTrees | ValueTrees
        if "cut" in given:
            simple = members > 0 and not any(is_category) and len(feature) == len(child)
            require(simple, "cut", "of trees without categories and surrogates")
            together = roots[: members if counts is None else int(counts[0])]
            trees = CodeTrees.from_values(given, child, missing_right, feature, n_features, deepest, together)
        else:
            trees = ValueTrees.from_values(given, child, missing_right, feature, is_category, categories)
        return cls(groups, roots, child, missing_right, feature, is_category, trees, categories, counts)

    @cached_property
    def first_trees(self) -> Ints | None:
        """(n_groups,) position of each group's first tree, where their numbers of trees differ; else None."""
        return None if self.counts is None else np.cumsum(self.counts) - self.counts

    def trees_of(self, members: int, group: int) -> slice:
        """Which of the trees belong to the group at some position; `members` as `values_of` has it."""
        if self.counts is None or self.first_trees is None:
            return slice(group * members, (group + 1) * members)
        first = int(self.first_trees[group])
        return slice(first, first + int(self.counts[group]))

    def places(self, wanted: Floats | None, n_rows: int) -> tuple[Ints, Bools | None]:
        """(n_rows,) position of each row's group, any where it has none; and whether it has one, None where all have.

        Args:
            wanted: (n_rows,) their numbers, None where there is one group for all.
        """
        groups = self.groups
        if wanted is None or len(groups) == 0:
            return np.zeros(n_rows, np.int64), None
        first = int(groups[0])
        if int(groups[-1]) - first == len(groups) - 1:  # as trained, where no group failed
            known = (wanted >= first) & (wanted <= int(groups[-1]))
            return np.where(known, wanted - first, 0).astype(np.int64), known
        place = np.minimum(np.searchsorted(groups, wanted), len(groups) - 1)
        return place, groups[place] == wanted

    def route(self, values: Floats, group: Ints) -> Coroutine[Route]:
        """The ways of at most `MOST_ROWS` rows.

        Args:
            values: (n_features, n_rows) numbers, and keys of categories as numbers; NaN for NULL. They are written to.
            group: (n_rows,) position of each row's group.
        """
        self._to_codes(values, group)
        return (yield from self.route_of_codes(values))

    def route_by_nodes(self, values: Floats, group: Ints) -> RouteByNodes:
        """As `route`."""
        self._to_codes(values, group)
        return self.trees.route(values)

    def _to_codes(self, values: Floats, group: Ints) -> None:
        for feature in self.categories.keys:
            values[feature] = self.categories.codes_of_numbers(feature, values[feature], group)

    def route_of_codes(self, values: Floats) -> Coroutine[Route]:
        """As `route`, of rows that bring codes of categories."""
        trees = (yield from self._by_bits()) if values.shape[1] >= FEW_ROWS else None
        return self.trees.route(values) if trees is None else trees.route(values)

    def _by_bits(self) -> Coroutine[BitTrees | None]:
        """The trees by bits, where there is one group of them, and their leaves are few."""
        if len(self.groups) != 1 or len(self.roots) < 2 or len(self.feature) != len(self.child):
            return None
        if not self._kept:
            known = self.roots, self.child, self.missing_right, self.feature, self.trees.threshold
            self._kept.append((yield from BitTrees.of(*known, self.is_category, self.categories)))
        return self._kept[0]

    @cached_property
    def _kept(self) -> list[BitTrees | None]:
        """The trees by bits, once they are made."""
        return []


def _children(given: Values, n_trees: int) -> tuple[Ints, Ints, int]:
    """(n_nodes,) first children, of whole trees of no more than the greatest depth; (n_trees,) their roots; and the
    depth of the deepest.
    """
    child = given.ints("child", (None,), 0, 2**48)
    n_nodes = len(child)
    roots = given.ints("roots", (n_trees,), 0, max(n_nodes - 1, 0))
    starts = bool(ascends(roots)) and (not n_trees or int(roots[0]) == 0) and (n_trees > 0) == (n_nodes > 0)
    require(starts, "roots", "the first nodes of the trees")
    own = np.arange(n_nodes)
    inner = child != own
    require(np.array_equal(child, children_in_order(inner, roots)), "child", "in the order of the nodes")
    # In that order a child has one parent. If it stands behind that, and in the same tree, there is no circle.
    last = by_node(np.append(roots[1:], n_nodes)[: len(roots)], roots, n_nodes) - 1
    require(bool((~inner | ((child > own) & (child < last))).all()), "child", "behind its parent")
    at, depth = roots[inner[roots]], 0
    while len(at):
        depth += 1
        require(depth <= MAX_DEPTH_LIMIT, "child", f"at a depth of {MAX_DEPTH_LIMIT} at most")
        below = np.concatenate((child[at], child[at] + 1))
        at = below[inner[below]]
    return child, roots, depth
