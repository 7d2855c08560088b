"""With null_as_category NULL is the last value of integers and enums, in training and wherever a model is asked."""

from __future__ import annotations

import json
from typing import Any

import json_tree
import psycopg
import pytest
from pmml_tree import Evaluator
from training import train

CATEGORY = "null_as_category=true"
FEATURES = "n, e, s"


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TYPE size AS ENUM ('small', 'middle', 'large');
        CREATE TABLE data (id int, g int, n int, e size, s smallint[], by_n text, by_e text, by_s text);
        INSERT INTO data SELECT *,
            CASE WHEN n IS NULL THEN 'none' WHEN n > 3 THEN 'many' ELSE 'few' END,
            CASE WHEN e IS NULL THEN 'none' WHEN e > 'small' THEN 'big' ELSE 'small' END,
            CASE WHEN s[2] IS NULL THEN 'none' ELSE 'some' END
        FROM (
            SELECT i, i % 2 AS g, nullif(i % 6, 2) AS n, (enum_range(NULL::size))[1 + i % 4] AS e,
                   ARRAY[i % 5, nullif(i % 7 % 3, 1)]::smallint[] AS s
            FROM generate_series(1, 60) i
        ) AS r;
    """)
    return db


def right(db: psycopg.Connection, dependent: str) -> Any:
    db.execute("DROP TABLE IF EXISTS p; SELECT madtree.tree_predict('m', 'data', 'p')")
    query = f"SELECT count(*) FROM p JOIN data USING (id) WHERE estimated_{dependent} = {dependent}"
    return (db.execute(query).fetchone() or (None,))[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("dependent", "feature"), [("by_n", "n"), ("by_e", "e"), ("by_s", "s")])
@pytest.mark.parametrize("more", [{}, {"grouping_cols": "g"}, {"strategy": "aggregate"}], ids=str)
def test_null_parts_rows(data: psycopg.Connection, dependent: str, feature: str, more: dict[str, Any]) -> None:
    good = {"min_split": 2, "replace": True, **more}
    train(data, "data", "m", dependent, feature, **good)
    assert right(data, dependent) < 60
    train(data, "data", "m", dependent, feature, surrogate_params=CATEGORY, **good)
    assert right(data, dependent) == 60
    assert (data.execute("SELECT total_rows_skipped FROM m_summary").fetchone() or ())[0] == 0


@pytest.mark.parametrize("strategy", ["memory", "aggregate"])
def test_rare_nulls_share_no_bin_with_the_largest_of_many_values(db: psycopg.Connection, strategy: str) -> None:
    """Of more rows than have every threshold tried, and more values than an ordered feature has bins for."""
    db.execute("""CREATE TABLE data AS SELECT i AS id, nullif(i, 2500) AS n, i = 2500 OR i % 1000 = 7 AS y
        FROM generate_series(1, 5000) i""")
    options = {"min_split": 2, "min_bucket": 1, "max_depth": 1, "strategy": strategy}
    train(db, "data", "m", "y", "n", surrogate_params=CATEGORY, **options)
    leaves = db.execute("SELECT n_rows, prediction FROM m_nodes WHERE is_leaf ORDER BY node_id").fetchall()
    assert leaves == [(4999, False), (1, True)]
    assert right(db, "y") == 4995


@pytest.mark.in_turn
@pytest.mark.parametrize("options", [CATEGORY, f"{CATEGORY}, max_surrogates=2"])
@pytest.mark.parametrize("dependent", ["by_n", "by_e"])
def test_every_way_of_asking_says_the_same(data: psycopg.Connection, dependent: str, options: str) -> None:
    train(data, "data", "m", dependent, "n, e", min_split=2, surrogate_params=options)
    data.execute("SELECT madtree.tree_predict('m', 'data', 'p', 'leaf')")
    leaves = dict(data.execute("SELECT id, node_id FROM p").fetchall())
    rows = {
        id_: (n, place, e)
        for id_, n, place, e in data.execute(
            "SELECT id, n, array_position(enum_range(NULL::size), e)::float8, e::text FROM data"
        )
    }
    for id_ in list(rows)[:12]:
        path = data.execute("SELECT max(node_id) FROM madtree.tree_path('m', 'data', %s)", [str(id_)]).fetchone()
        assert path == (leaves[id_],)
    expression = (data.execute("SELECT madtree.tree_sql('m', 'leaf')").fetchone() or ("",))[0]
    assert dict(data.execute(f"SELECT id, {expression} FROM data").fetchall()) == leaves
    document = json.loads((data.execute("SELECT madtree.tree_to_json('m')::text").fetchone() or ("",))[0])
    (tree,) = document["trees"]
    pmml = Evaluator((data.execute("SELECT madtree.tree_to_pmml('m')").fetchone() or ("",))[0])
    for id_, (n, place, label) in rows.items():
        assert json_tree.find_leaf(document, tree, {"n": n, "e": place})["node_id"] == leaves[id_]
        leaf = pmml.leaf({"n": n, "e": label})
        assert leaf is not None
        assert leaf.get("id") == str(leaves[id_])
    matched = data.execute("SELECT node_id, predicate FROM madtree.tree_rules('m')").fetchall()
    for node_id, predicate in matched:
        found = data.execute(
            f"SELECT count(*), count(*) FILTER (WHERE id = ANY (%s)) FROM data WHERE {predicate}",
            [[id_ for id_, leaf in leaves.items() if leaf == node_id]],
        ).fetchone()
        assert found is not None
        assert found[0] == found[1] == list(leaves.values()).count(node_id)


def test_what_a_path_and_a_rule_say(data: psycopg.Connection) -> None:
    train(data, "data", "m", "by_n", "n", min_split=2, surrogate_params=CATEGORY)
    rules = [row[0] for row in data.execute("SELECT rule FROM madtree.tree_rules('m') ORDER BY node_id")]
    assert sorted(rules) == ["(n > 5 or missing)", "n <= 3", "n > 3 and n <= 5"]
    assert data.execute("SELECT levels FROM m_summary").fetchone() == ({"n": [None]},)
    data.execute("SELECT madtree.tree_prune('m', 'pruned', 0)")
    assert data.execute("SELECT levels FROM pruned_summary").fetchone() == ({"n": [None]},)
