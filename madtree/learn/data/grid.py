"""Exact sums: values on an integer grid, so that adding them up in any order gives the same bits.

float64 adds integers exactly as long as no sum passes 2**53. A value is therefore written as one or more *limbs*, each
an integer small enough that a sum over all rows of its tree stays below that bound: v = limb0 * 2**e0 + limb1 * 2**e1.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from madtree.learn.data.checked import Values, require
from madtree.learn.data.portable import TO_WHOLE
from madtree.learn.data.types import Array, Floats, Ints
from madtree.records import dataclass

_MANTISSA_BITS = 53
_LEAST_EXPONENT = -1000  # no float64 has digits below 2**-1074; finer exponents would overflow ldexp
_MOST_EXPONENT = 1100  # float64 has 1024 at most
_MOST_LIMBS = 3
_INTEGER_LIMBS = 2  # that hold sums of integers of 64 bits
_MOST_SUM = 2**63
_LEAST_SUMMED = 2**12  # numbers below a 2**12th of that come to whole ones by `TO_WHOLE`
_BITS_OF_WHOLE = int(np.array(TO_WHOLE).view(np.int64))


@dataclass(frozen=True)
class Grid:
    """The grid of one quantity, a row for each tree, so that a tree does not depend on what is trained beside it.

    Attributes:
        exponents: (n_trees, n_limbs) int32, the powers of two that the limbs count in, descending.
    """

    exponents: Ints

    @classmethod
    def choose(cls, largest: Array, n_rows: Array, limbs: int) -> Grid:
        """The finest grid on which sums of `n_rows` values of at most `largest` in size are exact.

        Args:
            largest: (n_trees,) largest absolute value, finite.
            n_rows: (n_trees,) number of values.
            limbs: limbs a value; each adds 53 - log2(n_rows) bits. One limb is exact for integers whose sum is
                below 2**53; two carry any float64 that is not more than 2**-13 times the largest, for up to 10**6 rows.
        """
        top = np.frexp(np.asarray(largest, np.float64))[1].astype(np.int32)
        bits = _MANTISSA_BITS - np.frexp(np.asarray(n_rows, np.float64))[1].astype(np.int32)
        first = top - bits
        exponents = first[:, None] - np.arange(limbs, dtype=np.int32)[None, :] * (bits[:, None] + 1)
        return cls(np.maximum(exponents, _LEAST_EXPONENT).astype(np.int32))

    @classmethod
    def from_values(cls, given: Values, name: str, n_trees: int) -> Grid | None:
        """The grid whose exponents somebody has sent by that name, None where there are none.

        Raises:
            MadtreeError: they are not those of a grid of so many trees.
        """
        if name not in given:
            return None
        grid = cls(given.ints(name, (n_trees, None), -_MOST_EXPONENT, _MOST_EXPONENT, np.int32))
        require(1 <= grid.limbs <= _MOST_LIMBS, name, f"those of 1 to {_MOST_LIMBS} limbs")
        return grid

    @cached_property
    def limbs(self) -> int:
        return int(self.exponents.shape[1])

    def split(self, values: Floats, tree: Ints | None = None, out: Array | None = None) -> Floats:
        """`values` (n,) of the trees `tree` (n,) as limbs (n_limbs, n). Each step but the last's rounding is exact."""
        result: Array = np.empty((self.limbs, len(values))) if out is None else out
        rest = values
        for limb in range(self.limbs):
            exponent = self._exponent(limb, tree)
            np.rint(scaled(rest, -exponent, result[limb]), out=result[limb])
            if limb + 1 < self.limbs:
                rest = rest - scaled(result[limb], exponent)
        return result

    def sums(self, values: Floats, room: Floats | None = None) -> Floats:
        """(n_limbs,) limbs of the sum of values (n,) of the only tree. Integers of 64 bits, where these are enough, add
        up to it in half the time that limbs take. `room` (n,) may be written to; it may be the values themselves.
        """
        exponent = self._exponent(self.limbs - 1, None)
        whole = scaled(values, -exponent, room)
        largest = max(whole.max(initial=0.0), -whole.min(initial=0.0))
        bits = int(self.exponents[0, -2] - self.exponents[0, -1]) if self.limbs == _INTEGER_LIMBS else 0
        if bits < 1 or not largest * max(len(values), _LEAST_SUMMED) < _MOST_SUM:
            return np.asarray(self.split(scaled(whole, exponent)).sum(axis=1))
        whole += TO_WHOLE
        total = int(whole.view(np.int64).sum()) - len(values) * _BITS_OF_WHOLE  # but for multiples of 2**64
        total = (total + _MOST_SUM) % (2 * _MOST_SUM) - _MOST_SUM
        low = (total + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)  # as small as limbs of values
        return np.array([(total - low) // 2**bits, low], np.float64)

    def join(self, sums: Floats, tree: Ints | None = None) -> Floats:
        """Sums of limbs (n_limbs, ..., m) as values (..., m), rounded once for each limb after the first."""
        total = scaled(sums[-1], self._exponent(self.limbs - 1, tree))
        for limb in range(self.limbs - 2, -1, -1):
            total = total + scaled(sums[limb], self._exponent(limb, tree))
        return total

    def _exponent(self, limb: int, tree: Ints | None) -> Array:
        column = self.exponents[:, limb]
        return column[0] if tree is None or len(column) == 1 else column.take(tree)


def scaled(values: Floats, exponent: Array, out: Array | None = None) -> Floats:
    """As `np.ldexp`. Multiplying by a power of two that is a float64 gives the same bits in a fifth of the time."""
    if exponent.ndim == 0 and abs(int(exponent)) <= -_LEAST_EXPONENT:
        return np.asarray(np.multiply(values, 2.0 ** int(exponent), out=out))
    return np.asarray(np.ldexp(values, exponent, out=out))


def is_exact(values: Floats, grid: Grid, tree: Ints | None = None) -> bool:
    """Whether the grid's first limb alone holds every value."""
    first = Grid(grid.exponents[:, :1])
    return bool(np.all(first.join(first.split(values, tree), tree) == values))
