"""What the block scorer says of rows, as bytes that SQL can read."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Bools, Floats, unsigned

NUMBER_BYTES = 10
EXPONENT_ABOVE = 1_100  # is added to exponents, so that 0 is left for rows without a model
_MANTISSA_BITS = 53
_NUMBER = np.dtype([("mantissa", "<i8"), ("exponent", "<u2")])


def class_type(n_classes: int) -> np.dtype:
    """Of a class's number."""
    return unsigned(n_classes)


def count_type(members: int) -> np.dtype:
    """Of a number of trees, and of the one more that stands for none."""
    return unsigned(members + 1)


def where_known(found: Array, known: Bools | None, otherwise: int) -> Array:
    if known is not None:
        found[~known] = otherwise
    return found


def as_floats(numbers: Floats, known: Bools | None) -> Array:
    """Each as a signed integer of 8 bytes and 2 bytes of the power of two that it counts, as SQL can read them."""
    mantissa, exponent = np.frexp(numbers)
    found = np.zeros(numbers.shape, _NUMBER)
    # What float64 has no digits for is left out of the smallest numbers.
    shift = np.minimum(_MANTISSA_BITS, exponent + 1074)
    found["mantissa"] = np.ldexp(mantissa, shift)
    found["exponent"] = exponent - shift + EXPONENT_ABOVE
    if known is not None:
        found["exponent"][~known] = 0
    return found


def numbers_in(encoded: bytes, n_values: int) -> Floats:
    """(n_rows, n_values) that `as_floats` has written; NaN of rows that are not known."""
    found = np.frombuffer(encoded, _NUMBER).reshape(-1, n_values)
    exponent = found["exponent"].astype(np.int64)
    return np.where(exponent > 0, np.ldexp(found["mantissa"].astype(np.float64), exponent - EXPONENT_ABOVE), np.nan)
