"""Regression targets, and weights, at the ends of what double precision holds."""

from __future__ import annotations

import math

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


@pytest.mark.parametrize(
    ("weights", "grouping", "says", "hint"),
    [
        ("1e-200 * x", None, "1e-200 * x) is 4e-199 at most, and double precision", "multiplied by a power of ten"),
        ("1e200 * x", None, "1e200 * x) is 4e+201 at most, and double precision", "divided by a power of ten"),
        ("CASE x % 2 WHEN 0 THEN 1 ELSE 1e-200 END", "x % 2", "is 1e-200 at most in a group", "multiplied"),
        ("CASE x WHEN 5 THEN 1 ELSE 1e-90 END", None, "weights: 1e-90 is nothing beside 1 in a sum", "larger, or 0"),
    ],
)
@pytest.mark.parametrize("function", ["tree_train", "forest_train", "boost_train"])
def test_weights_of_which_sums_cannot_be_made_are_refused(
    db: psycopg.Connection, function: str, weights: str, grouping: str | None, says: str, hint: str
) -> None:
    db.execute(_TABLE.format(y="i / 2.0::float8"))
    call = f"SELECT madtree.{function}('t', 'm', 'id', 'y', 'x', weights => %s, grouping_cols => %s)"
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        db.execute(call, [weights, grouping])
    assert says in str(caught.value)
    assert hint in (caught.value.diag.message_hint or "")


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_other_weights_make_the_same_tree_whatever_their_size(db: psycopg.Connection, factor: float) -> None:
    """Of powers of two, by which weights are multiplied exactly."""
    db.execute(_TABLE.format(y="(i * 7 % 11)::float8"))
    nodes = "SELECT node_id, threshold, n_rows, prediction FROM m_nodes ORDER BY node_id"
    train(db, "t", "m", "y", "x", weights="1 + x % 3")
    expected = db.execute(nodes).fetchall()
    exact = 2.0 ** round(math.log2(factor))
    train(db, "t", "m", "y", "x", weights=f"(1 + x % 3) * {exact!r}", replace=True)
    assert db.execute(nodes).fetchall() == expected
