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
from dataclasses import replace

import numpy as np

from madtree.learn.counting import by_rows
from madtree.learn.criteria import criterion_of
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import HistogramLayout, Histograms, add_codes
from madtree.learn.problem import Problem
from madtree.learn.split.best_splits import BestSplits
from madtree.learn.split.margins import least_gain, may_drop, rounding
from madtree.learn.split.node_rows import SmallNodes, order_by_digits, stretches
from madtree.learn.split.occupied_bins import OccupiedBins, occupied_bins
from madtree.learn.split.search import search
from madtree.learn.split.stacks import Running, Stack, stacks

# Of exact integers a gini gain's sums of squares are exact, too, up to so many rows.
_SQUARED_ROWS = 2**26


def applies(problem: Problem) -> bool:
    """Whether there are so many classes that screening may pay, and the criterion has a quick gain."""
    tuning = problem.tuning
    many = tuning.many_classes if problem.weight_grid is None else tuning.many_weighted_classes
    if problem.n_classes < many:
        return False
    return criterion_of(problem).quick_gain is not None and may_drop(problem)


def pays(problem: Problem, sums: Floats, n_rows: Ints, is_small: Bools) -> Bools:
    """(n_nodes,) whether nodes have fewer rows than makes counting all classes pay, but not so few that counting the
    classes they have costs more than a sweep.

    Args:
        sums: (n_channels, n_nodes); `n_rows` (n_nodes,) of the nodes.
        is_small: (n_nodes,) whether they would be swept.
    """
    n_classes, tuning, widths = problem.n_classes, problem.tuning, problem.bins.widths
    few: Bools = n_rows < tuning.rows_per_cell * n_classes * widths.mean()
    bins = np.count_nonzero(sums[:n_classes], axis=0) * int(widths.max())
    few &= (bins <= tuning.node_cells) & (bins <= tuning.cells_per_row * n_classes * n_rows)
    if n_classes <= tuning.swept_classes:
        few &= ~is_small
    return few


def together(problem: Problem, sums: Floats, n_rows: Ints) -> Iterator[Ints]:
    """Positions of nodes that are screened at once: with about as many classes, and few enough rows.

    Args:
        sums: (n_channels, n_nodes) of all that are screened; `n_rows` (n_nodes,) of them.
    """
    order = np.argsort(np.count_nonzero(sums[: problem.n_classes], axis=0), kind="stable")
    for part in by_rows(n_rows[order], problem.tuning.rows_together):
        yield order[part]


