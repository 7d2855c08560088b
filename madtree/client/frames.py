"""Arrays and data frames as columns that PostgreSQL has types for."""

from __future__ import annotations

import datetime as dt
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_BIGINT = (-(2**63), 2**63 - 1)
_NOTHING = ("NaTType", "NAType")  # types of what pandas has for a missing value


@dataclass(frozen=True)
class FrameColumn:
    """One column of a frame.

    Attributes:
        name: unquoted.
        type: SQL type: double precision, bigint, numeric, boolean, text, date, timestamp, timestamptz, time, timetz or
            interval; with [] behind it for arrays.
        values: (n_rows,) array. Numbers, bigints and booleans without NULLs are float64, int64 and bool, where NaN is
            a missing number; all else is objects of Python's, where None is NULL. Arrays are lists.
    """

    name: str
    type: str
    values: Array


def is_frame(data: Any) -> bool:
    """Whether `data` is a pandas or polars data frame, an Arrow table or record batch, or a mapping of columns.

    Raises:
        TypeError: it is a lazy frame.
    """
    if isinstance(data, Mapping):
        return not hasattr(data, "shape")  # a sparse matrix may be a dict
    module, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if (module, kind) == ("polars", "LazyFrame"):
        raise TypeError("a LazyFrame of polars' has no rows yet: give its collect()")
    return (module, kind) in _READERS


def columns_of(data: Any) -> list[FrameColumn]:
    """The columns of a frame, or of an array of shape (n_rows, n_columns), which are then called x0, x1, ...

    Raises:
        TypeError: it is neither, or a column holds what has no type in PostgreSQL.
        ValueError: two columns have the same name, or columns differ in length.
    """
    if isinstance(data, np.ndarray) and data.ndim == 2:
        named: Iterable[tuple[str, Any]] = ((f"x{place}", data[:, place]) for place in range(data.shape[1]))
    elif is_frame(data) and isinstance(data, Mapping):
        named = data.items()
    elif is_frame(data):
        named = _READERS[(type(data).__module__.partition(".")[0], type(data).__name__)](data)
    else:
        raise TypeError(f"data must be a data frame or an array of two dimensions, not {type(data).__name__}")
    columns = [as_column(str(name), values) for name, values in named]
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"two columns are called {next(name for name in names if names.count(name) > 1)!r}")
    if len({len(column.values) for column in columns}) > 1:
        raise ValueError("the columns differ in length")
    return columns


def as_column(name: str, values: Any) -> FrameColumn:
    """A column of an array, a sequence, or a series of pandas', polars' or Arrow's.

    Raises:
        TypeError: a value has no type in PostgreSQL that a feature or an outcome may have; column and row are named.
    """
    array = _plain(values)
    if array.ndim != 1:
        raise TypeError(f"column {name!r} must have one dimension, not {array.ndim}")
    kind = array.dtype.kind
    if kind == "f":
        return FrameColumn(name, "double precision", array.astype(np.float64))
    if kind == "b":
        return FrameColumn(name, "boolean", array)
    if kind == "i" or (kind == "u" and (not len(array) or array.max() <= _BIGINT[1])):
        return FrameColumn(name, "bigint", array.astype(np.int64))
    if kind in "OUSuMm":
        return _of_objects(name, array.astype(object) if kind not in "Mm" else _moments(array))
    raise TypeError(f"column {name!r} is of the type {array.dtype}, which no feature may have")


def _plain(values: Any) -> Array:
    """An array of NumPy's own types; None stands for what is missing among objects."""
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fbiu":
            return np.asarray(values)
        objects: Array = values.astype(object).to_numpy(dtype=object, copy=True)
        objects[np.asarray(values.isna())] = None
        return objects
    if module == "polars":
        numeric = values.dtype.is_numeric() and not values.dtype.is_decimal()
        if numeric and (values.dtype.is_float() or not values.null_count()):
            return np.asarray(values.to_numpy())
        return as_objects(values.to_list())
    if module == "pyarrow":
        import pyarrow as pa

        if pa.types.is_floating(values.type) or (pa.types.is_integer(values.type) and not values.null_count):
            return np.asarray(values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values)
        return as_objects(values.to_pylist())
    if isinstance(values, np.ndarray):
        return values
    return as_objects(list(values))


def as_objects(values: Sequence[Any]) -> Array:
    """One object each, also where these are lists of equal length."""
    return np.fromiter(values, object, len(values))


def _moments(array: Array) -> Array:
    """numpy's moments and durations as Python's, in microseconds."""
    unit = "datetime64[us]" if array.dtype.kind == "M" else "timedelta64[us]"
    return as_objects([None if np.isnat(value) else value.item() for value in array.astype(unit)])


