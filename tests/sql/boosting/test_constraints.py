"""Monotone and interaction constraints: proved of all leaves of all trees, and by what is said of rows."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest
from boosted_data import HALF, MAKE, boost
from forest_data import rows
from leaf_boxes import against, leaves_of, trees_of

DIRECTIONS = {"a": -1, "b": 1}
MONOTONE = {"monotone": "a=-1, b=+1"}
NODES = "SELECT * FROM m_nodes ORDER BY tree_id, node_id"


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("UPDATE t SET b = NULL WHERE id % 13 = 0")
    db.execute("UPDATE t SET y = y + 6 * coalesce((c > 'c2')::int, 0); UPDATE t SET late = y > 5, n = greatest(y, 0)")


def violations(db: psycopg.Connection) -> int:
    return sum(
        len(against(tree, feature, direction))
        for tree in trees_of(rows(db, NODES)).values()
        for feature, direction in DIRECTIONS.items()
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("y", {"num_trees": 12, "max_leaf_nodes": 12}),
        ("y", {"weights": "w", "grouping_cols": "g", "min_bucket": 3, **HALF}),
        ("late", {"num_trees": 12, "max_leaf_nodes": 12, "learning_rate": 0.5}),
        ("late", {"weights": "w", "boost_params": "subsample=0.5, l2_regularization=1"}),
        ("n", {"loss": "poisson", "num_trees": 8, "max_leaf_nodes": 12}),
    ],
    ids=str,
)
def test_no_row_there_could_be_is_told_against_a_direction(
    db: psycopg.Connection, target: str, more: dict[str, Any]
) -> None:
    """In no tree do two leaves, and so neither do sums of such, which float64 rounds in order."""
    more["boost_params"] = f"{more.get('boost_params', 'min_gain=0')}, min_data_per_group=20"
    boost(db, target, **more)
    assert violations(db) > 20
    boost(db, target, **more, **MONOTONE)
    assert violations(db) == 0
    assert {"a", "b", "c"} <= {row["feature"] for row in rows(db, NODES)}


def test_what_is_said_of_rows_goes_in_that_direction(db: psycopg.Connection) -> None:
    boost(db, "late", num_trees=20, **MONOTONE)
    db.execute(
        "CREATE TABLE grid AS SELECT row_number() OVER () AS id, a, b, c FROM generate_series(0, 42) a, "
        "unnest(ARRAY[NULL, 0, 2.5, 5]::float8[]) b, unnest(ARRAY['c1', 'new', NULL]) c"
    )
    db.execute("SELECT madtree.boost_predict('m', 'grid', 'said', 'prob')")
    found = rows(
        db,
        "SELECT a, estimated_prob_true - lag(estimated_prob_true) OVER (PARTITION BY b, c ORDER BY a) AS step "
        "FROM said JOIN grid USING (id)",
    )
    steps = [row["step"] for row in found if row["step"] is not None]
    assert len(steps) == 42 * 12
    assert max(steps) <= 0 > min(steps)


def test_leaves_of_gradients_of_few_bits_are_in_order_too(db: psycopg.Connection) -> None:
    """Where splits are found by rounded gradients, the leaves' own values may be the other way round."""
    db.execute(
        "CREATE TABLE many AS SELECT i AS id, (i * 31 % 97)::float8 AS a, nullif(i * 17 % 61, 0)::float8 AS b, "
        "chr(97 + i % 7) AS c, i * 7919 % 1013 + 9 * (i * 31 % 97 % 11) > 500 + i * 17 % 61 AS late "
        "FROM generate_series(1, 101000) AS i; ANALYZE many"
    )
    few: dict[str, Any] = {"source": "many", "num_trees": 3, "max_leaf_nodes": 31}
    boost(db, "late", **few)
    assert violations(db) > 20
    boost(db, "late", **few, **MONOTONE)
    assert violations(db) == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("given", "groups"),
    [
        ("[a, b]", ["ab", "c"]),
        ("[a, c], [b, c]", ["ac", "bc"]),
        ("[a], [b], [c]", ["a", "b", "c"]),
        ("[a, b, c]", ["abc"]),
    ],
)
def test_a_path_has_features_of_one_group_alone(db: psycopg.Connection, given: str, groups: list[str]) -> None:
    db.execute("UPDATE t SET y = y + coalesce(a * b * (c > 'c2')::int, 0)")
    more = {"num_trees": 12, "max_leaf_nodes": 12, "boost_params": "feature_fraction=0.99, min_data_per_group=20"}
    boost(db, "y", **more)
    assert any(
        {"a", "b", "c"} <= set(path) for tree in trees_of(rows(db, NODES)).values() for _, _, path in leaves_of(tree)
    )
    boost(db, "y", **more, interaction_constraints=given)
    paths = [set(path) for tree in trees_of(rows(db, NODES)).values() for _, _, path in leaves_of(tree)]
    assert all(any(path <= set(group) for group in groups) for path in paths)
    assert max(map(len, paths)) == max(map(len, groups))


