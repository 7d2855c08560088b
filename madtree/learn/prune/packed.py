"""The nodes of an ensemble's trees as the bytes that the model tables hold, made by whoever grows the trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Bools, Ints, flat_nonzero
from madtree.learn.prune.columns import CategorySets, NodeColumns, TreeKeys
from madtree.records import dataclass
from madtree.trees import MOST_ROWS_IN_BAG, NodeLayout

MOST_LISTED = 1000  # categories of the side that all others take, beyond which none of them is named
_PIECE = 4096  # nodes whose records are filled together, so that they stay in the cache


@dataclass(frozen=True)
class PackedNodes:
    """The nodes of n trees, and the categories that their splits name.

    Attributes:
        key: of each tree.
        sizes: (n,) bytes of each tree's nodes.
        records: (sizes.sum(),) uint8, as a `trees.NodeLayout` has them, one tree's by node id behind the other's.
        n_categories: (n,) of each tree's list.
        feature, index: (n_categories.sum(),) of each category its feature, and its position in the feature's list.
    """

    key: TreeKeys
    sizes: Ints
    records: Array
    n_categories: Ints
    feature: Ints
    index: Ints

    @classmethod
    def none(cls) -> PackedNodes:
        """Of no tree."""
        ids, none = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(TreeKeys(ids, ids), ids, np.zeros(0, np.uint8), ids, none, none)

    def take(self, trees: Ints) -> PackedNodes:
        """Those of some trees (m,), ascending."""

        def parts(values: Array, sizes: Ints) -> Array:
            ends = np.cumsum(sizes)
            each = [values[ends[tree] - sizes[tree] : ends[tree]] for tree in trees.tolist()]
            return np.concatenate([values[:0], *each])

        return PackedNodes(
            self.key.take(trees),
            self.sizes[trees],
            parts(self.records, self.sizes),
            self.n_categories[trees],
            parts(self.feature, self.n_categories),
            parts(self.index, self.n_categories),
        )

    @classmethod
    def of(cls, nodes: NodeColumns, key: TreeKeys, n_nodes: Ints, unordered: Bools, layout: NodeLayout) -> PackedNodes:
        """From the columns of the nodes.

        Args:
            key, n_nodes: of each tree; `nodes` are those of the first tree, then those of the second, ...
            unordered: (n_features,) bool.
            layout: of the records.

        Raises:
            MadtreeError: a tree has more rows than a record can tell.
        """
        if n_nodes.sum() != len(nodes.node_id):
            raise ValueError("the nodes are not those of the trees")
        if (most := int(nodes.n_rows.max(initial=0))) > MOST_ROWS_IN_BAG:
            raise MadtreeError(
                f"a tree's sample has {most:,} rows, and an ensemble's trees may have at most {MOST_ROWS_IN_BAG:,}",
                hint="A smaller sample_ratio draws fewer.",
                sqlstate="54000",
            )
        own = np.append(unordered, False)[nodes.feature]  # -1, a leaf, takes the last
        splits = flat_nonzero(own)
        left, right = nodes.left.sizes[splits].astype(np.int64), nodes.right.sizes[splits]
        counts = left + right
        before = np.cumsum(counts) - counts
        # Of each tree the first of its splits by categories.
        firsts = np.searchsorted(splits, np.cumsum(n_nodes) - n_nodes)
        starts = np.append(before, counts.sum())[firsts]
        n_categories = np.diff(starts, append=counts.sum())
        start = np.full(len(nodes.node_id), -1, np.int64)
        start[splits] = before - starts[np.searchsorted(firsts, np.arange(len(splits)), side="right") - 1]
        index = np.empty(int(counts.sum()), np.int32)
        index[_places(left, before)] = nodes.left.indices
        index[_places(right, before + left)] = nodes.right.indices
        feature = np.repeat(nodes.feature[splits], counts).astype(np.int32)
        records = _records(nodes, start, layout)
        sizes = n_nodes * records.dtype.itemsize
        return cls(key, sizes, records.reshape(-1).view(np.uint8), n_categories, feature, index)


def without_implied(nodes: NodeColumns) -> NodeColumns:
    """These nodes without long lists of categories that say nothing: a category that a split does not name goes with
    the majority. That holds where there are no surrogates, which are asked first.

    Of tens of thousands of categories few go against it, and all nodes of a model together would name many millions.
    """
    left, right = _listed(nodes.left, nodes.majority_left), _listed(nodes.right, ~nodes.majority_left)
    return replace(nodes, left=left, right=right)


def _listed(sets: CategorySets, are_others: Bools) -> CategorySets:
    """Some nodes' categories of one side without the long lists of those (n,) that all others take."""
    kept = ~(are_others & (sets.sizes > MOST_LISTED))
    sizes = np.where(kept, sets.sizes, 0).astype(sets.sizes.dtype)
    return CategorySets(sizes, sets.indices[np.repeat(kept, sets.sizes)])


def _places(sizes: Ints, first: Ints) -> Ints:
    """(sizes.sum(),) where the members of sets come to stand, of which each set begins at `first` (n_sets,)."""
    ends = np.cumsum(sizes)
    places: Ints = np.arange(sizes.sum()) + np.repeat(first - (ends - sizes), sizes)
    return places


def _records(nodes: NodeColumns, categories: Ints, layout: NodeLayout) -> Array:
    """(n,) the nodes' records; `categories` (n,) where those of each split begin, -1 where it has none."""
    whole = np.empty(len(nodes.node_id), layout.big_endian)
    for begin in range(0, len(whole), _PIECE):
        piece = slice(begin, begin + _PIECE)
        feature, prediction = nodes.feature[piece], nodes.prediction[piece]
        position = feature + 1
        columns = {
            "feature": np.where(nodes.majority_left[piece], position, -position),
            "prediction": prediction + 1 if layout.is_classification else prediction,
            "improvement": np.where(feature < 0, np.nan, nodes.improvement[piece]),
            "categories": categories[piece],
            "n_left": nodes.left.sizes[piece],
            "n_right": nodes.right.sizes[piece],
        }
        records = whole[piece]
        for name in whole.dtype.names or ():
            records[name] = columns[name] if name in columns else getattr(nodes, name)[piece]
    return whole
