"""Rows from PostgreSQL's own bytes: what `madtree_internal.array_image(anyarray)` hands over, as numpy arrays.

An image is a one-dimensional array of float8 without NULLs as PostgreSQL holds it in memory, without the length word:
header, then the values. Source: PostgreSQL's src/include/utils/array.h (layout).
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Floats

_FLOAT8 = 701
HEADER_BYTES = 20  # five int32: dimensions, data offset (0 = no NULLs), element type, length, lower bound


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


def read_rows(images: bytes | Floats, n_columns: int) -> Floats | None:
    """The same as columns (n_columns, n_rows), a copy in which each is contiguous; or those of rows."""
    rows = rows_in(images, n_columns) if isinstance(images, bytes) else images
    return None if rows is None else np.array(rows.T, np.float64, order="C")
