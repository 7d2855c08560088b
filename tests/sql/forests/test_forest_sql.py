"""tree_sql of a forest: one expression that says what forest_predict says, in PostgreSQL and in other databases."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE_BOTH, grow_bare, rows, score

FORESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("v", {}),
    "numbers, groups, surrogates": ("v", {"grouping_cols": "g", "null_handling_params": "max_surrogates=2"}),
    "counts": ("z", {"split_criterion": "poisson"}),
    "two classes": ("v > 1 AS late", {}),
    "two classes, even": ("v > 1 AS late", {"num_trees": 4}),
    "three classes": ("c", {}),
    "three classes, groups, NULL": ("c", {"grouping_cols": "g", "null_handling_params": "null_as_category=true"}),
    "weights": ("c", {"weights": "z + 0.5", "min_bucket": 20}),
}


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE_BOTH)


def said(db: psycopg.Connection, type_: str, class_: str | None = None, model: str = "f") -> list[Any]:
    """What the expression says of the rows of `test`, by their ids."""
    call = "SELECT madtree.tree_sql(%s, %s, class => %s)"
    (text,) = db.execute(call, [model, type_, class_]).fetchone() or ()
    return [row["said"] for row in rows(db, f"SELECT ({text}) AS said FROM test ORDER BY id")]


def predicted(db: psycopg.Connection, type_: str) -> list[list[Any]]:
    return [[value for name, value in row.items() if name != "id"] for row in score(db, "f", type_, "test")]


def train(db: psycopg.Connection, name: str) -> list[str]:
    """The classes."""
    outcome, more = FORESTS[name]
    grow_bare(db, "f", outcome, **{"num_trees": 7, "max_tree_depth": 5, **more})
    db.execute("INSERT INTO test (id, x, y, z, h) VALUES (605, 'NaN', 'Infinity', -3, '-Infinity')")
    return rows(db, "SELECT dependent_var_levels AS l FROM f_summary")[0]["l"] or []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", FORESTS)
def test_it_says_what_forest_predict_says(db: psycopg.Connection, name: str) -> None:
    classes = train(db, name)
    response = [each for (each,) in predicted(db, "response")]
    assert said(db, "response") == response
    assert (None in response) == ("groups" in name)
    for type_ in ("prob", "prob_mean") if classes else ():
        shares = predicted(db, type_)
        for place, label in enumerate(classes):
            found, expected = said(db, type_, label), [each[place] for each in shares]
            if type_ == "prob":
                assert found == expected
            else:
                assert [each is None for each in found] == [each is None for each in expected]
                known = [pair for pair in zip(found, expected, strict=True) if None not in pair]
                np.testing.assert_allclose(*np.array(known).T, rtol=1e-14)
        if len(classes) > 2:
            whole = said(db, type_)
            assert [each and each[1] for each in whole] == said(db, type_, classes[1])
        else:
            assert said(db, type_) == said(db, type_, classes[1])


def test_a_view_and_a_generated_column(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v", num_trees=5, max_tree_depth=4)
    (text,) = db.execute("SELECT madtree.tree_sql('f')").fetchone() or ()
    db.execute(f"CREATE VIEW seen AS SELECT id, {text} AS said FROM test")
    db.execute(f"ALTER TABLE test ADD said float8 GENERATED ALWAYS AS ({text}) STORED")
    expected = [each for (each,) in predicted(db, "response")]
    for table in ("seen", "test"):
        assert [row["said"] for row in rows(db, f"SELECT said FROM {table} ORDER BY id")] == expected


def test_groups_that_failed_and_a_single_class(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET v = NULL WHERE g = 2")
    grow_bare(db, "f", "v", num_trees=3, grouping_cols="g", max_tree_depth=3)
    groups = {row["id"]: row["g"] for row in rows(db, "SELECT id, g FROM test")}
    for row, value in zip(rows(db, "SELECT id FROM test ORDER BY id"), said(db, "response"), strict=True):
        assert (value is None) == (groups[row["id"]] not in (0, 1))
    db.execute("UPDATE t SET c = 'it''s'")
    grow_bare(db, "f", "c", num_trees=3, replace=True)
    assert set(said(db, "response")) == {"it's"}
    assert set(said(db, "prob")) == {1.0}


def test_one_of_its_trees_stays_what_it_was(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v", num_trees=3, max_tree_depth=4)
    each = []
    for tree in (1, 2, 3):
        (text,) = db.execute("SELECT madtree.tree_sql('f', tree_id => %s)", [tree]).fetchone() or ()
        each.append([row["s"] for row in rows(db, f"SELECT ({text}) AS s FROM test ORDER BY id")])
    means = [(a + b + c) / 3 for a, b, c in zip(*each, strict=True)]
    assert said(db, "response") == means


def test_nodes_whose_sides_say_the_same_are_not_asked(db: psycopg.Connection) -> None:
    """Of a class that few trees name, most of a tree is nothing."""
    db.execute("UPDATE t SET c = CASE WHEN id < 15 THEN 'rare' ELSE c END")
    grow_bare(db, "f", "c", num_trees=5, max_tree_depth=6)
    lengths = {}
    for label in ("rare", "low"):
        (text,) = db.execute("SELECT madtree.tree_sql('f', 'prob', class => %s)", [label]).fetchone() or ()
        lengths[label] = text.count("CASE WHEN")
    (inner,) = rows(db, "SELECT count(*) AS n FROM f_nodes WHERE NOT is_leaf")
    assert lengths["rare"] < lengths["low"] < inner["n"]


@pytest.mark.parametrize(
    ("outcome", "arguments", "sentence"),
    [
        ("c", "'f', 'leaf'", "type must be one of response, prob, prob_mean, not 'leaf'"),
        ("v", "'f', 'prob'", "type must be one of response for a regression model, not 'prob'"),
        ("c", "'f', class => 'low'", "class says whose probability is wanted, which takes type 'prob', not 'response'"),
        ("c", "'f', 'prob', class => 'no'", "class must be one of 'high', 'low', 'middle', not 'no'"),
        ("c", "'f', 'prob', dialect => 'duckdb'", "dialect: numbers of more than two classes are an array"),
        ("c", "'f', dialect => 'redshift'", "dialect: this takes a sub-select over the columns of a row, which reds"),
    ],
)
def test_mistakes_are_named(db: psycopg.Connection, outcome: str, arguments: str, sentence: str) -> None:
    grow_bare(db, "f", outcome, num_trees=3, max_tree_depth=3)
    with pytest.raises(psycopg.Error) as caught:
        db.execute(f"SELECT madtree.tree_sql({arguments})".encode())
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)


def test_leaves_are_counted_whatever_the_model_says(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v", num_trees=70, max_tree_depth=20, min_split=2, min_bucket=1)
    (size,) = rows(db, "SELECT sum(n_leaves) AS n FROM f")
    assert size["n"] > 20_000
    db.execute("UPDATE f SET n_leaves = 1")
    with pytest.raises(psycopg.Error, match="as an expression a model has at most 20,000"):
        db.execute("SELECT madtree.tree_sql('f')")


def test_large_forests_are_refused(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "c", num_trees=100)
    (size,) = rows(db, "SELECT sum(n_leaves) AS n FROM f")
    assert 20_000 / 3 < size["n"] <= 20_000
    db.execute("SELECT madtree.tree_sql('f', 'prob', class => 'low')")
    with pytest.raises(psycopg.Error) as error:
        db.execute("SELECT madtree.tree_sql('f', 'prob')")
    assert str(error.value.diag.message_primary) == (
        f"madtree: f has {size['n'] * 3:,} leaves for all classes and up to 100 trees; as an expression a model has at "
        "most 20,000 and 1,000"
    )
    assert str(error.value.diag.message_hint) == (
        "madtree.forest_predict scores by models of any size; fewer or smaller trees make a smaller one."
    )
