"""The segments among which the best splits are: the others are passed over after a rough look.

Of many features most have no split that comes near the node's best one. With row counts only, a criterion may have a
rough form of its gain (`Criterion.rough_best`) that takes a fraction of the time and differs from the gain by rounding
only. Segments that come near the best by this are searched as all are elsewhere, so the splits are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from madtree.learn.data.types import Array, Bools, Floats
from madtree.learn.histogram.histogram import HistogramLayout
from madtree.learn.problem.problem import Problem
from madtree.learn.split.candidates import Entries, allowed_segments, dense_entries, entries_of_segments
from madtree.learn.split.criterion import RoughBest, criterion_of
from madtree.learn.split.search import TIE

# A segment stays unless it is worse than the best by this share. Where features nearly tie, each may hand the place of
# the best on to one that is better by the tolerance `TIE`; those that were left out must not have been part of such a
# chain, which would take as many of them as there are tolerances in this share.
_MARGIN = 1e-3
_MOST_FEATURES = int(_MARGIN / TIE)
_ROUNDING = 1e-12  # of gains as they are defined, a unit of weight: many times what differences of shares lose
_CELLS = 16_000  # looked at together: arrays that stay in the cache, and that malloc does not ask the system for


def likely_entries(
    problem: Problem, state: Array, layout: HistogramLayout, gain: Floats, allowed: Bools | None = None
) -> Iterator[Entries]:
    """As `entries.dense_entries`, but for segments that cannot have the best split of their slot.

    Args:
        gain: (n_slots,) of the best split among earlier features.
        allowed: (n_slots, n_features) whether a node may be split by a feature, of all features; None for yes.
    """
    rough_best = criterion_of(problem).rough_best
    if rough_best is None or not _applies(problem):
        yield from dense_entries(state, layout, allowed)
        return
    unordered = problem.unordered[layout.first : layout.first + len(layout.widths)]
    offsets = layout.offsets
    bounds = np.flatnonzero(np.diff(unordered, prepend=~unordered[:1], append=~unordered[-1:])).tolist()
    for first, last in pairwise(bounds):
        part = state[:, int(offsets[first]) : int(offsets[last])]
        part_layout = HistogramLayout(layout.channels, layout.widths[first:last], layout.n_slots, layout.first + first)
        if unordered[first]:
            yield from dense_entries(part, part_layout, allowed)
        else:
            chosen = None if allowed is None else allowed_segments(allowed, part_layout)
            likely = _likely(rough_best, part, part_layout, gain, problem.parameters.min_bucket, chosen)
            yield from entries_of_segments(part, part_layout, likely)


def _applies(problem: Problem) -> bool:
    """Whether there are row counts only, and products of two are exact."""
    exact = problem.most_rows**2 < 2**53
    only_counts = problem.n_classes > 0 and problem.channels.count == problem.channels.n_counts
    few = len(problem.unordered) < _MOST_FEATURES
    return exact and only_counts and few


def _likely(
    rough_best: RoughBest,
    state: Array,
    layout: HistogramLayout,
    gain: Floats,
    min_bucket: int,
    allowed: Bools | None,
) -> Bools:
    """(n_features, n_slots) whether a segment may have the slot's best split."""
    rough, weight = rough_gains(rough_best, state, layout, min_bucket, allowed)
    best = np.maximum(rough.max(axis=0), gain)
    # Where it is 0 the shares are the same on both sides of any split, and the gain is noise (Criterion.rounding).
    return np.asarray((rough + weight * _ROUNDING >= best * (1 - _MARGIN)) & (rough > 0))


def rough_gains(
    rough_best: RoughBest, state: Array, layout: HistogramLayout, min_bucket: int, allowed: Bools | None = None
) -> tuple[Floats, Floats]:
    """(n_features, n_slots) the best gain in each segment, 0 where none is possible, and the weight of its rows.

    Args:
        allowed: (n_features, n_slots) segments that are looked at, both are 0 for others; None for all.
    """
    n_features, n_slots, offsets = len(layout.widths), layout.n_slots, layout.offsets
    best, weight = np.zeros((n_features, n_slots)), np.zeros((n_features, n_slots))
    changes = np.flatnonzero(np.diff(layout.widths)) + 1
    for first, last in zip([0, *changes.tolist()], [*changes.tolist(), n_features], strict=True):
        width = int(layout.widths[first])
        cells = state[:, int(offsets[first]) : int(offsets[last])].reshape(len(state), -1, width)
        flat_best, flat_weight = best[first:last].reshape(-1), weight[first:last].reshape(-1)
        size = max(1, _CELLS // width)
        some = None if allowed is None else np.flatnonzero(allowed[first:last])
        for i in range(0, cells.shape[1] if some is None else len(some), size):
            span = slice(i, i + size) if some is None else some[i : i + size]
            flat_best[span], flat_weight[span] = rough_best(cells[:, span, 1:], max(min_bucket, 1))
    return best, weight
