"""The occupied bins of small nodes from their rows, put in order: the classical exact search.

A node with fewer rows than its features have bins leaves most bins of its histograms empty, and looking through them
costs more than ordering its rows by code. What comes out is the same: the bins that hold rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import HistogramLayout, RowsOfNodes, joined, sum_stretches
from madtree.learn.problem import Channels
from madtree.learn.split.occupied_bins import OccupiedBins
from madtree.records import dataclass

_DIGIT = 65_536


@dataclass(frozen=True)
class SmallNodes:
    """Some nodes that are searched by their rows.

    Attributes:
        rows: of all of them.
        layout: whose slots they are; by its features the rows tell their codes.
        features: (n_slots, n_features) which features of the problem those of the layout are, for each node ascending.
        tree: (n_slots,) of each node.
        sums: (n_channels, n_slots) over all rows of each node.
        bounds: (2, n_slots) between which the values of leaves below each node must lie; None for none.
    """

    rows: RowsOfNodes
    layout: HistogramLayout
    features: Ints
    tree: Ints
    sums: Floats
    bounds: Floats | None = None


def stretches(one: Bools, other: Bools, most: int) -> Iterator[tuple[int, int]]:
    """Neighbouring features (from, to) that are looked at together: at most so many, and all of them in one way."""
    first, n = 0, len(one)
    for place in range(1, n + 1):
        alone = place == n or one[place - 1] == other[place - 1]
        if alone or place - first == most or one[place] != one[first] or other[place] != other[first]:
            yield first, place
            first = place


def sweep(
    rows: RowsOfNodes, layout: HistogramLayout, chunk_values: int, allowed: Bools | None = None
) -> Iterator[OccupiedBins]:
    """The occupied bins of the slots of `layout` in chunks of features, in order.

    Args:
        chunk_values: bins times channels of a chunk, at most; but a chunk has one feature at least.
        allowed: (n_slots, n_features) whether a node may be split by a feature of the layout; None for yes.
    """
    channels = layout.channels
    size = max(1, chunk_values // max(1, len(rows.slot) * channels.count))
    for first in range(0, len(layout.widths), size):
        span = range(first, min(first + size, len(layout.widths)))
        parts = [
            _bins_of_feature(rows, channels, layout.first + f, None if allowed is None else allowed[:, f]) for f in span
        ]
        yield _occupied(parts, layout, span.start)


def _bins_of_feature(
    rows: RowsOfNodes, channels: Channels, feature: int, allowed: Bools | None
) -> tuple[Ints, Ints, Floats]:
    """The bins of a feature as `bins_of` gives them, of the slots that are `allowed` (n_slots,), None for all."""
    if allowed is None or allowed.all():
        return bins_of(rows, channels, rows.codes(feature))
    if not allowed.any():
        return np.zeros(0, rows.slot.dtype), np.zeros(0, np.int64), np.zeros((channels.count, 0))
    return bins_of(rows, channels, rows.codes(feature), flat_nonzero(allowed.take(rows.slot)))


def bins_of(rows: RowsOfNodes, channels: Channels, code: Array, mine: Ints | None = None) -> tuple[Ints, Ints, Floats]:
    """Slot, code (n_bins,) and sums (n_channels, n_bins) of the bins of one feature that hold rows, in order.

    Args:
        code: (n_rows,) of the feature.
        mine: indices of the rows that are meant; None for all.
    """

    def own(values: Array) -> Array:
        return values if mine is None else values.take(mine)

    slot, code = own(rows.slot), own(code)
    order = np.argsort(code, kind="stable")  # 8 and 16 bit integers are sorted by their digits
    order = order[np.searchsorted(code.take(order), MISSING, side="right") :]
    order = order.take(order_of_slots(slot.take(order)))
    slot, code = slot.take(order), code.take(order)
    first = np.ones(len(order), np.bool_)
    first[1:] = (code[1:] != code[:-1]) | (slot[1:] != slot[:-1])
    start = flat_nonzero(first)
    slot, code = slot.take(start), code.take(start).astype(np.int64)
    row_class = own(rows.row_class).take(order)
    times = None if rows.times is None else own(rows.times).take(order)
    limbs = [own(limb).take(order) for limb in rows.limbs]
    return slot, code, sum_stretches(channels, row_class, times, limbs, start)


def order_of_slots(slot: Ints) -> Ints:
    """(n,) the stable order of non-negative integers, by digits of 16 bits."""
    order = np.argsort((slot % _DIGIT).astype(np.uint16), kind="stable")
    high = slot // _DIGIT
    while len(high) and int(high.max()):
        order = order.take(np.argsort((high % _DIGIT).astype(np.uint16).take(order), kind="stable"))
        high = high // _DIGIT
    return order


def _occupied(parts: Sequence[tuple[Ints, Ints, Floats]], layout: HistogramLayout, first: int) -> OccupiedBins:
    lengths = [len(slot) for slot, _, _ in parts]
    feature = np.repeat(np.arange(first, first + len(parts)), lengths)
    slot = joined([slot for slot, _, _ in parts])
    code = joined([code for _, code, _ in parts])
    sums = parts[0][2] if len(parts) == 1 else np.concatenate([sums for _, _, sums in parts], axis=1)
    return OccupiedBins.of_bins(layout, feature, slot, code, sums)
