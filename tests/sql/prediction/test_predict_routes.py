"""The three ways to score a row, and the specification written in Python: all give the same leaf, value by value."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from feature_rows import CONTINUOUS, LEVELS, N_ROWS, NUMBERS, all_features, candidates, levels, make_data, observed
from make_model import Nodes, Sketch, random_tree, route, write_model

from madtree.sqltext.relation import Column
from madtree.trees import Feature


@pytest.fixture
def by_blocks(db: psycopg.Connection) -> str:
    """A function like tree_predict that never uses an expression; and another, `by_expression`, that always does."""
    db.execute("SELECT madtree.tree_predict()")  # loads the Python half
    for name, in_blocks in (("by_blocks", True), ("by_expression", False)):
        db.execute(f"""
            CREATE FUNCTION {name}(model text, source text, target text, type text) RETURNS text
            LANGUAGE plpython3u SET jit = off AS $$
            from madtree.host.plpy import PlpyHost
            from madtree.score.predict import tree_predict
            return tree_predict(PlpyHost(plpy), model, source, target, type, in_blocks={in_blocks})
            $$""")
    return "by_blocks"


def predictions(db: psycopg.Connection, function: str, type_: str, source: str = "rows") -> dict[int, Any]:
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT {function}('m', %s, 'scored', %s)", [source, type_])
    return {row[0]: row[1:] for row in db.execute("SELECT * FROM scored ORDER BY id", prepare=False).fetchall()}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(6))
def test_every_route_ends_in_the_specified_leaf(db: psycopg.Connection, schema: str, by_blocks: str, seed: int) -> None:
    rng = random.Random(seed)
    make_data(db, schema, rng)
    features = all_features(schema)
    rows = observed(db, features)
    nodes = random_tree(rng, features, 8, candidates(rows, features), levels(features), ["no", "maybe", "yes"])
    write_model(db, schema, "m", Sketch(features, [nodes], classes=["no", "maybe", "yes"]))
    by_name = {feature.name: feature for feature in features}

    expected = {number: (route(nodes, by_name, row.get).node_id,) for number, row in enumerate(rows)}
    assert predictions(db, "by_expression", "leaf") == expected
    assert predictions(db, by_blocks, "leaf") == expected
    (expression,) = db.execute("SELECT madtree.tree_sql('m', 'leaf')").fetchone()
    assert {row[0]: row[1:] for row in db.execute(f"SELECT id, {expression} FROM rows").fetchall()} == expected


@pytest.mark.one_in(6)
@pytest.mark.parametrize("feature_number", range(len(NUMBERS) + len(LEVELS) + 5))
def test_a_split_on_one_feature_is_exact(
    db: psycopg.Connection, schema: str, by_blocks: str, feature_number: int
) -> None:
    rng = random.Random(feature_number)
    make_data(db, schema, rng)
    feature = all_features(schema)[feature_number]
    rows = observed(db, [feature])
    nodes = random_tree(rng, [feature], 6, candidates(rows, [feature]), levels([feature]), ["no", "yes"], 1.0)
    write_model(db, schema, "m", Sketch([feature], [nodes]))

    expected = {number: (route(nodes, {feature.name: feature}, row.get).node_id,) for number, row in enumerate(rows)}
    assert predictions(db, "by_expression", "leaf") == expected
    assert predictions(db, by_blocks, "leaf") == expected
    (expression,) = db.execute("SELECT madtree.tree_sql('m', 'leaf')").fetchone()
    assert {row[0]: row[1:] for row in db.execute(f"SELECT id, {expression} FROM rows").fetchall()} == expected


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"], []], ids=["two", "three", "regression"])
def test_routes_agree_on_every_type_and_on_groups(
    db: psycopg.Connection, schema: str, by_blocks: str, classes: list[str]
) -> None:
    rng = random.Random(len(classes))
    make_data(db, schema, rng)
    features = all_features(schema)
    rows = observed(db, features)
    trees: list[Nodes] = [
        random_tree(rng, features, 5, candidates(rows, features), levels(features), classes) for _ in range(3)
    ]
    trees.insert(1, {})  # a group that failed
    groups = [("a", 1), ("b", 2), ("it's", 2), ("b", 1)]
    grouping = [Column("g1", "g1", "text"), Column("g2", "g2", "integer")]
    sketch = Sketch(features, trees, classes=classes, grouping=grouping, groups=groups)
    write_model(db, schema, "m", sketch)
    db.execute("CREATE VIEW rows_of_a_view AS SELECT * FROM rows")
    known = db.execute("SELECT id FROM rows WHERE (g1, g2) IN (('a', 1), ('it''s', 2), ('b', 1))").fetchall()

    for type_ in ("response", "leaf", *(("prob",) if classes else ())):
        scored = predictions(db, "by_expression", type_)
        assert predictions(db, by_blocks, type_) == scored
        assert predictions(db, by_blocks, type_, "rows_of_a_view") == scored
        assert len(scored) == N_ROWS
        assert {number for number, row in scored.items() if None not in row} == {number for (number,) in known}
        (expression,) = db.execute("SELECT madtree.tree_sql('m', %s)", [type_]).fetchone()
        in_place = dict(db.execute(f"SELECT id, {expression} FROM rows").fetchall())
        if type_ == "prob" and len(classes) > 2:
            nothing = [None] * len(classes)
            assert {number: tuple(shares or nothing) for number, shares in in_place.items()} == scored
        else:
            assert in_place == {number: row[-1] for number, row in scored.items()}  # of two classes the last one


def test_blocks_end_anywhere(db: psycopg.Connection, schema: str, by_blocks: str) -> None:
    feature = Feature("x", "double precision", CONTINUOUS)
    rng = random.Random(1)
    nodes = random_tree(rng, [feature], 6, {"x": [rng.random() for _ in range(99)]}, {}, [])
    write_model(db, schema, "m", Sketch([feature], [nodes], classes=[]))
    db.execute("CREATE TABLE rows AS SELECT i AS id, sin(i) AS x FROM generate_series(1, 140000) i")

    db.execute("CREATE VIEW rows_of_a_view AS SELECT * FROM rows")
    expected = predictions(db, "by_expression", "response")
    assert predictions(db, by_blocks, "response") == expected
    assert predictions(db, by_blocks, "response", "rows_of_a_view") == expected


@pytest.mark.parametrize("ordinary", [False, True], ids=["superuser", "ordinary user"])
def test_the_chosen_way_changes_nothing(db: psycopg.Connection, schema: str, by_blocks: str, ordinary: bool) -> None:
    """A few rows and many leaves, which blocks are quicker for, and the other way round."""
    feature = Feature("x", "double precision", CONTINUOUS)
    rng = random.Random(2)
    cuts = {"x": [rng.random() for _ in range(999)]}
    nodes = random_tree(rng, [feature], 10, cuts, {}, ["no", "yes"])
    write_model(db, schema, "m", Sketch([feature], [nodes], classes=["no", "yes"]))
    db.execute("CREATE TABLE rows AS SELECT i AS id, sin(i) AS x FROM generate_series(1, 50) i")
    db.execute("CREATE TABLE many AS SELECT i AS id, sin(i) AS x FROM generate_series(1, 30000) i")
    expected = [predictions(db, "by_expression", "prob", source) for source in ("rows", "many")]
    if ordinary:
        db.execute("DROP TABLE scored")
        db.execute("CREATE ROLE madtree_scorer")
        db.execute(f"GRANT ALL ON SCHEMA {schema} TO madtree_scorer")
        db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO madtree_scorer")
        db.execute("GRANT USAGE ON SCHEMA madtree, madtree_internal TO madtree_scorer")
        db.execute("SET ROLE madtree_scorer")
    try:
        found = [predictions(db, "madtree.tree_predict", "prob", source) for source in ("rows", "many")]
    finally:
        if ordinary:
            db.execute("RESET ROLE")
            db.execute("DROP OWNED BY madtree_scorer")
            db.execute("DROP ROLE madtree_scorer")
    assert found == expected
