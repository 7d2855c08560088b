"""Splits by encodings of categories, written as splits by the categories.

While a model is trained, a category is a number: its encoding. A new row has the encoding that all rows in training
give its category. So a threshold parts the categories by these, and the model's nodes name those of each side: only
the ones that come to the node, as those of a side lie together in the order of the encodings. Of each feature a tree
has one list in that order, of which its nodes name parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.prune import PackedNodes
from madtree.learn.walk import by_node, children_in_order, inner_by_level
from madtree.records import dataclass
from madtree.trees import MOST_NAMED, NodeLayout


@dataclass(frozen=True)
class GroupEncodings:
    """The encodings of the categories of a feature, in a group.

    Attributes:
        index: (n,) the categories, by their positions in the feature's list, in order of their encodings.
        encoded: (n,) these.
        prior: what a category is encoded as that training has not seen.
        lacks: whether rows in training lack a category: then what is not known goes where these go.
    """

    index: Ints
    encoded: Floats
    prior: float
    lacks: bool


@dataclass(frozen=True)
class Encodings:
    """Of all features that are encoded.

    Attributes:
        features: their positions.
        labels: of each feature, by its position, all categories.
        by_group: of each group and feature; features that have no category in a group are left out.
    """

    features: tuple[int, ...]
    labels: Mapping[int, tuple[str, ...]]
    by_group: Mapping[tuple[int, int], GroupEncodings]

    @cached_property
    def _none(self) -> GroupEncodings:
        return GroupEncodings(np.zeros(0, np.int64), np.zeros(0), 0.0, True)

    def of(self, group: int, feature: int) -> GroupEncodings:
        return self.by_group.get((group, feature), self._none)

    def categories(self, group: int, feature: int) -> tuple[str, ...]:
        """Those that a group has."""
        return tuple(self.labels[feature][i] for i in sorted(self.of(group, feature).index.tolist()))


def by_categories(packed: PackedNodes, grown: NodeLayout, kept: NodeLayout, encodings: Encodings) -> PackedNodes:
    """Nodes whose splits compare encodings, as nodes whose splits name categories.

    Args:
        grown, kept: the layouts of either.

    Raises:
        MadtreeError: there are too many categories to be named.
    """
    before = packed.records.view(grown.big_endian)
    records = np.empty(len(before), kept.big_endian)
    for name in records.dtype.names or ():
        records[name] = before[name] if name in (before.dtype.names or ()) else 0
    if not grown.has_categories:
        records["categories"] = -1
    n_nodes = packed.sizes // before.dtype.itemsize
    ends: Ints = np.cumsum(n_nodes)
    roots = ends - n_nodes
    tree: Ints = np.repeat(np.arange(len(n_nodes)), n_nodes)
    feature = np.abs(records["feature"].astype(np.int64)) - 1
    ways = _Ways(feature, records["threshold"].astype(np.float64), roots, packed.key.group, tree)
    lists = [[packed.feature[part], packed.index[part]] for part in _parts(packed.n_categories)]
    sizes = packed.n_categories.astype(np.int64)
    for each in encodings.features:
        splits = feature == each
        if not splits.any():
            continue
        of_trees = [encodings.of(group, each) for group in packed.key.group.tolist()]
        first, cut, last = ways.ranges(splits, of_trees)
        own = np.flatnonzero(splits)
        of_own = tree[own]
        records["categories"][own] = sizes[of_own] + first[own]
        records["n_left"][own], records["n_right"][own] = (cut - first)[own], (last - cut)[own]
        lacks = np.array([one.lacks for one in of_trees])[of_own]
        prior = np.array([one.prior for one in of_trees])[of_own]
        threshold = records["threshold"][own].astype(np.float64)
        majority_left = np.where(lacks, records["feature"][own] > 0, prior <= threshold)
        records["feature"][own] = np.where(majority_left, each + 1, -each - 1)
        records["threshold"][own] = np.nan
        for one in np.unique(of_own).tolist():
            index = of_trees[one].index
            lists[one] = [
                np.concatenate((lists[one][0], np.full(len(index), each, np.int32))),
                np.concatenate((lists[one][1], index.astype(np.int32))),
            ]
            sizes[one] += len(index)
    if (named := int(records["n_left"].sum(dtype=np.int64) + records["n_right"].sum(dtype=np.int64))) > MOST_NAMED:
        raise too_many(named)
    none = np.zeros(0, np.int32)
    return PackedNodes(
        packed.key,
        n_nodes * records.dtype.itemsize,
        records.reshape(-1).view(np.uint8),
        sizes,
        np.concatenate([none, *(one[0] for one in lists)]),
        np.concatenate([none, *(one[1] for one in lists)]),
    )


def too_many(named: int) -> MadtreeError:
    """The error for a model that would be too large."""
    return MadtreeError(
        f"boost_params: category_encoding ordered: the splits of the model would name {named:,} categories in all, and "
        f"at most {MOST_NAMED:,} are possible",
        hint="Put rare categories together, for instance as 'other', or take fewer or smaller trees.",
        sqlstate="54000",
    )


@dataclass(frozen=True)
class _Ways:
    """Which categories come to which nodes.

    Attributes:
        feature: (n_nodes,) by which each splits, -1 for a leaf.
        threshold: (n_nodes,)
        roots: (n_trees,) places.
        groups: (n_trees,)
        tree: (n_nodes,) the place of its tree.
    """

    feature: Ints
    threshold: Floats
    roots: Ints
    groups: Ints
    tree: Ints

    def ranges(self, splits: Bools, of_trees: Sequence[GroupEncodings]) -> tuple[Ints, Ints, Ints]:
        """(n_nodes,) of the categories of a feature that come to each node, in order of their encodings: the first,
        the first that its split sends right, and where they end. They are of use where `splits` (n_nodes,) says so.
        """
        child, levels = self._shape
        n = len(self.feature)
        first = np.zeros(n, np.int64)
        last = by_node(np.array([len(one.index) for one in of_trees], np.int64), self.roots, n)
        cut = np.zeros(n, np.int64)
        at = np.flatnonzero(splits)
        # Trees of a group lie together.
        for part in np.split(at, np.flatnonzero(np.diff(self.groups[self.tree[at]])) + 1):
            if len(part):
                encoded = of_trees[int(self.tree[part[0]])].encoded
                cut[part] = np.searchsorted(encoded, self.threshold[part], side="right")
        for nodes in levels:
            cut[nodes] = np.clip(cut[nodes], first[nodes], last[nodes])
            left, own = child[nodes], splits[nodes]
            first[left], last[left] = first[nodes], np.where(own, cut[nodes], last[nodes])
            first[left + 1], last[left + 1] = np.where(own, cut[nodes], first[nodes]), last[nodes]
        return first, cut, last

    @cached_property
    def _shape(self) -> tuple[Ints, list[Ints]]:
        child = children_in_order(self.feature >= 0, self.roots)
        return child, inner_by_level(child, self.roots)


def _parts(sizes: Array) -> list[slice]:
    ends = np.cumsum(sizes)
    return [slice(end - size, end) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
