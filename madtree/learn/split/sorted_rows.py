"""The best splits of small nodes from their rows alone, many nodes at once.

Nodes of about as many rows are laid out as a table: a line for each feature and node, a column for each of its rows.
Every line is put in order by code, and candidate splits lie where the code changes. So no row looks up its node, and
there are no bins. What is found is what `search` finds among the same rows' bins, to the bit: the sums are integers,
and the gains come from the same formulas. Unordered features are left to `search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.histogram import HistogramLayout, RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.split.criterion import criterion_of, gains
from madtree.learn.split.margins import TIE, rounding, threshold
from madtree.learn.split.node_rows import order_of_slots, summed, sweep
from madtree.learn.split.search import BestSplits, PicksSplits, search
from madtree.learn.split.shortlist import rough_gains_apply

# A key of 32 bits: in the higher half the code less 1, in the lower one the row's place in its node.
_HALF = np.uint32(16)
_NOWHERE = np.uint32(0xFFFF0000)  # of rows whose value is missing, and where a node has no more rows
_MOST_ROWS = 1 << 16  # of a node
_LEAST_CELLS = 8_192  # of a table that is quicker than several smaller ones with fewer empty cells


@dataclass(frozen=True)
class SmallNodes:
    """Some nodes that are searched by their rows.

    Attributes:
        rows: of all of them.
        layout: whose slots they are; by its features the rows tell their codes.
        features: (n_slots, n_features) which features of the problem those of the layout are, for each node ascending.
        tree: (n_slots,) of each node.
    """

    rows: RowsOfNodes
    layout: HistogramLayout
    features: Ints
    tree: Ints


def search_small(
    problem: Problem,
    small: SmallNodes,
    found: BestSplits,
    allowed: Bools | None = None,
    picks: PicksSplits | None = None,
) -> Iterator[None]:
    """Improve `found`, whose slots are those of some small nodes, in steps.

    Args:
        allowed: (n_slots, n_features) whether a node may be split by a feature of the layout; None for yes.
        picks: as for `search`.
    """
    wanted = np.ones_like(small.features, np.bool_) if allowed is None else allowed
    in_order = wanted & ~problem.unordered[small.features]
    standing = _Standing.of(small.rows)
    if picks or problem.parameters.max_competitors or int(standing.sizes.max(initial=0)) > _MOST_ROWS:
        in_order = np.zeros_like(wanted)
    by_bins = wanted & ~in_order
    # A tie goes to the earlier feature: so those of a node are looked at in order, in whichever of the two ways.
    most = max(1, problem.tuning.copied_codes // max(1, len(small.rows.slot)))
    some_in_order, some_by_bins = (np.logical_or.reduce(mask, axis=0) for mask in (in_order, by_bins))
    for first, last in _stretches(some_in_order, some_by_bins, most):
        places = slice(first, last)
        if in_order[:, places].any():
            yield from _search_tables(problem, small, standing, places, in_order, found)
        if by_bins[:, places].any():
            yield from _search_bins(problem, small, places, by_bins, found, picks)


def _stretches(in_order: Bools, by_bins: Bools, most: int) -> Iterator[tuple[int, int]]:
    """Neighbouring features (from, to) that are looked at together: at most so many, and all of them in one way."""
    first, n = 0, len(in_order)
    for place in range(1, n + 1):
        alone = place == n or in_order[place - 1] == by_bins[place - 1]
        if alone or place - first == most or in_order[place] != in_order[first] or by_bins[place] != by_bins[first]:
            yield first, place
            first = place


def _search_bins(
    problem: Problem, small: SmallNodes, places: slice, allowed: Bools, found: BestSplits, picks: PicksSplits | None
) -> Iterator[None]:
    """Search the bins that the rows fill, of some features of the layout."""
    whole = small.layout
    layout = HistogramLayout(whole.channels, whole.widths[places], whole.n_slots, whole.first + places.start)
    for some in sweep(small.rows, layout, problem.tuning.chunk_values, allowed[:, places]):
        some.feature = small.features[some.slot, some.feature - whole.first]
        search(problem, [some], small.tree, found, picks)
        yield


@dataclass(frozen=True)
class _Standing:
    """Where the rows of each node stand.

    Attributes:
        slots, first, sizes: (n_nodes,) each node that has rows, its first row, and how many.
        order: (n_rows,) the order in which the rows of a node stand side by side; None for that in which they come.
    """

    slots: Ints
    first: Ints
    sizes: Ints
    order: Ints | None

    @classmethod
    def of(cls, rows: RowsOfNodes) -> _Standing:
        slot, order = rows.slot, None
        first = np.flatnonzero(np.diff(slot, prepend=-1))
        if len(first) and int(np.bincount(slot.take(first)).max()) > 1:
            order = order_of_slots(slot)
            slot = slot.take(order)
            first = np.flatnonzero(np.diff(slot, prepend=-1))
        return cls(slot.take(first), first, np.diff(first, append=len(slot)), order)

    def of_about_one_size(self, least_cells: int) -> Iterator[tuple[int, Ints]]:
        """The nodes that may be split, in parts, and the width of a table that has room for each part.

        In a table at most half of each line is empty, unless it has fewer than `least_cells` cells.
        """
        by_size = np.argsort(self.sizes, kind="stable")
        sizes = self.sizes[by_size]
        least, stop = int(np.searchsorted(sizes, 2)), len(sizes)
        while stop > least:
            width = int(sizes[stop - 1])
            first = min(int(np.searchsorted(sizes, width // 2, side="right")), stop - least_cells // width)
            yield width, by_size[max(first, least) : stop]
            stop = first

    def ordered(self, values: Array) -> Array:
        """Values of the rows (n_rows,) as the rows stand."""
        return values if self.order is None else values.take(self.order)


def _search_tables(
    problem: Problem, small: SmallNodes, standing: _Standing, places: slice, allowed: Bools, found: BestSplits
) -> Iterator[None]:
    """Search the ordered features at some places of the layout."""
    rows, first = small.rows, small.layout.first
    codes = [standing.ordered(rows.codes(first + place)) for place in range(places.start, places.stop)]
    row_class, limbs = standing.ordered(rows.row_class), [standing.ordered(limb) for limb in rows.limbs]
    times = None if rows.times is None else standing.ordered(rows.times)
    most_cells = problem.tuning.chunk_values // problem.channels.count
    for width, nodes in standing.of_about_one_size(_LEAST_CELLS // len(codes)):
        size = max(1, most_cells // (width * len(codes)))
        for start in range(0, len(nodes), size):
            mine = nodes[start : start + size]
            keys, at = _in_order(codes, standing.first[mine], standing.sizes[mine], width)
            known = keys < _NOWHERE
            table = _Table(
                problem,
                np.tile(small.tree[standing.slots[mine]], len(codes)),
                keys >> _HALF,
                _running(problem, row_class, times, limbs, at, known),
            )
            slots = standing.slots[mine]
            table.improve(found, slots, small.features[slots, places].T, allowed[slots, places].T)
            yield


def _in_order(codes: list[Array], first: Ints, sizes: Ints, width: int) -> tuple[Array, Ints]:
    """Keys (n_features * n_nodes, width) uint32 of the rows of some nodes in order, and which row each is."""
    place = np.arange(width)
    at = np.minimum(first[:, None] + place, len(codes[0]) - 1)
    room = np.where(place < sizes[:, None], place, place | int(_NOWHERE)).astype(np.uint32)
    keys = np.empty((len(codes), len(first), width), np.uint32)
    for key, code in zip(keys, codes, strict=True):
        # The missing code, 0, becomes the last one.
        lowered = code.take(at).astype(np.uint16) - np.uint16(1)
        np.left_shift(lowered, _HALF, out=key, dtype=np.uint32)
        key |= room
    keys.sort(axis=2)
    row = (keys & ~_NOWHERE) + first[:, None]
    return keys.reshape(-1, width), row.reshape(-1, width)


def _running(
    problem: Problem, row_class: Array, times: Floats | None, limbs: list[Floats], at: Ints, known: Bools
) -> list[Ints]:
    """Of each channel the sums (n_lines, width) int64 along the lines of a table, of the rows `at` that are `known`."""
    found = []
    row = at.ravel()
    counted = known.ravel().astype(np.int64)
    if times is not None:
        counted *= times.take(row, mode="clip").astype(np.int64)
    of_rows = row_class.take(row, mode="clip") if problem.channels.n_counts > 1 else row_class
    of_limbs = [limb.take(row, mode="clip").astype(np.int64) * known.ravel() for limb in limbs]
    for values in summed(problem.channels, of_rows, counted, of_limbs):
        # One running sum over all lines is quicker than one for each. Where it overflows, differences stay right.
        sums = np.cumsum(values).reshape(at.shape)
        before = np.zeros(len(sums), np.int64)
        before[1:] = sums[:-1, -1]
        sums -= before[:, None]
        found.append(sums)
    return found


@dataclass(frozen=True)
class _Table:
    """Rows in order, a line for each feature and node.

    Attributes:
        tree: (n_lines,).
        codes: (n_lines, width) less 1.
        running: of each channel the sums (n_lines, width) int64 up to each row, those of missing values left out.
    """

    problem: Problem
    tree: Ints
    codes: Array
    running: list[Ints]

    def improve(self, found: BestSplits, slots: Ints, features: Ints, allowed: Bools) -> None:
        """Enter into `found` what beats it.

        Args:
            slots: (n_nodes,) of the nodes; lines come feature by feature, node by node.
            features, allowed: (n_features, n_nodes) which feature each line is of, and whether it may split the node.
        """
        best_of_lines, cut = self._best(allowed)
        gain = best_of_lines.reshape(features.shape)
        if self.problem.parameters.feature_costs:
            gain /= self.problem.feature_costs[features]
        best, chosen = found.gain.take(slots), np.full(len(slots), -1)
        for number, of_feature in enumerate(gain):
            better = of_feature > best * (1 + TIE)
            best[better], chosen[better] = of_feature[better], number
        node = np.flatnonzero(chosen >= 0)
        mine, place = slots[node], chosen[node]
        line = place * len(slots) + node
        at = cut[line]
        found.gain[mine], found.feature[mine] = best[node], features[place, node]
        found.left[mine], found.right[mine] = self.codes[line, at] + 1, self.codes[line, at + 1] + 1
        for channel, sums in enumerate(self.running):
            found.left_sums[channel, mine], found.known_sums[channel, mine] = sums[line, at], sums[line, -1]

    def _best(self, allowed: Bools) -> tuple[Floats, Ints]:
        """Of each line (n_lines,) the best gain, and the row behind which the split lies, the first of several; the
        gain is 0 where there is none, or a line of the same node has a better one.
        """
        problem, n_counts, n_nodes = self.problem, self.problem.channels.n_counts, allowed.shape[1]
        rows_left = self.running[0] if n_counts == 1 else np.sum(self.running[:n_counts], axis=0)
        least = max(problem.parameters.min_bucket, 1)
        may = rows_left <= rows_left[:, -1:] - least
        if least > 1:
            may &= rows_left >= least
        if not allowed.all():
            may &= allowed.reshape(-1, 1)
        may[:, :-1] &= self.codes[:, 1:] != self.codes[:, :-1]
        rough_gain = criterion_of(problem).rough_gain
        if rough_gain is not None and rough_gains_apply(problem):
            rough = rough_gain([sums.astype(np.float64) for sums in self.running])
            rough *= may
            best_of_node = rough.max(axis=1).reshape(-1, n_nodes).max(axis=0)
            weight = rows_left[:, -1].reshape(-1, n_nodes).max(axis=0)
            # Where the rough gain is 0 both sides look alike, and the gain is noise.
            least_gain = np.maximum(threshold(best_of_node, weight, rounding(n_counts)), np.finfo(np.float64).tiny)
            may = rough >= np.tile(least_gain, len(rough) // n_nodes)[:, None]
        at = np.flatnonzero(may)
        line = at // may.shape[1]
        left = np.stack([sums.ravel().take(at) for sums in self.running])
        right = np.stack([sums[:, -1].take(line) for sums in self.running]) - left
        of_candidates = gains(
            problem, criterion_of(problem), left.astype(np.float64), right.astype(np.float64), self.tree.take(line)
        )
        gain = np.zeros(may.shape)
        gain.ravel()[at] = of_candidates
        best = gain.max(axis=1)
        return best, (gain >= (best * (1 - TIE))[:, None]).argmax(axis=1)
