"""tree_shap: contributions add up to predictions, whatever the model and the values."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forest_data import rows
from shares import share

FEATURES = 'x, c, "Odd name", i, e, x * 2 + coalesce(i, 0)'
MAKE = """
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TABLE t AS SELECT n AS id, CASE WHEN n % 10 < 7 THEN 'A' ELSE 'B' END AS g,
    CASE WHEN n % 13 > 0 THEN sin(n * 7.1) END AS x, CASE WHEN n % 17 > 0 THEN 'c' || n * 13 % 6 END AS c,
    cos(n * 3.7) AS "Odd name", nullif(n * 53 % 17, 3) AS i, ('{small,medium,large}'::size[])[1 + n / 3 % 3] AS e,
    n % 4 + 0.5 AS w, 1.0 + n % 3 AS span
FROM generate_series(1, 700) AS n;
ALTER TABLE t ADD v float8, ADD late boolean, ADD k text, ADD n int;
UPDATE t SET v = coalesce(x, 0.3) * 3 + "Odd name" * coalesce(i, 8) / 4.0 + (c = 'c2')::int + (e = 'large')::int + 100;
UPDATE t SET late = v > 101, k = 'class ' || width_bucket(v, 98, 104, 3), n = greatest(v - 99, 0)::int;
CREATE TABLE test AS SELECT * FROM t WHERE id % 3 > 0;
INSERT INTO test (id, g, x, c, "Odd name", i, e) VALUES (901, 'A', NULL, 'new', NULL, NULL, NULL),
    (902, 'C', 1, 'c1', 1, 1, 'small'), (903, NULL, 0, 'c1', 1, 1, 'large'),
    (904, 'B', 'NaN', NULL, 'Infinity', 9, 'small');
