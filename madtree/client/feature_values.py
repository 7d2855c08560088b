"""The values of a model's features in the columns of a frame, as the model's splits compare them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.client.frames import Array, FrameColumn, as_column, as_objects, columns_of, is_frame
from madtree.sqltext.split import element_of, parse_name
from madtree.trees import Feature, FeatureKind

NUMERIC = ("smallint", "integer", "bigint", "real", "double precision", "numeric")
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_US = dt.timedelta(microseconds=1)


def column_name(feature: Feature) -> str:
    """The name of the frame's column for a feature: a plain name without its quotes; else the expression as it is."""
    parts = parse_name(feature.name)
    return parts[0] if parts is not None and len(parts) == 1 else feature.name


def array_column(feature: Feature) -> tuple[str, int] | None:
    """The name of the frame's column of lists whose element a feature is, and which one, from 1; None for others."""
    found = element_of(feature.name)
    parts = None if found is None else parse_name(found[0])
    return None if found is None or parts is None or len(parts) != 1 else (parts[0], found[1])


def as_trained(features: Sequence[Feature], columns: Sequence[FrameColumn]) -> list[FrameColumn]:
    """The columns with the values that those of the model's training table would have.

    A value of type real reaches a frame as the shortest decimal that is read back as it, which is another number in
    float64. So numbers for features of that type are rounded to it, and those that it cannot hold are infinite.
    """
    single = {found[0] if (found := array_column(f)) else column_name(f) for f in features if f.type == "real"}
    return [_as_real(column) if column.name in single else column for column in columns]


def _as_real(column: FrameColumn) -> FrameColumn:
    if column.type == "double precision[]":
        return replace(column, values=as_objects([v and _rounded(np.array(v)).tolist() for v in column.values]))
    return replace(column, values=_rounded(column.values)) if column.type == "double precision" else column


def _rounded(values: Array) -> Array:
    """float64, as the nearest float32 has them."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def feature_values(features: Sequence[Feature], columns: Sequence[FrameColumn]) -> dict[str, Array]:
    """The features' values in columns of their names: (n_rows,) float64, NaN where missing; or texts or None.

    An element of an array is taken from a column of lists of the array's name, where none has the element's.

    Raises:
        ValueError: columns are missing; all are named.
        TypeError: a column's values are not of the feature's kind.
    """
    by_name = {column.name: column for column in as_trained(features, columns)}
    found = {feature.name: _column_of(feature, by_name) for feature in features}
    missing = dict.fromkeys(
        array[0] if (array := array_column(feature)) else column_name(feature)
        for feature in features
        if found[feature.name] is None
    )
    if missing:
        raise ValueError(f"X lacks columns that the model needs: {', '.join(map(repr, missing))}")
    return {f.name: _compared(f, column) for f in features if (column := found[f.name]) is not None}


def read_features(features: Sequence[Feature], used: Sequence[Feature], X: Any) -> tuple[dict[str, Array], int]:
    """The values of the `used` features, and the number of rows.

    Args:
        features: all of the model's: the columns of an array. A frame needs those only that are used.
    """
    if is_frame(X):
        columns = columns_of(X)
        return feature_values(used, columns), len(columns[0].values) if columns else 0
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    if array.shape[1] != len(features):
        raise ValueError(f"X has {array.shape[1]} features, but the model is expecting {len(features)} features")
    columns = [as_column(column_name(f), array[:, i]) for i, f in enumerate(features) if f in used]
    return feature_values(used, columns), len(array)


def _column_of(feature: Feature, by_name: Mapping[str, FrameColumn]) -> FrameColumn | None:
    found = array_column(feature)
    if found is None or feature.name in by_name or found[0] not in by_name:
        return by_name.get(column_name(feature))
    lists, place = by_name[found[0]], found[1] - 1
    if not lists.type.endswith("[]"):
        return lists
    values = [v[place] if v is not None and place < len(v) else None for v in lists.values]
    return FrameColumn(f"{lists.name}[{place + 1}]", lists.type.removesuffix("[]"), as_objects(values))


def _compared(feature: Feature, column: FrameColumn) -> Array:
    values = _values(feature, column)
    return np.where(np.isnan(values), np.inf, values) if feature.null_last else values


def _values(feature: Feature, column: FrameColumn) -> Array:
    if column.values.dtype.kind == "f" and np.isnan(column.values).all():
        return _nothing(feature, len(column.values))
    if column.values.dtype == object and all(value is None for value in column.values):
        return _nothing(feature, len(column.values))
    if feature.kind is FeatureKind.UNORDERED:
        if feature.type == "boolean" and column.type == "boolean":
            words = {True: "true", False: "false", None: None}
            return as_objects([words[value] for value in column.values.tolist()])
        if feature.type == "bpchar" and column.type == "text":  # whose values are equal but for blanks behind
            return as_objects([None if value is None else value.rstrip(" ") for value in column.values])
        if feature.type != "boolean" and column.type == "text":
            return column.values
    elif feature.labels and column.type == "text":
        place = {label: float(number) for number, label in enumerate(feature.labels, 1)}
        return np.array([place.get(value, np.nan) for value in column.values], np.float64)
    elif feature.type in NUMERIC and column.type in ("double precision", "bigint", "numeric", "boolean"):
        return np.array([np.nan if v is None else float(v) for v in column.values.tolist()], np.float64)
    elif not feature.labels and column.type in _SECONDS and column.type in _FAMILY.get(feature.type, ()):
        seconds = _SECONDS[column.type]
        return np.array([np.nan if v is None else seconds(v) for v in column.values.tolist()], np.float64)
    raise TypeError(
        f"column {column.name!r} holds {column.type}, but the model's feature is of the type {feature.type}"
    )


def _nothing(feature: Feature, n_rows: int) -> Array:
    return np.full(n_rows, None, object) if feature.kind is FeatureKind.UNORDERED else np.full(n_rows, np.nan)


def _microseconds(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond


# As PostgreSQL's date_part('epoch', ..) has it: whole microseconds by one division; an interval's days are added.
_SECONDS: dict[str, Callable[[Any], float]] = {
    "date": lambda value: float((value - _EPOCH.date()).days * 86_400),
    "timestamp": lambda value: ((value - _EPOCH) // _US) / 1e6,
    "timestamptz": lambda value: ((value - _EPOCH_UTC) // _US) / 1e6,
    "time": lambda value: _microseconds(value) / 1e6,
    "timetz": lambda value: (_microseconds(value) - value.utcoffset() // _US) / 1e6,
    "interval": lambda value: (value.seconds * 10**6 + value.microseconds) / 1e6 + 86_400.0 * value.days,
}
_FAMILY = {
    "date": ("date", "timestamp"),
    "timestamp without time zone": ("date", "timestamp"),
    "timestamp with time zone": ("timestamptz",),
    "time without time zone": ("time",),
    "time with time zone": ("timetz",),
    "interval": ("interval",),
}
