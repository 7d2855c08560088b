"""The three ways to score a row, and the specification written in Python: all give the same leaf, value by value."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import psycopg
import pytest
from make_model import Nodes, Sketch, Value, random_tree, route, write_model

from madtree.sqltext import values
from madtree.sqltext.relation import Column
from madtree.trees.model import Feature, Kind

N_ROWS = 400

CONTINUOUS, ORDERED, UNORDERED = Kind.CONTINUOUS, Kind.ORDERED, Kind.UNORDERED

# Values of every type of feature, with those at which conversions round, overflow or mean something else.
NUMBERS = {
    "smallint": ["-32768", "-1", "0", "1", "2", "32767"],
    "integer": ["-2147483648", "-2147483647", "-3", "0", "5", "6", "2147483647"],
    "bigint": ["-9223372036854775808", "-7", "0", "8", "9007199254740993", "9007199254740992", "9223372036854775807"],
    "real": ["NaN", "Infinity", "-Infinity", "0.1", "-0.1", "16777217", "3e38", "1e-40", "0"],
    "double precision": ["NaN", "Infinity", "-Infinity", "0.1", "0.30000000000000004", "-0.1", "1e300", "5e-324", "0"],
    "numeric": [
        *(
            "NaN",
            "Infinity",
            "-Infinity",
            "0",
            "0.1",
            "0.10000000000000000555",
            "0.10000000000000001",
            "-0.1",
            "123456",
        ),
        *("0.1000000000000000055511151231257827021181583404541015625", "9007199254740993", "1e-20", "1e100"),
    ],
    "date": ["infinity", "-infinity", "1999-12-31", "2000-01-01", "2024-02-29", "0044-03-15 BC", "12345-06-07"],
    "timestamp without time zone": [
        *("infinity", "-infinity", "2000-01-01", "1999-12-31 23:59:59.999999", "2024-02-29 12:30:00.25"),
        *("0044-03-15 BC", "294276-12-31 23:59:59.999999", "4714-11-24 BC", "2013-05-01 05:00"),
    ],
    "timestamp with time zone": ["infinity", "2000-01-01 00:00+02", "2024-02-29 12:30:00.25+00", "1969-12-31 23:00-05"],
    "time without time zone": ["00:00", "24:00", "12:30:00.000001", "23:59:59.999999"],
    "time with time zone": ["00:00+03", "12:30-05", "23:59:59.999999+00"],
    "interval": ["1 mon", "30 days", "1 year", "-3 hours", "00:00:00.5", "365 days 6 hours"],
}
LEVELS = {
    "boolean": ["true", "false"],
    "text": ["", " ", "a", "A", "b", "it's", "back\\slash", "line\nbreak", "ümläut", "a,b", "{x}", "NULL", "%s"],
    "character varying": ["a", "b ", "c"],
    "bpchar": ["a", "b", "ccc"],
    "name": ["a", "B", "c"],
}
LABELS = ("small", "it's medium", "LARGE", "x\\l")


def all_features(schema: str) -> list[Feature]:
    """A feature of every kind, and expressions."""
    integers = ("smallint", "integer", "bigint")
    columns = [Feature(f"c{i}", type_, ORDERED if type_ in integers else CONTINUOUS) for i, type_ in enumerate(NUMBERS)]
    columns += [Feature(f'"L {i}""x"', type_, UNORDERED) for i, type_ in enumerate(LEVELS)]
    return [
        *columns,
        Feature('"Größe"', f"{schema}.mood", ORDERED, LABELS),
        Feature("(numbers)[2]", "double precision", CONTINUOUS),
        Feature("c1 % 3", "integer", ORDERED),
        Feature("lower(letters) || '!'", "text", UNORDERED),
        Feature("c0 > 0", "boolean", UNORDERED),
    ]


def make_data(db: psycopg.Connection, schema: str, rng: random.Random) -> None:
    """Table `rows`: random values of every type; a tenth is NULL."""
    db.execute(f"CREATE TYPE {schema}.mood AS ENUM ({', '.join(quote(label) for label in LABELS)})")
    pools = {f"c{i}": (type_, pool) for i, (type_, pool) in enumerate(NUMBERS.items())}
    pools |= {f'"L {i}""x"': (type_, [*pool, "zzz"] if type_ != "boolean" else pool)
              for i, (type_, pool) in enumerate(LEVELS.items())}  # fmt: skip
    pools['"Größe"'] = (f"{schema}.mood", list(LABELS))
    pools["letters"] = ("text", ["x", "Y", "z"])
    columns = ", ".join(f"{name} {type_}" for name, (type_, _) in pools.items())
    db.execute(f"CREATE TABLE rows (id int, g1 text, g2 int, numbers float8[], {columns})")
    for number in range(N_ROWS):
        row = [None if rng.random() < 0.1 else rng.choice(pool) for _, pool in pools.values()]
        array = (
            None if rng.random() < 0.1 else [rng.random(), rng.choice([None, math.nan, 0.5, 1.5])][: rng.randint(1, 2)]
        )
        db.execute(
            f"INSERT INTO rows VALUES (%s, %s, %s, %s, {', '.join(f'%s::{type_}' for type_, _ in pools.values())})",
            [number, rng.choice(["a", "b", "it's", None]), rng.choice([1, 2, None]), array, *row],
        )


def quote(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def observed(db: psycopg.Connection, features: list[Feature]) -> list[dict[str, Value]]:
    """Each row's features as the specification compares them: numbers as float8, levels as text."""
    columns = [
        f"{values.level(f)} AS v{i}" if f.kind is UNORDERED else f"({values.number(f)})::float8 AS v{i}"
        for i, f in enumerate(features)
    ]
    rows = db.execute(f"SELECT {', '.join(columns)} FROM rows ORDER BY id").fetchall()
    return [dict(zip((f.name for f in features), row, strict=True)) for row in rows]


def candidates(rows: list[dict[str, Value]], features: list[Feature]) -> dict[str, list[float]]:
    """Thresholds at, between and right beside the values that occur."""
    thresholds = {}
    for feature in features:
        if feature.kind is not UNORDERED:
            found = sorted({v for row in rows if (v := row[feature.name]) is not None and math.isfinite(float(v))})
            beside = [math.nextafter(v, to) for v in found for to in (-math.inf, math.inf)]
            thresholds[feature.name] = [*found, *beside, *(a / 2 + b / 2 for a, b in itertools.pairwise(found))]
    return thresholds


def levels(features: list[Feature]) -> dict[str, list[str]]:
    special = {"lower(letters) || '!'": ["x!", "y!", "z!"]}
    return {f.name: special.get(f.name, LEVELS[f.type]) for f in features if f.kind is UNORDERED}


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

    for type_ in ("response", "leaf", *(("prob", "prob_columns") if classes else ())):
        scored = predictions(db, "by_expression", type_)
        assert predictions(db, by_blocks, type_) == scored
        assert predictions(db, by_blocks, type_, "rows_of_a_view") == scored
        assert len(scored) == N_ROWS
        assert {number for number, row in scored.items() if None not in row} == {number for (number,) in known}
        if type_ != "prob_columns":
            (expression,) = db.execute("SELECT madtree.tree_sql('m', %s)", [type_]).fetchone()
            in_place = db.execute(f"SELECT id, {expression} FROM rows").fetchall()
            assert {row[0]: row[1:] for row in in_place} == scored


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
