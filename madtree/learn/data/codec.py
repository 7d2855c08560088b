"""Named values and arrays as one byte string and back: what travels between the orchestrator and the SQL functions.

Any user may call these functions with bytes of their own, so reading takes nothing for granted: no array is made that
the bytes do not hold. What the values mean is checked by whoever reads them (`learn.data.checked`). The bytes say which
version made them: where the extension is updated under way, processes that start later run another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from madtree import __version__
from madtree.errors import MadtreeError
from madtree.learn.data.types import Array

_ALIGNMENT = 8
_DTYPES = {own: np.dtype(own) for own in ("|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8")}
_MOST_DIMENSIONS = 3
_encode = json.JSONEncoder(separators=(",", ":")).encode
_HINT = "Only madtree's own functions make such bytes; let it do so."

T = TypeVar("T")


def dump(values: Mapping[str, Any]) -> bytes:
    """`values` as bytes: a JSON header (length, then text), then the arrays' little-endian bytes, each 8-byte aligned.

    Arrays keep dtype and shape; everything else must be what JSON can hold. Nothing in it is ever executed on reading.
    """
    plain: dict[str, Any] = {}
    arrays: dict[str, tuple[str, tuple[int, ...]]] = {}
    body: list[Any] = []
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
            arrays[name] = (array.dtype.str, array.shape)
            body += [array, b"\0" * (-array.nbytes % _ALIGNMENT)]
        else:
            plain[name] = value
    whole = {"madtree": __version__, "values": plain, "arrays": arrays}
    header = _encode(whole).encode()
    header += b" " * (-(len(header) + _ALIGNMENT) % _ALIGNMENT)
    return len(header).to_bytes(_ALIGNMENT, "little") + header + b"".join(body)


def load(data: bytes) -> dict[str, Any]:
    """The values that `dump` was given; arrays are read-only views of `data`.

    Raises:
        MadtreeError: the bytes are not those of a `dump`, or of one by another version of madtree.
    """
    length = int.from_bytes(data[:_ALIGNMENT], "little")
    position = _ALIGNMENT + length
    if position > len(data):
        raise damaged(f"they end before their header, of {length} bytes, does")
    try:
        header = json.loads(data[_ALIGNMENT:position].decode())
    except (ValueError, RecursionError):
        raise damaged("their header is not JSON") from None
    match header:
        case {"madtree": str() as version} if version != __version__:
            raise MadtreeError(
                f"a process of madtree {__version__} was handed bytes of madtree {version[:20]}",
                hint="The extension was updated while the statement ran. Run the statement again.",
                sqlstate="55000",
            )
        case {"values": dict() as values, "arrays": dict() as arrays}:
            pass
        case _:
            raise damaged('their header has no "values" and "arrays"')
    for name, described in arrays.items():
        array, position = _array(data, name, described, position)
        values[name] = array
    return values


def damaged(problem: str) -> MadtreeError:
    """The error for bytes that are not what they should be."""
    return MadtreeError(f"the bytes handed over are damaged: {problem}", hint=_HINT)


class LastPlan(Generic[T]):
    """The plan that came last, decoded and checked once for all blocks that come with it."""

    def __init__(self, decode: Callable[[dict[str, Any]], T]) -> None:
        """`decode`: takes nothing for granted; raises MadtreeError where a value is not as it must be."""
        self._decode = decode
        self._plan: bytes | None = None
        self._decoded: T

    def get(self, plan: bytes) -> T:
        """Raises MadtreeError where the plan is damaged."""
        if plan != self._plan:
            self._plan = None
            self._decoded = self._decode(load(plan))
            self._plan = plan
        return self._decoded


def _array(data: bytes, name: str, described: Any, position: int) -> tuple[Array, int]:
    """An array that begins at `position`, and where the next one does."""
    match described:
        case [str() as dtype_text, list() as shape] if dtype_text in _DTYPES and len(shape) <= _MOST_DIMENSIONS:
            pass
        case _:
            raise damaged(f"the array {name:.60} is of no type that can be read")
    dtype, size = _DTYPES[dtype_text], 1
    for length in shape:
        # An empty array may be long in its other dimensions, but not longer than something that is there.
        if type(length) is not int or not 0 <= length <= len(data):
            raise damaged(f"the array {name:.60} has no size that can be")
        size *= length
    end = position + size * dtype.itemsize
    if end > len(data):
        raise damaged(f"they end before the array {name:.60} does")
    return np.ndarray(shape, dtype, data, position), end + -end % _ALIGNMENT
