"""get_var_importance and tree_importance: a row for each tree and feature, in percent and as it was summed."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from datasets import load_golf, load_iris, load_mtcars
from sklearn.tree import DecisionTreeClassifier
from training import columns_of, left_behind, train


def test_one_tree(db: psycopg.Connection) -> None:
    load_golf(db)
    features = '"OUTLOOK", temperature, windy'
    train(db, "golf", "model", "class", features, min_split=3)
    (line,) = db.execute("SELECT madtree.get_var_importance('model', 'importance')").fetchone()
    assert line == "get_var_importance: 3 rows of model into importance"
    assert columns_of(db, "importance") == [
        ("feature", "text"),
        ("impurity_var_importance", "double precision"),
        ("raw_importance", "double precision"),
    ]
    (raw,) = db.execute("SELECT impurity_var_importance FROM model").fetchone()
    rows = db.execute("SELECT * FROM importance").fetchall()
    assert [row[0] for row in rows] == ['"OUTLOOK"', "temperature", "windy"]
    assert [row[2] for row in rows] == raw
    assert [row[1] for row in rows] == pytest.approx([100 * value / sum(raw) for value in raw])


def test_it_is_scikit_learns(db: psycopg.Connection) -> None:
    """One split in an iris tree is a tie between features, of which this depth has none."""
    load_iris(db)
    names = ("sepal_length", "sepal_width", "petal_length", "petal_width")
    table = db.execute(f"SELECT {', '.join(names)}, species FROM iris ORDER BY id").fetchall()
    train(db, "iris", "model", "species", "petal_length, sepal_width, sepal_length", max_depth=2, min_split=2, n_bins=0)
    db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    tree.fit([(row[2], row[1], row[0]) for row in table], [row[4] for row in table])
    scaled = [value for (value,) in db.execute("SELECT impurity_var_importance FROM importance").fetchall()]
    assert scaled == pytest.approx(100 * tree.feature_importances_)


def test_groups(db: psycopg.Connection) -> None:
    load_mtcars(db)
    db.execute('ALTER TABLE mtcars RENAME am TO "Manual?"')
    train(db, "mtcars", "model", "mpg", "wt, hp, gear + carb", grouping_cols='"Manual?", vs', min_split=4)
    db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    assert columns_of(db, "importance")[:3] == [("Manual?", "integer"), ("vs", "integer"), ("feature", "text")]
    rows = db.execute("SELECT * FROM importance").fetchall()
    assert [row[:3] for row in rows] == [
        (manual, vs, feature) for manual in (0, 1) for vs in (0, 1) for feature in ("wt", "hp", "gear + carb")
    ]
    for first in range(0, 12, 3):
        assert sum(row[3] for row in rows[first : first + 3]) == pytest.approx(100)
    raw = db.execute("SELECT impurity_var_importance FROM model ORDER BY tree_id").fetchall()
    assert [row[4] for row in rows] == [value for (values,) in raw for value in values]


def test_no_split_no_importance(db: psycopg.Connection) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "wt, hp", max_depth=0)
    db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    assert db.execute("SELECT * FROM importance").fetchall() == [("wt", 0, 0), ("hp", 0, 0)]


def test_a_grouping_column_with_a_name_of_the_table(db: psycopg.Connection) -> None:
    load_mtcars(db)
    db.execute("ALTER TABLE mtcars RENAME am TO feature")
    train(db, "mtcars", "model", "mpg", "wt", grouping_cols="feature")
    with pytest.raises(psycopg.errors.DuplicateColumn, match="model has a grouping column feature, which is also the"):
        db.execute("SELECT madtree.get_var_importance('model', 'importance')")


def importances(db: psycopg.Connection, columns: str) -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT {columns} FROM madtree.tree_importance('model')").fetchall()


def test_rows_are_those_of_the_table_the_best_first(db: psycopg.Connection) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "wt, hp, gear + carb", grouping_cols="am, vs", min_split=4)
    db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    names = "feature, impurity_var_importance, raw_importance"
    written = f"SELECT am, vs, {names} FROM importance ORDER BY am, vs, raw_importance DESC"
    groups = "(group_values->>'am')::int, (group_values->>'vs')::int"
    assert importances(db, f"{groups}, {names}") == db.execute(written).fetchall()
    assert [row[0] for row in importances(db, "tree_id")] == [tree for tree in (1, 2, 3, 4) for _ in range(3)]
    assert set(importances(db, "oob_var_importance, raw_oob_importance, oob_importance_sd")) == {(None, None, None)}


def test_rows_without_groups(db: psycopg.Connection) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "hp, wt")
    before = left_behind(db)
    (best, other) = importances(db, "tree_id, group_values, feature, impurity_var_importance")
    assert best[:3] == (1, None, "wt")
    assert best[3] + other[3] == pytest.approx(100)
    assert left_behind(db) == before


def test_rows_of_forests_are_of_groups_and_by_permutation(db: psycopg.Connection) -> None:
    load_mtcars(db)
    db.execute("SELECT madtree.forest_train('mtcars', 'model', 'id', 'mpg', 'wt, hp, qsec', grouping_cols => 'am')")
    db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    names = (
        "feature, oob_var_importance, impurity_var_importance, raw_oob_importance, oob_importance_sd, raw_importance"
    )
    written = f"SELECT am, {names} FROM importance ORDER BY am, raw_oob_importance DESC"
    assert importances(db, f"(group_values->>'am')::int, {names}") == db.execute(written).fetchall()
    assert [row[0] for row in importances(db, "tree_id")] == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((None, "out"), "model_name must be the name of a model, not NULL"),
        (("nothing", "out"), "model_name: relation nothing does not exist"),
        (("mtcars", "out"), "model_name: mtcars is not a madtree model"),
    ],
)
def test_mistakes_are_named(db: psycopg.Connection, arguments: tuple[Any, ...], sentence: str) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "wt, hp")
    before = left_behind(db)
    with pytest.raises(psycopg.Error) as caught:
        db.execute("SELECT madtree.get_var_importance(%s, %s)", arguments)
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)
    assert left_behind(db) == before


def test_help(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.get_var_importance()").fetchone()
    assert "SELECT madtree.get_var_importance(" in text
    assert db.execute("SELECT madtree.get_var_importance('?')").fetchone() == (text,)
