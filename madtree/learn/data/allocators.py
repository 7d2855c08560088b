"""Who makes large arrays: in the process's memory, or wherever else bytes may lie."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.data.types import Array

_ALIGNMENT = 8  # bytes, of the widest numbers

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
