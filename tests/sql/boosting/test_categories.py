"""Categories in boosted trees: LightGBM's own tiny tables, and its guards by default."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forest_data import rows

WITHOUT_GUARDS = "cat_smooth=1, cat_l2=0, min_data_per_group=1"
ONE_SPLIT: dict[str, Any] = {"num_trees": 1, "max_leaf_nodes": 2, "learning_rate": 1, "min_bucket": 1, "replace": True}


def predicted(db: psycopg.Connection, target: str = "y::float8", **more: Any) -> list[float]:
    """What a model of one split says of its own rows, in their order."""
    named = {**ONE_SPLIT, **more}
    names = "".join(f", {name} => %s" for name in named)
    db.execute(f"SELECT madtree.boost_train('t', 'm', 'id', %s, 'x'{names})", [target, *named.values()])  # type: ignore[arg-type]
    db.execute("SELECT madtree.boost_predict('m', 't', 'said', replace => true)")
    return [row["estimated_y"] for row in rows(db, "SELECT * FROM said ORDER BY id")]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        # tests/python_package_test/test_engine.py: test_categorical_handle, test_categorical_non_zero_inputs
        ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 0, 1, 0, 1, 0, 1]),
        ([1, 1, 1, 1, 1, 1, 2, 2], [1, 1, 1, 1, 1, 1, 0, 0]),
    ],
)
def test_lightgbms_tables_are_learnt_in_one_split(db: psycopg.Connection, x: list[int], y: list[int]) -> None:
    db.execute("CREATE TABLE t (id int, x text, y int)")
    for place, (category, outcome) in enumerate(zip(x, y, strict=True)):
        db.execute("INSERT INTO t VALUES (%s, %s, %s)", [place, str(category), outcome])
    assert predicted(db, boost_params=WITHOUT_GUARDS) == pytest.approx(y, abs=1e-12)


def test_many_categories_have_guards_and_four_have_none(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, 'c' || i % 4 AS x, (i % 2)::float8 AS y FROM generate_series(1, 40) i"
    )
    assert predicted(db) == pytest.approx([row["y"] for row in rows(db, "SELECT y FROM t ORDER BY id")])
    db.execute("UPDATE t SET x = 'c4' WHERE id = 1")
    assert set(predicted(db)) == {0.5}
    (summary,) = rows(db, "SELECT cat_l2, max_cat_threshold, min_data_per_group FROM m_summary")
    assert summary == {"cat_l2": 10, "max_cat_threshold": 32, "min_data_per_group": 100}
    assert len(set(predicted(db, boost_params="cat_l2=3, min_data_per_group=1"))) == 2


def test_one_side_of_a_split_has_few_categories(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, 'c' || i % 90 AS x, i % 90 + (i % 7) / 7.0::float8 AS y "
        "FROM generate_series(1, 9000) i"
    )
    for most in (5, 32, 90):
        predicted(db, "y", boost_params=f"max_cat_threshold={most}")
        (split,) = rows(db, "SELECT left_levels, right_levels FROM m_nodes WHERE node_id = 0")
        assert min(len(split["left_levels"]), len(split["right_levels"])) == min(most, 45)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("cat_l2=-1", "boost_params: cat_l2 must be a number of at least 0"),
        ("max_cat_threshold=0", "boost_params: max_cat_threshold must be"),
        ("min_data_per_group=0", "boost_params: min_data_per_group must be at least 1"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, given: str, said: str) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, 'c' || i % 4 AS x, (i % 2)::float8 AS y FROM generate_series(1, 40) i"
    )
    with pytest.raises(psycopg.Error, match=said):
        predicted(db, boost_params=given)
