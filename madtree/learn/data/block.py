"""A block: up to some ten thousand rows, binned, column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from madtree.learn.data.mixing import mix
from madtree.learn.data.runs import Runs, flat_nonzero
from madtree.learn.data.types import Array, Ints
from madtree.records import dataclass

NARROW_LIMIT = 256  # codes that fit a uint8, the one for missing values included
WIDE_LIMIT = 65_536
# Rows that a block usually has at most, and that are worked on at once: their codes stay in the processor's cache.
USUAL_BLOCK_ROWS = 65_536
CACHED_ROWS = 32_768  # of which several numbers each do, too
# Rows of a block, many times as many as it usually has: what is done with one block takes no longer than some seconds.
MOST_BLOCK_ROWS = 2**20
_HASH_FACTOR = np.uint32(0x01000193)


def pieces_of(n_rows: int, most: int = USUAL_BLOCK_ROWS) -> Iterator[slice]:
    """Rows that are worked on at once, so that what is worked out on the way takes little memory."""
    for first in range(0, n_rows, most):
        yield slice(first, min(first + most, n_rows))


@dataclass(frozen=True)
class CodeLayout:
    """Which features are stored in one byte and which in two; a block holds the narrow ones first.

    Attributes:
        wide: (n_features,) bool.
        position: (n_features,) int32, a feature's row among the narrow or among the wide ones.
    """

    wide: Array
    position: Ints

    @classmethod
    def for_widths(cls, widths: Ints) -> CodeLayout:
        """From the number of codes that each feature needs (n_features,)."""
        wide = np.asarray(widths) > NARROW_LIMIT
        position = np.where(wide, np.cumsum(wide), np.cumsum(~wide)) - 1
        return cls(wide, position.astype(np.int32))

    @property
    def n_wide(self) -> int:
        return int(self.wide.sum())

    @property
    def n_narrow(self) -> int:
        return len(self.wide) - self.n_wide

    @property
    def row_bytes(self) -> int:
        """Bytes of a row's codes."""
        return self.n_narrow + 2 * self.n_wide

    def empty(self, n_rows: int) -> Codes:
        return Codes(self, np.empty((self.n_narrow, n_rows), np.uint8), np.empty((self.n_wide, n_rows), np.uint16))

    def read(self, data: bytes | memoryview, n_rows: int) -> Codes:
        """Codes from a block's bytes, without copying."""
        split = self.n_narrow * n_rows
        narrow = np.frombuffer(data, np.uint8, split).reshape(self.n_narrow, n_rows)
        wide = np.frombuffer(data, "<u2", self.n_wide * n_rows, split).reshape(self.n_wide, n_rows)
        return Codes(self, narrow, wide)


class CodesOfRows(Protocol):
    """Who can tell the codes of rows."""

    def gather(self, feature: Ints) -> Array:
        """(n_rows,) code of one feature, `feature` (n_rows,), in each row; a copy."""
        ...

    def gather_at(self, feature: Ints, rows: Ints) -> Array:
        """(m,) code of the feature `feature` (m,) in each of `rows` (m,); a copy."""
        ...


class CodesOfRuns(CodesOfRows, Protocol):
    """Who can tell the codes of rows that stand run by run."""

    def gather_of(self, feature: Ints, runs: Runs) -> Array:
        """(n_rows,) code of one feature, `feature` (n_runs,), in each row; a copy."""
        ...


@dataclass(frozen=True)
class Codes:
    """Codes of a block's rows: `narrow` (n_narrow, n_rows) uint8 and `wide` (n_wide, n_rows) uint16."""

    layout: CodeLayout
    narrow: Array
    wide: Array

    @property
    def n_rows(self) -> int:
        return int(self.narrow.shape[1])

    def column(self, feature: int) -> Array:
        """(n_rows,) codes of one feature, in the width that they are stored in; a view."""
        matrix = self.wide if self.layout.wide[feature] else self.narrow
        row: Array = matrix[int(self.layout.position[feature])]
        return row

    @cached_property
    def hashes(self) -> Array:
        """(n_rows,) uint32 a hash of each row's codes."""
        found = np.zeros(self.n_rows, np.uint32)
        columns = [self.column(feature) for feature in range(len(self.layout.wide))]
        for piece in pieces_of(len(found)):
            own = found[piece]
            for column in columns:
                own *= _HASH_FACTOR
                own += column[piece]
            mix(own)
        return found

    @cached_property
    def has_missing(self) -> bool:
        """Whether any code is that of a missing value."""
        return bool(self.narrow.min(initial=1) == 0 or self.wide.min(initial=1) == 0)

    def gather(self, feature: Ints) -> Array:
        """(n_rows,) code of one feature, `feature` (n_rows,), in each row; a copy."""
        return self.gather_at(feature, np.arange(self.n_rows))

    def gather_at(self, feature: Ints, rows: Ints) -> Array:
        """(m,) code of the feature `feature` (m,) in each of `rows` (m,); a copy."""
        if self.layout.n_wide == 0 or self.layout.n_narrow == 0:
            only = self.wide if self.layout.n_wide else self.narrow
            found: Array = only.reshape(-1).take(feature * np.int64(self.n_rows) + rows)
            return found
        code = np.zeros(len(rows), np.uint16)
        is_wide = self.layout.wide.take(feature)
        position = self.layout.position.take(feature)
        for chosen, matrix in ((~is_wide, self.narrow), (is_wide, self.wide)):
            at = flat_nonzero(chosen)
            code[at] = matrix[position[at], rows[at]]
        return code

    def replaced(self, feature: int, column: Array) -> Codes:
        """Codes of these rows with `column` (n_rows,) in the place of one feature's."""
        narrow, wide = self.narrow, self.wide
        is_wide, place = bool(self.layout.wide[feature]), int(self.layout.position[feature])
        changed = (wide if is_wide else narrow).copy()
        changed[place] = column
        return Codes(self.layout, narrow, changed) if is_wide else Codes(self.layout, changed, wide)

    def tobytes(self) -> bytes:
        return self.narrow.tobytes() + self.wide.astype("<u2", copy=False).tobytes()


