"""Splits of nodes with many classes: candidates that cannot be the best are dropped before their gains are computed.

With a thousand classes nearly all of a node's histograms is zero, and a gain adds up a term for each class. So a
node's rows are counted by those classes alone that it has, and a quick form of the gain (`Criterion.quick_gain`) tells
which candidates may be the best or tie with it. Only these are searched, and the exact gains decide. A class that a
node lacks adds +0.0 to every sum of a gain, so leaving it out changes no bit. Dropping candidates changes no choice
either: see `margins`.

A *cell* is a bin of one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.data import Array, Bools, Floats, Ints
from madtree.learn.histogram import HistogramLayout, RowsOfNodes, add_codes
from madtree.learn.problem import Problem, SearchTuning
from madtree.learn.split.criterion import criterion_of
from madtree.learn.split.margins import may_drop, rounding, threshold
from madtree.learn.split.node_rows import order_of_slots
from madtree.learn.split.occupied_bins import OccupiedBins, occupied_bins
from madtree.learn.split.search import BestSplits, search

# Of exact integers a gini gain's sums of squares are exact, too, up to so many rows.
_SQUARED_ROWS = 2**26


@dataclass(frozen=True)
class _Running:
    """Sums of a stack of nodes from the first bin up to each: K classes, at most, in each of n_slots nodes.

    Attributes:
        channels: the row counts and each limb of the weights, (n_features, n_slots, width, K) each.
        weights: the same as class weights, float64.
        rows: (n_features, n_slots, width) row counts of all classes.
    """

    channels: list[Array]
    weights: Floats
    rows: Array

    @classmethod
    def of(cls, problem: Problem, index: Ints, limbs: Sequence[Floats], shape: Sequence[int], tree: Ints) -> _Running:
        """`index` (n_features, n_rows) of the cell that a row is counted in; `tree` (n_slots,) of each node."""
        size = int(np.prod(shape))
        flat = index.reshape(-1)
        channels: list[Array] = [np.bincount(flat, minlength=size).astype(np.int32)]
        channels += [np.bincount(flat, np.tile(limb, len(index)), minlength=size) for limb in limbs]
        for i, channel in enumerate(channels):
            channels[i] = channel = channel.reshape(shape)
            channel[:, :, MISSING] = 0
            np.cumsum(channel, axis=2, out=channel)
        if problem.weight_grid is None:
            weights = channels[0].astype(np.float64)
            return cls(channels, weights, np.einsum("fswk->fsw", weights))
        owner = np.broadcast_to(tree[:, None, None], shape).reshape(-1)
        joined = problem.weight_grid.join(np.stack([channel.reshape(-1) for channel in channels[1:]]), owner)
        return cls(channels, joined.reshape(shape), channels[0].sum(axis=3))


@dataclass(frozen=True)
class _Stack:
    """Nodes that are counted together, in slots that follow each other, and the classes that they have.

    Attributes:
        slots, rows: of the batch; the rows are ordered by slot.
        present: (n_classes, n_slots) bool.
        width: K, classes of the node that has most.
        local: (n_rows,) int64 slot, counted from the first one.
        row_class: (n_rows,) class, by its place among those that the node has.
    """

    slots: slice
    rows: slice
    present: Bools
    width: int
    local: Ints
    row_class: Ints

    @classmethod
    def of(cls, slots: slice, rows: slice, sums: Floats, slot: Ints, row_class: Ints) -> _Stack:
        """From the sums (n_channels, n_slots) of the batch's nodes, and its rows' slots and classes."""
        n_slots = slots.stop - slots.start
        present = sums[:, slots] > 0
        place = np.cumsum(present, axis=0, dtype=np.int64)
        local = slot[rows].astype(np.int64) - slots.start
        at = np.multiply(row_class[rows], n_slots, dtype=np.int64) + local
        return cls(slots, rows, present, int(place[-1].max()), local, place.reshape(-1).take(at) - 1)

    def entered(self, found: BestSplits, part: BestSplits, n_classes: int) -> None:
        """Enter into the batch's splits what `part`, of this stack's slots and classes, has beyond them."""
        better = np.flatnonzero(part.gain > found.gain[self.slots])
        at = better + self.slots.start
        for name in ("gain", "feature", "left", "right"):
            getattr(found, name)[at] = getattr(part, name)[better]
        column, row_class = np.nonzero(self.present[:, better].T)
        place = (np.cumsum(self.present[:, better], axis=0) - 1)[row_class, column]
        for name in ("left_sums", "known_sums"):
            sums, own = getattr(found, name), getattr(part, name)
            sums[:, at] = 0.0
            for limb in range(len(sums) // n_classes):
                sums[limb * n_classes + row_class, at[column]] = own[limb * self.width + place, better[column]]


def applies(problem: Problem) -> bool:
    """Whether there are so many classes that screening may pay, and the criterion has a quick gain."""
    if problem.n_classes < problem.tuning.many_classes:
        return False
    return criterion_of(problem).quick_gain is not None and may_drop(problem)


def search_screened(
    problem: Problem, rows: RowsOfNodes, sums: Floats, tree: Ints, found: BestSplits, allowed: Bools | None = None
) -> None:
    """Improve `found` by the splits of all features.

    Args:
        rows: of the nodes in the slots of `found`.
        sums: (n_channels, n_slots) over all rows of each.
        tree: (n_slots,) of each.
        allowed: (n_slots, n_features) whether a node may be split by a feature; None for yes.
    """
    if allowed is None:
        allowed = np.ones((len(tree), len(problem.unordered)), np.bool_)
    order = order_of_slots(rows.slot)
    slot, row_class = rows.slot.take(order), rows.row_class.take(order)
    limbs = [limb.take(order) for limb in rows.limbs]
    by_class = sums[: problem.n_classes]
    for first, last in _feature_spans(problem, len(slot), np.asarray(allowed.any(axis=0))):
        if problem.unordered[first]:
            _search_unordered(problem, rows, tree, found, first, allowed)
            continue
        # The rows of a node lie side by side.
        codes = np.stack([rows.codes(f).take(order) for f in range(first, last)])
        width = int(problem.bins.widths[first:last].max())
        n_rows = np.bincount(slot, minlength=len(tree))
        for slots, n_features in _stacks(problem.tuning, by_class, n_rows, width, last - first):
            bounds = np.searchsorted(slot, [slots.start, slots.stop])
            if bounds[0] == bounds[1]:
                continue  # a fold may have held out all rows of a group
            stack = _Stack.of(slots, slice(int(bounds[0]), int(bounds[1])), by_class, slot, row_class)
            own = [limb[stack.rows] for limb in limbs]
            for f in range(first, last, n_features):
                part = codes[f - first : min(f + n_features, last) - first, stack.rows]
                chosen = allowed[slots, f : f + len(part)].T
                if chosen.any():
                    _search_stack(problem, stack, part, own, tree[slots], found, f, chosen)


def _feature_spans(problem: Problem, n_rows: int, wanted: Bools) -> Iterator[tuple[int, int]]:
    """The features (from, to) that are `wanted` (n_features,), in order: unordered ones alone, others as many together
    as may be copied out.
    """
    ordered = ~problem.unordered & wanted
    most = max(1, problem.tuning.copied_codes // max(n_rows, 1))
    last = 0
    for first in np.flatnonzero(wanted).tolist():
        if first < last:
            continue
        last = first + 1
        while ordered[first] and last < min(len(ordered), first + most) and ordered[last]:
            last += 1
        yield first, last


def _stacks(
    tuning: SearchTuning, by_class: Floats, n_rows: Ints, width: int, n_features: int
) -> Iterator[tuple[slice, int]]:
    """Slots that are counted together, and how many features at once."""
    most_cells, most_values = tuning.stack_cells, tuning.stack_values
    n_present = np.count_nonzero(by_class, axis=0)
    first = 0
    while first < len(n_rows):
        ahead = slice(first, first + tuning.stack_nodes)
        cells = np.maximum.accumulate(n_present[ahead]) * width * np.arange(1, len(n_rows[ahead]) + 1)
        values = np.cumsum(n_rows[ahead])
        fits = (cells * n_features <= most_cells) & (values * n_features <= most_values)
        size = max(1, len(fits) if fits.all() else int(np.argmin(fits)))
        most = min(most_cells // max(1, int(cells[size - 1])), most_values // max(1, int(values[size - 1])))
        yield slice(first, first + size), max(1, min(n_features, most))
        first += size


def _search_stack(
    problem: Problem,
    stack: _Stack,
    codes: Array,
    limbs: Sequence[Floats],
    tree: Ints,
    found: BestSplits,
    first: int,
    allowed: Bools,
) -> None:
    """Improve the splits of a stack by some ordered features, whose codes (n_features, n_rows) are from `first` on;
    `allowed` (n_features, n_slots): by which of them a node may be split.
    """
    widths = problem.bins.widths[first : first + len(codes)]
    shape = (len(codes), len(tree), int(widths.max()), stack.width)
    index = np.multiply(codes, shape[3], dtype=np.int64)
    index += stack.local * (shape[2] * shape[3]) + stack.row_class
    index += (np.arange(shape[0]) * (shape[1] * shape[2] * shape[3]))[:, None]
    running = _Running.of(problem, index, limbs, shape, tree)
    own = found.of_slots(np.arange(stack.slots.start, stack.slots.stop))
    survives = _survivors(problem, running, own.gain, allowed)
    occupied = _surviving(running, survives, HistogramLayout(problem.channels, widths, shape[1], first))
    n_channels = len(running.channels) * stack.width
    none = np.zeros((n_channels, shape[1]))
    part = replace(own, left_sums=none, known_sums=none.copy())
    search(replace(problem, n_classes=stack.width), [occupied], tree, part)
    stack.entered(found, part, problem.n_classes)


def _survivors(problem: Problem, running: _Running, gain: Floats, allowed: Bools) -> Bools:
    """(n_features, n_slots, width) whether the split behind a bin may be the best of its node, or tie with it.

    Args:
        gain: (n_slots,) of the best split so far.
        allowed: (n_features, n_slots) whether the node may be split by the feature.
    """
    criterion = criterion_of(problem)
    assert criterion.quick_gain is not None
    rows = running.rows
    min_bucket = max(problem.parameters.min_bucket, 1)
    valid = (np.diff(rows, axis=2, prepend=0) > 0) & (rows >= min_bucket) & (rows <= rows[:, :, -1:] - min_bucket)
    valid &= allowed[:, :, None]
    exact = problem.weight_grid is None and float(rows.max()) < _SQUARED_ROWS
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(valid, criterion.quick_gain(running.weights, exact), -np.inf)
    best = np.maximum(gains.max(axis=(0, 2)), gain)
    weight = running.weights[:, :, -1].sum(axis=2).max(axis=0)
    error = 0.0 if exact and criterion.quick_is_exact else rounding(running.weights.shape[3])
    return np.asarray(valid & (gains >= threshold(best, weight, error)[:, None]))


def _surviving(running: _Running, survives: Bools, layout: HistogramLayout) -> OccupiedBins:
    """The bins on either side of the surviving splits, and those between them as one.

    Such a sum of bins has the code of the last one: what is right of the split before it is never asked for, as that
    split did not survive.
    """
    n_slots, width = survives.shape[1:]
    some = survives.any(axis=2, keepdims=True)
    place = np.flatnonzero((np.diff(running.rows, axis=2, prepend=0) > 0) & some)
    behind = survives.reshape(-1).take(place)
    segment = place // width
    ends = np.ones(len(place), np.bool_)
    ends[:-1] = segment[1:] != segment[:-1]
    kept = behind | ends
    kept[1:] |= behind[:-1]
    kept[:-1] |= behind[1:] & ~ends[:-1]
    place = place[kept]
    segment = place // width
    follows = np.flatnonzero(segment[1:] == segment[:-1]) + 1
    parts = []
    for channel in running.channels:
        upto = channel.reshape(-1, channel.shape[3]).take(place, axis=0).astype(np.float64, copy=False)
        alone = upto.copy()
        alone[follows] -= upto[follows - 1]
        parts.append(alone.T)
    sums = np.ascontiguousarray(np.concatenate(parts))
    return OccupiedBins.of_bins(layout, segment // n_slots, segment % n_slots, place % width, sums)


def _search_unordered(
    problem: Problem, rows: RowsOfNodes, tree: Ints, found: BestSplits, feature: int, allowed: Bools
) -> None:
    """Improve `found` by an unordered feature, with all of its classes: the order of categories depends on them."""
    widths = problem.bins.widths[feature : feature + 1]
    size = max(1, problem.tuning.node_cells // int(widths[0] * problem.channels.count))
    code = rows.codes(feature)
    for first in range(0, len(tree), size):
        mine = np.arange(first, min(first + size, len(tree)))
        layout = HistogramLayout(problem.channels, widths, len(mine), feature)
        state = layout.zeros(problem.channels.dtype(problem.most_rows))
        own = np.flatnonzero((rows.slot >= first) & (rows.slot < first + size))
        key = np.multiply(rows.row_class.take(own), len(mine), dtype=np.int64) + (rows.slot.take(own) - first)
        own_code = code.take(own)
        add_codes(state, layout, key, [limb.take(own) for limb in rows.limbs], lambda _: own_code, (0, len(mine)))  # noqa: B023
        part = found.of_slots(mine)
        search(problem, occupied_bins(state, layout, problem.tuning.chunk_values, allowed[mine]), tree[mine], part)
        found.enter(mine, part)
