"""Trees while they grow: flat arrays over the nodes of all trees, and the way of a row down them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from madtree.core.block import Codes
from madtree.core.types import Array, Floats, Ints


@dataclass
class Routing:
    """What a row needs to find its way, an entry for each node of all trees.

    A row with code c of the node's feature goes to `child` where c <= cut, else to `child` + 1. Code 0, missing, goes
    left by that rule; where the majority went right, codes are lowered by one first, and 0 wraps round to the
    largest. A leaf leads to itself.

    Attributes:
        feature: int32, 0 for a leaf.
        cut: int32, largest code (less `shift`) that goes left.
        shift: uint8, 1 where missing values go right.
        child: int32, the left child's index; the right one's is one more.
        table: int32, where the node's table of levels starts in `levels`, -1 for ordered splits and leaves.
        levels: uint8, 1 for codes that go right; tables of all nodes with unordered splits, one after the other.
    """

    feature: Ints
    cut: Ints
    shift: Array
    child: Ints
    table: Ints
    levels: Array

    @classmethod
    def leaves(cls, first: int, count: int) -> Routing:
        """Nodes `first` to `first + count - 1` as leaves."""
        return cls(
            np.zeros(count, np.int32),
            np.full(count, 65_535, np.int32),
            np.zeros(count, np.uint8),
            np.arange(first, first + count, dtype=np.int32),
            np.full(count, -1, np.int32),
            np.zeros(0, np.uint8),
        )

    def append(self, more: Routing) -> None:
        """Add nodes behind those that are there; `more` must hold leaves only."""
        for name in ("feature", "cut", "shift", "child", "table"):
            setattr(self, name, np.concatenate((getattr(self, name), getattr(more, name))))

    def advance(self, node: Ints, codes: Codes) -> Ints:
        """One step down: the node (n_rows,) of each row after the step, from its node before."""
        n_rows = codes.n_rows
        layout = codes.layout
        feature = self.feature.take(node)
        row = np.arange(n_rows)
        if layout.n_wide == 0:
            code = codes.narrow.reshape(-1).take(feature * np.int64(n_rows) + row)
            code -= self.shift.take(node)
        else:
            code = np.zeros(n_rows, np.uint16)
            is_wide = layout.wide.take(feature)
            position = layout.position.take(feature)
            for chosen, matrix in ((~is_wide, codes.narrow), (is_wide, codes.wide)):
                at = np.flatnonzero(chosen)
                code[at] = matrix[position[at], at]
            code -= self.shift.take(node)
        right = code > self.cut.take(node)
        if len(self.levels):
            table = self.table.take(node)
            at = np.flatnonzero(table >= 0)
            right[at] = self.levels.take(table[at] + code[at])
        moved: Ints = self.child.take(node)
        moved += right
        return moved


@dataclass
class Forest:
    """All trees of a run. Index of tree t's root is t; children come in pairs, the left one first.

    Attributes, an entry for each node:
        tree: int32.
        node_id: int64, root 0, children 2i + 1 and 2i + 2.
        depth: int32.
        parent: int64 index, -1 for roots.
        n_rows: int64, the rows with a missing primary split included.
        sums: (n_planes, n_nodes) float64, the statistics' planes summed over the node's rows.
        feature: int32, -1 for leaves.
        threshold: float64, NaN where there is none.
        left_codes, right_codes: codes of the levels on either side, by node index, for unordered splits only.
        majority_left: bool.
        improvement: float64, the split's gain.
        routing: the same splits as rows follow them.
    """

    n_trees: int
    n_planes: int
    tree: Ints = field(init=False)
    node_id: Ints = field(init=False)
    depth: Ints = field(init=False)
    parent: Ints = field(init=False)
    n_rows: Ints = field(init=False)
    sums: Floats = field(init=False)
    feature: Ints = field(init=False)
    threshold: Floats = field(init=False)
    majority_left: Array = field(init=False)
    improvement: Floats = field(init=False)
    left_codes: dict[int, Ints] = field(default_factory=dict)
    right_codes: dict[int, Ints] = field(default_factory=dict)
    routing: Routing = field(init=False)

    def __post_init__(self) -> None:
        n = self.n_trees
        self.tree = np.arange(n, dtype=np.int32)
        self.node_id = np.zeros(n, np.int64)
        self.depth = np.zeros(n, np.int32)
        self.parent = np.full(n, -1, np.int64)
        self.n_rows = np.zeros(n, np.int64)
        self.sums = np.zeros((self.n_planes, n))
        self.feature = np.full(n, -1, np.int32)
        self.threshold = np.full(n, np.nan)
        self.majority_left = np.zeros(n, np.bool_)
        self.improvement = np.full(n, np.nan)
        self.routing = Routing.leaves(0, n)

    @property
    def n_nodes(self) -> int:
        return len(self.tree)

    def add_children(self, parents: Ints, n_rows: Ints, sums: Floats) -> Ints:
        """Append two children for each of `parents` (m,).

        Args:
            n_rows: (2 m,) rows of the children, left and right in turn.
            sums: (n_planes, 2 m) their statistics.

        Returns:
            (2 m,) the children's indices.
        """
        first, count = self.n_nodes, 2 * len(parents)
        pairs = np.repeat(parents, 2)
        side = np.tile(np.array([1, 2], np.int64), len(parents))
        self.tree = np.concatenate((self.tree, self.tree[pairs]))
        self.node_id = np.concatenate((self.node_id, 2 * self.node_id[pairs] + side))
        self.depth = np.concatenate((self.depth, self.depth[pairs] + 1))
        self.parent = np.concatenate((self.parent, pairs))
        self.n_rows = np.concatenate((self.n_rows, n_rows))
        self.sums = np.concatenate((self.sums, sums), axis=1)
        self.feature = np.concatenate((self.feature, np.full(count, -1, np.int32)))
        self.threshold = np.concatenate((self.threshold, np.full(count, np.nan)))
        self.majority_left = np.concatenate((self.majority_left, np.zeros(count, np.bool_)))
        self.improvement = np.concatenate((self.improvement, np.full(count, np.nan)))
        self.routing.append(Routing.leaves(first, count))
        self.routing.child[parents] = first + 2 * np.arange(len(parents), dtype=np.int32)
        return np.arange(first, first + count)
