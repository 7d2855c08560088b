"""What a training asks of a column before it knows how many values there are: no more is fetched than a model can have,
neither in number nor in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from madtree import engine
from madtree.errors import MadtreeError
from madtree.host import Row
from madtree.host.psycopg import PsycopgHost
from madtree.trees import MAX_CATEGORIES, MAX_CLASSES

N = 2 * MAX_CLASSES + 100


class CountingHost(PsycopgHost):
    """Knows the largest answer in rows, and in characters of texts."""

    rows = characters = 0

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        found = super().query(sql, types, params)
        texts = (len(value) for row in found for value in row.values() if isinstance(value, str))
        self.rows, self.characters = max(self.rows, len(found)), max(self.characters, sum(texts))
        return found


def refused(db: psycopg.Connection, match: str, *arguments: str | None) -> CountingHost:
    host = CountingHost(db)
    with db.transaction(force_rollback=True), pytest.raises(MadtreeError, match=match):
        engine.call(host, "tree_train", arguments)
    return host


def test_values_that_tell_rows_apart(db: psycopg.Connection) -> None:
    db.execute(
        f"CREATE TABLE many AS SELECT i AS id, i % 7 AS x, i % 2 AS g, 'v' || i AS v FROM generate_series(1, {N}) AS i"
    )
    host = refused(db, f"v has {N} categories; at most {MAX_CATEGORIES}", "many", "m", "id", "x", "*")
    assert host.rows == MAX_CATEGORIES + 1
    for grouping in (None, "g"):
        match = f"v has {2 * MAX_CLASSES} or more classes; at most {MAX_CLASSES}"
        host = refused(db, match, "many", "m", "id", "v", "x", None, None, grouping)
        assert host.rows == 2 * MAX_CLASSES
    arguments = ("many", "m", "id", "x", "g", *[None] * 8, "n_folds=2, fold_col=v")
    assert refused(db, f"v has {N} distinct values", *arguments).rows <= MAX_CATEGORIES + 1


def test_long_values(db: psycopg.Connection) -> None:
    """350 of 200,000 bytes, which take little room in the table."""
    db.execute(
        "CREATE TABLE long AS SELECT i AS id, i % 7 AS x, i % 2 AS g, repeat('v', 200000) || i AS v "
        "FROM generate_series(1, 350) AS i"
    )
    host = refused(db, "categories of features up to v have 70,000,9.. bytes together", "long", "m", "id", "x", "v")
    assert host.characters < 1_000_000
    for grouping in (None, "g"):
        host = refused(db, "classes of v have 70,000,9.. bytes", "long", "m", "id", "v", "x", None, None, grouping)
        assert host.characters < 1_000_000
