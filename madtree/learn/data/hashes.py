"""Hashes that tell what is drawn, and the order of rows by hashes and other keys of 32 bits.

A hash is the same on every machine, in every process, whatever the order of rows or trees.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from madtree.learn.data.block import pieces_of
from madtree.learn.data.mixing import mixed
from madtree.learn.data.types import Array, Ints

_U = np.uint32
_HALF = 16  # bits, by which numpy sorts by radix: half as long as comparing keys of 32
_HASHES = 2.0**32
_PART_ROWS = 2**17  # that are put in order at once, more or less
_FEW_ROWS = 2**19  # that are not parted


def keyed(purpose: int, seed: int, numbers: Array) -> Array:
    """A key, uint32, for each of some numbers (n,), below 2**32.

    Args:
        purpose: tells keys for different uses apart, below 2**32.
        seed: of 64 bits.
    """
    key = np.full(len(numbers), purpose, _U)
    for word in (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF):
        key = mixed(key ^ _U(word))
    return mixed(key ^ np.asarray(numbers, _U))


def stable_order(*keys: Array) -> Ints:
    """(n,) the rows in order of keys (n,) uint32, the first one before the second; of equal keys as they come."""
    order: Ints | None = None
    for key in reversed(keys):
        for shift in (0, _HALF):
            half = (key >> np.uint32(shift)).astype(np.uint16)
            if len(half) and half.min() == half.max():
                continue
            if order is None:
                order = np.argsort(half, kind="stable")
            else:
                order = order.take(np.argsort(half.take(order), kind="stable"))
    return np.arange(len(keys[0])) if order is None else order


def order_by_hashes(order: Array, hashes: Array, group: Array | None = None) -> None:
    """Write into `order` (n,) uint32 what `stable_order` says of the rows by group (n,), if there are several, and hash
    (n,), both uint32.

    Hashes are spread evenly, so they tell about where a row will stand. By that rows are parted, and each part is put
    in order alone. That takes little memory, and of many rows less time, since parts stay in the processor's cache.
    """
    n, keys = len(order), [hashes] if group is None else [group, hashes]
    if n <= _FEW_ROWS:
        order[:] = stable_order(*keys)
        return
    pieces = list(pieces_of(n, _PART_ROWS))
    sizes = np.array([n])
    if group is not None:
        n_groups = int(group.max()) + 1
        sizes = sum((np.bincount(group[piece], minlength=n_groups) for piece in pieces), np.zeros(n_groups, np.int64))
    before, step = (np.cumsum(sizes) - sizes) / _PART_ROWS, sizes / _PART_ROWS / _HASHES  # powers of two: exact

    def parts(piece: slice) -> Array:
        own = 0 if group is None else group[piece]
        # The largest hash of a small last group may be rounded to what is behind it.
        part: Array = np.minimum(hashes[piece] * step[own] + before[own], len(pieces) - 1).astype(np.uint16)
        return part

    counts = np.array([np.bincount(parts(piece), minlength=len(pieces)) for piece in pieces])
    stops = np.cumsum(counts.T).reshape(counts.T.shape)  # of the rows of each part, by the piece that they come from
    for number, piece in enumerate(pieces):
        rows = np.argsort(parts(piece), kind="stable") + piece.start
        runs = np.split(rows, np.cumsum(counts[number])[:-1])
        for run, stop in zip(runs, stops[:, number].tolist(), strict=True):
            order[stop - len(run) : stop] = run
    for first, stop in pairwise([0, *stops[:, -1].tolist()]):
        rows = order[first:stop]
        order[first:stop] = rows.take(stable_order(*(key.take(rows) for key in keys)))
