"""The ways from the roots of trees to their leaves: what each asks of a row, feature by feature."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Bools, Coroutine, Floats, Ints, flat_nonzero, narrowest
from madtree.learn.shap.covered_trees import CoveredTrees
from madtree.learn.walk import RouteByNodes, inner_by_level
from madtree.records import dataclass


@dataclass(frozen=True)
class Ways:
    """The ways from the roots to all nodes of trees; (n_nodes,) each.

    Attributes:
        before: the last node above to which a split by the same feature leads; -1 where there is none.
        n_before: how many such nodes are above.
        n_conditions: distinct features that the way asks.
        place: of the one that it asks last among these, in order of their first splits.
        share: of the rows of training those that go on at all splits by that feature: the product of these.
    """

    before: Ints
    n_before: Ints
    n_conditions: Ints
    place: Ints
    share: Floats

    @classmethod
    def of(cls, trees: CoveredTrees) -> Coroutine[Ways]:
        """Those of whole trees."""
        before = yield from _before(trees)
        n_before, n_conditions, place = (np.zeros(len(before), np.int32) for _ in range(3))
        share = trees.share.copy()
        for inner in inner_by_level(trees.child, trees.roots):
            yield
            for node in (trees.child.take(inner), trees.child.take(inner) + 1):
                above, first = before.take(node), before.take(node) < 0
                known = n_conditions.take(inner)
                n_conditions[node] = known + first
                place[node] = np.where(first, known, place.take(above, mode="clip"))
                n_before[node] = np.where(first, 0, n_before.take(above, mode="clip") + 1)
                share[node] = np.where(first, 1.0, share.take(above, mode="clip")) * share.take(node)
        return cls(before, n_before, n_conditions, place, share)


def _before(trees: CoveredTrees) -> Coroutine[Ints]:
    """As `Ways.before`."""
    found = np.full(len(trees.child), -1, np.int32)
    node = flat_nonzero(trees.parent >= 0)
    at = trees.parent.take(node)
    while len(node):
        yield
        inside = flat_nonzero(trees.parent.take(at) >= 0)
        node, at = node.take(inside), at.take(inside)
        alike = trees.split_feature.take(at) == trees.split_feature.take(node)
        found[node[alike]] = at[alike]
        node, at = node[~alike], trees.parent.take(at[~alike])
    return found


@dataclass(frozen=True)
class PathNodes:
    """Nodes below splits, whether rows fulfil all of what is asked of one feature on the way to them.

    Attributes:
        inner: (n_inner,) the splits' nodes.
        split: (n_nodes,) the place of the split above the node among these.
        is_right: (n_nodes,) whether it is the right child.
        before: (n_nodes,) the place of the last node above by the same feature; anything where there is none.
        n_before: (n_nodes,) how many there are.
    """

    inner: Ints
    split: Ints
    is_right: Bools
    before: Ints
    n_before: Ints

    @classmethod
    def of(cls, trees: CoveredTrees, ways: Ways, node: Ints, low: int, place: Ints) -> PathNodes:
        """Of nodes (n_nodes,), ascending, with all nodes above them but the roots.

        Args:
            place: of each node from `low` on among these.
        """
        inner = trees.parent.take(node)
        first = np.diff(inner, prepend=-1) > 0  # nodes are in the order of those above them
        before = place.take(ways.before.take(node) - low, mode="clip")
        return cls(
            inner[first],
            (np.cumsum(first) - 1).astype(np.int32),
            trees.is_right.take(node),
            before.astype(np.int32),
            ways.n_before.take(node),
        )

    def of_rows(self, route: RouteByNodes) -> Coroutine[Bools]:
        """(n_nodes, n_rows)"""
        right = yield from route.sides(self.inner)
        found: Bools = right.take(self.split, axis=0) == self.is_right[:, None]
        for n_before in range(1, 1 + int(self.n_before.max())):
            yield
            node = flat_nonzero(self.n_before == n_before)
            found[node] &= found.take(self.before.take(node), axis=0)
        return found


@dataclass(frozen=True)
class LeafPaths:
    """The ways from the roots to some leaves.

    What a way asks of one feature is a condition, whose splits may be several: it is kept by the node to which the last
    of them leads. Leaves are in order of the number of their conditions, conditions in order of their leaves and then
    by their first splits from the root down.

    Attributes:
        leaf: (n_leaves,) nodes.
        n_conditions: (n_leaves,) so many conditions has the leaf: distinct features.
        feature: (n_conditions,) of a condition.
        share: (n_conditions,) of the rows of training those that go on at all of its splits: the product of these.
        last: (n_conditions,) place of its node among those of `path_nodes`.
        path_nodes: the nodes to which the ways lead.
    """

    leaf: Ints
    n_conditions: Ints
    feature: Ints
    share: Floats
    last: Ints
    path_nodes: PathNodes

    @classmethod
    def of(cls, trees: CoveredTrees, ways: Ways, leaves: Ints) -> LeafPaths:
        """The ways to some leaves (n_leaves,); at least one is no root.

        Args:
            ways: to all nodes of the trees.
        """
        count = ways.n_conditions.take(leaves)
        order = np.argsort(count.astype(np.uint16), kind="stable")  # of integers so short numpy sorts by digits
        leaf, count = leaves.take(order), count.take(order)
        last = np.full((len(leaf), int(count.max())), -1, np.int64)
        low = int(leaf.min())
        levels: list[tuple[Ints, Ints]] = []
        way, at = np.arange(len(leaf)), leaf
        while len(way):
            goes_on = flat_nonzero(trees.parent.take(at) >= 0)
            way, at = way.take(goes_on), at.take(goes_on)
            low = min(low, int(at.min(initial=low)))
            levels.append((way, at))
            at = trees.parent.take(at)
        is_there = np.zeros(int(leaf.max()) + 1 - low, np.bool_)
        for way, at in reversed(levels):  # what comes further down is written over what was above
            last[way, ways.place.take(at)] = at
            is_there[at - low] = True
        last = last[last >= 0]
        node = low + flat_nonzero(is_there)
        place = np.cumsum(is_there) - 1
        return cls(
            leaf,
            count,
            narrowest(trees.split_feature.take(last)),
            ways.share.take(last),
            place.take(last - low).astype(np.int32),
            PathNodes.of(trees, ways, node, low, place),
        )

    def met(self, route: RouteByNodes) -> Coroutine[Bools]:
        """(n_conditions, n_rows) which conditions rows fulfil."""
        path_nodes = yield from self.path_nodes.of_rows(route)
        return np.asarray(path_nodes.take(self.last, axis=0))

    @property
    def n_bytes(self) -> int:
        """That they take."""
        own, below = vars(self).values(), vars(self.path_nodes).values()
        return sum(each.nbytes for each in (*own, *below) if isinstance(each, np.ndarray))

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


def of_leaf(met: Bools, k: int) -> Bools:
    """(n_leaves, k, n_rows) of conditions (n_leaves * k, n_rows)."""
    return met.reshape(-1, k, met.shape[1])
