"""Finished trees as flat arrays: the one form in which they are walked down, whatever they were read from.

Nodes are sorted by tree and id. In that order the children of a tree's inner nodes follow its root pair by pair, so
that one array of first children describes all trees. What a split asks is kept apart from its node: the splits are
those of the nodes, in their order, and behind them the surrogates, in the order of their nodes and ranks.

A row ends in a leaf, which is a position among the nodes. So whatever leaves say, a class, shares or a number, is an
array (n_nodes, ...) beside the trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.records import dataclass

ALL_TREES = -1


@dataclass(frozen=True)
class FlatSplits:
    """What is asked, of the nodes and then of the surrogates; (n_splits,) each.

    Attributes:
        node: position of the node; those of the surrogates do not fall.
        feature: position of the feature; -1 for a leaf.
        threshold: NaN where the feature is unordered or the node a leaf.
        low_goes_left: whether values up to the threshold go left.
    """

    node: Ints
    feature: Ints
    threshold: Floats
    low_goes_left: Bools

    def extended_by(self, more: FlatSplits) -> FlatSplits:
        """These, and others behind them."""
        return _joined([self, more])


@dataclass(frozen=True)
class SplitCategories:
    """The categories that splits on unordered features name; (n_entries,) each.

    Attributes:
        split: position of the split.
        feature: position of its feature.
        key: a number that stands for the category.
        is_null: the category is NULL, and `key` means nothing.
        goes_left: where the split sends it.
    """

    split: Ints
    feature: Ints
    key: Ints
    is_null: Bools
    goes_left: Bools

    @classmethod
    def none(cls) -> SplitCategories:
        """Of splits that ask for thresholds alone."""
        none, false = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return cls(none, none, none, false, false)

    @classmethod
    def joined(cls, parts: Sequence[SplitCategories]) -> SplitCategories:
        """Several as one; at least one."""
        return _joined(parts)

    def of_splits(self, wanted: Bools, place: Ints) -> SplitCategories:
        """Those of the splits that are `wanted` (n_splits,), whose places are to be `place` (n_splits,)."""
        own = _only(self, wanted[self.split])
        return replace(own, split=place[own.split])


@dataclass(frozen=True)
class KnownCategories:
    """Categories seen in training, of features for which NULL is a category; (n_seen,) each.

    Attributes:
        feature: position of the feature.
        group: number of the group whose trees have seen it, or `ALL_TREES`.
        key: of the category.
    """

    feature: Ints
    group: Ints
    key: Ints

    @classmethod
    def none(cls) -> KnownCategories:
        """Where NULL is no category."""
        none = np.zeros(0, np.int64)
        return cls(none, none, none)


@dataclass(frozen=True)
class FlatTrees:
    """Whole trees.

    Attributes:
        tree_id, node_id: (n_nodes,) of the nodes, sorted by them.
        majority_left: (n_nodes,) whether the left child is the majority's; anything for a leaf.
        child: (n_nodes,) the left child, whose sibling is next to it; a leaf's own position.
        roots: (n_trees,) positions.
        splits, categories, seen: what they ask, and which categories there are.
        is_category: for each feature whether its values are keys of categories, else numbers.
    """

    tree_id: Ints
    node_id: Ints
    majority_left: Bools
    child: Ints
    roots: Ints
    splits: FlatSplits
    categories: SplitCategories
    seen: KnownCategories
    is_category: list[bool]

    @classmethod
    def of(
        cls,
        tree_id: Ints,
        node_id: Ints,
        majority_left: Bools,
        splits: FlatSplits,
        is_category: list[bool],
        categories: SplitCategories | None = None,
        seen: KnownCategories | None = None,
        between: Callable[[], None] = lambda: None,
    ) -> FlatTrees:
        """Trees of nodes (n_nodes,) sorted by tree and id; categories may be left out where none are asked for.

        Args:
            between: called between passes over the nodes, for cancels to be let in.

        Raises:
            MadtreeError: the nodes are not those of whole trees.
        """
        n_nodes = len(node_id)
        roots = first_nodes(tree_id)
        inner = splits.feature[:n_nodes] >= 0
        between()
        child = children_in_order(inner, roots)
        between()
        parents = flat_nonzero(inner)
        left = child[parents]
        between()
        is_whole = n_nodes == len(roots) + 2 * len(parents) and not node_id[roots].any()
        is_whole = is_whole and (not len(parents) or int(left.max()) + 1 < n_nodes)
        is_whole = is_whole and np.array_equal(node_id[left], 2 * node_id[parents] + 1)
        between()
        if n_nodes and not (is_whole and np.array_equal(tree_id[left + 1], tree_id[parents])):
            raise MadtreeError("the model is damaged: its nodes are not whole trees")
        named, known = categories or SplitCategories.none(), seen or KnownCategories.none()
        return cls(tree_id, node_id, majority_left.astype(np.bool_), child, roots, splits, named, known, is_category)

    @property
    def by_thresholds_alone(self) -> bool:
        """Whether no node asks for categories or has surrogates."""
        return not any(self.is_category) and len(self.splits.node) == len(self.child)

    def depth_first(self) -> tuple[Ints, Ints]:
        """(n_nodes,) places of the nodes where each is followed by all below its left child, then by all below its
        right one, the trees behind one another; and the nodes' depths.
        """
        levels = inner_by_level(self.child, self.roots)
        size, depth = np.ones(len(self.child), np.int64), np.zeros(len(self.child), np.int64)
        for nodes in reversed(levels):
            left = self.child.take(nodes)
            size[nodes] += size.take(left) + size.take(left + 1)
        place = np.zeros(len(self.child), np.int64)
        place[self.roots] = np.cumsum(size.take(self.roots)) - size.take(self.roots)
        for level, nodes in enumerate(levels, 1):
            left = self.child.take(nodes)
            place[left] = place.take(nodes) + 1
            place[left + 1] = place.take(left) + size.take(left)
            depth[left] = depth[left + 1] = level
        return place, depth

    def group_of_nodes(self, members: int, counts: Sequence[int] = ()) -> Ints:
        """(n_nodes,) the number of each node's group, which has that many trees with ids that follow each other, or
        those of `counts`; of single trees, 0, the tree's id.
        """
        if len(counts):
            return np.searchsorted(np.cumsum(counts), self.tree_id) + 1
        return (self.tree_id - 1) // members + 1 if members else self.tree_id

    def up_to_agreement(
        self, leaf_values: Array, between: Callable[[], None] = lambda: None
    ) -> tuple[FlatTrees, Array]:
        """The trees without the splits that decide nothing, and what their nodes say.

        A node below which all leaves say the same becomes a leaf. Most splits of trees of limited depth that vote are
        such. Without them a row's way is shorter, and there is less to hand to workers.

        Args:
            leaf_values: (n_nodes,) by each node as a leaf.
            between: called now and then, for cancels to be let in.
        """
        n_nodes = len(self.child)
        every = np.arange(n_nodes)
        agree, leaf_values = where_leaves_agree(self.child, self.roots, leaf_values)
        between()
        undecided = flat_nonzero(agree & (self.child != every))
        kept = np.ones(n_nodes, np.bool_)
        kept[self.child[undecided]] = kept[self.child[undecided] + 1] = False
        asks = kept & ~agree
        # Each node's own split stays, whether it asks anything or not; surrogates stay with those that do.
        stays = np.concatenate((kept, asks[self.splits.node[n_nodes:]]))
        asks_still = np.concatenate((asks, np.ones(len(stays) - n_nodes, np.bool_)))
        named = self.categories.of_splits(stays & asks_still, np.cumsum(stays) - 1)
        between()
        place = np.cumsum(kept) - 1
        own, asks_still = _only(self.splits, stays), asks_still[stays]
        own = replace(
            own,
            node=place.take(own.node),
            feature=np.where(asks_still, own.feature, -1),
            threshold=np.where(asks_still, own.threshold, np.nan),
        )
        nodes = flat_nonzero(kept)
        trees = replace(
            self,
            tree_id=self.tree_id.take(nodes),
            node_id=self.node_id.take(nodes),
            majority_left=self.majority_left.take(nodes),
            child=place.take(np.where(agree, every, self.child).take(nodes)),
            roots=place.take(self.roots),
            splits=own,
            categories=named,
        )
        return trees, leaf_values.take(nodes)


_T = TypeVar("_T", FlatSplits, SplitCategories)


def _joined(parts: Sequence[_T]) -> _T:
    columns = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(parts[0])}
    return replace(parts[0], **columns)


def _only(columns: _T, wanted: Bools) -> _T:
    """Only the entries that are `wanted` (n,)."""
    places = flat_nonzero(wanted)
    return replace(columns, **{f.name: getattr(columns, f.name).take(places) for f in fields(columns)})


def first_nodes(tree_id: Ints) -> Ints:
    """(n_trees,) positions of the first node of each tree; `tree_id` (n_nodes,) is ascending."""
    return flat_nonzero(np.diff(tree_id, prepend=tree_id[:1] - 1))


def children_in_order(inner: Bools, roots: Ints) -> Ints:
    """(n_nodes,) first children of nodes by tree and id, a leaf's own: `inner` (n_nodes,), `roots` (n_trees,)."""
    # Within a tree the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    rank: Ints = np.cumsum(inner) - inner
    child = 2 * rank + by_node(roots + 1 - 2 * rank.take(roots), roots, len(inner))
    return np.where(inner, child, np.arange(len(inner)))


