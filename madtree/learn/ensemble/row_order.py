"""The order in which rows stand while values are permuted among them: by what they are, not by where they lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.data import (
    Allocator,
    Array,
    Block,
    allocated,
    flat_nonzero,
    heads,
    mixed,
    order_by_hashes,
    pieces_of,
    stable_order,
)
from madtree.learn.requests import BREATH, Program
from madtree.records import dataclass

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
_STEP = np.uint32(0x9E3779B9)  # 2**32 divided by the golden ratio


@dataclass(frozen=True)
class RowOrder:
    """Rows in order of group and identity. Rows that have both in common stand in order of all else that is known of
    them, so those that are still alike may stand for each other.

    Attributes:
        place: (n_rows,) uint32 where each of them lies.
        group: (n_rows,) uint32 of each of them, in that order; None where there is one group.
        identity: (n_rows,) uint32 as it tells them apart, in that order: the second and further ones of the same
            identity have others, so that they are not permuted together.
        hashes, order: (n_rows,) uint32, and codes, permuted: (n_rows,) uint16, to be written to.
    """

    place: Array
    group: Array | None
    identity: Array
    hashes: Array
    order: Array
    codes: Array
    permuted: Array

    @classmethod
    def of(cls, block: Block, n_groups: int, allocator: Allocator) -> Program[RowOrder]:
        """Of a block's rows; `allocator` for what is kept of them."""
        assert block.identity is not None
        shape = block.identity.shape
        place, identity, hashes, order = (allocated(allocator, shape, np.uint32) for _ in range(4))
        codes, permuted = (allocated(allocator, shape, np.uint16) for _ in range(2))
        own = None
        if block.tree is not None and n_groups > 1:
            own = allocated(allocator, shape, np.uint32)
            own[:] = block.tree
        order_by_hashes(place, block.identity, own)
        yield BREATH
        _take(block.identity, place, identity)
        group = None if own is None else _take(own, place, allocated(allocator, shape, np.uint32))
        repeats = np.zeros(len(place) + 1, np.bool_)  # the row before it
        np.equal(identity[1:], identity[:-1], out=repeats[1:-1])
        if group is not None:
            repeats[1:-1] &= group[1:] == group[:-1]
        alike = flat_nonzero(repeats[:-1] | repeats[1:])  # another one
        if len(alike):
            run = np.cumsum(~repeats[:-1])[alike]
            content = yield from _contents(block, place[alike])
            halves = (content >> np.uint64(32)).astype(np.uint32), content.astype(np.uint32)
            place[alike] = place[alike].take(stable_order(run.astype(np.uint32), *halves))
            first = heads(run)
            number = np.arange(len(run)) - np.repeat(first, np.diff(first, append=len(run)))
            identity[alike] += number.astype(np.uint32) * _STEP
        return cls(place, group, identity, hashes, order, codes, permuted)

    def permutation(self, key: Array) -> Array:
        """(n_rows,) uint32 the rows by group and a hash of their identities, by a key; they hold until this is called
        again.
        """
        for piece in pieces_of(len(self.place)):
            self.hashes[piece] = mixed(self.identity[piece] ^ key)
        order_by_hashes(self.order, self.hashes, self.group)
        return self.order

    def values(self, column: Array, key: Array) -> Array:
        """(n_rows,) codes (n_rows,) of a column as the rows have them once they are permuted within the groups; they
        hold until this is called again.
        """
        codes, permuted = (scratch.view(column.dtype)[: len(column)] for scratch in (self.codes, self.permuted))
        order = self.permutation(key)
        _take(column, self.place, codes)
        for piece in pieces_of(len(column)):
            permuted[self.place[piece]] = codes.take(order[piece])
        return permuted


def _take(values: Array, places: Array, into: Array) -> Array:
    """`values` (n,) at some places (m,), entered into another array (m,)."""
    for piece in pieces_of(len(places)):
        values.take(places[piece], out=into[piece], mode="clip")  # which saves a copy; no place is beyond the end
    return into


def _contents(block: Block, rows: Array) -> Program[Array]:
    """(m,) uint64 hashes of codes, targets and weights of some of a block's rows."""
    found = np.zeros(len(rows), np.uint64)
    for column in _columns(block):
        found ^= column.take(rows).astype(np.float64).view(np.uint64)
        found *= _FACTOR
        found ^= found >> np.uint64(32)
        yield BREATH
    return found


def _columns(block: Block) -> Iterator[Array]:
    """Each of what a block knows of its rows (n_rows,), but for group and identity."""
    for feature in range(len(block.codes.layout.wide)):
        yield block.codes.column(feature)
    yield from np.atleast_2d(block.target)
    if block.weight is not None:
        yield from block.weight
