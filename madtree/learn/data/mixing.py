"""Mixing of hashes: lowbias32 of Chris Wellons' hash prospector (2018), a permutation of 32-bit numbers of which each
bit of the input changes each bit of the output with a probability close to one half.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Array


def mixed(value: Array) -> Array:
    """Hashes, uint32, of numbers (n,) uint32."""
    found: Array = value.copy()
    mix(found)
    return found


def mix(value: Array) -> None:
    """Mix numbers (n,) uint32 in place."""
    value ^= value >> np.uint32(16)
    value *= np.uint32(0x7FEB352D)
    value ^= value >> np.uint32(15)
    value *= np.uint32(0x846CA68B)
    value ^= value >> np.uint32(16)