def by_node(of_trees: Ints, roots: Ints, n_nodes: int) -> Ints:
    """(n_nodes,) what each node's tree has, `of_trees` (n_trees,); the trees begin at `roots` (n_trees,), the first of
    them at 0. numpy's repeat takes several times as long.
    """
    steps = np.zeros(n_nodes, np.int64)
    steps[roots] = np.diff(of_trees, prepend=0)
    return np.cumsum(steps)


def where_leaves_agree(child: Ints, roots: Ints, leaf_values: Array) -> tuple[Bools, Array]:
    """Of all nodes (n_nodes,) whether the leaves below them, or they as leaves, say the same, and what that is.

    Args:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own index.
        roots: (n_trees,) of the trees.
        leaf_values: (n_nodes,) by each node as a leaf; where leaves differ it stays as it is.
    """
    agree: Bools = child == np.arange(len(child))
    leaf_values = leaf_values.copy()
    for nodes in reversed(inner_by_level(child, roots)):
        left = child.take(nodes)
        right = left + 1
        alike = agree.take(left) & agree.take(right) & (leaf_values.take(left) == leaf_values.take(right))
        agree[nodes] = alike
        leaf_values[nodes[alike]] = leaf_values.take(left[alike])
    return agree, leaf_values


def inner_by_level(child: Ints, roots: Ints) -> list[Ints]:
    """The inner nodes of all trees, level by level."""
    levels, nodes = [], roots
    while len(nodes):
        nodes = nodes[child.take(nodes) != nodes]
        levels.append(nodes)
        left = child.take(nodes)
        nodes = np.concatenate((left, left + 1))
    return levels
