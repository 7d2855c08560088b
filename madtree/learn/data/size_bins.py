"""Sizes of numbers in bins, `BINS_AN_OCTAVE` for each power of two, so that it is exact how many are above one."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Floats, Ints

_LOG_BINS = 5
BINS_AN_OCTAVE = 2**_LOG_BINS
_OCTAVES = 24  # below the largest size, of which there are bins; smaller sizes are in the first one
N_SIZES = _OCTAVES * BINS_AN_OCTAVE
_BIAS, _SHIFT = 1023, 52 - _LOG_BINS  # of the exponents of float64, and of what stands above a bin's number


def bins_of_sizes(gradient: Floats, top: Ints | int) -> Ints:
    """(n_rows,) the bin of each gradient's size, up to 2**top (n_rows,)."""
    # Positive float64 are in the order of their bits: exponent, and then the first bits behind it.
    bits = (np.abs(gradient).view(np.uint64) >> np.uint64(_SHIFT)).view(np.int64)  # shifts of int64 take thrice as long
    bits -= (np.asarray(top, np.int64) - _OCTAVES + _BIAS) << _LOG_BINS
    np.maximum(bits, 0, out=bits)
    return np.asarray(np.minimum(bits, N_SIZES - 1, out=bits))


def least_sizes(top: Ints, bins: Ints) -> Floats:
    """(m,) sizes from which on numbers are in a bin (m,) or above it; sizes are up to 2**top (m,)."""
    octave, place = np.divmod(bins, BINS_AN_OCTAVE)
    found = np.ldexp(1 + place / BINS_AN_OCTAVE, top - _OCTAVES + octave)
    return np.asarray(np.where(bins > 0, found, 0.0))  # whatever is smaller is in the first one
