"""The values of a model's features in the columns of a frame, as the model's splits compare them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from madtree.client.frames import Array, FrameColumn
from madtree.sqltext.split import parse_name
from madtree.trees import Feature, FeatureKind

NUMERIC = ("smallint", "integer", "bigint", "real", "double precision", "numeric")
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_US = dt.timedelta(microseconds=1)


def column_name(feature: Feature) -> str:
    """The name of the frame's column for a feature: a plain name without its quotes; else the expression as it is."""
    parts = parse_name(feature.name)
    return parts[0] if parts is not None and len(parts) == 1 else feature.name


def feature_values(features: Sequence[Feature], columns: Sequence[FrameColumn]) -> dict[str, Array]:
    """The features' values in columns of their names: (n_rows,) float64, NaN where missing; or texts or None.

    Raises:
        ValueError: columns are missing; all are named.
        TypeError: a column's values are not of the feature's kind.
    """
    by_name = {column.name: column for column in columns}
    missing = [column_name(feature) for feature in features if column_name(feature) not in by_name]
    if missing:
        raise ValueError(f"X lacks columns that the model needs: {', '.join(map(repr, missing))}")
    return {feature.name: _compared(feature, by_name[column_name(feature)]) for feature in features}


def _compared(feature: Feature, column: FrameColumn) -> Array:
    values = _values(feature, column)
    return np.where(np.isnan(values), np.inf, values) if feature.null_last else values


def _values(feature: Feature, column: FrameColumn) -> Array:
    if column.values.dtype.kind == "f" and np.isnan(column.values).all():
        return _nothing(feature, len(column.values))
    if feature.kind is FeatureKind.UNORDERED:
        if feature.type == "boolean" and column.type == "boolean":
            words = {True: "true", False: "false", None: None}
            return _objects([words[value] for value in column.values.tolist()])
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


def _objects(values: Sequence[Any]) -> Array:
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects


# As PostgreSQL's date_part('epoch', ..) has it: whole microseconds by one division; an interval's days are added.
_SECONDS: dict[str, Callable[[Any], float]] = {
    "date": lambda value: float((value - _EPOCH.date()).days * 86_400),
    "timestamp": lambda value: ((value - _EPOCH) // _US) / 1e6,
    "timestamptz": lambda value: ((value - _EPOCH_UTC) // _US) / 1e6,
    "time": lambda value: (((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond) / 1e6,
    "interval": lambda value: (value.seconds * 10**6 + value.microseconds) / 1e6 + 86_400.0 * value.days,
}
_FAMILY = {
    "date": ("date", "timestamp"),
    "timestamp without time zone": ("date", "timestamp"),
    "timestamp with time zone": ("timestamptz",),
    "time without time zone": ("time",),
    "interval": ("interval",),
}
