"""How a training goes through the rooms of the house: from the stages of `madtree.train` into the others, and back into
these only where a stage hands something on that is called.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from training import train_by_client

from madtree.request import Tuning

MANY_BLOCKS = Tuning(block_rows=1_024, read_rows=1_024)
CALLS: list[dict[str, Any]] = [
    {},
    {"tuning": MANY_BLOCKS},
    {"tuning": MANY_BLOCKS, "grouping_cols": "g"},
    {"strategy": "aggregate"},
    {"num_trees": 2},
    {"tuning": MANY_BLOCKS, "num_trees": 2},
]


def room_of(frame: FrameType) -> str | None:
    """As in test_rooms.py; None where it is no code of ours."""
    parts = str(frame.f_globals.get("__name__", "")).split(".")
    # Neither is a room: `records` stands for a module of the standard library, and all use `wording` for sentences.
    if parts[0] != "madtree" or parts[1:] in (["records"], ["wording"]):
        return None
    parts = parts[1:]
    return ".".join(parts[: 2 if parts[:1] == ["learn"] or parts[:2] == ["model", "write"] else 1])


@dataclass
class Ways:
    """Attributes:
    entered: rooms of which a stage calls something.
    back: functions of the stages that other rooms call.
    """

    entered: set[str] = field(default_factory=set)
    back: set[str] = field(default_factory=set)

    @contextmanager
    def seen(self) -> Iterator[None]:
        before = sys.getprofile()
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        if event != "call" or frame.f_back is None:
            return
        room, caller = room_of(frame), room_of(frame.f_back)
        if room is None or caller is None or room == caller:
            return
        if caller == "train":
            self.entered.add(room)
        if room == "train":
            self.back.add(f"{frame.f_globals['__name__']}: {frame.f_code.co_name}")


@pytest.fixture(scope="module")
def ways() -> Ways:
    return Ways()


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_few_rooms_are_entered_and_few_call_back(db: psycopg.Connection, ways: Ways, call: dict[str, Any]) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i % 2 AS g, (i * 7919 % 1013 > 500)::int AS y, i * 31 % 977 AS a, "
        "(i * 17 % 21)::text AS b FROM generate_series(1, 3000) i; ANALYZE t"
    )
    given = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "dependent_variable": "y"}
    host = PsycopgHost(db)
    with ways.seen():
        train_by_client(host, **given, list_of_features="a, b", **call)
    # Rooms: packing rows is one of its own since the room of problems was divided.
    # Back: the trees that are done, the program itself, how far reading is, and how far the program is.
    assert len(ways.back) <= 4, sorted(ways.back)
    assert len(ways.entered) <= 14, sorted(ways.entered)
    assert {"host", "ingest", "learn.prune", "model.write"} <= ways.entered
