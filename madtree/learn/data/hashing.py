"""Hashes that tell what is drawn: the same on every machine, in every process, whatever the order of rows or trees.

`mixed` is lowbias32 of Chris Wellons' hash prospector (2018): a permutation of 32-bit numbers of which each bit of the
input changes each bit of the output with a probability close to one half.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Array

_U = np.uint32


def mixed(value: Array) -> Array:
    """Hashes, uint32, of numbers (n,) uint32."""
    z = value ^ (value >> _U(16))
    z *= _U(0x7FEB352D)
    z ^= z >> _U(15)
    z *= _U(0x846CA68B)
    z ^= z >> _U(16)
    return np.asarray(z)


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
