"""A training that only computes, in memory, is stopped as soon as one that waits for statements."""

from __future__ import annotations

import psycopg
import pytest
from training import left_behind, train

TRAINING = {"max_depth": 25, "n_bins": 1000, "min_split": 2, "pruning_params": "n_folds=10", "parallel_workers": 0}


def cpu_seconds(db: psycopg.Connection) -> float:
    """What this session's server process has computed so far; other programs do not count."""
    ((seconds,),) = db.execute("SELECT cpu_seconds()").fetchall()
    return float(seconds)


def test_a_timeout_is_kept_between_levels(db: psycopg.Connection) -> None:
    """Stopped after a tenth of the time that it takes, it computes far less than to the end; no level is so long."""
    db.execute("SELECT setseed(0.5)")
    db.execute(
        "CREATE TABLE numbers AS SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d, "
        "random() < 0.4 AS y FROM generate_series(1, 30000) AS i"
    )
    db.execute(
        "CREATE FUNCTION cpu_seconds() RETURNS float8 LANGUAGE plpython3u AS 'import time; return time.process_time()'"
    )
    begin = cpu_seconds(db)
    train(db, "numbers", "whole", "y", "*", **TRAINING)
    whole = cpu_seconds(db) - begin
    before = left_behind(db)

    db.execute(f"SET statement_timeout = {int(whole * 1000 / 10)}")
    begin = cpu_seconds(db)
    with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
        train(db, "numbers", "model", "y", "*", **TRAINING)
    assert cpu_seconds(db) - begin < whole / 2
    db.execute("RESET statement_timeout")
    assert left_behind(db) == before
