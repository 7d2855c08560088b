"""Room for rows in the order of nodes: in memory, or, where that is too small, in a mapped file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from madtree.host import ScratchFile, TemporaryPlace
from madtree.learn.data import Array


def room_of(place: TemporaryPlace, memory_bytes: int) -> Callable[[int], Array]:
    """What makes arrays (n,) uint8 of n bytes: together of `memory_bytes` at most, and those beyond that in files.

    An array of more than half of these bytes is in a file, too. Rows are held twice while they are put in order: where
    there is room for one copy only, the memory is left to other arrays.

    A call raises MadtreeError where temp_file_limit would be exceeded, or the disk is full.
    """
    left = memory_bytes

    def room(n_bytes: int) -> Array:
        nonlocal left
        if n_bytes <= min(left, memory_bytes // 2):
            left -= n_bytes
            return np.empty(n_bytes, np.uint8)
        return np.frombuffer(ScratchFile(place, n_bytes, "copies of packed rows"), np.uint8)

    return room
