"""Fixtures of the client's tests."""

from __future__ import annotations

import psycopg
import pytest

import madtree


@pytest.fixture
def client(db: psycopg.Connection) -> madtree.Client:
    """A client on the test's connection, in autocommit mode."""
    return madtree.connect(db)


@pytest.fixture
def url(dsn: str, schema: str) -> str:
    """A connection string with which unqualified names are made in the test's schema."""
    return psycopg.conninfo.make_conninfo(dsn, options=f"-c search_path={schema},public,madtree")


@pytest.fixture
def flowers(db: psycopg.Connection) -> None:
    """A table with numbers, a text and a boolean, some missing; `kind` follows from them in most rows."""
    db.execute(
        """CREATE TABLE flowers AS
        SELECT g AS id, CASE WHEN g % 11 > 0 THEN (g * 37 % 101) / 10.0::float8 END AS length,
            (g * 53 % 97)::float8 AS "Width",
            (ARRAY['red', 'blue', NULL, 'white'])[1 + g % 4] AS colour, g % 3 = 0 AS wild,
            (g * 37 % 101 > 50)::int + (g % 4 = 1)::int AS kind, (g * 37 % 101) * 0.5::float8 AS price,
            1 + g % 3 AS weight
        FROM generate_series(1, 300) AS g"""
    )
    db.execute("ALTER TABLE flowers ADD PRIMARY KEY (id)")
