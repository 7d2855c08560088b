"""What an estimator is fitted on, but for tables: arrays and frames as columns to be copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from madtree.client.frames import Array, FrameColumn, as_column, columns_of, is_frame
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES

MAX_COLUMNS = 1_590  # PostgreSQL's tables have at most 1,600, some of which are madtree's


def checked_columns(estimator: Any, X: Any, *, reset: bool) -> list[FrameColumn]:
    """The columns of an array or a frame, checked as scikit-learn checks them.

    Args:
        reset: remember number and names of the features; else compare with those remembered.

    Raises:
        ValueError: it has no rows or columns, the wrong ones, or more than a table can have.
        TypeError: a value can be no feature; or it is a sparse matrix.
    """
    if is_frame(X):
        columns = columns_of(X)
        _check_frame(estimator, X, columns, reset)
    else:
        array = validate_data(estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False)
        columns = columns_of(array.astype(np.float64) if array.dtype.kind == "b" else array)
    if reset:
        _check_names(columns)
    return columns


def _check_frame(estimator: Any, X: Any, columns: Sequence[FrameColumn], reset: bool) -> None:
    if not columns or not len(columns[0].values):
        missing = "sample" if columns else "feature"
        raise ValueError(f"Found array with 0 {missing}(s) while a minimum of 1 is required.")
    if type(X).__module__.partition(".")[0] in ("pandas", "polars"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    elif reset:  # scikit-learn does not know the names of these
        estimator.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        estimator.n_features_in_ = len(columns)


def _check_names(columns: Sequence[FrameColumn]) -> None:
    if len(columns) > MAX_COLUMNS:
        raise ValueError(f"X has {len(columns)} features; a table of PostgreSQL's can have {MAX_COLUMNS}")
    for column in columns:
        if not 0 < len(column.name.encode()) <= MAX_IDENTIFIER_BYTES or "\0" in column.name:
            raise ValueError(
                f"the column's name {column.name!r} is not a possible name in PostgreSQL: it must have 1 to "
                f"{MAX_IDENTIFIER_BYTES} bytes"
            )


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """`wanted`, with a number behind it if it is taken."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def class_column(name: str, y: Array) -> tuple[FrameColumn, Array, list[str]]:
    """Classes as a column; the distinct ones in order, (n_classes,); and each one's text in the database.

    Booleans, integers and texts stay what they are; all else, such as 1.5, is told by its place among the classes.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if classes.dtype.kind == "b":
        return as_column(name, y), classes, [str(bool(value)).lower() for value in classes]
    if classes.dtype.kind == "f" and np.array_equal(classes, np.trunc(classes)) and np.abs(classes).max() < 2**53:
        return as_column(name, y.astype(np.int64)), classes, [str(int(value)) for value in classes]
    if classes.dtype.kind == "i":
        return as_column(name, y), classes, [str(int(value)) for value in classes]
    if all(isinstance(value, str) and "\0" not in value for value in classes.tolist()):
        return as_column(name, y.astype(object)), classes, [str(value) for value in classes]
    return as_column(name, codes.astype(np.int64)), classes, [str(code) for code in range(len(classes))]
