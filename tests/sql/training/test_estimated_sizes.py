"""A table whose size is known about: its classes are looked for in some of its rows."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from surveying import surveyed
from training import Tables, read_model
from training import train as train_on

from madtree.request import arguments

N_ROWS = 100_000
MAKE = f"""
    CREATE TABLE t AS SELECT i AS id, (ARRAY['no', 'yes'])[1 + ((i * 7919 % 1013 > 500) <> (i % 7 = 0))::int] AS y,
        i * 31 % 977 / 977.0::float8 AS a, i * 17 % 211 AS b FROM generate_series(1, {N_ROWS}) i
"""


def is_estimated(db: psycopg.Connection) -> bool:
    host = PsycopgHost(db)
    task = arguments.check_arguments(host, "t", "other", "id", "y", "a, b")
    return surveyed(host, task).profile.estimated


def trained(db: psycopg.Connection, **more: Any) -> Tables:
    train_on(db, "t", "m", "y", "a, b", replace=True, max_depth=5, parallel_workers=0, **more)
    return read_model(db, "m")


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "change",
    [
        "SELECT 1",
        f"UPDATE t SET y = 'rare' WHERE id = {N_ROWS}",  # a class that the sample lacks
        "UPDATE t SET y = NULL WHERE id % 50 = 0",
    ],
    ids=["plain", "a rare class", "some without a class"],
)
@pytest.mark.parametrize("more", [{}, {"pruning_params": "n_folds=3"}], ids=["", "folds"])
def test_the_model_is_that_of_a_table_that_was_counted(
    db: psycopg.Connection, change: str, more: dict[str, Any]
) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t SET (autovacuum_enabled = false)")
    db.execute(change)  # type: ignore[arg-type]
    assert not is_estimated(db)
    counted = trained(db, **more)
    db.execute("VACUUM ANALYZE t")
    assert is_estimated(db)
    assert trained(db, **more) == counted


def test_a_table_that_has_shrunk_is_counted(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t SET (autovacuum_enabled = false)")
    db.execute("ANALYZE t")
    db.execute("DELETE FROM t WHERE id > 1000")
    assert not is_estimated(db)
