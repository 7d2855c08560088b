"""Exponentials and logarithms that have the same bits everywhere.

numpy takes these functions from whatever is quickest on a processor, and their last digits differ between processors
and versions. Here they are made of sums, products and look-ups, which IEEE 754 lays down: the argument is brought near
to a number of a table, and a short series does the rest (Tang 1989, 1990). Their error is some 1e-16 of the result;
of logarithms, of 1 where that is more; `logistic` is less exact, and quicker. And integers that are ordered as numbers
are, by which these are selected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from madtree.learn.data.block import USUAL_BLOCK_ROWS, pieces_of
from madtree.learn.data.types import Array, Floats

_MOST = 700.0  # exp of more is not needed: it would soon leave float64
_EXP_BITS, _LOG_BITS = 5, 7
_EXP_STEPS, _LOG_STEPS = 1 << _EXP_BITS, 1 << _LOG_BITS  # of a table
_MANTISSA_BITS = 52
_MANTISSA, _ONE = np.int64(2**52 - 1), np.int64(1023 << 52)  # bits of a float64
KEY_BITS = 64
TO_WHOLE = 1.5 * 2.0**52  # a number plus this is rounded to a whole one, which its last bits tell
_SIGN = np.uint64(1) << np.uint64(KEY_BITS - 1)


@cache
def _tables() -> tuple[Floats, Floats, Floats, float, float]:
    """2 ** (j / 32); of the middles of 128 steps from 1 to 2 their inverses, and the logarithms of these as they are
    rounded; and log(2) / 32 in two parts, the first of which times any exponent is exact.
    """
    with localcontext() as context:
        context.prec = 40
        step = Decimal(2).ln() / _EXP_STEPS
        powers = [float((step * j).exp()) for j in range(_EXP_STEPS)]
        # The first step begins with 1 itself, whose logarithm is 0.
        inverses = [1.0] + [float(1 / (1 + (Decimal(j) + Decimal("0.5")) / _LOG_STEPS)) for j in range(1, _LOG_STEPS)]
        logarithms = [float(-Decimal(inverse).ln()) for inverse in inverses]
        high = _short(float(step))
        return np.array(powers), np.array(inverses), np.array(logarithms), high, float(step - Decimal(high))


def _short(number: float) -> float:
    """The number without its last 27 bits."""
    return float((np.array(number).view(np.int64) & ~np.int64(2**27 - 1)).view(np.float64))


_EXP_TERMS = (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2)
_LOG_TERMS = (-1 / 6, 1 / 5, -1 / 4, 1 / 3, -1 / 2)
_LOGISTIC_STEPS, _LOGISTIC_END = 4096, 20  # of 1, and where exp(-2 x) is nothing beside 1
_LAST_STEP = 2 * _LOGISTIC_STEPS * _LOGISTIC_END
_TO_STEP = TO_WHOLE / _LOGISTIC_STEPS  # the same for steps
_FIRST_STEP = int(np.array(_TO_STEP - _LOGISTIC_END).view(np.int64))


def exp(numbers: Floats) -> Floats:
    """exp of numbers, which count as from -700 to 700."""
    return np.asarray(_in_pieces(numbers, _exp)[0])


def log(numbers: Floats) -> Floats:
    """The natural logarithm of numbers above 0, that are not the very smallest ones."""
    return np.asarray(_in_pieces(numbers, _log)[0])


def logistic(halves: Floats) -> tuple[Floats, Floats]:
    """log(1 + exp(2 x)) and tanh(x) of numbers x, to some 1e-13; 1 / (1 + exp(-2 x)) is (1 + tanh(x)) / 2."""
    found, tanh = _in_pieces(halves, _logistic, 2)
    return found, tanh


def _in_pieces(numbers: Floats, function: Callable[[Floats, Floats, Floats], None], n_found: int = 1) -> Array:
    """What the function finds of numbers: `n_found` arrays like these."""
    flat: Array = np.ascontiguousarray(numbers, np.float64).reshape(-1)
    found = np.empty((n_found, len(flat)))
    # Once: new arrays for each step would take as long as the steps.
    room = np.empty((4, min(len(flat), USUAL_BLOCK_ROWS)))
    for piece in pieces_of(len(flat)):
        some = flat[piece]
        function(some, found[:, piece], room[:, : len(some)])
    return found.reshape(n_found, *np.shape(numbers))


def _exp(x: Floats, into: Floats, free: Floats) -> None:
    """Write exp of `x` into the line of `into`; those of `free` may be written to."""
    (found,), (rest, steps, series, room) = into, free
    powers, _, _, high, low = _tables()
    if not (x.min() >= -_MOST and x.max() <= _MOST):
        x = np.clip(x, -_MOST, _MOST)
    np.multiply(x, 1 / (high + low), out=steps)
    steps += TO_WHOLE
    whole, power = steps.view(np.int64), room.view(np.int64)
    powers.take(np.bitwise_and(whole, _EXP_STEPS - 1, out=power), out=found, mode="clip")
    np.right_shift(whole, _EXP_BITS, out=power)
    power <<= _MANTISSA_BITS
    steps -= TO_WHOLE
    np.multiply(steps, high, out=rest)
    np.subtract(x, rest, out=rest)
    steps *= low
    rest -= steps
    _add_terms(series, rest, _EXP_TERMS)
    series *= found
    found += series
    bits: Array = found.view(np.int64)
    bits += power  # no number leaves the range of normal ones


def _log(x: Floats, into: Floats, free: Floats) -> None:
    """As `_exp`."""
    (found,), (exponents, mantissas, series, room) = into, free
    _, inverses, logarithms, high, low = _tables()
    bits, place, own = x.view(np.int64), room.view(np.int64), mantissas.view(np.int64)
    np.right_shift(bits, _MANTISSA_BITS - _LOG_BITS, out=place)
    np.subtract(np.right_shift(place, _LOG_BITS, out=own), 1023, out=exponents, casting="unsafe")
    place &= _LOG_STEPS - 1
    np.bitwise_and(bits, _MANTISSA, out=own)
    own |= _ONE
    mantissas *= inverses.take(place, out=series, mode="clip")
    mantissas -= 1.0
    _add_terms(found, mantissas, _LOG_TERMS)
    found += logarithms.take(place, out=series, mode="clip")
    found += np.multiply(exponents, low * _EXP_STEPS, out=series)
    found += np.multiply(exponents, high * _EXP_STEPS, out=series)


@cache
def _steps_of_logistic() -> tuple[Floats, Floats]:
    """log(1 + exp(2 x)) and tanh(x) of x = j / 4096, from -20 to 20."""
    at = np.arange(_LAST_STEP // 2 + 1) / (_LOGISTIC_STEPS / 2)
    shrunk = exp(-at)
    whole = 1 + shrunk
    # What rounding takes off a small number beside 1 is put back by a factor (Goldberg 1991, theorem 4).
    rounded = np.where(whole == 1, 1.0, whole - 1)
    found = np.where(whole == 1, shrunk, log(whole) * (shrunk / rounded))
    tanh = (1 - shrunk) / whole
    return np.append(found[:0:-1], at + found), np.append(-tanh[:0:-1], tanh)


def _logistic(x: Floats, into: Floats, free: Floats) -> None:
    """As `_exp`. Where x changes by r, its tanh t becomes (t + r) / (1 + t r), but for the third power of r, by the
    addition theorem; and log(1 + exp(2 x)), whose derivative is 1 + t, changes by r times the mean of both ends'.
    """
    (found, tanh), (steps, before, room, _) = into, free
    values, tanhs = _steps_of_logistic()
    near, place = x, _places(x, steps, room)
    if place.view(np.uint64).max() > _LAST_STEP:
        near = np.clip(x, -_LOGISTIC_END, _LOGISTIC_END)
        place = np.clip(_places(near, steps, room), 0, _LAST_STEP)  # what is no number has none
    # "wrap" is the quickest, and no place is beyond the table.
    tanhs.take(place, out=before, mode="wrap")
    values.take(place, out=found, mode="wrap")
    steps -= _TO_STEP
    rest = np.subtract(near, steps, out=steps)
    np.add(before, rest, out=tanh)
    np.multiply(before, rest, out=room)
    room += 1.0
    tanh /= room
    before += tanh
    before *= 0.5
    before += 1.0
    before *= rest
    found += before
    if near is not x:
        found += np.maximum(2 * (x - near), 0.0)


def _places(x: Floats, steps: Floats, room: Floats) -> Array:
    """(n,) the place of the step that each is nearest to, in `room`; `steps` becomes where it is, plus `_TO_STEP`."""
    bits: Array = np.add(x, _TO_STEP, out=steps).view(np.int64)
    return np.subtract(bits, _FIRST_STEP, out=room.view(np.int64))


def _add_terms(series: Floats, x: Floats, terms: Sequence[float]) -> None:
    """Write x + terms[-1] x^2 + terms[-2] x^3 + ... into `series`."""
    np.multiply(x, terms[0], out=series)
    for term in terms[1:]:
        series += term
        series *= x
    series += 1.0
    series *= x


def ordered_keys(numbers: Floats) -> Array:
    """(n,) uint64 that are ordered as float64 (n,) are; these must not be NaN or -0.0."""
    bits = np.ascontiguousarray(numbers, np.float64).view(np.uint64)
    return np.where(bits >= _SIGN, ~bits, bits | _SIGN)


def numbers_of_keys(keys: Array) -> Floats:
    """The numbers of `ordered_keys`."""
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)
