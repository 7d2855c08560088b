"""Stacks of nodes: counted together, in cells, by the classes that they have. A cell is a bin of one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.learn.binning import MISSING
from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero
from madtree.learn.histogram import count_cells
from madtree.learn.problem import Problem, SearchTuning
from madtree.learn.split.best_splits import BestSplits
from madtree.records import dataclass


@dataclass(frozen=True)
class Running:
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
    def of(
        cls,
        problem: Problem,
        index: Ints,
        times: Floats | None,
        limbs: Sequence[Floats],
        shape: Sequence[int],
        tree: Ints,
    ) -> Running:
        """`index` (n_features, n_rows) of the cell that a row is counted in, so often as `times` says; `tree`
        (n_slots,) of each node.
        """
        channels = count_cells(index, times, limbs, int(np.prod(shape)))
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
class Stack:
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
    def of(cls, slots: slice, rows: slice, sums: Floats, slot: Ints, row_class: Ints) -> Stack:
        """From the sums (n_channels, n_slots) of the batch's nodes, and its rows' slots and classes."""
        n_slots = slots.stop - slots.start
        present = sums[:, slots] > 0
        place = np.cumsum(present, axis=0, dtype=np.int64)
        local = slot[rows].astype(np.int64) - slots.start
        at = np.multiply(row_class[rows], n_slots, dtype=np.int64) + local
        return cls(slots, rows, present, int(place[-1].max()), local, place.reshape(-1).take(at) - 1)

    def entered(self, found: BestSplits, part: BestSplits, n_classes: int) -> None:
        """Enter into the batch's splits what `part`, of this stack's slots and classes, has beyond them."""
        better = flat_nonzero(part.gain > found.gain[self.slots])
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


def stacks(
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
