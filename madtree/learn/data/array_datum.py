"""Arrays from PostgreSQL's own bytes: what `madtree_internal.array_image(anyarray)` hands over, as numpy arrays."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Array, Bools, Floats

_FLOAT8 = 701
HEADER_BYTES = 20  # five int32: dimensions, data offset (0 = no NULLs), element type, length, lower bound

# numpy's dtype for each element type that may be packed, by its pg_type oid.
DTYPES: dict[int, np.dtype] = {
    16: np.dtype("?"),
    20: np.dtype("<i8"),
    21: np.dtype("<i2"),
    23: np.dtype("<i4"),
    700: np.dtype("<f4"),
    701: np.dtype("<f8"),
}


def decode(image: bytes) -> tuple[Array, Bools | None]:
    """Read one array image.

    Args:
        image: the bytes of a one-dimensional array of a type in `DTYPES`, as PostgreSQL holds it in memory (without the
            length word): header, null bitmap if the data offset is not 0, padding, then the values that are not NULL.

    Returns:
        values: (n,) in the element type's own dtype; 0 where NULL. A view of `image` where there are no NULLs.
        valid: (n,) bool, False where NULL; None where nothing is NULL.

    Raises:
        ValueError: the array has more than one dimension, or an element type that has no dtype here.

    Source: PostgreSQL's src/include/utils/array.h (layout), offsets counted there from the length word's start.
    """
    dimensions, offset, element_type = np.frombuffer(image, "<i4", 3)
    if dimensions == 0:
        return np.zeros(0), None
    if dimensions != 1 or int(element_type) not in DTYPES:
        raise ValueError(f"array of {dimensions} dimensions and element type {element_type} cannot be read")
    dtype = DTYPES[int(element_type)]
    length = int(np.frombuffer(image, "<i4", 1, 12)[0])
    if offset == 0:
        start = HEADER_BYTES + (-(HEADER_BYTES + 4)) % max(dtype.itemsize, 1)
        return np.frombuffer(image, dtype, length, start), None
    bitmap = np.frombuffer(image, np.uint8, (length + 7) // 8, HEADER_BYTES)
    valid = np.unpackbits(bitmap, count=length, bitorder="little").view(np.bool_)
    values = np.zeros(length, dtype)
    values[valid] = np.frombuffer(image, dtype, int(valid.sum()), int(offset) - 4)
    return values, valid


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