@dataclass(frozen=True)
class Block:
    """One block in memory.

    Attributes:
        codes: of its n_rows rows.
        target: classification: (n_rows,) uint8 or uint16 class; regression: (n_limbs, n_rows) float64, weight times
            value on the target's grid, and below it the limbs of weight times what else is summed of rows.
        weight: (n_limbs, n_rows) float64 on the weight's grid, or None where every weight is 1.
        tree: (n_rows,) int32, or None where all rows belong to tree 0.
        fold: (n_rows,) uint8, or None without cross-validation.
        identity: (n_rows,) uint32, a hash of what tells rows apart, wherever they are; None where nobody draws rows.
        scores: (1 + n_scores, n_rows) float64: what each row was to be predicted as at first, and what the trees of all
            rounds so far say of it. Before any tree, offsets and outcomes, of boosted rows that have these. Nothing is
            counted by it. None where no round needs those before it.
    """

    codes: Codes
    target: Array
    weight: Array | None = None
    tree: Ints | None = None
    fold: Array | None = None
    identity: Array | None = None
    scores: Array | None = None

    @property
    def columns(self) -> list[Array | None]:
        """All that it holds: narrow and wide codes, then the columns; (..., n_rows) each."""
        own = self.target, self.weight, self.tree, self.fold, self.identity, self.scores
        return [self.codes.narrow, self.codes.wide, *own]

    def _with(self, columns: Iterable[Array | None]) -> Block:
        """A block of the same layout with such `columns`."""
        narrow, wide, target, *more = columns
        assert narrow is not None
        assert wide is not None
        assert target is not None
        return Block(Codes(self.codes.layout, narrow, wide), target, *more)

    def _each(self, change: Callable[[Array], Array]) -> Block:
        """A block whose columns are what `change` makes of each of these."""
        return self._with(None if column is None else change(column) for column in self.columns)

    def pieces(self, n_rows: int) -> Iterator[Block]:
        """The rows in blocks of `n_rows` at most, in order."""
        for first in range(0, max(self.codes.n_rows, 1), n_rows):
            yield self.rows(slice(first, first + n_rows))

    def rows(self, rows: slice) -> Block:
        """Some rows that stand one after the other; a view."""
        return self._each(lambda column: column[..., rows])

    def take(self, rows: Ints) -> Block:
        """Some of the rows (m,), in that order; a copy."""
        return self._each(lambda column: column.take(rows, axis=-1))

    def empty(self, n_rows: int, make: Callable[[tuple[int, ...], np.dtype[Any]], Array]) -> Block:
        """Room for so many rows of the same kind, in arrays that `make` makes of a shape and a type."""
        return self._each(lambda column: make((*column.shape[:-1], n_rows), column.dtype))

    def enter(self, first: int, rows: Block) -> None:
        """Write the rows of another block over those from `first` on."""
        for own, column in zip(self.columns, rows.columns, strict=True):
            if own is not None:
                own[..., first : first + rows.codes.n_rows] = column

    def lock(self) -> None:
        """Nobody may write over any of it."""
        for column in self.columns:
            if column is not None:
                column.flags.writeable = False

    @classmethod
    def join(cls, blocks: Sequence[Block]) -> Block:
        """The rows of several blocks, at least one, of the same layout, in order."""
        if len(blocks) == 1:
            return blocks[0]
        columns = zip(*(block.columns for block in blocks), strict=True)
        return blocks[0]._with(None if parts[0] is None else np.concatenate(parts, axis=-1) for parts in columns)