"""
TOLD: list[dict[str, Any]] = [
    {}, {"interactions": True}, {"background": "others"}, {"interactions": True, "background": "others"},
]  # fmt: skip
BOOST = {"num_trees": 6, "max_leaf_nodes": 8, "min_bucket": 3}
FOREST = {"num_trees": 7, "importance": False, "max_tree_depth": 6}
SURROGATES = {"surrogate_params": "max_surrogates=2"}
# Function, dependent, more arguments, type of the predictions, and what their columns begin with.
MODELS: dict[str, tuple[str, str, dict[str, Any], str, str]] = {
    "tree of classes": ("tree", "k", {}, "prob", "estimated_prob_"),
    "tree of two classes, weights": ("tree", "late", {"weights": "w"}, "prob", "estimated_prob_"),
    "tree of numbers, surrogates": ("tree", "v", SURROGATES, "response", "estimated_"),
    "tree of classes, surrogates and groups": (
        "tree", "k", {**SURROGATES, "grouping_cols": "g", "weights": "w"}, "prob", "estimated_prob_",
    ),
    "tree with NULL as a category": (
        "tree", "v", {"surrogate_params": "null_as_category=true"}, "response", "estimated_",
    ),
    "forest of classes": ("forest", "k", FOREST, "prob", "estimated_prob_"),
    "tree of counts over an exposure": (
        "tree", "n", {"split_criterion": "poisson", "exposure": "span", "weights": "w"}, "response", "estimated_",
    ),
    "forest of classes, mean shares": ("forest", "k", {**FOREST, "weights": "w"}, "prob_mean", "estimated_prob_"),
    "forest of numbers, surrogates and groups": (
        "forest", "v", {**FOREST, "null_handling_params": "max_surrogates=1", "grouping_cols": "g"}, "response",
        "estimated_",
    ),
    "boosted numbers": ("boost", "v", {**BOOST, "weights": "w"}, "raw", "raw_"),
    "boosted numbers by thresholds alone": ("boost", "v", {**BOOST, "features": 'x, "Odd name", i'}, "raw", "raw_"),
    "boosted classes, groups": ("boost", "k", {**BOOST, "grouping_cols": "g"}, "raw", "raw_"),
    "two boosted classes, as many rounds as pay": (
        "boost", "late",
        {**BOOST, "grouping_cols": "g", "boost_params": "subsample=0.6",
         "validation_params": "fraction=0.25, n_iter_no_change=2", "num_trees": 20}, "raw", "raw_",
    ),
    "boosted classes by votes": ("boost", "k", {**BOOST, "boost_params": "method=adaboost"}, "raw", "raw_"),
    "boosted counts": ("boost", "n", {**BOOST, "loss": "poisson"}, "raw", "raw_"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def train(db: psycopg.Connection, kind: str, dependent: str, more: dict[str, Any]) -> None:
    named = {**more}
    features = named.pop("features", FEATURES)
    names = "".join(f", {name} => %s" for name in named)
    db.execute(
        f"SELECT madtree.{kind}_train('t', 'm', 'id', %s, %s{names})",  # type: ignore[arg-type]
        [dependent, features, *named.values()],
    )


def explain(db: psycopg.Connection, source: str = "test", **more: Any) -> list[dict[str, Any]]:
    db.execute("DROP TABLE IF EXISTS why")
    names = "".join(f", {name} => %s" for name in more)
    db.execute(f"SELECT madtree.tree_shap('m', %s, 'why'{names})", [source, *more.values()])  # type: ignore[arg-type]
    return rows(db, "SELECT * FROM why")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("turn", "name"), list(enumerate(MODELS)))
def test_contributions_add_up_to_predictions(db: psycopg.Connection, turn: int, name: str) -> None:
    kind, dependent, more, type_, _ = MODELS[name]
    train(db, kind, dependent, more)
    db.execute(f"SELECT madtree.{kind}_predict('m', 'test', 'scored', '{type_}')")  # type: ignore[arg-type]
    scored = {row.pop("id"): row for row in rows(db, "SELECT * FROM scored")}
    db.execute("CREATE TABLE others AS SELECT * FROM test WHERE id > 660 ORDER BY md5(id::text)")
    for told in share(TOLD, 2, turn):
        check(db, name, scored, told)


def check(db: psycopg.Connection, name: str, scored: dict[Any, dict[str, Any]], told: dict[str, Any]) -> None:
    _, dependent, more, type_, begins = MODELS[name]
    found = explain(db, type=type_, **told)
    classes = [key.removeprefix(begins) for key in next(iter(scored.values())) if key.startswith(begins)]
    several = dependent == "k"
    assert len(found) == len(scored) * (len(classes) if several else 1)
    last = begins + classes[-1]
    n_known = 0
    for row in found:
        id_, expected = row.pop("id"), row.pop("expected")
        class_ = row.pop("class") if several else None
        n_features = 3 if "features" in more else 6
        assert len(row) == (n_features * (n_features + 1) // 2 if "interactions" in told else n_features)
        if expected is None:
            assert {*row.values(), class_} == {None}
            assert scored[id_][last] is None
            continue
        n_known += 1
        predicted = scored[id_][begins + class_ if several else last]
        assert abs(expected + sum(row.values()) - predicted) <= 1e-12 * max(1, abs(predicted))
    assert n_known


@pytest.mark.parametrize("value", ["Infinity", "-Infinity"])
def test_a_leaf_that_says_no_finite_number_and_no_leaf_at_all_are_refused(db: psycopg.Connection, value: str) -> None:
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'v', 'x, i')")
    db.execute("UPDATE m_nodes SET prediction = %s WHERE node_id = (SELECT max(node_id) FROM m_nodes)", [value])
    for call in ("tree_shap('m', 'test', 'out')", "tree_explain('m', 'test', '2')"):
        with pytest.raises(psycopg.Error, match="damaged: what some of its leaves say is no finite number"):
            db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]
    db.execute("DELETE FROM m_nodes")
    with pytest.raises(psycopg.Error, match="the model has no tree, by which predictions could be explained"):
        db.execute("SELECT madtree.tree_shap('m', 'test', 'out')")
