"""Models as expressions for other databases: the rows of PostgreSQL are scored there, with the same answers."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import psycopg
import pytest
import sqlglot
from forest_data import rows
from psycopg import sql
from shares import share

from madtree.errors import MadtreeError
from madtree.sqltext.dialects import DIALECTS
from madtree.sqltext.portable import Portable, spelling_of
from madtree.sqltext.split import parse_name
from madtree.trees import Feature, FeatureKind

MAKE = r"""
CREATE TYPE size AS ENUM ('small', 'medium', 'large', 'Large', 'huge');
CREATE TABLE t AS SELECT i AS id,
    CASE i % 17 WHEN 3 THEN NULL WHEN 5 THEN 'NaN' WHEN 6 THEN 'Infinity' ELSE i * 31 % 101 / 7.0 END::float8 AS x,
    (CASE WHEN i % 11 <> 4 THEN i * 57 % 89 END / 8.0)::numeric(8, 3) AS "Price, net",
    CASE WHEN i % 13 <> 2 THEN i * 7919 % 53 - 20 END AS n,
    (ARRAY['Zoë', 'zoë', 'O''Hara', 'back\slash', 'ZOË', '', 'semi;colon', NULL])[1 + i * 13 % 8] AS who,
    CASE WHEN i % 9 <> 1 THEN i * 3 % 7 < 3 END AS "order",
    DATE '1998-12-30' + i * 37 % 4001 AS day,
    (ARRAY['small', 'medium', 'large', 'Large', 'huge', NULL])[1 + i * 29 % 6]::size AS size,
    i % 3 AS g
FROM generate_series(1, 700) AS i;
ALTER TABLE t ADD y float8, ADD late boolean, ADD k text;
UPDATE t SET y = coalesce(nullif(nullif(x, 'NaN'), 'Infinity'), 3) + coalesce(n, 5) / 9.0
    + CASE WHEN who IN ('Zoë', 'O''Hara', 'back\slash') THEN 4 ELSE 0 END + CASE WHEN "order" THEN 3 ELSE 0 END
    + (day > '2003-05-05')::int * 2 + CASE WHEN size >= 'Large' THEN 2.5 ELSE 0 END + coalesce("Price, net", 4) / 5;
