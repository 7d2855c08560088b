"""Named values and arrays as one byte string and back: what travels between the orchestrator and the SQL functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_ALIGNMENT = 8


def dump(values: Mapping[str, Any]) -> bytes:
    """`values` as bytes: a JSON header (length, then text), then the arrays' little-endian bytes, each 8-byte aligned.

    Arrays keep dtype and shape; everything else must be what JSON can hold. Nothing in it is ever executed on reading.
    """
    plain: dict[str, Any] = {}
    arrays: dict[str, tuple[str, tuple[int, ...]]] = {}
    body: list[bytes] = []
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
            data = array.tobytes()
            arrays[name] = (array.dtype.str, array.shape)
            body.append(data + b"\0" * (-len(data) % _ALIGNMENT))
        else:
            plain[name] = value
    header = json.dumps({"values": plain, "arrays": arrays}, separators=(",", ":")).encode()
    header += b" " * (-(len(header) + _ALIGNMENT) % _ALIGNMENT)
    return len(header).to_bytes(_ALIGNMENT, "little") + header + b"".join(body)


def load(data: bytes) -> dict[str, Any]:
    """The values that `dump` was given; arrays are read-only views of `data`."""
    length = int.from_bytes(data[:_ALIGNMENT], "little")
    position = _ALIGNMENT + length
    header = json.loads(data[_ALIGNMENT:position])
    values: dict[str, Any] = header["values"]
    for name, (dtype_text, shape) in header["arrays"].items():
        dtype = np.dtype(dtype_text)
        count = int(np.prod(shape, dtype=np.int64))
        values[name] = np.frombuffer(data, dtype, count, position).reshape(shape)
        position += count * dtype.itemsize
        position += -position % _ALIGNMENT
    return values
