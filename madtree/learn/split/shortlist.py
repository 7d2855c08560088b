"""The segments among which the best splits are: the others are passed over after a rough look.

Of many features most have no split that comes near the node's best one. With row counts only, a criterion may have a
rough form of its gain (`Criterion.rough_best`) that takes a fraction of the time and differs from the gain by rounding
only. Segments that come near the best by this are searched as all are elsewhere, so the splits are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from madtree.learn.data import Array, Bools, Floats
from madtree.learn.histogram import HistogramLayout
from madtree.learn.problem import Problem
from madtree.learn.split.criterion import RoughBest, criterion_of
from madtree.learn.split.margins import may_drop, rounding, threshold
from madtree.learn.split.occupied_bins import OccupiedBins, allowed_segments, bins_of_segments, occupied_bins


def likely_bins(
    problem: Problem, state: Array, layout: HistogramLayout, gain: Floats, allowed: Bools | None = None
) -> Iterator[OccupiedBins]:
    """As `occupied_bins`, but for segments that cannot have the best split of their slot.

    Args:
        gain: (n_slots,) of the best split among earlier features.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
    """
    rough_best = criterion_of(problem).rough_best
    chunk_values = problem.tuning.chunk_values
    if rough_best is None or not rough_gains_apply(problem):
        yield from occupied_bins(state, layout, chunk_values, allowed)
        return
    unordered = problem.unordered[layout.first : layout.first + len(layout.widths)]
    offsets = layout.offsets
    bounds = np.flatnonzero(np.diff(unordered, prepend=~unordered[:1], append=~unordered[-1:])).tolist()
    for first, last in pairwise(bounds):
        part = state[:, int(offsets[first]) : int(offsets[last])]
        part_layout = HistogramLayout(layout.channels, layout.widths[first:last], layout.n_slots, layout.first + first)
        if unordered[first]:
            yield from occupied_bins(part, part_layout, chunk_values, allowed)
        else:
            chosen = None if allowed is None else allowed_segments(allowed, part_layout)
            likely = likely_segments(problem, part, part_layout, gain, chosen)
            yield from bins_of_segments(part, part_layout, chunk_values, likely)


def rough_gains_apply(problem: Problem) -> bool:
    """Whether there are row counts only, and products of two are exact."""
    exact = problem.most_rows**2 < 2**53
    only_counts = problem.n_classes > 0 and problem.channels.count == problem.channels.n_counts
    return exact and only_counts and may_drop(problem)


def likely_segments(
    problem: Problem,
    state: Array,
    layout: HistogramLayout,
    gain: Floats,
    allowed: Bools | None,
) -> Bools:
    """(n_features, n_slots) whether a segment may have the slot's best split; of those that are `allowed`, which must
    be by ordered features.
    """
    rough_best = criterion_of(problem).rough_best
    if rough_best is None or not rough_gains_apply(problem):
        return np.ones((len(layout.widths), layout.n_slots), np.bool_) if allowed is None else allowed
    rough, weight = rough_gains(problem, rough_best, state, layout, allowed)
    best = np.maximum(rough.max(axis=0), gain)
    least = threshold(best, weight.max(axis=0), rounding(layout.channels.n_classes))
    # Where the rough gain is 0 both sides of any split look alike, and the gain is noise (`Criterion.rounding`).
    return np.asarray((rough >= least) & (rough > 0))


def rough_gains(
    problem: Problem, rough_best: RoughBest, state: Array, layout: HistogramLayout, allowed: Bools | None = None
) -> tuple[Floats, Floats]:
    """(n_features, n_slots) the best gain in each segment, 0 where none is possible, and the weight of its rows.

    Args:
        allowed: (n_features, n_slots) segments that are looked at, both are 0 for others; None for all.
    """
    n_features, n_slots, offsets = len(layout.widths), layout.n_slots, layout.offsets
    best, weight = np.zeros((n_features, n_slots)), np.zeros((n_features, n_slots))
    rough_bins, min_bucket = problem.tuning.rough_bins, max(problem.parameters.min_bucket, 1)
    changes = np.flatnonzero(np.diff(layout.widths)) + 1
    for first, last in zip([0, *changes.tolist()], [*changes.tolist(), n_features], strict=True):
        width = int(layout.widths[first])
        segments = state[:, int(offsets[first]) : int(offsets[last])].reshape(len(state), -1, width)
        flat_best, flat_weight = best[first:last].reshape(-1), weight[first:last].reshape(-1)
        size = max(1, rough_bins // width)
        some = None if allowed is None else np.flatnonzero(allowed[first:last])
        for i in range(0, segments.shape[1] if some is None else len(some), size):
            span = slice(i, i + size) if some is None else some[i : i + size]
            flat_best[span], flat_weight[span] = rough_best(segments[:, span, 1:], min_bucket)
    return best, weight