UPDATE t SET late = y > 9, k = CASE WHEN y < 6 THEN 'it''s low' WHEN y < 11 THEN 'mid\dle' ELSE 'high' END;
ANALYZE t
"""
READERS = {"sqlserver": "tsql"}
FEATURES = 'x, "Price, net", n, who, "order", day, size'
COLUMNS = ("id", "x", "Price, net", "n", "who", "order", "day", "size", "g")
TYPES = ("INTEGER", "DOUBLE", "DECIMAL(8, 3)", "INTEGER", "VARCHAR", "BOOLEAN", "DATE", "VARCHAR", "INTEGER")
Engine = Callable[[str], list[Any]]  # an expression's values by row, in the order of ids
TRAININGS = {
    "plain": "SELECT madtree.tree_train('t', 'm', 'id', 'late', %s, max_depth => 8, min_split => 10)",
    "surrogates": "SELECT madtree.tree_train('t', 'm', 'id', 'k', %s, max_depth => 8, min_split => 10, "
    "surrogate_params => 'max_surrogates=4')",
    "NULL as a value": "SELECT madtree.tree_train('t', 'm', 'id', 'y', %s, split_criterion => 'mse', max_depth => 8, "
    "min_split => 10, surrogate_params => 'null_as_category=true, max_surrogates=3')",
    "groups": "SELECT madtree.tree_train('t', 'm', 'id', 'late', %s, grouping_cols => 'g', min_split => 10)",
    "many leaves": "SELECT madtree.tree_train('t', 'm', 'id', 'y', %s, split_criterion => 'mse', max_depth => 30, "
    "min_split => 2, min_bucket => 1)",
}


def data(db: psycopg.Connection) -> list[tuple[Any, ...]]:
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    return db.execute(f"SELECT {names} FROM t ORDER BY id".replace('"size"', "size::text")).fetchall()  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def models(shared_db: psycopg.Connection) -> psycopg.Connection:
    """The trees m1, m2, ...; the boosted models b, and steps, which is calibrated; the forests f and of_classes."""
    shared_db.execute(MAKE)
    for number, training in enumerate(TRAININGS.values(), 1):
        shared_db.execute(training.replace("'m'", f"'m{number}'"), [FEATURES])  # type: ignore[arg-type]
    boosted = "SELECT madtree.boost_train('t', 'b', 'id', 'late', %s, num_trees => 55, max_leaf_nodes => 2)"
    shared_db.execute(boosted, [FEATURES])
    shared_db.execute("SELECT madtree.calibrate('b', 't', 'steps', 'isotonic')")
    grow(shared_db, "numbers")
    grow(shared_db, "three classes, surrogates", "of_classes")
    return shared_db


def in_duckdb(rows_: list[tuple[Any, ...]]) -> Engine:
    """What DuckDB says of an expression over the rows."""
    there = duckdb.connect()
    named = ", ".join(f'"{name}" {type_}' for name, type_ in zip(COLUMNS, TYPES, strict=True))
    there.execute(f"CREATE TABLE t ({named})")
    row = f"({', '.join('?' * len(COLUMNS))})"
    there.execute(f"INSERT INTO t VALUES {', '.join([row] * len(rows_))}", [value for each in rows_ for value in each])
    return lambda expression: [
        value for (value,) in there.execute(f"SELECT {expression} FROM t ORDER BY id").fetchall()
    ]


def in_sqlite(rows_: list[tuple[Any, ...]]) -> Engine:
    """The same of SQLite."""
    there = sqlite3.connect(":memory:")
    types = [type_ + " COLLATE NOCASE" * (type_ == "VARCHAR") for type_ in TYPES]
    there.execute(f"CREATE TABLE t ({', '.join(f'`{n}` {t}' for n, t in zip(COLUMNS, types, strict=True))})")
    plain = [
        tuple(float(v) if i == 2 and v is not None else str(v) if i == 6 else v for i, v in enumerate(row))
        for row in rows_
    ]
    there.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", plain)
    return lambda expression: [
        value for (value,) in there.execute(f"SELECT {expression} FROM t ORDER BY id").fetchall()
    ]


@pytest.fixture(scope="module")
def engines(models: psycopg.Connection) -> dict[str, Engine]:
    """Other databases with the rows of the table `t` that all tests share."""
    found = data(models)
    return {"duckdb": in_duckdb(found), "sqlite": in_sqlite(found)}


@pytest.fixture
def db(db: psycopg.Connection, schema: str, shared_schema: str, models: psycopg.Connection) -> psycopg.Connection:
    """The session finds the table and the models that all tests share, too."""
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree".encode())
    return db


def expected(db: psycopg.Connection, call: str) -> list[Any]:
    """What the function that predicts says of the rows; of several columns the last one."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(call)  # type: ignore[arg-type]
    return [list(row.values())[-1] for row in rows(db, "SELECT * FROM scored ORDER BY id")]


def written(db: psycopg.Connection, call: str) -> str:
    return str(db.execute(call).fetchone()[0])  # type: ignore[arg-type,index]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("training", TRAININGS)
def test_every_row_comes_to_the_same_leaf(db: psycopg.Connection, engines: dict[str, Engine], training: str) -> None:
    model = f"m{1 + [*TRAININGS].index(training)}"
    for type_ in ("leaf", "response"):
        here = expected(db, f"SELECT madtree.tree_predict('{model}', 't', 'scored', '{type_}')")
        assert len(set(here)) > 1
        for dialect, run in engines.items():
            there = run(written(db, f"SELECT madtree.tree_sql('{model}', '{type_}', dialect => '{dialect}')"))
            assert there == here, (type_, dialect)


def test_probabilities_and_the_trees_of_a_forest(db: psycopg.Connection, engines: dict[str, Engine]) -> None:
    here = expected(db, "SELECT madtree.tree_predict('m1', 't', 'scored', 'prob')")
    for dialect, run in engines.items():
        there = run(written(db, f"SELECT madtree.tree_sql('m1', 'prob', dialect => '{dialect.upper()}')"))
        assert there == here, dialect
    db.execute("SELECT madtree.forest_train('t', 'f', 'id', 'k', %s, num_trees => 3)", [FEATURES])
    expression = written(db, "SELECT madtree.tree_sql('f', 'response', tree_id => 2)")
    here = [row["said"] for row in rows(db, f"SELECT id, {expression} AS said FROM t ORDER BY id")]
    for dialect, run in engines.items():
        expression = written(db, f"SELECT madtree.tree_sql('f', 'response', tree_id => 2, dialect => '{dialect}')")
        assert run(expression) == here, dialect


