"""Histograms of a set of nodes: one flat array, and how rows are counted into it.

The array has a row for each *channel* and a column for each *bin* of each feature in each slot:
``offset[feature] + slot * width[feature] + code``; a slot is a node that is being counted. The channels are, for
classification, the number of rows of each class and then each limb of their weights; for regression the number of rows,
the limbs of the weights, the limbs of weight times target, and those of weight times what else is summed of rows
(`SUMMED_NUMBERS`). All entries are integers, so adding is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Floats, Ints, flat_nonzero
from madtree.learn.histogram.rows_of_nodes import RowsInPlay, RowsOfNodes
from madtree.learn.problem import Channels
from madtree.records import dataclass

_MAX_EXACT = 2.0**53


@dataclass(frozen=True)
class HistogramLayout:
    """The shape of the histograms of `n_slots` slots over the features `first` to `first + len(widths) - 1`.

    Attributes:
        channels: what is counted.
        widths: (n_features,) int64 codes of each feature.
        n_slots: nodes counted.
        first: index of the first feature, where a pass covers a part of the features only.
    """

    channels: Channels
    widths: Ints
    n_slots: int
    first: int = 0

    @cached_property
    def offsets(self) -> Ints:
        """(n_features + 1,) first bin of each feature, and the number of bins."""
        return np.array(self.of_a_slot) * self.n_slots

    @cached_property
    def of_a_slot(self) -> list[int]:
        """The `offsets` where there is one slot."""
        return _offsets_and_runs(self.widths.tobytes())[0]

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """From which to which feature, counted within the layout, all have as many codes."""
        return _offsets_and_runs(self.widths.tobytes())[1]

    def view(self, state: Array, first: int, last: int) -> Array:
        """(n_channels, last - first, n_slots, width) view of the histograms of some features of one width (`runs`)."""
        offsets, n_slots = self.of_a_slot, self.n_slots
        part: Array = state[:, offsets[first] * n_slots : offsets[last] * n_slots]
        return part.reshape(len(state), last - first, n_slots, offsets[first + 1] - offsets[first])

    @property
    def total_bins(self) -> int:
        return self.of_a_slot[-1] * self.n_slots

    def zeros(self, dtype: np.dtype[np.generic]) -> Array:
        return np.zeros((self.channels.count, self.total_bins), dtype)


@lru_cache(maxsize=16)
def _offsets_and_runs(widths: bytes) -> tuple[list[int], list[tuple[int, int]]]:
    """Those of a layout of one slot with the `widths`, int64: each round of growth has several layouts with these."""
    of_features = np.frombuffer(widths, np.int64)
    changes = (flat_nonzero(np.diff(of_features)) + 1).tolist()
    return [0, *np.cumsum(of_features).tolist()], list(pairwise([0, *changes, len(of_features)]))


@dataclass(frozen=True)
class Histograms:
    """Sums of some nodes' rows by channel, feature, slot and code.

    Attributes:
        layout: how they lie in the `state` (n_channels, total_bins).
    """

    layout: HistogramLayout
    state: Array

    def view(self, first: int, last: int) -> Array:
        """As `HistogramLayout.view`."""
        return self.layout.view(self.state, first, last)

    def feature(self, index: int) -> Array:
        """(n_channels, n_slots, width) view of one feature's; `index` counts from the layout's first feature."""
        return self.view(index, index + 1)[:, 0]

    def add(self, slot: int, first: int, sums: Floats) -> None:
        """Add sums (n_channels, n, as wide as the widest or more) of the features from `first` on, counted within the
        layout, to those of a slot.
        """
        for begin, end in self.layout.runs:
            begin, end = max(begin, first), min(end, first + sums.shape[1])
            if begin < end:
                own = self.view(begin, end)[:, :, slot]
                own += sums[:, begin - first : end - first, : own.shape[2]]

    def features(self, first: int, last: int) -> Histograms:
        """Those of the features `first` to `last - 1`, counted within the layout."""
        layout, offsets = self.layout, self.layout.of_a_slot
        part = replace(layout, widths=layout.widths[first:last], first=layout.first + first)
        return Histograms(part, self.state[:, offsets[first] * layout.n_slots : offsets[last] * layout.n_slots])

    def totals(self) -> Floats:
        """(n_channels, n_slots) float64 sums over all rows of each slot: over one feature's codes, the missing one
        included.
        """
        return np.asarray(self.feature(0).sum(axis=2, dtype=np.float64))


def add_rows(histograms: Histograms, some: RowsInPlay, gathered_below: float, drawn: Ints | None = None) -> None:
    """Count some of a block's rows, in place.

    Args:
        gathered_below: share of the rows in play under which they are copied out.
        drawn: (n_slots, n_drawn) features of each slot whose places those of the layout are; None for its own.
    """
    layout = histograms.layout
    first, n_slots = _touched(some.slots, layout)
    if first:
        some = replace(some, slots=np.where(some.slots < 0, -1, some.slots - first))
    rows = _rows_in_play(layout.channels, n_slots, some, gathered_below)
    if rows is None:
        return
    slot, limbs, take = rows
    all_codes = some.block.codes

    def codes(feature: int) -> Array:
        if drawn is not None:
            features = drawn[first:, feature].take(some.slots if take is None else some.slots.take(take), mode="clip")
            return all_codes.gather(features) if take is None else all_codes.gather_at(features, take)
        column = all_codes.column(feature)
        return column if take is None else column.take(take)

    add_codes(histograms, slot, limbs, codes, (first, n_slots))


def add_rows_of_nodes(histograms: Histograms, rows: RowsOfNodes) -> None:
    """Add rows that were taken out of their blocks; all bins are added up once, not once for each block."""
    n_slots = histograms.layout.n_slots
    slot = np.multiply(rows.row_class, n_slots, dtype=np.int64) + rows.slot
    add_codes(histograms, slot, list(rows.limbs), rows.codes, (0, n_slots))


def add_codes(
    histograms: Histograms,
    slot: Ints,
    limbs: Sequence[Floats],
    codes: Callable[[int], Array],
    touched: tuple[int, int],
    times: Floats | None = None,
) -> None:
    """Count rows, in place.

    Args:
        slot: (n_rows,) int64 group * n + slot, where slots are counted from the first one touched, and n of them are;
            rows with a number past the end are left out.
        limbs: each (n_rows,), what is summed beside the row counts.
        codes: (n_rows,) of the feature with that index.
        touched: the first slot that rows have, and n.
        times: (n_rows,) how often each row counts, what is summed included; None for once.
    """
    layout, dtype = histograms.layout, histograms.state.dtype
    n_counts = layout.channels.n_counts
    first, n_slots = touched
    key_width, key = -1, slot
    index = np.empty(len(slot), np.int64)
    for i, width in enumerate(layout.widths.tolist()):
        if width != key_width:
            key_width, key = width, slot * width
        np.add(key, codes(layout.first + i), out=index)
        size = n_slots * n_counts * width
        added = histograms.feature(i)[:, first : first + n_slots]
        at = 0
        for limb in (times, *limbs):
            sums = np.bincount(index, limb, minlength=size)[:size]
            added[at : at + n_counts] += sums.reshape(n_counts, n_slots, width).astype(dtype, copy=False)
            at += n_counts


def _touched(slots: Ints, layout: HistogramLayout) -> tuple[int, int]:
    """The slots that are worth adding up: the first, and how many from there on.

    A block's rows of one tree, or of one copy, have neighbouring slots, among those of many trees or replicas.
    """
    if layout.total_bins < len(slots) * len(layout.widths):
        return 0, layout.n_slots
    known = slots[slots >= 0]
    if len(known) == 0:
        return 0, layout.n_slots
    first = int(known.min())
    return first, int(known.max()) - first + 1


def add_totals(state: Array, channels: Channels, some: RowsInPlay, gathered_below: float) -> None:
    """Count rows into `state` (n_channels, n_slots) whatever their codes, in place; otherwise as `add_rows`."""
    n_slots = state.shape[1]
    rows = _rows_in_play(channels, n_slots, some, gathered_below)
    if rows is None:
        return
    slot, limbs, _ = rows
    size = n_slots * channels.n_counts
    for sums, weights in zip(state.reshape(-1, size), (None, *limbs), strict=False):
        sums += np.bincount(slot, weights, minlength=size)[:size]


def _rows_in_play(
    channels: Channels, n_slots: int, some: RowsInPlay, gathered_below: float
) -> tuple[Ints, list[Floats], Ints | None] | None:
    """The rows with a slot.

    Returns:
        Their class and slot as one number, class * n_slots + slot; the limbs that are summed beside the row counts; and
        their indices, or None where all rows stand here: those out of play then have a number past the end. None if no
        row is in play.
    """
    block, n_active = some.block, np.count_nonzero(some.slots >= 0)
    if n_active == 0:
        return None
    n_rows = block.codes.n_rows
    take = some.rows() if some.multiplicity is not None or n_active < gathered_below * n_rows else None
    slot = (some.slots if take is None else some.slots.take(take)).astype(np.int64)
    spare = take is None and n_active < n_rows
    if spare:
        # Counting them along is quicker than copying the others out.
        slot[slot < 0] = n_slots * channels.n_counts
    if channels.n_classes:
        target = block.target if take is None else block.target.take(take)
        slot += target.astype(np.int64) * n_slots
        if spare:
            np.minimum(slot, n_slots * channels.n_counts, out=slot)
    limbs = [] if block.weight is None else list(block.weight)
    if not channels.n_classes:
        limbs += list(block.target)
    return slot, limbs if take is None else [limb.take(take) for limb in limbs], take


def count_cells(index: Ints, times: Floats | None, limbs: Sequence[Floats], n_cells: int) -> list[Array]:
    """Row counts, int32, and sums of each limb, (n_cells,) each, of rows that are counted once for each feature.

    Args:
        index: (n_features, n_rows) the cell that a row is counted in.
        times, limbs: each (n_rows,) as in `add_codes`.
    """
    flat = index.reshape(-1)
    counted = None if times is None else np.tile(times, len(index))
    channels: list[Array] = [np.bincount(flat, counted, minlength=n_cells).astype(np.int32)]
    channels += [np.bincount(flat, np.tile(limb, len(index)), minlength=n_cells) for limb in limbs]
    return channels


def summed(channels: Channels, row_class: Array, times: Array | None, limbs: Sequence[Array]) -> Iterator[Array]:
    """What each channel sums of some rows (n_rows,), one channel after the other.

    Args:
        times, limbs: each (n_rows,) as in `RowsOfNodes`.
    """
    for place, values in enumerate((np.ones(len(row_class)) if times is None else times, *limbs)):
        if channels.n_counts == 1 or place > channels.weight_limbs:
            yield values
            continue
        for k in range(channels.n_counts):
            yield (row_class == k) * values


def sum_stretches(
    channels: Channels, row_class: Array, times: Array | None, limbs: Sequence[Array], start: Ints
) -> Floats:
    """(n_channels, n_stretches) sums of rows that stand stretch by stretch, from each `start` to before the next one;
    the others as in `summed`.
    """
    sums = np.empty((channels.count, len(start)))
    alone = len(start) == len(row_class)
    for channel, values in enumerate(summed(channels, row_class, times, limbs)):
        sums[channel] = values if alone else np.add.reduceat(values, start)
    return sums


class InexactSumError(MadtreeError, OverflowError):
    """A sum is no longer exact, and so would depend on the order of rows."""


def check_exact(state: Array) -> None:
    """Raises InexactSumError where an entry has left the range in which sums are exact."""
    if state.dtype.kind != "f" or not state.size:
        return
    if not max(float(state.max()), -float(state.min())) <= _MAX_EXACT:  # NaN fails, too
        problem = (
            "a sum has left the range in which it is exact: the table changed while it was being read, or the scores "
            "of a boosted model have run away from its rows"
        )
        hint = "Call again; a boosted model needs a smaller learning_rate, or a larger subsample."
        raise InexactSumError(problem, hint=hint, sqlstate="40001")
