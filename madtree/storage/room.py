"""Room for rows in the order of nodes: in memory, or, where that is too small, in a mapped file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from madtree.host import Scratch, TemporaryPlace
from madtree.learn.data import Array


def room_of(place: TemporaryPlace, memory_bytes: int) -> Callable[[int], Array]:
    """What makes arrays (n,) uint8 of n bytes; those of more than `memory_bytes` lie in a file.

    A call raises MadtreeError where temp_file_limit would be exceeded.
    """

    def room(n_bytes: int) -> Array:
        if n_bytes <= memory_bytes:
            return np.empty(n_bytes, np.uint8)
        return np.frombuffer(Scratch(place, n_bytes), np.uint8)

    return room
