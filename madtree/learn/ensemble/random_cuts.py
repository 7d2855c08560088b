"""The splits that are drawn for the nodes of extremely randomized trees (Geurts, Ernst and Wehenkel 2006): one for each
node and feature.

A draw is a hash of seed, tree, node and feature, as that of the features is (`drawn_features`).
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, mixed
from madtree.learn.ensemble.drawn_features import DrawnFeatures
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Problem
from madtree.learn.split import OccupiedBins, PickedSplits
from madtree.records import dataclass

_CUTS = 6  # purpose of a hash
_STEP = np.uint32(0x9E3779B9)  # 2**32 divided by the golden ratio
_MOST_THROWS = 64


@dataclass(frozen=True)
class RandomCuts:
    """Picks a split of each node by each feature at random.

    Of an ordered feature a point is drawn, each equally likely, between the middles of the node's first and last bin
    that have rows, and the feature is cut between the bins whose middles are next to it. The categories of an unordered
    feature that the node's rows have are put on either side by a coin each, thrown again until both sides have some; so
    all ways to split them in two are equally likely.

    Attributes:
        keys: (n_slots,) uint32, of the slots' nodes.
        tree: (n_slots,) of the slots' nodes.
    """

    problem: Problem
    keys: Array
    tree: Ints

    @classmethod
    def of(cls, problem: Problem, draws: DrawnFeatures, growing: GrowingTrees, nodes: Ints) -> RandomCuts:
        """For slots that are `nodes` (n_slots,)."""
        return cls(problem, draws.keys(growing, nodes, _CUTS), growing.tree[nodes])

    def picked(self, occupied: OccupiedBins, unordered: Bools) -> PickedSplits:
        """The split of each segment; the categories of those that are `unordered` (n_segments,) are put in its order.

        The bins of others are left as they are. A segment of a single bin is split behind it, which is no split.
        """
        keys = mixed(self.keys.take(occupied.slot) ^ occupied.feature.astype(np.uint32))
        low, high = occupied.code[occupied.start], occupied.code[occupied.stop - 1]
        cut = low.copy()
        plain = flat_nonzero(~unordered)
        tree = self.tree.take(occupied.slot[plain])
        cut[plain] = self._cuts(tree, occupied.feature[plain], low[plain], high[plain], mixed(keys[plain]))
        left = occupied.code <= cut[occupied.segment]
        mine = flat_nonzero(unordered[occupied.segment])
        if len(mine):
            segment = occupied.segment[mine]
            # By its place among the node's categories, so that it does not matter which others there are.
            left[mine] = coins(keys, segment, (mine - occupied.start[segment]).astype(np.uint32))
            occupied.permute(mine, np.lexsort((~left[mine], segment)))
        n_left = np.add.reduceat(left, occupied.start, dtype=np.int64)
        return PickedSplits(occupied.start + n_left - 1, cut)

    def _cuts(self, tree: Ints, feature: Ints, low: Ints, high: Ints, drawn: Array) -> Ints:
        """(m,) the last codes that go left, from `low` (m,) on and below `high` (m,), where there is room.

        Args:
            drawn: (m,) uint32.
        """
        bins = self.problem.bins
        before = bins.offsets[tree, feature] - 1

        def middle(place: Ints) -> Floats:
            return np.asarray(bins.lower[place] / 2 + bins.upper[place] / 2)

        with np.errstate(invalid="ignore", over="ignore"):
            first, last = middle(before + low), middle(before + high)
            point = first + drawn / 2.0**32 * (last - first)
        # Where values are infinitely far apart, for instance from NULL as the last one, all edges are equally likely.
        cut: Ints = low + (drawn.astype(np.int64) * (high - low) >> 32)
        finite = flat_nonzero(np.isfinite(point) & (low < high))
        # A bisection for all at once: the last bin whose middle is not beyond the point is at `a`, or up to `b`.
        a, b = low[finite], high[finite] - 1
        while (open_ := a < b).any():
            half = (a + b + 1) // 2
            below = middle(before[finite] + half) <= point[finite]
            a, b = np.where(open_ & below, half, a), np.where(open_ & ~below, half - 1, b)
        cut[finite] = a
        return cut


def coins(keys: Array, segment: Ints, place: Array) -> Bools:
    """(n,) a coin for each of some things, thrown again for all of a segment where they have fallen alike.

    Args:
        keys: (n_segments,) uint32; what is thrown is a hash of them.
        segment: (n,) of each thing; one that is alone in its segment gets False.
        place: (n,) uint32, that tells the things of a segment apart.
    """
    sizes = np.bincount(segment, minlength=len(keys))
    heads = np.zeros(len(segment), np.bool_)
    thrown = flat_nonzero(sizes[segment] > 1)
    for _ in range(_MOST_THROWS):  # two things fall alike every time once in 2**64 draws, and are then not split
        if len(thrown) == 0:
            break
        keys = mixed(keys + _STEP)
        heads[thrown] = mixed(keys[segment[thrown]] ^ place[thrown]) >> np.uint32(31) != 0
        n_heads = np.bincount(segment, heads, minlength=len(keys))
        alike = (n_heads == 0) | (n_heads == sizes)
        thrown = thrown[alike[segment[thrown]]]
    return heads
