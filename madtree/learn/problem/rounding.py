"""Gradients and hessians of few bits, so that they and their rows are counted as one number.

Where a tree has many rows, its splits do not need gradients to the last digit: each is rounded up or down at random, by
how near it is, so that sums stay right but for a noise that is far below that of the rows themselves (Shi et al. 2022).
What is drawn follows from a hash of the row's codes and the tree's number: it is the same wherever the row is. Sums are
as exact as those of all other limbs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from madtree.learn.data import (
    USUAL_BLOCK_ROWS,
    Array,
    Block,
    Floats,
    Grid,
    Ints,
    Values,
    keyed,
    pieces_of,
    require,
    required,
    scaled,
)
from madtree.records import dataclass

_MOST_TREES = 2**32 - 1
_ROUNDED = 6  # purpose of a hash
_DRAWN = 32  # bits of a hash
_FACTOR = np.uint32(0x846CA68B)  # by which its last bits change the first ones: by a key alone, trees would draw alike
# A packed number is the gradient times the first, plus the hessian, plus the second for the row.
_GRADIENT, _ROW = 2.0**21, 2.0**-12


@dataclass(frozen=True)
class Rounding:
    """How the limbs of blocks become those that a tree is grown by.

    Attributes:
        seed, tree: what is drawn depends on.
        target, weight: grids of one limb, by which blocks hold gradients and hessians.
        everywhere: whether they are rounded in all trees.
    """

    seed: int
    tree: int
    target: Grid
    weight: Grid
    everywhere: bool

    GRADIENT_BITS: ClassVar[int] = 8  # beside the sign
    HESSIAN_BITS: ClassVar[int] = 9
    PACKED_ROWS: ClassVar[int] = 4_000  # that may be added up: fewer than 2**12; and sums stay below 2**21 and 2**20

    def rounded(self, block: Block, target: Grid, weight: Grid) -> Block:
        """A block by the coarser grids `target` and `weight`."""
        found = np.empty((2, block.codes.n_rows))
        enter = self._entering(block, (target, weight))
        for piece in pieces_of(found.shape[1]):
            enter(piece, found[:, piece])
        return replace(block, target=found[:1], weight=found[1:])

    def packed_rows(
        self, block: Block, target: Grid, weight: Grid, rows: Ints | None = None, out: Floats | None = None
    ) -> Floats:
        """(n,) its rows as one number each; `rows` (n,) some of them, None for all."""
        found = np.empty(block.codes.n_rows if rows is None else len(rows)) if out is None else out
        enter = self._entering(block, (target, weight))
        room = np.empty(min(len(found), USUAL_BLOCK_ROWS))
        for piece in pieces_of(len(found)):
            own = found[piece]
            hessians = room[: len(own)]
            enter(piece if rows is None else rows[piece], (own, hessians))
            own *= _GRADIENT
            own += hessians
            own += _ROW
        return found

    @cached_property
    def _key(self) -> Array:
        return keyed(_ROUNDED, self.seed, np.array([self.tree]))

    def _entering(self, block: Block, after: tuple[Grid, Grid]) -> Callable[[slice | Ints, Iterable[Floats]], None]:
        """What writes gradients and hessians of some rows by the coarser grids `after` into two arrays (n,)."""
        assert block.weight is not None
        hashes, tree = block.codes.hashes, block.tree
        limbs, before = (block.target[0], block.weight[0]), (self.target, self.weight)
        shifts = [own.exponents[:, 0] - other.exponents[:, 0] for own, other in zip(before, after, strict=True)]

        def enter(at: slice | Ints, found: Iterable[Floats]) -> None:
            draws: Array = hashes[at] ^ self._key
            draws *= _FACTOR
            drawn = draws.view(np.int32).astype(np.float64)
            drawn *= 2.0**-_DRAWN  # from minus a half to a half
            for own, shift, into in zip(limbs, shifts, found, strict=True):
                exponent = shift[0] if tree is None else shift.take(tree[at])
                scaled(own[at], exponent, into)
                into += drawn if tree is None else drawn * (exponent != 0)  # what has all bits keeps them
                np.rint(into, out=into)

        return enter

    @staticmethod
    def unpacked(sums: Floats) -> Floats:
        """(3, ...) rows, hessians and gradients of sums (...) of packed numbers, of `PACKED_ROWS` rows at most."""
        found = np.empty((3, *sums.shape))
        rest, hessian, gradient = found
        np.multiply(sums, 1 / _GRADIENT, out=rest)
        rest -= np.floor(rest, out=gradient)
        rest *= _GRADIENT
        rest -= np.floor(rest, out=hessian)
        rest *= 1 / _ROW
        return found

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        return {
            "rounding": {"seed": self.seed, "tree": self.tree, "everywhere": self.everywhere},
            "rounded_target_exponents": self.target.exponents,
            "rounded_weight_exponents": self.weight.exponents,
        }


def rounding_of(given: Values, n_trees: int) -> Rounding | None:
    """The rounding of a problem's values; raises MadtreeError where they tell of none that can be."""
    if "rounding" not in given:
        return None
    own = Values(given.mapping("rounding"))
    grids = []
    for name in ("rounded_target_exponents", "rounded_weight_exponents"):
        grid = required(Grid.from_values(given, name, n_trees), name)
        require(grid.limbs == 1, name, "of one limb")
        grids.append(grid)
    seed, tree = own.integer("seed", -(2**63), 2**63 - 1), own.integer("tree", 0, _MOST_TREES)
    return Rounding(seed, tree, grids[0], grids[1], own.boolean("everywhere"))
