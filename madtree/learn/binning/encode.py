"""Codes of values, fast: a lookup grid instead of a binary search wherever the edges allow it."""

from __future__ import annotations

import numpy as np

from madtree.learn.binning.bins import MISSING
from madtree.learn.data import Array, Floats, Ints, flat_nonzero

_CELLS = 8192  # tables of as many bytes stay in the first-level cache, and a thousand of them fit the memory budget
_CELLS_PER_EDGE = 4  # with more edges than fit so many cells, a search costs more than a cache miss
_FEW = 16  # edges that are gone through one by one for all values, which takes 2 us each for a stretch of these
_STEPS = 8  # edges of a cell that are gone through one by one
_SEARCHED = 4  # keys that are found sooner by a search
_STRETCH = 16_384  # values that are worked on together, for the cache's sake


class EdgeEncoder:
    """Codes by cut points: code of x = 1 + number of edges below x, and 0 where x is NaN.

    Few edges are each compared with all values. Else the stretch between the first and the last edge is cut into equal
    cells. A value's cell tells the edges that lie below all of it, and where it holds one edge at most, one comparison
    with the next edge is left; in a cell with more edges there are more comparisons, or a search.
    """

    def __init__(self, edges: Floats, dtype: type[np.unsignedinteger], *, quantiles: bool = True) -> None:
        """`quantiles`: between two edges there are about as many values as between any others, as between those of
        bins: where most edges share cells, so do most values, and searching at once is quicker. Without that, edges
        that lie close together say nothing about the values.
        """
        self.edges = edges
        self._dtype = dtype
        self._usable = False
        if len(edges) == 0 or not np.all(np.isfinite(edges[[0, -1]])):
            return
        low, high = float(edges[0]), float(edges[-1])
        self._n_cells = _CELLS
        while self._n_cells < _CELLS_PER_EDGE * len(edges):
            self._n_cells *= 2
        scale = self._n_cells / (high - low) if high > low else 1.0
        if not np.isfinite(scale) or not np.isfinite(high - low) or scale == 0.0:
            return
        self._low, self._scale = low, scale
        per_cell = np.bincount(self._cells(edges), minlength=self._n_cells + 2)
        self._base = (np.cumsum(per_cell) - per_cell + 1).astype(dtype)
        # By code: the edge that a value must pass to have a higher one. Code 0 does not come up here.
        self._next = np.concatenate(([np.inf], edges, [np.inf]))
        self._crowded = per_cell > 1
        self._most = int(per_cell.max())
        self._usable = not quantiles or int(per_cell[self._crowded].sum()) * 2 <= len(edges)

    def _cells(self, values: Floats) -> Ints:
        """(n,) int64 cell of each value: negative or 0 for values up to the first edge and NaN."""
        with np.errstate(over="ignore", invalid="ignore"):
            position = (values - self._low) * self._scale
            # The last cell is that of values which lie clearly behind the last edge.
            np.minimum(position, self._n_cells + 1, out=position)  # NaN passes through
            return position.astype(np.int64)

    def codes(self, values: Floats) -> Array:
        """(n,) codes of `values` (n,)."""
        codes = np.empty(len(values), self._dtype)
        for first in range(0, len(values), _STRETCH):
            span = slice(first, first + _STRETCH)
            codes[span] = self._codes(values[span])
        return codes

    def _counted(self, values: Floats) -> Array:
        """(n,) uint8 1 and the edges below each value."""
        found, is_above = np.ones(len(values), np.uint8), np.empty(len(values), np.bool_)
        for edge in self.edges.tolist():
            np.greater(values, edge, out=is_above)
            found += is_above.view(np.uint8)
        return found

    def _codes(self, values: Floats) -> Array:
        codes: Array
        missing = np.isnan(values)
        if len(self.edges) <= _FEW:
            codes = self._counted(values).astype(self._dtype)
        elif not self._usable:
            codes = (np.searchsorted(self.edges, values, side="left") + 1).astype(self._dtype)
        else:
            cell = self._cells(values)
            codes = self._base.take(cell, mode="clip")
            codes += values > self._next.take(codes)
            if self._most > 1:
                crowded = flat_nonzero(self._crowded.take(cell, mode="clip"))
                codes[crowded] = self._beyond(codes[crowded], values[crowded])
        if missing.any():
            codes[missing] = MISSING
        return codes

    def _beyond(self, codes: Array, values: Floats) -> Array:
        """Codes of values whose cells hold more edges than the one that `codes` know of."""
        if self._most > _STEPS:
            return np.searchsorted(self.edges, values, side="left") + 1
        for _ in range(self._most - 1):
            codes += values > self._next.take(codes)
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
        self._places = EdgeEncoder(self._keys, np.uint32) if len(keys) > _SEARCHED else None

    def codes(self, values: Floats) -> Array:
        """(n,) codes of `values` (n,)."""
        codes = np.zeros(len(values), self._dtype)
        if len(self._keys):
            if self._places is None:
                at: Array = np.searchsorted(self._keys, values)
            else:
                at = self._places.codes(values)
                at -= 1  # below 0, of NaN, it wraps round to the largest
            np.minimum(at, len(self._keys) - 1, out=at)
            codes = self._codes.take(at)
            codes[self._keys.take(at) != values] = MISSING
        if self._missing:
            codes[np.isnan(values)] = self._missing
        return codes