BOOSTED = {
    # Of more rounds than a sum has terms.
    "raw": ("late", {"num_trees": 55}, "raw"),
    "prob": ("late", {}, "prob"),
    "exponential": ("late", {"loss": "exponential"}, "prob"),
    "class": ("late", {}, "response"),
    "number": ("y", {"num_trees": 55}, "response"),
    "logarithm": ("n + 21", {"loss": "poisson"}, "response"),
    "groups": ("y", {"grouping_cols": "g"}, "response"),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", BOOSTED)
def test_a_boosted_model_says_the_same(db: psycopg.Connection, engines: dict[str, Engine], case: str) -> None:
    target, more, type_ = BOOSTED[case]
    given = {"num_trees": 8, "max_leaf_nodes": 5, **more}
    if target.startswith("n"):
        given["classification"] = False
    names = "".join(f", {name} => %s" for name in given)
    call = f"SELECT madtree.boost_train('t', 'm', 'id', %s, %s{names})"
    db.execute(call, [target, FEATURES, *given.values()])  # type: ignore[arg-type]
    here = expected(db, f"SELECT madtree.boost_predict('m', 't', 'scored', '{type_}')")
    for dialect, run in engines.items():
        there = run(written(db, f"SELECT madtree.boost_sql('m', '{type_}', dialect => '{dialect}')"))
        if case == "class":
            assert [bool(said) for said in there] == here, dialect
        else:
            np.testing.assert_allclose(there, here, rtol=1e-12, err_msg=dialect)


def expressions(db: psycopg.Connection, dialect: str) -> Iterator[str]:
    """Without the tree of many leaves, which says nothing that the others do not; half of them in each dialect."""
    calls = [f"tree_sql('m{number}', " for number in range(1, len(TRAININGS))]
    calls += ["tree_sql('m1', 'leaf', ", "boost_sql('b', 'prob', ", "tree_sql('f', "]
    calls += ["tree_sql('of_classes', 'prob', class => 'it''s low', "]
    for call in share(calls, 2, [*DIALECTS].index(dialect)):
        yield written(db, f"SELECT madtree.{call}dialect => '{dialect}')")
    if DIALECTS[dialect].has_sub_selects:
        yield written(db, f"SELECT madtree.tree_sql('of_classes', dialect => '{dialect}')")
        yield written(db, f"SELECT madtree.boost_sql('steps', 'prob', dialect => '{dialect}')")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_others_can_be_read(models: psycopg.Connection, dialect: str) -> None:
    """By a parser of the dialect; and what has PostgreSQL's marks is in none."""
    for expression in expressions(models, dialect):
        read = sqlglot.parse_one(f"SELECT {expression} AS said FROM t", read=READERS.get(dialect, dialect))
        of_row = {column.name for column in read.find_all(sqlglot.exp.Column) if column.table not in ("s", "m", "e")}
        assert of_row <= {*COLUMNS}
        texts = {each.this for each in read.find_all(sqlglot.exp.Literal) if each.is_string}
        assert texts.isdisjoint({"O''Hara", "O\\'Hara", "back\\\\slash"})
        for mark in ("::", "IS TRUE", "IS NOT TRUE", "ARRAY", "pg_catalog", "OPERATOR", "E'"):
            assert mark not in expression


def test_postgresql_is_the_default(db: psycopg.Connection) -> None:
    assert written(db, "SELECT madtree.tree_sql('m2')") == written(
        db, "SELECT madtree.tree_sql('m2', dialect => 'PostgreSQL')"
    )


@pytest.mark.parametrize(
    ("features", "call", "said"),
    [
        ("x, n", "tree_sql('m', dialect => 'oracle')", "dialect must be one of postgresql, duckdb, sqlite,"),
        ("x + 1, n", "tree_sql('m', dialect => 'duckdb')", "is an expression of PostgreSQL's, which duckdb may read"),
        ("x, i", "tree_sql('m', dialect => 'duckdb')", "feature i is of type interval, for which duckdb has nothing"),
        ("x, n", "tree_sql('g', dialect => 'mysql')", "grouping column u is of type uuid, for which mysql has nothing"),
        ("x, s", "tree_sql('m', dialect => 'sqlite')", "for which sqlite has nothing that means the same"),
        ("x, n", "tree_sql('m', 'prob', dialect => 'duckdb')", "numbers of more than two classes are an array"),
    ],
)
def test_what_cannot_be_written_is_said(db: psycopg.Connection, features: str, call: str, said: str) -> None:
    db.execute(
        "CREATE TABLE t AS TABLE t; ALTER TABLE t ADD i interval, ADD u uuid, ADD s timestamp; "
        "UPDATE t SET i = y * interval '1 day', "
        "u = md5(k)::uuid, s = timestamp '2020-01-01' + y * interval '1 day'"
    )
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'k', %s, min_split => 4)", [features])
    if "'g'" in call:
        db.execute("SELECT madtree.tree_train('t', 'g', 'id', 'y', %s, grouping_cols => 'u')", [features])
    with pytest.raises(psycopg.Error, match=said):
        db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


