"""A training that only computes, in memory, is stopped as soon as one that waits for statements."""

from __future__ import annotations

import time

import psycopg
import pytest


def test_a_timeout_is_kept_between_levels(db: psycopg.Connection) -> None:
    """Twenty folds to depth 25 take some ten seconds, no level of them more than two."""
    db.execute("SELECT setseed(0.5)")
    db.execute(
        "CREATE TABLE numbers AS SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d, "
        "random() < 0.4 AS y FROM generate_series(1, 300000) AS i"
    )
    db.execute("SET statement_timeout = '1s'")
    begin = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled):
        db.execute(
            "SELECT madtree.tree_train('numbers', 'model', 'id', 'y', '*', max_depth => 25, n_bins => 1000, "
            "min_split => 2, pruning_params => 'n_folds=20')"
        )
    assert time.monotonic() - begin < 4
