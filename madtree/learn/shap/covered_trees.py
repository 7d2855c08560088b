"""Finished trees with how many rows of training came to each node, and the ways from the roots to their leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import fsum

import numpy as np

from madtree.learn.data import Bools, Floats, Ints, Steps
from madtree.learn.walk import RouteByNodes, by_node, inner_by_level
from madtree.records import dataclass


def shares_of_cover(child: Ints, cover: Floats) -> Floats:
    """(n_nodes,) of a node's rows of training the share that comes from its parent to it; 1 of a root.

    Args:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own position.
        cover: (n_nodes,) rows of training, or their weight. Where both children have none, each takes half.
    """
    share = np.ones(len(child))
    left = child[child != np.arange(len(child))]
    both = cover.take(left) + cover.take(left + 1)
    none = both == 0
    both[none] = 1
    share[left] = np.where(none, 0.5, cover.take(left) / both)
    share[left + 1] = np.where(none, 0.5, cover.take(left + 1) / both)
    return share


@dataclass(frozen=True)
class CoveredTrees:
    """Whole trees, whose nodes lie as those of `learn.walk.FlatTrees`.

    Attributes:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own position.
        roots: (n_trees,) positions.
        feature: (n_nodes,) that the node's split asks; anything for a leaf.
        share: (n_nodes,) see `shares_of_cover`.
    """

    child: Ints
    roots: Ints
    feature: Ints
    share: Floats

    @cached_property
    def is_leaf(self) -> Bools:
        """(n_nodes,)"""
        return np.asarray(self.child == np.arange(len(self.child)))

    @cached_property
    def parent(self) -> Ints:
        """(n_nodes,) -1 of a root."""
        parent = np.full(len(self.child), -1, np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        left = self.child.take(inner)
        parent[left] = parent[left + 1] = inner
        return parent

    @cached_property
    def is_right(self) -> Bools:
        """(n_nodes,) whether it is the right child of its parent."""
        right = np.zeros(len(self.child), np.bool_)
        right[self.child[~self.is_leaf] + 1] = True
        return right

    @cached_property
    def tree(self) -> Ints:
        """(n_nodes,) position of each node's tree."""
        return by_node(np.arange(len(self.roots)), self.roots, len(self.child))

    def expected(self, values: Floats, between: Callable[[], None] = lambda: None) -> Floats:
        """(n_trees, n_values) what the trees say on average over their rows of training, by the shares of these.

        Args:
            values: (n_nodes, n_values) of the leaves; anything for other nodes.
            between: called now and then, for cancels to be let in.
        """
        reach = np.ones(len(self.child))
        for nodes in inner_by_level(self.child, self.roots):
            left = self.child.take(nodes)
            reach[left] = reach.take(nodes) * self.share.take(left)
            reach[left + 1] = reach.take(nodes) * self.share.take(left + 1)
            between()
        found = np.empty((len(self.roots), values.shape[1]))
        leaves = np.flatnonzero(self.is_leaf)
        first = np.searchsorted(leaves, self.roots)
        for column, of_nodes in enumerate(values.T):
            weighed = np.split(reach.take(leaves) * of_nodes.take(leaves), first[1:])
            for tree, own in enumerate(weighed):  # the exactly rounded sum is that of any order
                found[tree, column] = fsum(own.tolist())
                between()
        return found


@dataclass(frozen=True)
class LeafPaths:
    """The ways from the roots to some leaves.

    What a way asks of one feature is a condition, whose splits may be several. Leaves are in order of the number of
    their conditions, conditions in order of their leaves and then from the root down, splits of their conditions.

    Attributes:
        leaf: (n_leaves,) nodes.
        n_conditions: (n_leaves,) so many conditions has the leaf: distinct features.
        feature: (n_conditions,) of a condition.
        share: (n_conditions,) of the rows of training those that go on at all of its splits: the product of these.
        first_split: (n_conditions,) the first one of its splits.
        node: (n_splits,) whose split it is.
        goes_right: (n_splits,) the way of the leaf there.
    """

    leaf: Ints
    n_conditions: Ints
    feature: Ints
    share: Floats
    first_split: Ints
    node: Ints
    goes_right: Bools

    @classmethod
    def of(cls, trees: CoveredTrees, leaves: Ints) -> LeafPaths:
        """The ways to some leaves (n_leaves,); at least one is no root."""
        way, below = _upwards(trees, leaves)
        node = trees.parent.take(below)
        asked = way * (1 + int(trees.feature.max())) + trees.feature.take(node)
        _, first, condition = np.unique(asked, return_index=True, return_inverse=True)
        of_condition = way.take(first)
        count = np.bincount(of_condition, minlength=len(leaves))
        order = np.argsort(count, kind="stable")
        place = np.empty(len(leaves), np.int64)
        place[order] = np.arange(len(leaves))
        sorted_conditions = np.lexsort((first, place.take(of_condition)))
        rank = np.empty(len(first), np.int64)
        rank[sorted_conditions] = np.arange(len(first))
        number = rank.take(condition.ravel())
        splits = np.argsort(number, kind="stable")
        below, node = below.take(splits), node.take(splits)
        first_split = np.searchsorted(number.take(splits), np.arange(len(first)))
        return cls(
            leaves.take(order),
            count.take(order),
            trees.feature.take(node.take(first_split)),
            np.multiply.reduceat(trees.share.take(below), first_split),
            first_split,
            node,
            trees.is_right.take(below),
        )

    def met(self, route: RouteByNodes) -> Steps[Bools]:
        """(n_conditions, n_rows) which conditions rows fulfil."""
        nodes, place = np.unique(self.node, return_inverse=True)
        right = yield from route.sides(nodes)
        follows = right.take(place.ravel(), axis=0) == self.goes_right[:, None]
        return np.asarray(np.logical_and.reduceat(follows, self.first_split, axis=0))

    @property
    def n_bytes(self) -> int:
        """That they take."""
        return sum(each.nbytes for each in vars(self).values())

    def runs(self) -> list[tuple[int, slice, slice]]:
        """Leaves with as many conditions, one at least: the number, the leaves, and the conditions of them all."""
        found, first = [], 0
        for count in np.unique(self.n_conditions).tolist():
            low, high = np.searchsorted(self.n_conditions, [count, count + 1]).tolist()
            size = count * (high - low)
            if count:
                found.append((count, slice(low, high), slice(first, first + size)))
            first += size
        return found


def _upwards(trees: CoveredTrees, leaves: Ints) -> tuple[Ints, Ints]:
    """(n_splits,) of each split on the ways to leaves the leaf's place among these, and the node that comes next on its
    way; leaf by leaf, from the root down.
    """
    way, at = np.arange(len(leaves)), leaves
    levels: list[tuple[Ints, Ints]] = []
    while True:
        goes_on = np.flatnonzero(trees.parent.take(at) >= 0)
        if len(goes_on) == 0:
            break
        way, at = way.take(goes_on), at.take(goes_on)
        levels.append((way, at))
        at = trees.parent.take(at)
    ways, nodes = (np.concatenate(column) for column in zip(*reversed(levels), strict=True))
    order = np.argsort(ways, kind="stable")
    return ways.take(order), nodes.take(order)
