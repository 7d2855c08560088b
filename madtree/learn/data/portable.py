"""Exponentials and logarithms that have the same bits everywhere.

numpy takes these functions from whatever is quickest on a processor, and their last digits differ between processors
and versions. Here they are made of sums, products and look-ups, which IEEE 754 lays down: the argument is brought near
to a number of a table, and a short series does the rest (Tang 1989, 1990). Their error is some 1e-16 of the result, of
logarithms of 1 where that is more. And integers that are ordered as numbers are, by which these are selected.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np

from madtree.learn.data.types import Array, Floats

_PIECE = 16_384  # numbers worked on at once: what lies between stays in the cache, and calls cost little beside them
_MOST = 700.0  # exp of more is not needed: it would soon leave float64
_EXP_STEPS, _LOG_STEPS = 32, 128  # of a table
_MANTISSA_BITS = 52
_MANTISSA, _ONE = np.int64(2**52 - 1), np.int64(1023 << 52)  # bits of a float64
KEY_BITS = 64
_SIGN = np.uint64(1) << np.uint64(KEY_BITS - 1)


def _tables() -> tuple[Floats, Floats, Floats, float, float]:
    """2 ** (j / 32); of the middles of 128 steps from 1 to 2 their inverses, and the logarithms of these as they are
    rounded; and log(2) / 32 in two parts, the first of which times any exponent is exact.
    """
    with localcontext() as context:
        context.prec = 40
        ln2 = Decimal(2).ln()
        powers = [float((ln2 * j / _EXP_STEPS).exp()) for j in range(_EXP_STEPS)]
        # The first step begins with 1 itself, whose logarithm is 0.
        inverses = [1.0] + [float(1 / (1 + (Decimal(j) + Decimal("0.5")) / _LOG_STEPS)) for j in range(1, _LOG_STEPS)]
        logarithms = [float(-Decimal(inverse).ln()) for inverse in inverses]
        step = ln2 / _EXP_STEPS
        high = _short(float(step))
        return np.array(powers), np.array(inverses), np.array(logarithms), high, float(step - Decimal(high))


def _short(number: float) -> float:
    """The number without its last 27 bits."""
    return float((np.array(number).view(np.int64) & ~np.int64(2**27 - 1)).view(np.float64))


_POWERS, _INVERSES, _LOGARITHMS, _STEP_HIGH, _STEP_LOW = _tables()
_EXP_TERMS = (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2)
_LOG_TERMS = (-1 / 6, 1 / 5, -1 / 4, 1 / 3, -1 / 2)


def exp(numbers: Floats) -> Floats:
    """exp of numbers, which count as from -700 to 700."""
    return _in_pieces(numbers, _exp)


def log(numbers: Floats) -> Floats:
    """The natural logarithm of numbers above 0, that are not the very smallest ones."""
    return _in_pieces(numbers, _log)


def _in_pieces(numbers: Floats, function: Callable[[Floats], Floats]) -> Floats:
    flat: Array = np.ascontiguousarray(numbers, np.float64).reshape(-1)
    found = np.empty_like(flat)
    for first in range(0, len(flat), _PIECE):
        found[first : first + _PIECE] = function(flat[first : first + _PIECE])
    return found.reshape(np.shape(numbers))


def _exp(x: Floats) -> Floats:
    x = np.clip(x, -_MOST, _MOST)
    steps = np.rint(x * (1 / (_STEP_HIGH + _STEP_LOW)))
    x -= steps * _STEP_HIGH
    x -= steps * _STEP_LOW
    series = x * _EXP_TERMS[0]
    for term in _EXP_TERMS[1:]:
        series += term
        series *= x
    series += 1.0
    series *= x
    whole = steps.astype(np.int64)
    found = _POWERS.take(whole & (_EXP_STEPS - 1))
    series *= found
    found += series
    bits: Array = found.view(np.int64)
    bits += (whole >> 5) << _MANTISSA_BITS  # no number leaves the range of normal ones
    return found


def _log(x: Floats) -> Floats:
    bits: Array = x.view(np.int64)
    exponents = (bits >> _MANTISSA_BITS) - 1023
    place = (bits >> (_MANTISSA_BITS - 7)) & (_LOG_STEPS - 1)
    mantissas = ((bits & _MANTISSA) | _ONE).view(np.float64)
    mantissas *= _INVERSES.take(place)
    mantissas -= 1.0
    series = mantissas * _LOG_TERMS[0]
    for term in _LOG_TERMS[1:]:
        series += term
        series *= mantissas
    series += 1.0
    series *= mantissas
    series += _LOGARITHMS.take(place)
    series += exponents * (_STEP_LOW * _EXP_STEPS)
    series += exponents * (_STEP_HIGH * _EXP_STEPS)
    return np.asarray(series)


def ordered_keys(numbers: Floats) -> Array:
    """(n,) uint64 that are ordered as float64 (n,) are; these must not be NaN or -0.0."""
    bits = np.ascontiguousarray(numbers, np.float64).view(np.uint64)
    return np.where(bits >= _SIGN, ~bits, bits | _SIGN)


def numbers_of_keys(keys: Array) -> Floats:
    """The numbers of `ordered_keys`."""
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)
