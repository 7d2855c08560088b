"""The order of many rows by 32-bit keys."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Array, Ints

_HALF = 16  # bits, by which numpy sorts by radix: half as long as comparing keys of 32


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
