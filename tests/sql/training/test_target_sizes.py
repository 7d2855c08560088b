"""Regression targets at the ends of what double precision holds."""

from __future__ import annotations

import psycopg
import pytest
from training import train

_TABLE = "CREATE TABLE t AS SELECT i AS id, {y} AS y, i AS x FROM generate_series(1, 40) i"


@pytest.mark.parametrize(
    ("y", "says", "hint"),
    [
        ("(i - 20) * 1e160", "values of a size of 2e+161, whose sums of squares", "y divided by a power of ten"),
        ("i * 1e-170", "values that differ by no more than 3.9e-169", "y multiplied by a power of ten"),
    ],
)
def test_targets_whose_squares_cannot_be_summed_are_refused(
    db: psycopg.Connection, y: str, says: str, hint: str
) -> None:
    db.execute(_TABLE.format(y=f"({y})::float8"))
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        train(db, "t", "m", "y", "x")
    assert f"dependent_variable: y has {says}" in str(caught.value)
    assert hint in (caught.value.diag.message_hint or "")


@pytest.mark.parametrize("factor", [1e-140, 1.0, 1e140])
def test_other_targets_are_split_whatever_their_size(db: psycopg.Connection, factor: float) -> None:
    db.execute(_TABLE.format(y=f"((i > 20)::int * {factor!r})::float8"))
    train(db, "t", "m", "y", "x")
    assert db.execute("SELECT threshold, n_rows FROM m_nodes WHERE node_id = 0").fetchone() == (20.5, 40)


def test_a_constant_target_gives_a_single_leaf(db: psycopg.Connection) -> None:
    db.execute(_TABLE.format(y="1e-200::float8"))
    train(db, "t", "m", "y", "x")
    assert db.execute("SELECT count(*), min(prediction) FROM m_nodes").fetchone() == (1, 1e-200)
