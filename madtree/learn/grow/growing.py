"""Trees while they grow: flat arrays over the nodes of all trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, check_room, extend, flat_nonzero
from madtree.learn.histogram import Histograms, RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.route import Routing, category_table
from madtree.learn.split import RankedSplit, SurrogateSplit
from madtree.records import dataclass

# Of each node: type, and what new ones have.
_COLUMNS: dict[str, tuple[type, Any]] = {
    "tree": (np.int32, 0),
    "node_id": (np.int64, 0),
    "depth": (np.int32, 0),
    "parent": (np.int64, -1),
    "n_rows": (np.int64, 0),
    "feature": (np.int32, -1),
    "majority_left": (np.bool_, False),
    "improvement": (np.float64, np.nan),
}
_FILLS = {"sums": 0.0, **{name: fill for name, (_, fill) in _COLUMNS.items()}}


@dataclass
class GrowingTrees:
    """All trees of a training. Index of tree t's root is t; children come in pairs, the left one first.

    Attributes, an entry for each node:
        tree: int32.
        node_id: int64, root 0, children 2i + 1 and 2i + 2.
        depth: int32.
        parent: int64 index, -1 for roots.
        n_rows: int64, the rows with a missing primary split included; of roots their trees' until they are counted.
        sums: (n_channels, n_nodes) float64, the channels of histograms summed over the node's rows.
        feature: int32, -1 for leaves.
        threshold: float64, NaN where there is none; once they have grown (`find_thresholds`).
        left_codes, right_codes: codes of the categories on either side, by node index, for unordered splits only.
        surrogates: by node index, in the order in which they are asked.
        competitors: by node index, the best one first; of main trees, where they are wanted.
        majority_left: bool, whether rows without a value go left: the larger side, unless the criterion finds a better.
        improvement: float64, the split's gain divided by the cost of its feature.
        routing: the same splits as rows follow them.
        candidates: (n,) the nodes that may be split and have not been searched yet: the roots at first.

    And of the main trees, not by node:
        seen: the categories that their rows have, in parts (3, n): tree, feature and code; see `see_histograms`.
    """

    n_trees: int
    n_channels: int
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
    surrogates: dict[int, list[SurrogateSplit]] = field(default_factory=dict)
    competitors: dict[int, list[RankedSplit]] = field(default_factory=dict)
    routing: Routing = field(init=False)
    candidates: Ints = field(init=False)
    seen: list[Ints] = field(default_factory=list)
    cuts: list[Ints] = field(default_factory=list)  # in parts (3, m): nodes, and the codes next to their cuts
    rooms: dict[str, Array] = field(default_factory=dict)  # of the columns (`extend`)

    def slots(self, nodes: Ints) -> Ints:
        """(n_nodes,) int32 the place of each node among `nodes`, -1 for the others."""
        slot_of_node: Ints = np.full(self.n_nodes, -1, np.int32)
        slot_of_node[nodes] = np.arange(len(nodes), dtype=np.int32)
        return slot_of_node

    def __post_init__(self) -> None:
        n = self.n_trees
        check_room(n, self.n_channels)
        for name, (kind, fill) in _COLUMNS.items():
            setattr(self, name, np.full(n, fill, kind))
        self.tree[:] = np.arange(n)
        self.sums = np.zeros((self.n_channels, n))
        self.routing, self.candidates = Routing.leaves(0, n), np.arange(n)

    @property
    def n_nodes(self) -> int:
        return len(self.tree)

    def siblings(self, nodes: Ints) -> Ints:
        """(m,) of each of `nodes` (m,), which are no roots."""
        # Children are appended in pairs, so siblings differ in the last bit of their distance to the first child.
        return np.asarray(self.n_trees + ((nodes - self.n_trees) ^ 1))

    def others(self, frontier: Ints) -> Ints:
        """(m,) the candidates but for those of the `frontier` (n,)."""
        is_other = np.ones(self.n_nodes, np.bool_)
        is_other[frontier] = False
        return self.candidates[is_other.take(self.candidates)]

    @property
    def waiting(self) -> Ints:
        """(m,) the nodes whose rows will be asked for: the candidates, and their siblings, which are counted instead of
        the larger of them.
        """
        children = self.candidates[self.candidates >= self.n_trees]
        return np.concatenate((self.candidates, self.siblings(children)))

    def add_children(self, parents: Ints, n_rows: Ints, sums: Floats) -> Ints:
        """Append two children for each of `parents` (m,).

        Args:
            n_rows: (2 m,) rows of the children, left and right in turn.
            sums: (n_channels, 2 m) their sums.

        Returns:
            (2 m,) the children's indices.
        """
        first, count = self.n_nodes, 2 * len(parents)
        check_room(first + count, self.n_channels)
        pairs, children = parents.repeat(2), np.arange(first, first + count)
        extend(self, self.rooms, _FILLS, count)
        self.tree[first:] = self.tree.take(pairs)
        self.node_id[first:] = 2 * self.node_id.take(pairs) + 1
        self.node_id[first + 1 :: 2] += 1  # of the right ones
        self.depth[first:] = self.depth.take(pairs) + 1
        self.parent[first:] = pairs
        self.n_rows[first:] = n_rows
        self.sums[:, first:] = sums
        self.routing.add_leaves(first, count)
        self.routing.rounds += 1
        self.routing.deepest = max(self.routing.deepest, int(self.depth[first:].max(initial=0)))
        self.routing.child[parents] = children[::2]
        return children

    def find_thresholds(self, problem: Problem) -> None:
        """Those of all cuts at once; in each round of growth they took as long as the children."""
        nodes, left, right = np.concatenate([np.zeros((3, 0), np.int64), *self.cuts], axis=1)
        self.threshold = np.full(self.n_nodes, np.nan)
        self.threshold[nodes] = problem.bins.threshold(self.tree[nodes], self.feature[nodes], left, right)

    def see(self, feature: int, trees: Ints, there: Bools) -> None:
        """Enter which codes (n_trees, n_codes) of an unordered feature the rows of `trees` have; 0 is no category."""
        place, code = np.nonzero(there[:, 1:])
        self.seen.append(np.stack((trees[place], np.full(len(place), feature), code + 1)))

    def seen_codes(self) -> Ints:
        """(3, n) int64 tree, feature and code of each category that the rows of a main tree have, in this order."""
        seen = np.concatenate([np.zeros((3, 0), np.int64), *self.seen], axis=1)
        return seen[:, np.lexsort(seen[::-1])]

    def add_surrogates(self, nodes: Ints, found: Sequence[list[SurrogateSplit]], widths: Ints) -> None:
        """Tell rows of the surrogates of `nodes` (m,); `widths` (n_features,) codes of each feature."""
        routing = self.routing
        entries = [surrogate for surrogates in found for surrogate in surrogates]
        counts = np.array([len(surrogates) for surrogates in found], np.int32)
        routing.first_surrogate[nodes] = len(routing.surrogate_feature) + np.cumsum(counts) - counts
        routing.surrogates[nodes] = counts
        tables = [
            category_table(int(widths[s.feature]), s.left_codes, s.right_codes)
            for s in entries
            if s.left_codes is not None and s.right_codes is not None
        ]
        starts = np.full(len(entries), -1, np.int32)
        starts[[i for i, s in enumerate(entries) if s.left_codes is not None]] = routing.add_tables(tables)
        new: dict[str, Array] = {
            "surrogate_feature": np.array([s.feature for s in entries], np.int32),
            "surrogate_cut": np.array([s.cut for s in entries], np.int32),
            "surrogate_table": starts,
            "surrogate_low_right": np.array([not s.low_goes_left for s in entries], np.uint8),
        }
        for name, values in new.items():
            setattr(routing, name, np.concatenate((getattr(routing, name), values)))
        self.surrogates.update({node: own for node, own in zip(nodes.tolist(), found, strict=True) if own})


def see_histograms(problem: Problem, growing: GrowingTrees, nodes: Ints, histograms: Histograms) -> None:
    """Enter the categories of the main trees' roots among `nodes` (n_slots,) by their histograms (of all codes)."""
    roots, layout = flat_nonzero(nodes < problem.n_groups), histograms.layout
    for i in range(len(layout.widths)):
        if problem.unordered[layout.first + i]:
            counts = histograms.feature(i)[: layout.channels.n_counts]
            growing.see(layout.first + i, nodes[roots], np.asarray(counts[:, roots].any(axis=0)))


def see_rows(problem: Problem, growing: GrowingTrees, nodes: Ints, rows: RowsOfNodes, first: int, last: int) -> None:
    """Enter them by the rows of `nodes`, which have the codes of the features `first` to `last - 1`."""
    roots = flat_nonzero(nodes < problem.n_groups)
    for feature in range(first, last):
        if len(roots) and problem.unordered[feature]:
            there = np.zeros((len(nodes), int(problem.bins.widths[feature])), np.bool_)
            there[rows.slot, rows.codes(feature)] = True
            growing.see(feature, nodes[roots], there[roots])
