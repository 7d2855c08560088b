"""Who makes large arrays: in the process's memory, or wherever else bytes may lie; and columns that grow at their ends,
in room that is kept behind them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from madtree.learn.data.types import Array

_ALIGNMENT = 8  # bytes, of the widest numbers
_LEAST_ROOM, _MOST_ROOM = 1 << 7, 1 << 12  # entries, by which columns grow before they are copied

Allocator = Callable[[int], Array]  # makes an array (n,) uint8 of n bytes, whatever they are


def in_memory(n_bytes: int) -> Array:
    """The plain `Allocator`."""
    return np.empty(n_bytes, np.uint8)


def allocated(allocator: Allocator, shape: tuple[int, ...], kind: np.dtype[Any] | type) -> Array:
    """An array of that shape and type, whatever it holds."""
    return allocator(math.prod(shape) * np.dtype(kind).itemsize).view(kind).reshape(shape)


class ReusingAllocator:
    """An `Allocator` that gives the same bytes again, once nothing of them is in use."""

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator
        self._arrays: list[Array] = []
        self._given: list[int] = []  # bytes of each that are in use

    def take_back(self) -> None:
        """Nothing of what was given is in use any more."""
        self._given = [0] * len(self._arrays)

    def __call__(self, n_bytes: int) -> Array:
        size = n_bytes + -n_bytes % _ALIGNMENT
        for number, given in enumerate(self._given):
            if given + size <= len(self._arrays[number]):
                self._given[number] += size
                return self._arrays[number][given : given + n_bytes]
        idle = [number for number, given in enumerate(self._given) if not given]
        if idle:  # but too small: the largest one gives way
            number = max(idle, key=lambda number: len(self._arrays[number]))
            del self._arrays[number], self._given[number]
        self._arrays.append(self._allocator(size))
        self._given.append(size)
        return self._arrays[-1][:n_bytes]


def extend(owner: Any, rooms: dict[str, Array], fills: Mapping[str, Any], count: int) -> None:
    """Add `count` entries to columns (..., n) of `owner`. A tree grows in some ten rounds, and joining each column with
    its new entries in each of them took longer than all that is entered into it.

    Args:
        rooms: by name the array that a column is the first part of; to be kept for the next call.
        fills: by name what new entries are.
    """
    for name, fill in fills.items():
        column = getattr(owner, name)
        n, room = column.shape[-1], rooms.get(name)
        if room is None or column.base is not room or room.shape[-1] < n + count:
            size = n + count + min(max(2 * (n + count), _LEAST_ROOM), _MOST_ROOM)
            room = rooms[name] = np.full((*column.shape[:-1], size), fill, column.dtype)
            room[..., :n] = column
        setattr(owner, name, room[..., : n + count])
