"""Dataclasses of arrays that may hold further such dataclasses: as values by name, several joined to one, and some rows
of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, get_type_hints

import numpy as np

from madtree.learn.data.types import Array, Ints

T = TypeVar("T")


def flatten(columns: Any) -> dict[str, Array]:
    """The arrays by name, those of an inner dataclass by its own name before theirs: ``nodes.left.sizes``."""
    arrays: dict[str, Array] = {}
    for field in fields(columns):
        value = getattr(columns, field.name)
        if is_dataclass(value):
            arrays.update({f"{field.name}.{name}": array for name, array in flatten(value).items()})
        else:
            arrays[field.name] = value
    return arrays


def unflatten(kind: type[T], arrays: Mapping[str, Array]) -> T:
    """The dataclass that `flatten` was given."""
    built: T = _build(kind, arrays, "")
    return built


def join(parts: Sequence[T]) -> T:
    """The rows of several, one after the other; at least one."""
    if len(parts) == 1:
        return parts[0]
    flat = [flatten(part) for part in parts]
    return unflatten(type(parts[0]), {name: _joined([arrays[name] for arrays in flat]) for name in flat[0]})


def take(columns: T, rows: Ints) -> T:
    """These rows of one, in this order; an inner dataclass takes its own."""
    inner = {field.name: getattr(columns, field.name) for field in fields(columns)}  # type: ignore[arg-type]
    return type(columns)(
        **{name: value[rows] if isinstance(value, np.ndarray) else value.take(rows) for name, value in inner.items()}
    )


def copied(columns: T) -> T:
    """A copy, in memory of its own: an array that was read keeps all bytes that it was read from."""
    return unflatten(type(columns), {name: array.copy() for name, array in flatten(columns).items()})


def _joined(arrays: Sequence[Array]) -> Array:
    """Several as one; what stands alone, beside parts without rows, is not copied."""
    some = [array for array in arrays if len(array)] or arrays[:1]
    return some[0] if len(some) == 1 else np.concatenate(some)


def _build(kind: Any, arrays: Mapping[str, Array], prefix: str) -> Any:
    values: dict[str, Any] = {}
    for name, inner in _fields(kind):
        values[name] = arrays[prefix + name] if inner is None else _build(inner, arrays, f"{prefix}{name}.")
    return kind(**values)


@cache
def _fields(kind: Any) -> list[tuple[str, Any]]:
    """The fields' names, each with its class if that is a dataclass, else None."""
    hints = get_type_hints(kind)
    return [(f.name, hints[f.name] if is_dataclass(hints[f.name]) else None) for f in fields(kind)]