def _of_objects(name: str, objects: Array) -> FrameColumn:
    """A column of Python's objects: their types, together, say which type of PostgreSQL's it is."""
    missing = np.fromiter((is_missing(value) for value in objects), np.bool_, len(objects))
    values = objects.copy()
    values[missing] = None
    present = objects[~missing]
    if len(present) and all(map(_is_list, present)):
        return _of_lists(name, values)
    if not len(present):
        return FrameColumn(name, "double precision", np.full(len(objects), np.nan))
    for type_, fits in _OBJECT_TYPES:
        if all(map(fits, present)):
            return _narrowed(name, type_, values, missing)
    odd = next((place for place in np.flatnonzero(~missing) if not _fits_any(objects[place])), None)
    if odd is None:
        found = sorted({type(value).__name__ for value in present})
        raise TypeError(f"column {name!r} has values of types that do not go together: {', '.join(found)}")
    raise TypeError(
        f"column {name!r}, row {odd}: argument must be a string or a real number, a boolean, a date or a time, not "
        f"{type(objects[odd]).__name__} ({objects[odd]!r})"
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _of_lists(name: str, lists: Array) -> FrameColumn:
    """A column of arrays: the elements of all rows, together, say which type they are of.

    Raises:
        TypeError: an element has no type in PostgreSQL, or is a list itself.
    """
    rows = np.flatnonzero([each is not None for each in lists])
    plain = [_moments(each) if each.dtype.kind in "Mm" else each for each in (_plain(lists[row]) for row in rows)]
    deep = next(
        (row for row, each in zip(rows, plain, strict=True) if each.ndim != 1 or any(map(_is_list, each))), None
    )
    if deep is not None:
        raise TypeError(f"column {name!r}, row {deep}: a list must have one dimension, and no lists within")
    ends = np.cumsum([0, *map(len, plain)])
    elements = as_column(f"{name}[]", as_objects([value for each in plain for value in each.tolist()]))
    found = elements.values.tolist()
    values = np.full(len(lists), None, object)
    for place, row in enumerate(rows):
        values[row] = found[ends[place] : ends[place + 1]]
    return FrameColumn(name, f"{elements.type}[]", values)


def _fits_any(value: Any) -> bool:
    return any(fits(value) for _, fits in _OBJECT_TYPES)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, numbers.Real) and value != value) or type(value).__name__ in _NOTHING


def _narrowed(name: str, type_: str, values: Array, missing: Array) -> FrameColumn:
    if type_ == "double precision":
        return FrameColumn(name, type_, np.array([np.nan if v is None else float(v) for v in values], np.float64))
    if type_ == "bigint" and not missing.any():
        return FrameColumn(name, type_, values.astype(np.int64))
    if type_ == "boolean" and not missing.any():
        return FrameColumn(name, type_, values.astype(np.bool_))
    if type_ in ("bigint", "boolean", "text"):
        plain: Callable[[Any], Any] = {"bigint": int, "boolean": bool, "text": str}[type_]
        values = as_objects([None if value is None else plain(value) for value in values])
    if type_ in ("timestamp", "timestamptz", "interval"):
        values = as_objects([_in_microseconds(value) for value in values])
    return FrameColumn(name, type_, values)


def _in_microseconds(value: Any) -> Any:
    """pandas' moments and durations as Python's: PostgreSQL knows no nanoseconds either."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    if hasattr(value, "to_pytimedelta"):  # which would round
        return dt.timedelta(microseconds=value // dt.timedelta(microseconds=1))
    return value


def _is_moment(value: Any, *, zoned: bool) -> bool:
    return isinstance(value, dt.datetime) and (value.tzinfo is not None) == zoned


_WRITTEN_AS_TEXT = ("ipaddress", "uuid")  # modules of what drivers make of inet, cidr and uuid
# In this order: a boolean is an integer to Python, an integer a number, and a datetime a date.
_OBJECT_TYPES: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("boolean", lambda value: isinstance(value, bool | np.bool_)),
    ("bigint", lambda value: isinstance(value, numbers.Integral) and _BIGINT[0] <= int(value) <= _BIGINT[1]),
    ("double precision", lambda value: isinstance(value, numbers.Real)),
    ("numeric", lambda value: isinstance(value, Decimal | int)),
    ("text", lambda value: isinstance(value, str) or type(value).__module__ in _WRITTEN_AS_TEXT),
    ("timestamp", lambda value: _is_moment(value, zoned=False)),
    ("timestamptz", lambda value: _is_moment(value, zoned=True)),
    ("date", lambda value: isinstance(value, dt.date) and not isinstance(value, dt.datetime)),
    ("time", lambda value: isinstance(value, dt.time) and value.tzinfo is None),
    ("timetz", lambda value: isinstance(value, dt.time) and value.tzinfo is not None),
    ("interval", lambda value: isinstance(value, dt.timedelta)),
)

# By module and name of the type, so that no library need be here.
_READERS: dict[tuple[str, str], Callable[[Any], Iterable[tuple[str, Any]]]] = {
    ("pandas", "DataFrame"): lambda frame: ((name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)),
    ("polars", "DataFrame"): lambda frame: ((series.name, series) for series in frame.get_columns()),
    ("pyarrow", "Table"): lambda table: zip(table.column_names, table.columns, strict=True),
    ("pyarrow", "RecordBatch"): lambda batch: zip(batch.schema.names, batch.columns, strict=True),
}
