"""What the command line's tests share: a table to learn from, and the command on this worker's database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from terminal import Said, run
from training import train

Command = Callable[..., Said]
REMARKS = ("notice: pruning left ", "notice: --features: ")


@pytest.fixture
def madtree(dsn: str, kept_dsn: str) -> Command:
    """The command with pipes, on the test's database."""

    def call(*words: str, **changes: str) -> Said:
        # Options of a session are for a new one only.
        return run(*words, "--dsn", dsn if "PGOPTIONS" in changes else kept_dsn, **changes)

    return call


@pytest.fixture
def answer(madtree: Command) -> Callable[..., Any]:
    """What the command says with --json, read."""

    def call(*words: str) -> Any:
        said = madtree(*words, "--json")
        # The server may remark on what is learned here: these tables are made up.
        unasked = [line for line in said.err.splitlines() if not line.startswith(REMARKS)]
        assert (said.code, unasked) == (0, []), said
        return json.loads(said.out)

    return call


@pytest.fixture
def points(db: psycopg.Connection, schema: str) -> str:
    """Four hundred rows: `late` is a step in `hour` with a few exceptions, `speed` a step too; a group, a NULL."""
    db.execute(
        "CREATE TABLE points AS SELECT i AS id, (i * 7919 % 240)::float8 / 10 AS hour, i * 31 % 7 AS day, "
        "(ARRAY['UA', 'B6', 'Ünï'])[1 + i % 3] AS carrier, (i * 7919 % 240 > 120) <> (i % 17 = 0) AS late, "
        "CASE WHEN i * 7919 % 240 > 120 THEN 10.5 ELSE -3 END + i % 5 AS speed FROM generate_series(1, 400) AS i"
    )
    return f"{schema}.points"


@pytest.fixture
def model(points: str, schema: str, db: psycopg.Connection) -> str:
    """A model of `late`."""
    train(db, points, f"{schema}.m", "late", "hour, day", max_depth=3)
    return f"{schema}.m"


@pytest.fixture
def grouped(points: str, schema: str, db: psycopg.Connection) -> str:
    """A tree for each carrier, with surrogates."""
    train(
        db,
        points,
        f"{schema}.g",
        "late",
        "hour, day, speed",
        grouping_cols="carrier",
        surrogate_params="max_surrogates=2",
    )
    return f"{schema}.g"
