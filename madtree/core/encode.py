"""Codes of values, fast: a lookup grid instead of a binary search wherever the edges allow it."""

from __future__ import annotations

import numpy as np

from madtree.core.binning import MISSING
from madtree.core.types import Array, Floats, Ints

_CELLS = 8192  # int16 tables of this size stay in the first-level cache


class EdgeEncoder:
    """Codes by cut points: code of x = 1 + number of edges below x, and 0 where x is NaN.

    The stretch between the first and the last edge is cut into equal cells. A cell that holds no edge or one has its
    code by table look-up and at most one comparison; values in a cell with more edges are searched for.
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
        cell = self._cells(edges)
        per_cell = np.bincount(cell, minlength=_CELLS + 2)
        self._base = (np.cumsum(per_cell) - per_cell + 1).astype(dtype)
        # A cell without an edge compares with infinity, so that nothing is added there.
        self._edge = np.full(_CELLS + 2, np.inf)
        self._edge[cell] = edges
        self._crowded = per_cell > 1
        self._any_crowded = bool(self._crowded.any())
        # Where most of the range's edges share cells (heavy tails), searching at once is quicker.
        self._usable = int(per_cell[self._crowded].sum()) * 2 <= len(edges)

    def _cells(self, values: Floats) -> Ints:
        """(n,) cell of each value: 0 for values below the first edge and NaN, _CELLS + 1 from the last on."""
        with np.errstate(over="ignore", invalid="ignore"):
            position = (values - self._low) * self._scale
        position += 1.0
        np.clip(position, 0.0, _CELLS + 1.0, out=position)  # NaN passes through
        with np.errstate(invalid="ignore"):
            return position.astype(np.int32)

    def codes(self, values: Floats) -> Array:
        """(n,) codes of `values` (n,)."""
        missing = np.isnan(values)
        some_missing = bool(missing.any())
        if not self._usable:
            codes = (np.searchsorted(self._edges, values, side="left") + 1).astype(self._dtype)
        else:
            if some_missing:
                values = np.where(missing, self._low, values)
            cell = self._cells(values)
            codes = self._base.take(cell)
            codes += values > self._edge.take(cell)
            if self._any_crowded:
                crowded = np.flatnonzero(self._crowded.take(cell))
                codes[crowded] = np.searchsorted(self._edges, values[crowded], side="left") + 1
        if some_missing:
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
