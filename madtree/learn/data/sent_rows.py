"""Rows of numbers from the bytes that PostgreSQL's own functions send, as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data.types import Floats

_NUMBER = np.dtype(">f8")
_HEADER_BYTES = 20  # of an array: dimensions, flags, element type, length, lower bound
_ELEMENT_BYTES = 4 + _NUMBER.itemsize  # its size and itself


def sent_rows(data: bytes, stretches: Sequence[tuple[int, bool]]) -> Floats:
    """Rows of one layout, one behind the other.

    Args:
        data: the rows' bytes.
        stretches: of a row's layout: how many numbers, and whether they are an array as `array_send` makes it, else
            numbers one after the other.

    Returns:
        (n_rows, n_columns) float64, in either order of bytes.

    Raises:
        ValueError: these are no such rows.

    Source: PostgreSQL's src/backend/utils/adt/arrayfuncs.c (array_send) and geo_ops.c (lseg_send, point_send).
    """
    sizes = [_HEADER_BYTES + n * _ELEMENT_BYTES if is_array else n * _NUMBER.itemsize for n, is_array in stretches]
    stride = sum(sizes)
    n_rows, rest = divmod(len(data), stride)
    if rest:
        raise ValueError(f"{len(data)} bytes are no rows of {stride} bytes")
    n_columns = sum(n for n, _ in stretches)
    if not any(is_array for _, is_array in stretches):
        return np.frombuffer(data, _NUMBER).reshape(n_rows, n_columns)
    rows = np.empty((n_rows, n_columns))
    at = column = 0
    for (n, is_array), size in zip(stretches, sizes, strict=True):
        start = at + (_HEADER_BYTES + _ELEMENT_BYTES - _NUMBER.itemsize if is_array else 0)
        step = _ELEMENT_BYTES if is_array else _NUMBER.itemsize
        if is_array and n_rows:
            lengths = np.ndarray((n_rows, 4), ">i4", data, at, (stride, 4))
            if (lengths[:, :2] != (1, 0)).any() or (lengths[:, 3] != n).any():
                raise ValueError(f"an array is not of {n} numbers")
        if n_rows:
            rows[:, column : column + n] = np.ndarray((n_rows, n), _NUMBER, data, start, (stride, step))
        at, column = at + size, column + n
    return rows
