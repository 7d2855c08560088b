"""A grouping column may have the name of a column that only other kinds of models have, whatever its type."""

from __future__ import annotations

import psycopg
import pytest

MAKE = """
CREATE TABLE data AS SELECT i AS id, i % 7 AS x, i % 5 > 2 AS y, i % 2 AS class, (i % 2)::text AS round,
    (i % 2)::text AS oob_error, i % 2 AS point_scores, i % 2 AS base_score FROM generate_series(1, 100) AS i
"""
COLUMNS = {
    "tree": ("class", "round", "oob_error", "point_scores", "base_score"),
    "forest": ("class", "round", "point_scores", "base_score"),
    "boost": ("oob_error",),
}
# Of boosted models, which calibrated forests are.
OF_BOOSTED = ("class", "round", "point_scores", "base_score")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "column"), [(kind, column) for kind, own in COLUMNS.items() for column in own])
def test_such_a_model_is_read(db: psycopg.Connection, kind: str, column: str) -> None:
    db.execute(MAKE)
    train = f"SELECT {kind}_train('data', 'm', 'id', 'y', 'x', grouping_cols => '{column}')"
    db.execute(train.encode())
    db.execute(f"SELECT {kind}_predict('m', 'data', 'predicted')".encode())
    assert db.execute("SELECT count(*), count(estimated_y) FROM predicted").fetchone() == (100, 100)
    groups = db.execute(
        "SELECT DISTINCT group_values ->> %s FROM tree_evaluate('m', 'data') WHERE tree_id IS NOT NULL ORDER BY 1",
        [column],
    ).fetchall()
    assert groups == [("0",), ("1",)]
    assert db.execute("SELECT count(*) > 0 FROM tree_importance('m')").fetchone() == (True,)


@pytest.mark.parametrize("column", OF_BOOSTED)
def test_no_boosted_model_is_grouped_by_a_column_of_its_own(db: psycopg.Connection, column: str) -> None:
    db.execute(MAKE)
    with pytest.raises(psycopg.errors.DuplicateColumn, match=f'"?{column}"? is also the name of a column of a boosted'):
        db.execute("SELECT madtree.boost_train('data', 'b', 'id', 'y', 'x', grouping_cols => %s)", [column])
    db.execute(
        "SELECT madtree.forest_train('data', 'f', 'id', 'y', 'x', num_trees => 2, grouping_cols => %s)", [column]
    )
    with pytest.raises(psycopg.errors.DuplicateColumn, match="calibrated it becomes one"):
        db.execute("SELECT madtree.calibrate('f', 'data', 'c')")