def test_the_summary_has_them_and_a_direction_of_nothing_changes_nothing(db: psycopg.Connection) -> None:
    boost(db, "y")
    without = rows(db, NODES)
    boost(db, "y", monotone="a=0", interaction_constraints="[a, b, c]")
    assert rows(db, NODES) == without
    boost(db, "y", **MONOTONE, interaction_constraints="[a, b]")
    (summary,) = rows(db, "SELECT monotone, interaction_constraints FROM m_summary")
    assert summary == {"monotone": "a=-1, b=+1", "interaction_constraints": "[a, b]"}
    (listed,) = rows(db, "SELECT parameters FROM madtree.models WHERE model ~ '[.]m$'")
    assert "a=-1, b=+1" in str(listed["parameters"])


def test_elements_of_arrays_and_expressions_have_directions(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE u AS SELECT id, y, ARRAY[a, b] AS two FROM t")
    db.execute(
        "SELECT madtree.boost_train('u', 'm', 'id', 'y', 'two, two[1] - 2', monotone => 'two=-1, two[1] - 2 = 1', "
        "num_trees => 5)"
    )
    trees = trees_of(rows(db, NODES)).values()
    features = {"(two)[1]": -1, "(two)[2]": -1, "two[1] - 2": 1}
    assert not any(against(tree, feature, way) for tree in trees for feature, way in features.items())
    assert any(row["feature"] for row in rows(db, NODES))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"monotone": "c=1"}, "monotone: c is of type text, whose values have no order"),
        ({"monotone": "a=2"}, "monotone: the direction of a must be [+]1, -1 or 0, not '2'"),
        ({"monotone": "a"}, "monotone: 'a' is not a pair feature=direction"),
        ({"monotone": "a=1, A=-1"}, "monotone: a is given twice"),
        ({"monotone": "g=1"}, "monotone: g is none of the features"),
        ({"monotone": "d=1"}, "monotone: column d does not exist in t"),
        ({"monotone": "a=1", "target": "k"}, "monotone is for numbers and for two classes, .* k has 5 classes"),
        (
            {"monotone": "a=1", "loss": "huber"},
            "monotone is not for loss huber, whose leaves are quantiles; of numbers",
        ),
        ({"interaction_constraints": "a, b"}, "interaction_constraints: a is not a group of features in brackets"),
        ({"interaction_constraints": "[]"}, r"interaction_constraints: \[\] is not a group of features in brackets"),
        ({"interaction_constraints": "[a, g]"}, "interaction_constraints: g is none of the features"),
        ({"interaction_constraints": "[a, b"}, "interaction_constraints"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, more: dict[str, Any], said: str) -> None:
    target = more.pop("target", "y")
    with pytest.raises(psycopg.Error, match=said) as error:
        boost(db, target, **more)
    assert "Traceback" not in str(error.value)


def test_a_tree_whose_root_is_against_it_stays_a_leaf(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE u AS SELECT id, a, -a::float8 AS y FROM t WHERE a IS NOT NULL")
    db.execute("SELECT madtree.boost_train('u', 'm', 'id', 'y', 'a', monotone => 'a=1', num_trees => 2)")
    assert all(row["is_leaf"] and math.isclose(row["prediction"], 0, abs_tol=1e-6) for row in rows(db, NODES))
