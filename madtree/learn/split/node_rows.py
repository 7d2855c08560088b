"""The occupied bins of small nodes from their rows, put in order: the classical exact search.

A node with fewer rows than its features have bins leaves most bins of its histograms empty, and looking through them
costs more than ordering its rows by code. What comes out is the same: the bins that hold rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import HistogramLayout, RowsOfNodes, sum_stretches
from madtree.learn.problem import Channels
from madtree.learn.split.occupied_bins import OccupiedBins
from madtree.records import dataclass

_DIGIT_BITS = 16


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
    features = np.arange(len(layout.widths))
    if allowed is not None:
        features = flat_nonzero(np.logical_or.reduce(allowed, axis=0))
    for first in range(0, len(features), size):
        some = features[first : first + size]
        codes = np.stack([rows.codes(layout.first + f) for f in some.tolist()])
        if allowed is not None and not (own := allowed[:, some]).all():
            codes[~own.take(rows.slot, axis=0).T] = MISSING
        place, slot, code, sums = bins_of(rows, channels, codes)
        yield OccupiedBins.of_bins(layout, some.take(place), slot, code, sums)


def bins_of(
    rows: RowsOfNodes, channels: Channels, codes: Array, mine: Ints | None = None
) -> tuple[Ints, Ints, Ints, Floats]:
    """Place of the feature, slot, code (n_bins,) and sums (n_channels, n_bins) of the bins of some features that hold
    rows, in order; those of the missing code are left out.

    Args:
        codes: (n_features, n_rows).
        mine: indices of the rows that are meant; None for all.
    """

    def own(values: Array) -> Array:
        return values if mine is None else values.take(mine, axis=-1)

    slot, codes = own(rows.slot), own(codes)
    bits = 8 * codes.dtype.itemsize
    keys = codes + (slot.astype(np.int64) << bits)
    order = order_by_digits(keys)
    keys = np.take_along_axis(keys, order, axis=1)
    first = np.ones(order.shape, np.bool_)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=first[:, 1:])
    order, start = order.ravel(), flat_nonzero(first)
    row_class = own(rows.row_class).take(order)
    times = None if rows.times is None else own(rows.times).take(order)
    limbs = [own(limb).take(order) for limb in rows.limbs]
    sums, keys = sum_stretches(channels, row_class, times, limbs, start), keys.take(start)
    slots, code = keys >> bits, keys & ((1 << bits) - 1)
    known = flat_nonzero(code != MISSING)
    if len(known) < len(code):
        start, slots, code, sums = start.take(known), slots.take(known), code.take(known), sums.take(known, axis=1)
    return start // max(1, len(slot)), slots, code, sums


def order_by_digits(numbers: Ints) -> Ints:
    """(..., n) the stable order of non-negative integers along the last axis, by digits of 16 bits."""
    order = np.argsort(numbers.astype(np.uint16), kind="stable")  # the lowest digit
    high = numbers >> _DIGIT_BITS
    while high.size and int(high.max()):
        digit = np.take_along_axis(high.astype(np.uint16), order, axis=-1)
        order = np.take_along_axis(order, np.argsort(digit, kind="stable"), axis=-1)
        high = high >> _DIGIT_BITS
    return order
