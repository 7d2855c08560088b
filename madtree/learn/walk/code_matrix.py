"""Codes of some rows as trees are walked down by them."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Array

# From column to column. Places of one row that are a power of two apart would push each other out of the cache.
STRIDE = USUAL_BLOCK_ROWS + 64
_MOST_KEPT = 8 * 2**20  # bytes of bits


class CodeMatrix:
    """Codes of some rows, column by column.

    Attributes:
        n_rows: at most `USUAL_BLOCK_ROWS`.
        has_missing: whether any code is 0. Then there are as many columns again, the same but for the largest number
            in the place of 0: what a split asks that sends missing values right.
        columns: (n_features or 2 * n_features, n_rows).
        flat: the code of row r in column c at c * STRIDE + r.
    """

    def __init__(self, codes: Array) -> None:
        """`codes`: unsigned integers (n_features, n_rows), 0 where missing."""
        n_features, self.n_rows = codes.shape
        self.has_missing = bool(codes.size) and not codes.all()
        whole = np.empty((n_features * (1 + self.has_missing), STRIDE), codes.dtype)
        self.columns: Array = whole[:, : self.n_rows]
        self.columns[:n_features] = codes
        if self.has_missing:
            self.columns[n_features:] = np.where(codes, codes, codes.dtype.type(np.iinfo(codes.dtype).max))
        self.flat: Array = whole.reshape(-1)
        self._kept: dict[tuple[int, int], Array] = {}

    def above(self, column: int, cut: int) -> Array:
        """(n_rows / 8,) uint8: a bit for each row, whether its code lies above a cut; 0 behind the last row."""
        bits = self._kept.get((column, cut))
        if bits is None:
            bits = np.packbits(self.columns[column] > self.columns.dtype.type(cut))
            if (len(self._kept) + 1) * len(bits) <= _MOST_KEPT:
                self._kept[column, cut] = bits
        return bits
