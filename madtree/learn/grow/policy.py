"""Growth policies: which of the nodes that may be split are split next.

Growth is counted in rounds, not in levels: a shallow leaf may be split after a deep one.

Best-first growth makes a tree of at most so many leaves, by the splits that gain most (scikit-learn's
`max_leaf_nodes`).

The tree is defined by a queue: of all nodes that can be split, the one that gains most is split next, until there are
as many leaves as are wanted. Taken literally, that is a pass over the rows for each leaf. Instead, each round runs the
queue over the gains that are known so far, and then finds the splits of all children that it would want to know, in one
pass. When there are none, the tree is the one that the queue defines.

A round only adds nodes to compare with. So a node that the queue has not reached is, but for ties, never reached later,
and where each round finds all children that it would want to know, these are of nodes that were found in the round
before: growth takes a pass for each level of the finished tree, its leaves' included, as it does level by level. Where
a round finds only those that the queue comes to first (`BestFirst`), there are more passes, and fewer nodes in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Protocol

import numpy as np

from madtree.learn.data import Bools, Ints, flat_nonzero
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.split import TIE

_Entry = tuple[float, int, int, int]  # of a node: what the queue orders by, the node, and its left child


class GrowthPolicy(Protocol):
    """Chooses the frontier of each round."""

    def choose(self, growing: GrowingTrees) -> Ints:
        """Some of the growing's candidates, ascending; none ends the growth."""
        ...


class LevelWise:
    """All nodes that may be split, at once: a pass over the rows for each level."""

    def choose(self, growing: GrowingTrees) -> Ints:
        return np.sort(growing.candidates)


class BestFirst:
    """Growth policy: of the nodes that may be split, those that the queue reaches in trees of at most `most_leaves`.

    Many of the splits that the queue comes to last are overtaken by better ones that are found meanwhile. Where a pass
    costs little beside the rows that it counts, it is best to search only the children of those that come first, above
    all of large ones: that means more passes, and fewer nodes in all.
    """

    def __init__(self, most_leaves: int, share: float = 1.0, rows: float = np.inf) -> None:
        """
        Args:
            share: of the queue, from the first split on whose children are not known, whose children are searched.
            rows: of a node that has more of them than this, the share is as many times smaller.
        """
        self.most_leaves, self.share, self.rows = most_leaves, share, rows

    def choose(self, growing: GrowingTrees) -> Ints:
        candidates = growing.candidates
        parent = growing.parent[candidates]  # -1 of roots, which come first of all
        if self.share < 1 or self.rows < np.inf:
            reached = self._come_first(growing, parent)
        else:
            reached = (parent < 0) | inner_nodes(growing, self.most_leaves)[parent]
        return np.asarray(np.sort(candidates[reached]))

    def _come_first(self, growing: GrowingTrees, parent: Ints) -> Bools:
        """(n,) whether the queue comes first to the parents (n,) of candidates."""
        parents, most = parent.tolist(), self.most_leaves - 1
        asked, first = set(parents), {-1}
        for queue in _queues(growing, flat_nonzero(growing.feature >= 0)):
            begin, end = -1, float(most)
            for place, node in enumerate(queue):
                if place >= end:
                    break
                if node not in asked:
                    continue
                if begin < 0:
                    begin, end = place, min(place + max(self.share * (most - place), 1), most)
                share = min(self.rows / int(growing.n_rows[node]), 1.0)
                if place - begin < max(share * (end - begin), 1):
                    first.add(node)
        return np.array([node in first for node in parents], np.bool_)


def inner_nodes(growing: GrowingTrees, most_leaves: int | None) -> Bools:
    """(n_nodes,) which nodes are split in trees of at most `most_leaves` leaves; None for any number.

    Trees may have grown further: then these are the splits that a queue by gain makes first. Of gains within a relative
    `TIE` the lower node id goes first.
    """
    split: Bools = np.asarray(growing.feature >= 0)
    if most_leaves is None:
        return split
    n_splits = np.bincount(growing.tree[split], minlength=growing.n_trees)
    crowded = n_splits >= most_leaves
    if not crowded.any():
        return split
    nodes = flat_nonzero(split & crowded[growing.tree])
    inner: Bools = split.copy()
    inner[nodes] = False
    inner[[node for queue in _queues(growing, nodes) for node in islice(queue, most_leaves - 1)]] = True
    return inner


def _queues(growing: GrowingTrees, nodes: Ints) -> Iterator[Iterator[int]]:
    """Of each tree with split nodes these, as they leave its queue; `nodes` (n,): all split nodes of these trees."""
    columns = (growing.improvement, growing.node_id, growing.routing.child)
    gains, node_ids, children = (column.take(nodes).tolist() for column in columns)
    entry = {
        node: (-gain, node_id, node, child)
        for node, gain, node_id, child in zip(nodes.tolist(), gains, node_ids, children, strict=True)
    }
    for root in nodes[nodes < growing.n_trees].tolist():
        yield _in_turn(entry, root)


def _in_turn(entry: dict[int, _Entry], root: int) -> Iterator[int]:
    """The nodes of a tree as they leave its queue."""
    queue = [entry[root]]
    while queue:
        best = heappop(queue)
        if queue and queue[0][0] <= best[0] * (1 - TIE):  # gains are negative here
            best = _first_of_tied(best, queue)
        _, _, node, left = best
        yield node
        for child in (left, left + 1):
            if child in entry:
                heappush(queue, entry[child])


def _first_of_tied(best: _Entry, queue: list[_Entry]) -> _Entry:
    """Take the node with the lowest id of those within a tie of the `best` one, which has left the queue, from it."""
    tied, least = [best], best[0] * (1 - TIE)
    while queue and queue[0][0] <= least:
        tied.append(heappop(queue))
    best = min(tied, key=lambda one: one[1])
    tied.remove(best)
    queue.extend(tied)
    heapify(queue)
    return best
