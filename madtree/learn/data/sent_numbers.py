"""Numbers as PostgreSQL sends them, big-endian, as numpy arrays; `madtree.sqltext.sent_numbers` asks for them."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Floats, Ints


def sent_ints(data: bytes) -> Ints:
    """(n,) int64 of n times eight bytes."""
    numbers: Ints = np.frombuffer(data, ">i8").astype(np.int64)
    return numbers


def sent_floats(data: bytes) -> Floats:
    """(n,) float64 of n times eight bytes."""
    numbers: Floats = np.frombuffer(data, ">f8").astype(np.float64)
    return numbers
