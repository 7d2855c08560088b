"""Columns that grow at their ends, in room that is kept behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from madtree.learn.data.types import Array

_MOST_ROOM = 1 << 12  # entries, by which columns grow before they are copied


def extend(owner: Any, rooms: dict[str, Array], fills: Mapping[str, Any], count: int) -> None:
    """Add `count` entries to columns (..., n) of `owner`. A tree grows in some ten rounds, and joining each column with
    its new entries in each of them took longer than all that is entered into it.

    Args:
        rooms: by name the array that a column is the first part of; to be kept for the next call.
        fills: by name what new entries are.
    """
    for name, fill in fills.items():
        column = getattr(owner, name)
        n, room = column.shape[-1], rooms.get(name)
        if room is None or column.base is not room or room.shape[-1] < n + count:
            size = n + count + min(2 * (n + count), _MOST_ROOM)
            room = rooms[name] = np.full((*column.shape[:-1], size), fill, column.dtype)
            room[..., :n] = column
        setattr(owner, name, room[..., : n + count])
