"""Finished trees with how many rows of training came to each node."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import fsum

import numpy as np

from madtree.learn.data import Bools, Floats, Ints, flat_nonzero
from madtree.learn.walk import by_node, inner_by_level
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
        inner = flat_nonzero(~self.is_leaf)
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
    def split_feature(self) -> Ints:
        """(n_nodes,) the feature that the split above a node asks; -1 of a root."""
        return np.where(self.parent >= 0, self.feature.take(self.parent, mode="clip"), -1)

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
        leaves = flat_nonzero(self.is_leaf)
        first = np.searchsorted(leaves, self.roots)
        for column, of_nodes in enumerate(values.T):
            weighed = np.split(reach.take(leaves) * of_nodes.take(leaves), first[1:])
            for tree, own in enumerate(weighed):  # the exactly rounded sum is that of any order
                found[tree, column] = fsum(own.tolist())
                between()
        return found
