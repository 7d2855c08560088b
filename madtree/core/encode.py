"""Codes of values, fast: a lookup grid instead of a binary search wherever the edges allow it."""

from __future__ import annotations

import numpy as np

from madtree.core.binning import MISSING
from madtree.core.types import Array, Floats, Ints

_CELLS = 8192  # tables of as many bytes stay in the first-level cache, and a thousand of them fit the memory budget
_LAST = _CELLS + 1  # the cell of values that lie clearly behind the last edge
_STRETCH = 16_384  # values that are worked on together, for the cache's sake


class EdgeEncoder:
    """Codes by cut points: code of x = 1 + number of edges below x, and 0 where x is NaN.

    The stretch between the first and the last edge is cut into equal cells. A value's cell tells the edges that lie
    below all of it, and where it holds one edge at most, one comparison with the next edge is left; values in a cell
    with more edges are searched for.
    """

    def __init__(self, edges: Floats, dtype: type[np.unsignedinteger]) -> None:
        self._edges = edges
        self._dtype = dtype
        self._usable = False
        if len(edges) == 0 or not np.all(np.isfinite(edges[[0, -1]])):
            return
        low, high = float(edges[0]), float(edges[-1])
        scale = _CELLS / (high - low) if high > low else 1.0
        if not np.isfinite(scale) or not np.isfinite(high - low) or scale == 0.0:
            return
        self._low, self._scale = low, scale
        per_cell = np.bincount(self._cells(edges), minlength=_LAST + 1)
        self._base = (np.cumsum(per_cell) - per_cell + 1).astype(dtype)
        # By code: the edge that a value must pass to have a higher one. Code 0 does not come up here.
        self._next = np.concatenate(([np.inf], edges, [np.inf]))
        self._crowded = per_cell > 1
        self._any_crowded = bool(self._crowded.any())
        # Where most of the range's edges share cells (heavy tails), searching at once is quicker.
        self._usable = int(per_cell[self._crowded].sum()) * 2 <= len(edges)

    def _cells(self, values: Floats) -> Ints:
        """(n,) int64 cell of each value: negative or 0 for values up to the first edge and NaN."""
        with np.errstate(over="ignore", invalid="ignore"):
            position = (values - self._low) * self._scale
            np.minimum(position, _LAST, out=position)  # NaN passes through
            return position.astype(np.int64)

    def codes(self, values: Floats) -> Array:
        """(n,) codes of `values` (n,)."""
        codes = np.empty(len(values), self._dtype)
        for first in range(0, len(values), _STRETCH):
            span = slice(first, first + _STRETCH)
            codes[span] = self._codes(values[span])
        return codes

    def _codes(self, values: Floats) -> Array:
        missing = np.isnan(values)
        if not self._usable:
            codes: Array = (np.searchsorted(self._edges, values, side="left") + 1).astype(self._dtype)
        else:
            cell = self._cells(values)
            codes = self._base.take(cell, mode="clip")
            codes += values > self._next.take(codes)
            if self._any_crowded:
                crowded = np.flatnonzero(self._crowded.take(cell, mode="clip"))
                codes[crowded] = np.searchsorted(self._edges, values[crowded], side="left") + 1
        if missing.any():
            codes[missing] = MISSING
        return codes


class KeyEncoder:
    """Codes of values that must be one of a known set: 1 + index of the key, 0 where unknown.

    NaN, a missing value, is unknown unless it is the last of the keys.
    """

    def __init__(self, keys: Floats, dtype: type[np.unsignedinteger]) -> None:
        """`keys` (L,): distinct; code i + 1 stands for keys[i]."""
        self._missing = len(keys) if len(keys) and np.isnan(keys[-1]) else MISSING
        keys = keys[: len(keys) - 1] if self._missing else keys
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._codes = (order + 1).astype(dtype)
        self._dtype = dtype

    def codes(self, values: Floats) -> Array:
        """(n,) codes of `values` (n,)."""
        codes = np.zeros(len(values), self._dtype)
        if len(self._keys):
            at = np.searchsorted(self._keys, values)
            np.minimum(at, len(self._keys) - 1, out=at)
            codes = self._codes.take(at)
            codes[self._keys.take(at) != values] = MISSING
        if self._missing:
            codes[np.isnan(values)] = self._missing
        return codes
