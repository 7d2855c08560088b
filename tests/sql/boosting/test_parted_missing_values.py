"""Splits that part the rows without a value from all others: wherever a model is read, they say the same."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest
from boosted_data import boost
from forest_data import rows
from pmml_tree import Evaluator

MAKE = """
    CREATE TYPE size AS ENUM ('small', 'middle', 'large');
    CREATE TABLE t AS SELECT i AS id,
        CASE WHEN i % 5 > 0 THEN i % 17 END AS a,
        CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' ELSE i % 13 / 4.0 END::float8 AS b,
        CASE WHEN i % 6 > 0 THEN 'c' || i % 11 END AS c,
        CASE WHEN i % 8 > 0 THEN '2026-01-01'::date + i % 50 END AS d,
        CASE WHEN i % 9 > 0 THEN (enum_range(NULL::size))[1 + i % 3] END AS e,
        CASE WHEN i % 10 > 0 THEN i % 19 / 8.0 END::numeric AS f
    FROM generate_series(1, 1500) i;
    ALTER TABLE t ADD y float8;
    UPDATE t SET y = 8.0 * (a IS NULL)::int + 4.0 * (coalesce(b, 'NaN') = 'NaN')::int + 2.0 * (c IS NULL)::int
        + 16 * (d IS NULL)::int + 32 * (e IS NULL)::int + 64 * (f IS NULL)::int;
    ANALYZE t
"""
EVERY = "a, b, c, d, e, f"
NEW = """
    INSERT INTO t VALUES (2001, 2147483647, 'Infinity', 'unheard of', 'infinity', 'large', 'Infinity', 0),
        (2002, -9, '-Infinity', NULL, '-infinity', 'small', '-Infinity', 0);
    INSERT INTO t (id) VALUES (2003)
"""


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(MAKE)
    boost(db, "y", features=EVERY, num_trees=12, max_leaf_nodes=2, learning_rate=1.0)
    db.execute(NEW)
    return db


def predicted(db: psycopg.Connection) -> dict[int, float]:
    db.execute("SELECT madtree.boost_predict('m', 't', 'p')")
    return {row["id"]: row["estimated_y"] for row in rows(db, "SELECT * FROM p")}


def test_each_feature_is_used_for_being_missing(data: psycopg.Connection) -> None:
    found = rows(data, "SELECT feature, threshold, right_levels FROM m_nodes WHERE NOT is_leaf")
    alone = {row["feature"] for row in found if row["threshold"] == math.inf or row["right_levels"] == []}
    assert alone == {*EVERY.split(", ")}
    assert len([row for row in found if row["threshold"] == math.inf or row["right_levels"] == []]) == len(found)


def test_an_expression_says_the_same(data: psycopg.Connection) -> None:
    expression = rows(data, "SELECT madtree.boost_sql('m') AS s")[0]["s"]
    assert {row["id"]: row["s"] for row in rows(data, f"SELECT id, {expression} AS s FROM t")} == predicted(data)


def test_values_of_any_size_are_no_missing_ones(data: psycopg.Connection) -> None:
    found = predicted(data)
    least = rows(data, "SELECT id FROM t WHERE y = 0 LIMIT 1")[0]["id"]
    missing_category = rows(data, "SELECT id FROM t WHERE y = 2 LIMIT 1")[0]["id"]
    assert found[least] < found[missing_category]
    # A category that is unheard of goes where a missing one goes.
    assert found[2001] == found[2002] == found[missing_category]
    assert found[2003] > max(found[id_] for id_ in found if id_ < 2000)


def test_another_reader_of_pmml_says_the_same(data: psycopg.Connection) -> None:
    evaluator = Evaluator(str(rows(data, "SELECT madtree.tree_to_pmml('m') AS s")[0]["s"]))
    expected = predicted(data)
    of_numbers = "extract(epoch FROM d)::float8 AS d, f::float8 AS f, a, b, c, e::text, id"
    given: list[dict[str, Any]] = rows(data, f"SELECT {of_numbers} FROM t")
    for row in given:
        if row["b"] is not None and math.isnan(row["b"]):
            row["b"] = None
        answer = evaluator.said(row)
        assert answer is not None
        assert answer[0] == pytest.approx(expected[row["id"]], rel=1e-12)


def test_a_path_and_a_rule_say_it_in_words(data: psycopg.Connection) -> None:
    steps = rows(data, "SELECT * FROM madtree.tree_path('m', 't', '2003')")
    said = {(row["condition"], row["explanation"]) for row in steps if row["feature"] in ("a", "d", "e", "f", "b")}
    assert said <= {(f"{name} is known", f"{name} is missing") for name in "abdef"}
    assert said
    conditions = [row["rule"] for row in rows(data, "SELECT * FROM madtree.tree_rules('m')")]
    assert any("f is missing" in each for each in conditions)
    assert not any("missing or missing" in each or "Infinity" in each for each in conditions)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "bigquery"])
def test_other_databases_are_asked_for_nothing_that_they_do_not_have(data: psycopg.Connection, dialect: str) -> None:
    """PostgreSQL's last day is none of theirs, and infinity is not one of their numbers."""
    data.execute("DELETE FROM t WHERE id > 2000")
    boost(data, "y", features="a, b, c, d, e, f", num_trees=12, max_leaf_nodes=2, learning_rate=1.0)
    text = rows(data, f"SELECT madtree.boost_sql('m', dialect => '{dialect}') AS s")[0]["s"]
    assert "d IS NOT NULL" in text.replace("`", "").replace('"', "")
    assert "5874897" not in text
    assert "2147483647" not in text
