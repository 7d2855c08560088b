"""What all of the learner's modules share: types of arrays, and the sides of a split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.signedinteger[Any]]
    Bools = npt.NDArray[np.bool_]
    Codes = npt.NDArray[np.unsignedinteger[Any]]
    Array = npt.NDArray[Any]
else:
    # numpy.typing takes as long to load as a fifth of madtree, and workers load it for every query.
    Floats = Ints = Bools = Codes = Array = np.ndarray

# The two sides of a split, and where a split sends a row whose value does not tell.
LEFT, RIGHT, UNKNOWN = 0, 1, 2
N_SIDES = 3


def unsigned(largest: int) -> np.dtype:
    """The smallest unsigned integer that holds numbers from 0 to `largest`."""
    return np.dtype("<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def narrowest(numbers: Array) -> Array:
    """Numbers, none below 0, in as few bytes as hold the largest."""
    return numbers.astype(unsigned(int(numbers.max(initial=0))))
