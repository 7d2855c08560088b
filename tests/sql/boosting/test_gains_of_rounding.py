"""Nodes whose rows are all alike but for rounding: boosted trees do not split them, whatever rows weigh."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import boost
from forest_data import rows

# Outcomes that one feature tells of; two more features that tell nothing; weights of whole numbers and of fractions.
MAKE = """
    CREATE TABLE t AS SELECT i AS id, i * 31 % 17 AS a, (i * 17 % 23) / 4.0::float8 AS b, i * 7 % 5 AS c,
        i % 3 + 1 AS whole, (i * 7907 % 97 + 1) / 97.0::float8 AS fraction,
        i * 31 % 17 > 7 AS late, (i * 31 % 17 / 3) / 7.0::float8 AS y, (i * 31 % 17 / 6)::float8 AS n
    FROM generate_series(1, 900) i;
    ANALYZE t
"""
N_VALUES = {"late": 2, "y": 6, "n": 3}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("weights", [None, "whole", "fraction"])
@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("late", {}),
        ("late", {"loss": "exponential"}),
        ("late", {"boost_params": "subsample=0.5"}),
        ("late", {"monotone": "a=1, b=1"}),
        ("late", {"strategy": "aggregate"}),
        ("late", {"class_params": "class_weight=1:3.3"}),
        ("y", {}),
        ("y", {"loss": "huber"}),
        ("y", {"loss": "quantile", "boost_params": "quantile=0.7"}),
        ("y", {"boost_params": "l2_regularization=1e-9"}),
        ("n", {"loss": "poisson"}),
    ],
    ids=str,
)
def test_rows_with_the_same_outcome_stay_together(
    db: psycopg.Connection, target: str, more: dict[str, Any], weights: str | None
) -> None:
    db.execute(MAKE)
    boost(db, target, weights=weights, min_bucket=1, num_trees=4, max_leaf_nodes=31, **more)
    n_leaves = [row["n_leaves"] for row in rows(db, "SELECT n_leaves FROM m ORDER BY tree_id")]
    assert max(n_leaves) <= N_VALUES[target]
    assert min(n_leaves) > 1
    assert {row["feature"] for row in rows(db, "SELECT feature FROM m_nodes WHERE NOT is_leaf")} == {"a"}


@pytest.mark.parametrize("weights", [None, "whole", "fraction"])
def test_what_is_explained_to_the_last_digit_is_not_split_again(db: psycopg.Connection, weights: str | None) -> None:
    db.execute(MAKE)
    boost(db, "y", weights=weights, min_bucket=1, num_trees=4, max_leaf_nodes=31, learning_rate=1)
    assert [row["n_leaves"] for row in rows(db, "SELECT n_leaves FROM m ORDER BY tree_id")] == [6, 1, 1, 1]


def test_a_small_difference_is_one(db: psycopg.Connection) -> None:
    """Of a hundred-millionth of the range, which the other feature's noise hides from nobody."""
    db.execute(MAKE)
    db.execute("UPDATE t SET y = (a > 7)::int + (c > 2)::int * 1e-8")
    boost(db, "y", weights="fraction", min_bucket=1, num_trees=1, max_leaf_nodes=31)
    splits = rows(db, "SELECT feature FROM m_nodes WHERE NOT is_leaf ORDER BY node_id")
    assert [row["feature"] for row in splits] == ["a", "c", "c"]


@pytest.mark.parametrize("strategy", ["auto", "aggregate"])  # by the first each group is grown by itself
def test_a_small_group_is_not_split_either_beside_one_whose_gradients_have_few_bits(
    db: psycopg.Connection, strategy: str
) -> None:
    db.execute(MAKE)
    db.execute(
        "CREATE TABLE many AS SELECT id, 1 AS g, a, b, c, fraction, late FROM t UNION ALL "
        "SELECT 1000 + i, 2, i * 31 % 17, (i * 17 % 23)::float8, i * 7 % 5, 1, i % 7919 > 3000 "
        "FROM generate_series(1, 101000) i; ANALYZE many"
    )
    more: dict[str, Any] = {"weights": "fraction", "max_leaf_nodes": 31, "strategy": strategy}
    boost(db, "late", source="many", grouping_cols="g", num_trees=3, **more)
    counts = rows(db, "SELECT gid, max(n_leaves) AS most FROM m GROUP BY gid ORDER BY gid")
    assert counts[0]["most"] == 2
    assert counts[1]["most"] > 2