def test_many_classes_of_a_boosted_model(db: psycopg.Connection, engines: dict[str, Engine]) -> None:
    """Also where scores are so far apart that exponentials have no digits left."""
    db.execute("SELECT madtree.boost_train('t', 'm', 'id', 'k', %s, num_trees => 12, max_leaf_nodes => 4)", [FEATURES])
    call = "SELECT madtree.boost_sql('m', '{}', class => 'mid\\dle', dialect => '{}')"
    for base in (0.0, 5000.0):
        db.execute("UPDATE m_group SET base_score[1] = %s", [base])
        here = expected(db, "SELECT madtree.boost_predict('m', 't', 'scored')")
        numbers = {
            type_: expected(db, f"SELECT madtree.boost_predict('m', 't', 'scored', '{type_}')")
            for type_ in ("raw", "prob")
        }
        for dialect, run in engines.items():
            assert run(written(db, f"SELECT madtree.boost_sql('m', dialect => '{dialect}')")) == here
            for type_, of_class in numbers.items():
                np.testing.assert_allclose(run(written(db, call.format(type_, dialect))), of_class, 1e-12, 1e-12)
    for dialect in engines:
        refused(db, dialect)


def refused(db: psycopg.Connection, dialect: str) -> None:
    with pytest.raises(psycopg.Error, match="numbers of more than two classes are an array"):
        db.execute(f"SELECT madtree.boost_sql('m', 'raw', dialect => '{dialect}')")  # type: ignore[arg-type]


FORESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("y", {}),
    "numbers, groups": ("y", {"grouping_cols": "g"}),
    "two classes": ("late", {"num_trees": 4}),
    "three classes, surrogates": ("k", {"null_handling_params": "max_surrogates=3"}),
    "three classes, NULL as a value, groups": (
        "k",
        {"null_handling_params": "null_as_category=true", "grouping_cols": "g"},
    ),
    "more trees than a sum has terms": ("k", {"num_trees": 55, "max_tree_depth": 2}),
}


def grow(db: psycopg.Connection, case: str, model: str = "f") -> bool:
    """Train a forest; whether it is of classes."""
    target, more = FORESTS[case]
    given = {"num_trees": 5, "max_tree_depth": 6, "importance": False, **more}
    names = "".join(f", {name} => %s" for name in given)
    call = f"SELECT madtree.forest_train('t', %s, 'id', %s, %s{names})"
    db.execute(call, [model, target, FEATURES, *given.values()])  # type: ignore[arg-type]
    return target != "y"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", FORESTS)
def test_a_forest_says_the_same(db: psycopg.Connection, engines: dict[str, Engine], case: str) -> None:
    of_classes = grow(db, case)
    for type_ in ("response", "prob", "prob_mean") if of_classes else ("response",):
        here = expected(db, f"SELECT madtree.forest_predict('f', 't', 'scored', '{type_}')")
        assert len(set(here)) > 1
        label = str(rows(db, "SELECT dependent_var_levels AS l FROM f_summary")[0]["l"][-1]) if of_classes else None
        of_class = label if type_ != "response" else None
        call = "SELECT madtree.tree_sql('f', %s, class => %s, dialect => %s)"
        for dialect, run in engines.items():
            (expression,) = db.execute(call, [type_, of_class, dialect]).fetchone() or ()
            there = run(expression)
            if of_classes and type_ == "response":
                assert [bool(said) for said in there] == here if label == "true" else there == here
            else:
                np.testing.assert_allclose(there, here, rtol=1e-12, err_msg=dialect)


@pytest.mark.parametrize("train", ["boost_train", "forest_train"])
def test_a_model_that_is_calibrated_by_steps_says_the_same(
    db: psycopg.Connection, engines: dict[str, Engine], train: str
) -> None:
    db.execute(f"SELECT madtree.{train}('t', 'm', 'id', 'late', %s, num_trees => 9, grouping_cols => 'g')", [FEATURES])  # type: ignore[arg-type]
    db.execute("SELECT madtree.calibrate('m', 't', 'c', 'isotonic')")
    (steps,) = rows(db, "SELECT sum(cardinality(point_scores)) AS n FROM c_group")
    assert steps["n"] > 10
    for type_ in ("prob", "response"):
        here = expected(db, f"SELECT madtree.boost_predict('c', 't', 'scored', '{type_}')")
        for dialect, run in engines.items():
            there = run(written(db, f"SELECT madtree.boost_sql('c', '{type_}', dialect => '{dialect}')"))
            np.testing.assert_allclose(np.array(there, float), np.array(here, float), rtol=1e-12, atol=1e-12)


