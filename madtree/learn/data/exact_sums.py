"""Exact sums of numbers of which nothing is known beforehand, not even how large they are.

Each number becomes a few integers, each of which counts a power of two, 32 bits from one to the next. Integers have the
same sums in whatever order, and whoever adds them up. Where the largest number is known, a `Grid` takes fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data.block import CACHED_ROWS, pieces_of
from madtree.learn.data.grid import scaled
from madtree.learn.data.runs import flat_nonzero
from madtree.learn.data.types import Floats, Ints
from madtree.records import dataclass

_BITS = 32  # of up to 2**31 numbers in all
_FEW = 1 / 2  # of the numbers: so few, and those that have digits left are put together


def in_powers(values: Floats, cell: Ints, n_cells: int) -> Iterator[tuple[int, Ints]]:
    """The sums of finite numbers (n,), at most 2**20, by their cells (n,): of each power, (n_cells,) how often it is
    there. Power p stands for 2 ** (32 p).

    Raises:
        MadtreeError: some are not finite.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not np.isfinite(largest):
        raise MadtreeError("numbers are too large to be added up", sqlstate="22003")
    power = -(-int(np.frexp(largest)[1]) // _BITS) - 1
    while len(values) and values.any():
        limb = np.rint(scaled(values, np.int64(-_BITS * power)))
        yield power, np.bincount(cell, limb, n_cells).astype(np.int64)
        values = values - scaled(limb, np.int64(_BITS * power))
        left = flat_nonzero(values)
        if len(left) < _FEW * len(values):
            values, cell = values.take(left), cell.take(left)
        power -= 1


@dataclass(frozen=True)
class ExactSums:
    """Sums of some cells.

    Attributes:
        n_cells: how many.
        by_power: (n_cells,) int64 of each power, as `in_powers` has them.
    """

    n_cells: int
    by_power: dict[int, Ints] = field(default_factory=dict)

    def of_power(self, power: int) -> Ints:
        """(n_cells,) to be added to."""
        if power not in self.by_power:
            self.by_power[power] = np.zeros(self.n_cells, np.int64)
        return self.by_power[power]

    def add(self, values: Floats, cell: Ints) -> None:
        """Add finite numbers (n,) to their cells (n,)."""
        for piece in pieces_of(len(values), CACHED_ROWS):
            for power, counts in in_powers(values[piece], cell[piece], self.n_cells):
                self.of_power(power)[:] += counts

    @property
    def totals(self) -> Floats:
        """(n_cells,) the sums, which are rounded only here."""
        found, carried = np.zeros(self.n_cells), np.zeros(self.n_cells, np.int64)
        if not self.by_power:
            return found
        last, parts = max(self.by_power), []
        for power in range(min(self.by_power), last + 1):
            whole = carried + self.by_power.get(power, 0)
            carried = whole >> _BITS if power < last else np.zeros_like(whole)
            parts.append((power, whole - (carried << _BITS)))
        for power, digits in reversed(parts):
            found += scaled(digits.astype(np.float64), np.int64(_BITS * power))
        return found
