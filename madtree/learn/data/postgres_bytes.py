"""Numbers from PostgreSQL's own bytes, as numpy arrays.

Inside the server `madtree_internal.array_image(anyarray)` hands over an array of float8 as it lies in memory, without
the length word: header, then the values. Over a connection come numbers as PostgreSQL sends them, big-endian
(`madtree.sqltext.sent_rows`, `madtree.sqltext.sent_numbers`).

Sources: PostgreSQL's src/include/utils/array.h (layout), src/backend/utils/adt/arrayfuncs.c (array_send) and geo_ops.c
(lseg_send, point_send).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data.types import Floats, Ints

# Of an array, five int32. In memory: dimensions, data offset (0 = no NULLs), element type, length, lower bound; as it
# is sent: dimensions, flags, element type, length, lower bound.
HEADER_BYTES = 20
_FLOAT8 = 701
_NUMBER = np.dtype(">f8")
_STRETCH = 1_024  # rows
_ELEMENT_BYTES = 4 + _NUMBER.itemsize  # of an array that is sent: an element's size and itself


def rows_in(images: bytes, n_columns: int) -> Floats | None:
    """Rows from the images of one float8 array each, one behind the other.

    Args:
        images: of arrays of `n_columns` elements.

    Returns:
        (n_rows, n_columns) float64, a view of `images`; None if some array has a NULL or another length, so that not
        all images are alike.
    """
    stride = HEADER_BYTES + 8 * n_columns
    n_rows, rest = divmod(len(images), stride)
    if not images:
        return np.zeros((0, n_columns))
    # Up to the first array that is different every image begins at a multiple of the stride, so its own header is read
    # in its place.
    headers = np.ndarray((n_rows, 5), "<i4", images, 0, (stride, 4))
    if rest or (headers != np.array([1, 0, _FLOAT8, n_columns, 1], np.int32)).any():
        return None
    rows: Floats = np.ndarray((n_rows, n_columns), "<f8", images, HEADER_BYTES, (stride, 8))
    return rows


def in_columns(rows: Floats, order: Ints | None = None) -> Floats:
    """(n_columns, n_rows) a copy of rows (n_rows, n_columns), in that order (n_rows,), or as they come. Some at a time,
    which stay in the processor's cache: numpy goes down one column after the other.
    """
    columns = np.empty(rows.shape[::-1])
    if order is not None:
        rows = np.ascontiguousarray(rows)  # else `take` copies all of them every time
    for first in range(0, len(rows), _STRETCH):
        span = slice(first, first + _STRETCH)
        columns[:, span] = (rows[span] if order is None else rows.take(order[span], axis=0, mode="clip")).T
    return columns


def sent_rows(data: bytes, stretches: Sequence[tuple[int, bool]]) -> Floats:
    """Rows of one layout that were sent one behind the other.

    Args:
        data: the rows' bytes.
        stretches: of a row's layout: how many numbers, and whether they are an array as `array_send` makes it, else
            numbers one after the other.

    Returns:
        (n_rows, n_columns) float64, in either order of bytes.

    Raises:
        ValueError: these are no such rows.
    """
    sizes = [HEADER_BYTES + n * _ELEMENT_BYTES if is_array else n * _NUMBER.itemsize for n, is_array in stretches]
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
        start = at + (HEADER_BYTES + _ELEMENT_BYTES - _NUMBER.itemsize if is_array else 0)
        step = _ELEMENT_BYTES if is_array else _NUMBER.itemsize
        if is_array and n_rows:
            lengths = np.ndarray((n_rows, 4), ">i4", data, at, (stride, 4))
            if (lengths[:, :2] != (1, 0)).any() or (lengths[:, 3] != n).any():
                raise ValueError(f"an array is not of {n} numbers")
        if n_rows:
            rows[:, column : column + n] = np.ndarray((n_rows, n), _NUMBER, data, start, (stride, step))
        at, column = at + size, column + n
    return rows


def sent_ints(data: bytes) -> Ints:
    """(n,) int64 of n times eight bytes."""
    numbers: Ints = np.frombuffer(data, ">i8").astype(np.int64)
    return numbers


def sent_floats(data: bytes) -> Floats:
    """(n,) float64 of n times eight bytes."""
    numbers: Floats = np.frombuffer(data, _NUMBER).astype(np.float64)
    return numbers