def test_numbers_that_no_literal_has_are_refused() -> None:
    with pytest.raises(MadtreeError, match="the number inf"):
        spelling_of("duckdb").number(math.inf)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_that_a_model_says_gets_out_of_its_quotes(dialect: str) -> None:
    spelling = spelling_of(dialect)
    assert isinstance(spelling, Portable)
    for text in ("1; DROP TABLE t", "1 OR 1 = 1", "NaN", "0x10", "1e5 --", "\u0663", ""):
        with pytest.raises(MadtreeError, match="nothing that means the same"):
            spelling.value(text, "integer")
    for text in ("it's", "back\\", "\\'; DROP TABLE t; --", "'", "two\nlines", "`"):
        for type_ in ("text", "date"):
            read = sqlglot.parse_one(f"SELECT {spelling.value(text, type_)}", read=READERS.get(dialect, dialect))
            assert [each.this for each in read.find_all(sqlglot.exp.Literal, sqlglot.exp.National)] == [text]
    for name in ('"a""; DROP"', '"a`b"', '"a]b"', '"a b"', '"a\\"', '"a\\`b"'):
        column = spelling.column(Feature(name, "integer", FeatureKind.CONTINUOUS))
        read = sqlglot.parse_one(f"SELECT {column}", read=READERS.get(dialect, dialect))
        assert [each.name for each in read.find_all(sqlglot.exp.Column)] == [parse_name(name)[0]]  # type: ignore[index]


@pytest.mark.parametrize("name", ["a`b", "a``b", "a\\", "\\` OR TRUE --", "two\nlines", "it's", '"'])
def test_names_are_whole_as_bigquery_reads_them(db: psycopg.Connection, name: str) -> None:
    """By the grammar of GoogleSQL: between backticks a backslash escapes what follows, and a backtick ends the name."""
    column = sql.Identifier(name)
    db.execute(sql.SQL("CREATE TABLE odd AS SELECT id, id % 2 = 0 AS y, id % 2 AS {} FROM t").format(column))
    db.execute("SELECT madtree.tree_train('odd', 'm', 'id', 'y', %s)", [column.as_string()])
    said = written(db, "SELECT madtree.tree_sql('m', dialect => 'bigquery')")
    found = re.findall(r"`((?:\\.|[^`\\\r\n])*)`", said)
    assert {re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], each) for each in found} == {name}
    rest = re.sub(r"`(?:\\.|[^`\\\r\n])*`", "name", said)
    assert re.fullmatch(r"[\sA-Za-z0-9_<>=.']*", rest), rest


def test_columns_that_duckdb_takes_for_functions(db: psycopg.Connection) -> None:
    """In a sub-select even in quotes; elsewhere they are columns."""
    db.execute('CREATE TABLE v AS SELECT id, x, k, y, n AS "user", who AS "Current_Date" FROM t')
    features = '"user", "Current_Date"'
    db.execute("SELECT madtree.boost_train('v', 'm', 'id', 'k', %s, num_trees => 3)", [features])
    for type_, more in (("response", ""), ("prob", ", class => 'high'")):
        with pytest.raises(psycopg.Error, match=r'duckdb takes the column "(user|current_date)" for a function'):
            written(db, f"SELECT madtree.boost_sql('m', '{type_}', dialect => 'duckdb'{more})")
    db.execute("SELECT madtree.boost_train('v', 'm', 'id', 'y', %s, num_trees => 3, replace => true)", [features])
    db.execute("DROP TABLE IF EXISTS scored; SELECT madtree.boost_predict('m', 'v', 'scored')")
    here = [row["estimated_y"] for row in rows(db, "SELECT * FROM scored ORDER BY id")]
    there = duckdb.connect()
    there.execute('CREATE TABLE v (id INTEGER, "user" INTEGER, "Current_Date" VARCHAR)')
    found = db.execute('SELECT id, "user", "Current_Date" FROM v ORDER BY id').fetchall()
    there.executemany("INSERT INTO v VALUES (?, ?, ?)", found)
    expression = written(db, "SELECT madtree.boost_sql('m', dialect => 'duckdb')")
    said = [value for (value,) in there.execute(f"SELECT {expression} FROM v ORDER BY id").fetchall()]
    assert said == pytest.approx(here)
