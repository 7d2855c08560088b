"""Rows of nodes side by side: each row a short record that holds its codes, so that whoever goes through the rows of a
node reads memory in order, and looks no row up by its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from madtree.learn.counting import lines_together
from madtree.learn.data import (
    NARROW_LIMIT,
    Allocator,
    Array,
    Block,
    Bools,
    Codes,
    Floats,
    Ints,
    Runs,
    in_memory,
    pieces_of,
)
from madtree.records import dataclass

_SIZES = (16, 32, 64)  # bytes of a record, which numpy copies as fast as memory goes
_REFERRING = 8  # bytes of a record that says where its codes are
_TWO_CODES = np.dtype("<u2")


@dataclass(frozen=True)
class RecordLayout:
    """What a record holds, in units of one byte, or of two where a feature has many codes: its codes, then its class,
    then how often it counts. Of wide tables it holds, instead of codes, the row's number.

    Attributes:
        unit: type of a unit.
        n_units: of a record.
        n_features: whose codes it carries, 0 if none.
        class_at, times_at: units.
        lines: as of `learn.counting.Records`; none where that is not known.
    """

    unit: np.dtype[np.uint8] | np.dtype[np.uint16]
    n_units: int
    n_features: int
    class_at: int
    times_at: int
    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, codes: Codes, n_classes: int) -> RecordLayout:
        n_features = len(codes.layout.wide)
        wide = codes.layout.n_wide > 0 or n_classes > NARROW_LIMIT
        unit: np.dtype[np.uint8] | np.dtype[np.uint16] = np.dtype(np.uint16) if wide else np.dtype(np.uint8)
        needed = (n_features + 2) * unit.itemsize
        for size in _SIZES:
            if needed <= size:
                return cls(unit, size // unit.itemsize, n_features, n_features, n_features + 1)
        two = np.dtype(np.uint16)
        return cls(two, _REFERRING // two.itemsize, 0, 2, 3)

    @property
    def record(self) -> np.dtype[np.void]:
        return np.dtype((np.void, self.n_units * self.unit.itemsize))


@dataclass(frozen=True)
class RowRecords:
    """Attributes:
    layout: of the records.
    records: (n_rows,) of `layout.record`, one after the other in memory.
    limbs: what is summed beside the row counts, each row as often as it counts, (n_rows,) each.
    codes: of all rows, for records that do not carry theirs.
    """

    layout: RecordLayout
    records: Array
    limbs: list[Floats]
    codes: Codes

    @classmethod
    def empty(
        cls, layout: RecordLayout, n_rows: int, n_limbs: int, codes: Codes, allocator: Allocator = in_memory
    ) -> RowRecords:
        """Records of so many rows, whatever they are."""
        limbs = [allocator(8 * n_rows).view(np.float64) for _ in range(n_limbs)]
        return cls(layout, allocator(n_rows * layout.record.itemsize).view(layout.record), limbs, codes)

    def fill(self, at: slice | Ints, block: Block, rows: Ints, times: Array, limbs: Sequence[Floats]) -> None:
        """Enter `rows` (n,) of a block, each so many times (n,), `at` n places; `limbs` (n,) theirs.

        Where records do not carry codes, the block must be the one that has all rows.
        """
        layout = self.layout
        units = self._table
        if layout.n_features:
            for feature in range(layout.n_features):
                units[at, feature] = block.codes.column(feature).take(rows)
        else:
            units[:, :2].view(np.uint32)[at, 0] = rows
        units[at, layout.class_at] = block.target.take(rows) if block.target.ndim == 1 else 0
        self._enter_times(at, limbs, times)

    def fill_all(self, block: Block) -> None:
        """Enter all rows of a block, each once."""
        n_rows = block.codes.n_rows
        self.fill(slice(0, n_rows), block, np.arange(n_rows), np.ones(n_rows, np.uint8), ())

    def draw(self, at: slice | Ints, source: RowRecords, rows: Ints, times: Array, limbs: Sequence[Floats]) -> None:
        """As `fill`, from records that count each row once."""
        if isinstance(at, slice):
            source.records.take(rows, out=self.records[at], mode="clip")
        else:
            self._table[at] = source._table.take(rows, axis=0)
        self._enter_times(at, limbs, times)

    def _enter_times(self, at: slice | Ints, limbs: Sequence[Floats], times: Array) -> None:
        self._table[at, self.layout.times_at] = times
        for own, limb in zip(self.limbs, limbs, strict=True):
            own[at] = limb * times

    def __len__(self) -> int:
        return len(self.records)

    def part(self, first: int, stop: int) -> RowRecords:
        """The rows from `first` to before `stop`; a view."""
        return RowRecords(self.layout, self.records[first:stop], [limb[first:stop] for limb in self.limbs], self.codes)

    def joint_codes(self, pair: int, first: int, stop: int) -> Array:
        """(stop - first,) uint16 the codes of two neighbouring features, of one byte each, as one number: that of
        feature 2 `pair` plus 256 times that of the next one; a view.
        """
        return self.records.view(_TWO_CODES).reshape(len(self), -1)[first:stop, pair]

    @property
    def lines(self) -> tuple[int, ...]:
        return self.layout.lines

    def with_lines(self) -> RowRecords:
        """With the lines of these rows known, which are enough for any of them, too."""
        if self.layout.unit != np.uint8 or not self.layout.n_features:
            return self
        pairs = range(self.layout.n_features // 2)
        lines = tuple(lines_together(self.joint_codes(pair, 0, len(self))) for pair in pairs)
        return replace(self, layout=replace(self.layout, lines=lines))

    def take(self, rows: Ints) -> RowRecords:
        """Some of the rows, in that order; a copy."""
        return RowRecords(self.layout, self.records.take(rows), [limb.take(rows) for limb in self.limbs], self.codes)

    def put(self, chosen: Bools, into: RowRecords, first: int) -> int:
        """Copy the rows that are `chosen` (n_rows,), in order, to others from `first` on; returns where they end."""
        for piece in pieces_of(len(self)):
            rows = np.flatnonzero(chosen[piece])
            stop = first + len(rows)
            for own, other in zip((self.records, *self.limbs), (into.records, *into.limbs), strict=True):
                own[piece].take(rows, out=other[first:stop], mode="clip")
            first = stop
        return first

    @cached_property
    def _units(self) -> Array:
        """All units, one record after the other."""
        return self.records.view(self.layout.unit)

    @cached_property
    def _table(self) -> Array:
        """(n_rows, n_units) the same."""
        return self._units.reshape(-1, self.layout.n_units)

    @property
    def classes(self) -> Array:
        """(n_rows,) class of each; a view."""
        return self._table[:, self.layout.class_at]

    @cached_property
    def times(self) -> Floats:
        """(n_rows,) how often each counts."""
        return self._table[:, self.layout.times_at].astype(np.float64)

    def column(self, feature: int, first: int, stop: int) -> Array:
        """(stop - first,) codes of one feature, of the rows from `first` to before `stop`; a view where records carry
        them.
        """
        if self.layout.n_features:
            return self._table[first:stop, feature]
        return self.codes.column(feature).take(self._rows[first:stop])

    def codes_of(self, feature: int, end: int, first: int, stop: int) -> Array:
        """(end - feature, stop - first) uint16 codes of the features from `feature` to before `end`; a copy."""
        return np.array([self.column(each, first, stop) for each in range(feature, end)], np.uint16)

    def gather(self, feature: Ints) -> Array:
        """(n_rows,) the code of one feature, `feature` (n_rows,), in each row; a copy."""
        if self.layout.n_features:
            return self._units.take(feature + self._steps)
        return self.codes.gather_at(feature, self._rows)

    def gather_of(self, feature: Ints, runs: Runs) -> Array:
        """(n_rows,) the code of one feature, `feature` (n_runs,) int64, in each row; a copy."""
        if self.layout.n_features:
            return self._units.take(runs.spread(feature, self.layout.n_units))
        return self.codes.gather_at(runs.spread(feature), self._rows)

    def gather_at(self, feature: Ints, rows: Ints) -> Array:
        """(m,) the code of the feature `feature` (m,) in each of `rows` (m,); a copy."""
        if self.layout.n_features:
            return self._units.take(feature + self._steps.take(rows))
        return self.codes.gather_at(feature, self._rows.take(rows))

    @cached_property
    def _steps(self) -> Ints:
        """(n_rows,) where each record begins, in units."""
        return np.arange(0, len(self._units), self.layout.n_units)

    @property
    def _rows(self) -> Array:
        """(n_rows,) number of each row, where records tell it."""
        return self.records.view(np.uint32)[::2]
