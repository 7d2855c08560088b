"""Rows of a large tree column by column, the codes of two features as one number where each has one byte.

Copying such rows takes three quarters of the memory that records take (`RowRecords`), and there it is memory that takes
the time; counting a feature, or finding the sides of a split, reads its own codes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from madtree.learn.at_hand.bagged_block import BaggedBlock
from madtree.learn.counting import lines_together
from madtree.learn.data import Allocator, Array, Block, Bools, Floats, Ints, Runs, allocated, pieces_of
from madtree.learn.problem import Problem
from madtree.records import dataclass

_BYTE = 8  # bits
_HIGH = np.uint16(2**_BYTE)  # numpy divides many at once, and shifts one by one
_LOW = np.uint16(255)
# Where a smaller share of the rows is marked, of more rows than these, marks are looked at eight at a time: there numpy
# takes two to three times as long a row as where many are marked.
_FEW, _FEW_OF = 0.1, 32_768
_COPIED_ROWS = 262_144  # looked through at once: a tenth quicker than a quarter of them


@dataclass(frozen=True)
class RowColumns:
    """Attributes:
    codes: uint16 (n_columns, n_rows): of one feature each, or of features 2 k and, 256 times, 2 k + 1.
    is_paired: which of the two.
    lines: as of `learn.counting.Records`.
    limbs: what is summed beside the row counts, each row as often as it counts, (n_rows,) each.
    own_classes: uint16 (n_rows,) class of each; None where there are none.
    own_times: uint8 (n_rows,) how often each counts; None for once.
    """

    codes: Array
    is_paired: bool
    lines: tuple[int, ...]
    limbs: list[Floats]
    own_classes: Array | None = None
    own_times: Array | None = None

    @classmethod
    def of(cls, blocks: Sequence[Block], n_classes: int, allocator: Allocator) -> RowColumns:
        """All rows of all blocks, each once, without limbs."""
        layout, n_rows = blocks[0].codes.layout, sum(block.codes.n_rows for block in blocks)
        n_features, is_paired = len(layout.wide), layout.n_wide == 0
        codes = allocated(allocator, (-(-n_features // 2) if is_paired else n_features, n_rows), np.uint16)
        classes = allocated(allocator, (n_rows,), np.uint16) if n_classes else None
        first = 0
        for block in blocks:
            own = slice(first, first := first + block.codes.n_rows)
            for feature in range(n_features):
                if not is_paired:
                    codes[feature, own] = block.codes.column(feature)
                elif feature % 2 == 0:
                    codes[feature // 2, own] = block.codes.column(feature)
                else:
                    codes[feature // 2, own] |= block.codes.column(feature).astype(np.uint16) << _BYTE
            if classes is not None:
                classes[own] = block.target
        pairs = codes[: n_features // 2] if is_paired else codes[:0]
        return cls(codes, is_paired, tuple(map(lines_together, pairs)), [], classes)

    def in_bag(self, problem: Problem, blocks: Sequence[Block], allocator: Allocator) -> RowColumns:
        """Of these, which are all rows of the blocks, those that the problem's only tree is grown on, with limbs."""
        parts = [BaggedBlock.of(problem, block, None, allocator) for block in blocks]
        n_limbs = 1 if problem.is_packed else problem.channels.limbs
        first = begin = 0
        if all(part.are_all_in_bag for part in parts):
            limbs = list(allocated(allocator, (n_limbs, len(self)), np.float64))
            for part in parts:
                stop = first + part.block.codes.n_rows
                part.limbs(into=[limb[first:stop] for limb in limbs])
                first = stop
            return replace(self, limbs=limbs)
        bags = [part.in_bag(0) for part in parts]
        are_once = all(times.max(initial=1) == 1 for _, times in bags)
        counted = self if are_once else replace(self, own_times=np.ones(1, np.uint8))
        found = counted.empty(sum(len(rows) for rows, _ in bags), allocator, n_limbs)
        for part, (rows, times) in zip(parts, bags, strict=True):
            stop, end = first + len(rows), begin + part.block.codes.n_rows
            self.part(begin, end)._copy(rows, found.part(first, stop))
            found._enter(slice(first, stop), times, part.limbs(rows))
            first, begin = stop, end
        return found

    def _enter(self, at: slice, times: Array, limbs: Sequence[Floats]) -> None:
        """How often rows count (n,), and their limbs, (n,) each."""
        for own, values in zip(self.limbs, limbs, strict=True):
            own[at] = values if self.own_times is None else values * times
        if self.own_times is not None:
            self.own_times[at] = times

    def _copy(self, rows: Ints, into: RowColumns) -> None:
        """Copy what rows (n,) are: their codes and classes."""
        for own, other in zip(self._features, into._features, strict=True):
            own.take(rows, out=other, mode="wrap")

    def empty(self, n_rows: int, allocator: Allocator, n_limbs: int) -> RowColumns:
        """So many rows of the same kind, whatever they are, with so many limbs."""

        def like(own: Array | None) -> Array | None:
            return None if own is None else allocated(allocator, (n_rows,), own.dtype)

        n_codes, n_units = len(self.codes), 4 * n_limbs * n_rows
        room = allocated(allocator, (n_units + n_codes * n_rows,), np.uint16)  # at once, to be in large pages
        limbs = list(room[:n_units].view(np.float64).reshape(n_limbs, n_rows))
        codes = room[n_units:].reshape(n_codes, n_rows)
        classes, times = like(self.own_classes), like(self.own_times)
        return replace(self, codes=codes, limbs=limbs, own_classes=classes, own_times=times)

    def is_like(self, other: RowColumns) -> bool:
        """Whether other rows are of the same kind."""
        return [each.dtype for each in self._arrays] == [each.dtype for each in other._arrays]

    @property
    def _features(self) -> list[Array]:
        """(n_rows,) each: codes and class."""
        return [*self.codes] if self.own_classes is None else [*self.codes, self.own_classes]

    @property
    def _arrays(self) -> list[Array]:
        """(n_rows,) each: all that there is of rows."""
        return [*self._features, *self.limbs, *([] if self.own_times is None else [self.own_times])]

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def part(self, first: int, stop: int) -> RowColumns:
        """The rows from `first` to before `stop`; a view."""
        classes = None if self.own_classes is None else self.own_classes[first:stop]
        times = None if self.own_times is None else self.own_times[first:stop]
        limbs = [limb[first:stop] for limb in self.limbs]
        return RowColumns(self.codes[:, first:stop], self.is_paired, self.lines, limbs, classes, times)

    def put(self, chosen: Bools, into: RowColumns) -> None:
        """Copy the rows that are `chosen` (n_rows,), in order, to as many others."""
        pairs, first = list(zip(self._arrays, into._arrays, strict=True)), 0
        find = _few_marked if _FEW_OF < len(self) > len(into) / _FEW else np.flatnonzero
        for piece in pieces_of(len(self), _COPIED_ROWS):
            rows = find(chosen[piece])
            stop = first + len(rows)
            for own, other in pairs:  # all are there, and "clip" takes a tenth longer to see that
                own[piece].take(rows, out=other[first:stop], mode="wrap")
            first = stop

    def column(self, feature: int, first: int, stop: int) -> Array:
        """(stop - first,) codes of one feature, of the rows from `first` to before `stop`."""
        if not self.is_paired:
            return self.codes[feature, first:stop]
        both: Array = self.codes[feature // 2, first:stop]
        own: Array = both // _HIGH if feature % 2 else both & _LOW
        return own

    def codes_of(self, feature: int, end: int, first: int, stop: int) -> Array:
        """(end - feature, stop - first) uint16 codes of the features from `feature` to before `end`; a copy."""
        if not self.is_paired:
            return np.array(self.codes[feature:end, first:stop])
        pairs = self.codes[feature // 2 : -(-end // 2), first:stop]
        found = np.empty((2 * len(pairs), stop - first), np.uint16)
        np.bitwise_and(pairs, _LOW, out=found[0::2])
        np.right_shift(pairs, _BYTE, out=found[1::2])
        return found[feature % 2 : feature % 2 + end - feature]

    def joint_codes(self, pair: int, first: int, stop: int) -> Array:
        """(stop - first,) uint16 the codes of feature 2 `pair`, plus 256 times those of the next one; a view."""
        return self.codes[pair, first:stop]

    @property
    def classes(self) -> Array:
        """(n_rows,) class of each."""
        return np.zeros(len(self), np.uint16) if self.own_classes is None else self.own_classes

    @cached_property
    def times(self) -> Floats | None:
        """(n_rows,) how often each counts; None for once."""
        return None if self.own_times is None else self.own_times.astype(np.float64)

    def gather(self, feature: Ints) -> Array:
        """(n_rows,) the code of one feature, `feature` (n_rows,), in each row; a copy."""
        return self.gather_at(feature, np.arange(len(self)))

    def gather_of(self, feature: Ints, runs: Runs) -> Array:
        """(n_rows,) the code of one feature, `feature` (n_runs,) int64, in each row; a copy."""
        return self.gather(runs.spread(feature))

    def gather_at(self, feature: Ints, rows: Ints) -> Array:
        """(m,) the code of the feature `feature` (m,) in each of `rows` (m,); a copy."""
        if not self.is_paired:
            return self.codes[feature, rows]
        both: Array = self.codes[feature >> 1, rows]
        return np.where(feature & 1, both >> _BYTE, both & _LOW)


def _few_marked(mask: Bools) -> Ints:
    """Which are marked: as `np.flatnonzero` finds them, in half of the time where few are."""
    n_words = len(mask) // 8
    eights = mask[: 8 * n_words].view(np.uint64)
    some = np.flatnonzero(eights != 0)
    rows = np.flatnonzero(eights.take(some).view(np.bool_))
    rows = (some.take(rows >> 3) << 3) + (rows & 7)
    return np.concatenate((rows, 8 * n_words + np.flatnonzero(mask[8 * n_words :])))