def search_screened(problem: Problem, small: SmallNodes, found: BestSplits, allowed: Bools | None = None) -> None:
    """Improve `found`, whose slots are those of some nodes with few rows.

    `allowed`: (n_slots, n_features) whether a node may be split by a feature of the layout; None for yes.
    """
    rows, first_code = small.rows, small.layout.first
    wanted = np.ones_like(small.features, np.bool_) if allowed is None else allowed
    by_category = wanted & problem.unordered[small.features]
    by_number = wanted & ~by_category
    order = order_by_digits(rows.slot)
    slot, row_class = rows.slot.take(order), rows.row_class.take(order)
    times, limbs = None if rows.times is None else rows.times.take(order), [limb.take(order) for limb in rows.limbs]
    by_class = small.sums[: problem.n_classes]
    n_rows = np.bincount(slot, minlength=len(small.tree))
    most = max(1, problem.tuning.copied_codes // max(len(slot), 1))
    some_by_number, some_by_category = (np.logical_or.reduce(mask, axis=0) for mask in (by_number, by_category))
    for first, last in stretches(some_by_number, some_by_category, most):
        for place in range(first, last):
            if some_by_category[place]:
                _search_unordered(problem, small, place, by_category[:, place], found)
        if not some_by_number[first:last].any():
            continue
        # The rows of a node lie side by side.
        codes = np.stack([rows.codes(first_code + place).take(order) for place in range(first, last)])
        width = int(small.layout.widths[first:last].max())
        for slots, n_features in stacks(problem.tuning, by_class, n_rows, width, last - first):
            bounds = np.searchsorted(slot, [slots.start, slots.stop])
            if bounds[0] == bounds[1]:
                continue  # a fold may have held out all rows of a group
            stack = Stack.of(slots, slice(int(bounds[0]), int(bounds[1])), by_class, slot, row_class)
            own_times, own = None if times is None else times[stack.rows], [limb[stack.rows] for limb in limbs]
            for f in range(first, last, n_features):
                part = codes[f - first : min(f + n_features, last) - first, stack.rows]
                places = slice(f, f + len(part))
                if by_number[slots, places].any():
                    _search_stack(problem, small, stack, part, own_times, own, places, found, by_number[slots, places])


def _search_stack(
    problem: Problem,
    small: SmallNodes,
    stack: Stack,
    codes: Array,
    times: Floats | None,
    limbs: Sequence[Floats],
    places: slice,
    found: BestSplits,
    allowed: Bools,
) -> None:
    """Improve the splits of a stack by the ordered features at some `places` of the layout.

    Args:
        codes: (n_places, n_rows) of the stack's rows, which count so many `times` (n_rows,), and for `limbs`.
        allowed: (n_slots, n_places) by which of them a node may be split.
    """
    widths, tree = small.layout.widths[places], small.tree[stack.slots]
    shape = (len(codes), len(tree), int(widths.max()), stack.width)
    index = np.multiply(codes, shape[3], dtype=np.int64)
    index += stack.local * (shape[2] * shape[3]) + stack.row_class
    index += (np.arange(shape[0]) * (shape[1] * shape[2] * shape[3]))[:, None]
    running = Running.of(problem, index, times, limbs, shape, tree)
    own = found.of_slots(np.arange(stack.slots.start, stack.slots.stop))
    survives = _survivors(problem, running, own.gain, allowed.T)
    occupied = _surviving(running, survives, HistogramLayout(problem.channels, widths, shape[1]))
    occupied.feature = small.features[stack.slots, places][occupied.slot, occupied.feature]
    n_channels = len(running.channels) * stack.width
    none = np.zeros((n_channels, shape[1]))
    part = replace(own, left_sums=none, known_sums=none.copy())
    search(replace(problem, n_classes=stack.width), [occupied], tree, part)
    stack.entered(found, part, problem.n_classes)


def _survivors(problem: Problem, running: Running, gain: Floats, allowed: Bools) -> Bools:
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
    return np.asarray(valid & (gains >= least_gain(best, weight, error)[:, None]))


def _surviving(running: Running, survives: Bools, layout: HistogramLayout) -> OccupiedBins:
    """The bins on either side of the surviving splits, and those between them as one.

    Such a sum of bins has the code of the last one: what is right of the split before it is never asked for, as that
    split did not survive.
    """
    n_slots, width = survives.shape[1:]
    some = survives.any(axis=2, keepdims=True)
    place = flat_nonzero((np.diff(running.rows, axis=2, prepend=0) > 0) & some)
    behind = survives.reshape(-1).take(place)
    segment = place // width
    ends = np.ones(len(place), np.bool_)
    ends[:-1] = segment[1:] != segment[:-1]
    kept = behind | ends
    kept[1:] |= behind[:-1]
    kept[:-1] |= behind[1:] & ~ends[:-1]
    place = place[kept]
    segment = place // width
    follows = flat_nonzero(segment[1:] == segment[:-1]) + 1
    parts = []
    for channel in running.channels:
        upto = channel.reshape(-1, channel.shape[3]).take(place, axis=0).astype(np.float64, copy=False)
        alone = upto.copy()
        alone[follows] -= upto[follows - 1]
        parts.append(alone.T)
    sums = np.ascontiguousarray(np.concatenate(parts))
    return OccupiedBins.of_bins(layout, segment // n_slots, segment % n_slots, place % width, sums)


def _search_unordered(problem: Problem, small: SmallNodes, place: int, allowed: Bools, found: BestSplits) -> None:
    """Improve `found` by the unordered features at a place of the layout, with all of their classes: the order of
    categories depends on them. `allowed` (n_slots,): which nodes may be split by them.
    """
    rows, widths = small.rows, small.layout.widths[place : place + 1]
    size = max(1, problem.tuning.node_cells // int(widths[0] * problem.channels.count))
    code = rows.codes(small.layout.first + place)
    for first in range(0, len(small.tree), size):
        mine = np.arange(first, min(first + size, len(small.tree)))
        layout = HistogramLayout(problem.channels, widths, len(mine))
        histograms = Histograms(layout, layout.zeros(problem.channels.dtype(problem.most_rows)))
        own = flat_nonzero((rows.slot >= first) & (rows.slot < first + size))
        key = np.multiply(rows.row_class.take(own), len(mine), dtype=np.int64) + (rows.slot.take(own) - first)
        own_code, own_limbs = code.take(own), [limb.take(own) for limb in rows.limbs]
        times = None if rows.times is None else rows.times.take(own)
        add_codes(histograms, key, own_limbs, lambda _: own_code, (0, len(mine)), times)  # noqa: B023
        part, features = found.of_slots(mine), small.features[mine, place]
        for some in occupied_bins(histograms, problem.tuning.chunk_values, allowed[mine, None]):
            some.feature = features[some.slot]
            search(problem, [some], small.tree[mine], part)
        found.enter(mine, part)
