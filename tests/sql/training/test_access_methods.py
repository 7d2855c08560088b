"""Tables of other access methods than heap, which need not know samples of pages or the places of rows."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree.request import check_arguments
from madtree.score.predict import tree_predict
from madtree.sqltext.work import LEAVES
from madtree.train.train import train


@pytest.fixture
def other(db: psycopg.Connection) -> Iterator[str]:
    """An access method that works as heap does, but says nothing of it by its name."""
    name = f"other_{secrets.token_hex(4)}"
    db.execute(f"CREATE ACCESS METHOD {name} TYPE TABLE HANDLER heap_tableam_handler")
    yield name
    db.execute(f"DROP ACCESS METHOD {name} CASCADE")


ROWS = "SELECT i AS id, i % 7 AS x, i % 11 AS z, (i % 7 > i % 5)::int AS c FROM generate_series(1, 3000) AS i"


@pytest.mark.parametrize("parts", [False, True], ids=["a table", "a partition"])
def test_what_is_no_heap_is_copied_and_never_read_by_place(db: psycopg.Connection, other: str, parts: bool) -> None:
    db.execute(f"CREATE TABLE heap AS {ROWS}")
    if parts:
        db.execute("CREATE TABLE t (id int, x int, z int, c int) PARTITION BY RANGE (id)")
        db.execute("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (1000)")
        db.execute(f"CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (1000) TO (9000) USING {other}")
        db.execute("INSERT INTO t TABLE heap")
    else:
        db.execute(f"CREATE TABLE t USING {other} AS TABLE heap")
    for table in ("heap", "t"):
        oid = db.execute(f"SELECT '{table}'::regclass::oid").fetchone()
        assert oid is not None
        assert bool(PsycopgHost(db).query(LEAVES, ["oid"], [oid[0]])) == (table == "heap")
        db.execute(f"SELECT tree_train('{table}', 'm_{table}', 'id', 'c', 'x, z')")
    left = db.execute("SELECT count(*) FROM ((TABLE m_t_nodes) EXCEPT ALL (TABLE m_heap_nodes)) AS d").fetchone()
    assert left == (0,)


def test_new_data_that_are_no_heap_are_scored_as_a_whole(db: psycopg.Connection, other: str) -> None:
    made: list[str] = []

    class Listening(PsycopgHost):
        def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
            made.append(sql)
            return super().command(sql, types, params)

    db.execute(f"CREATE TABLE t USING {other} AS {ROWS}")
    db.execute("SELECT tree_train('t', 'm', 'id', 'c', 'x, z')")
    tree_predict(Listening(db), "m", "t", "scored", "response", in_blocks=True)
    assert any("score_block(" in s for s in made)
    assert not any("ctid" in s for s in made)


def test_work_tables_are_heaps_whatever_is_the_default(db: psycopg.Connection, other: str) -> None:
    db.execute(f"CREATE TABLE heap AS {ROWS}")
    db.execute("CREATE VIEW v AS TABLE heap")
    db.execute(f"SET default_table_access_method = {other}")
    made: list[str] = []

    class Looking(PsycopgHost):
        def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
            if sql.startswith("DROP TABLE"):
                found = self.connection.execute(
                    "SELECT a.amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE relname ~ '^madtree_rows_'"
                )
                made.extend(row[0] for row in found)
            return super().command(sql, types, params)

    host = Looking(db)
    with db.transaction():
        train(host, check_arguments(host, "v", "m", "id", "c", "x, z"))
    assert made == ["heap"]
