"""The order in which rows stand while values are permuted among them: by what they are, not by where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Array, Block, Ints, stable_order
from madtree.learn.histogram import BREATH, Program

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
_STEP = np.uint32(0x9E3779B9)  # 2**32 divided by the golden ratio


@dataclass(frozen=True)
class RowOrder:
    """Rows in order of group and identity. Rows that have both in common stand in order of all else that is known of
    them, so those that are still alike may stand for each other.

    Attributes:
        place: (n_rows,) where each of them lies.
        group: (n_rows,) uint32 of each of them, in that order; none where there is one group.
        identity: (n_rows,) uint32 as it tells them apart, in that order: the second and further ones of the same
            identity have others, so that they are not permuted together.
    """

    place: Ints
    group: list[Array]
    identity: Array

    @classmethod
    def of(cls, parts: Sequence[Block], group: list[Array], identity: Array) -> Program[RowOrder]:
        """Of the rows of some blocks, whose `group` and `identity` are given in one piece each."""
        place = stable_order(*group, identity)
        keys = [key.take(place) for key in (*group, identity)]
        repeats = np.zeros(len(place) + 1, np.bool_)  # the row before it
        repeats[1:-1] = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])
        alike = np.flatnonzero(repeats[:-1] | repeats[1:])  # another one
        if len(alike):
            run = np.cumsum(~repeats[:-1])[alike]
            content = yield from _contents(parts, place[alike])
            halves = (content >> np.uint64(32)).astype(np.uint32), content.astype(np.uint32)
            place[alike] = place[alike].take(stable_order(run.astype(np.uint32), *halves))
            first = np.flatnonzero(np.diff(run, prepend=-1))
            number = np.arange(len(run)) - np.repeat(first, np.diff(first, append=len(run)))
            keys[-1][alike] += number.astype(np.uint32) * _STEP
        return cls(place, keys[:-1], keys[-1])

    def permutation(self, hashed: Array) -> Ints:
        """(n_rows,) the rows by group and a hash (n_rows,) of their identities; both in order."""
        return stable_order(*self.group, hashed)


def _contents(parts: Sequence[Block], rows: Ints) -> Program[Array]:
    """(m,) uint64 hashes of codes, targets and weights of some of the blocks' rows."""
    found = np.zeros(len(rows), np.uint64)
    for column in _columns(parts):
        found ^= column.take(rows).astype(np.float64).view(np.uint64)
        found *= _FACTOR
        found ^= found >> np.uint64(32)
        yield BREATH
    return found


def _columns(parts: Sequence[Block]) -> Iterator[Array]:
    """Each of what blocks know of their rows (n_rows,), but for group and identity."""
    for feature in range(len(parts[0].codes.layout.wide)):
        yield np.concatenate([part.codes.column(feature) for part in parts])
    for limb in range(len(np.atleast_2d(parts[0].target))):
        yield np.concatenate([np.atleast_2d(part.target)[limb] for part in parts])
    for limb in range(0 if parts[0].weight is None else len(parts[0].weight)):
        yield np.concatenate([part.weight[limb] for part in parts if part.weight is not None])
