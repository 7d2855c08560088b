"""What is probably not meant, but has one sensible reading: `tree_train` takes it so, and says so."""

from __future__ import annotations

from datetime import date
from typing import Any

import psycopg
import pytest
from training import read_model, train

FEATURES_LEFT_OUT = "list_of_features: left out: "


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TABLE data (id int, d date, v float8, x float8, n int, w int, g int, pair float8[]);
        INSERT INTO data
        SELECT i, date '2026-01-30' + i % 3, i % 3, i % 3, i, 1, i % 2, ARRAY[i % 3, i] FROM generate_series(1, 60) i;
    """)
    return db


def told(db: psycopg.Connection, **arguments: Any) -> list[tuple[str, str]]:
    """Severity and text of each message of a training, in which what is given replaces what is good."""
    found: list[tuple[str, str]] = []

    def keep(message: psycopg.errors.Diagnostic) -> None:
        found.append((message.severity or "", message.message_primary or ""))

    db.add_notice_handler(keep)
    good = {"table": "data", "model": "m", "dependent": "v", "features": "x, n", "replace": True}
    train(db, **(good | arguments))
    db.remove_notice_handler(keep)
    return found


def features(db: psycopg.Connection) -> list[str]:
    row = db.execute("SELECT features FROM m_summary").fetchone()
    assert row
    return list(row[0])


def test_what_cannot_be_a_feature_is_left_out(data: psycopg.Connection) -> None:
    assert ("NOTICE", FEATURES_LEFT_OUT + "(pair)[2] (listed twice)") in told(data, features="(pair)[2], pair")
    assert features(data) == ["(pair)[1]", "(pair)[2]"]


def test_an_exclusion_that_does_not_exist(data: psycopg.Connection) -> None:
    messages = told(data, features="*", list_of_features_to_exclude="nn, d, pair, w, g")
    assert features(data) == ["x", "n"]
    assert (
        "NOTICE",
        "list_of_features_to_exclude: column nn does not exist in data, and excludes nothing. Did you mean n?",
    ) in [(severity, text.replace(f"{schema_of(data)}.", "")) for severity, text in messages]


def schema_of(db: psycopg.Connection) -> str:
    row = db.execute("SELECT current_schema()").fetchone()
    assert row
    return str(row[0])


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_a_number_is_learned_by_mse_whatever_the_criterion(data: psycopg.Connection, criterion: str) -> None:
    warnings = [text for severity, text in told(data, split_criterion=criterion) if severity == "WARNING"]
    nodes = read_model(data, "m")["_nodes"]
    told(data, split_criterion="mse")
    assert nodes == read_model(data, "m")["_nodes"]
    words = (
        f"split_criterion: mse is taken for {criterion}, as dependent_variable v is of type double precision, which "
        "means regression; for classification, cast it: (v)::text"
    )
    assert warnings == ([] if criterion == "gini" else [words])  # gini is the default of classification


def test_a_depth_beyond_the_limit_and_a_single_fold(data: psycopg.Connection) -> None:
    messages = told(data, max_depth=99, pruning_params="n_folds=1")
    assert ("NOTICE", "max_depth: 60 is taken for 99; no tree grows deeper") in messages
    tables = read_model(data, "m")
    assert "_cv" not in tables
    told(data, max_depth=60)
    assert read_model(data, "m") == tables


def test_dates_are_classes_under_every_date_style(data: psycopg.Connection) -> None:
    days = [date(2026, 1, 30), date(2026, 1, 31), date(2026, 2, 1)]
    data.execute("SET datestyle = 'SQL, DMY'")
    told(data, dependent="d", features="x")
    summary = "SELECT is_classification, dependent_var_levels, dependent_var_type FROM m_summary"
    assert data.execute(summary).fetchone() == (True, [str(day) for day in days], "date")
    for style in ("German", "ISO, MDY"):
        data.execute(f"SET datestyle = '{style}'")
        data.execute("DROP TABLE IF EXISTS p; SELECT madtree.tree_predict('m', 'data', 'p')")
        rows = data.execute(
            "SELECT count(*) FILTER (WHERE estimated_d = d), min(pg_typeof(estimated_d)::text) "
            "FROM p JOIN data USING (id)"
        )
        assert rows.fetchone() == (60, "date")
        accuracy = "SELECT value FROM madtree.tree_evaluate('m', 'data') WHERE metric = 'accuracy'"
        assert data.execute(accuracy).fetchone() == (1.0,)


TIMES = {
    "timestamp": ["-infinity", "2026-01-30 10:00:00", "2026-01-30 10:00:00.5"],
    "timestamptz": ["2026-01-30 10:00:00+00", "2026-01-30 10:00:00.5+00", "infinity"],
    "time": ["00:00:00", "10:00:00", "23:59:59.999"],
    "timetz": ["10:00:00+02", "10:00:00+00", "10:00:00-03:30"],
    "uuid": [f"{digit}0000000-0000-0000-0000-00000000000a" for digit in "0af"],
    "inet": ["10.0.0.1", "10.0.0.0/8", "::1"],
    "bit varying": ["", "01", "1"],
    "jsonb": ["null", '"a"', '{"a": 1}'],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("type_", TIMES)
def test_what_has_an_order_and_no_arithmetic_is_a_class_under_all_settings(db: psycopg.Connection, type_: str) -> None:
    db.execute(
        f"CREATE TABLE data AS SELECT i AS id, (%s::text[])[1 + i %% 3]::{type_} AS d, i %% 3 AS x "
        "FROM generate_series(1, 60) i",
        [TIMES[type_]],
    )
    db.execute("SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Tokyo'")
    db.execute("SELECT madtree.tree_train('data', 'm', 'id', 'd', 'x')")
    (levels,) = db.execute("SELECT dependent_var_levels FROM m_summary").fetchone() or ([],)
    for settings in ("SET datestyle = 'German'; SET timezone = 'America/St_Johns'", "RESET datestyle; RESET timezone"):
        db.execute(settings)
        same = f"SELECT count(*) FROM unnest(%s::text[]) AS l JOIN (SELECT DISTINCT d FROM data) t ON l::{type_} = t.d"
        assert db.execute(same, [levels]).fetchone() == (3,)
        db.execute("DROP TABLE IF EXISTS p; SELECT madtree.tree_predict('m', 'data', 'p')")
        right = "SELECT count(*), min(pg_typeof(estimated_d)) = min(pg_typeof(d)) FROM p JOIN data USING (id) "
        assert db.execute(right + "WHERE estimated_d = d").fetchone() == (60, True)
        accuracy = "SELECT value FROM madtree.tree_evaluate('m', 'data') WHERE metric = 'accuracy'"
        assert db.execute(accuracy).fetchone() == (1.0,)
        assert db.execute("SELECT count(*) FROM madtree.tree_path('m', 'data', '7')").fetchone() != (0,)


@pytest.mark.parametrize("type_", ["json", "bytea", "interval", "money", "point"])
def test_what_has_none_of_it_is_refused(db: psycopg.Connection, type_: str) -> None:
    db.execute(f"CREATE TABLE data AS SELECT i AS id, NULL::{type_} AS d, i AS x FROM generate_series(1, 60) i")
    with pytest.raises(psycopg.errors.DatatypeMismatch, match=f"dependent_variable d is of type {type_}; it must be"):
        db.execute("SELECT madtree.tree_train('data', 'm', 'id', 'd', 'x')")


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("'id', 'y', 'price'", "price::numeric"),
        ("'id', 'y', 'x, price + price'", "(price + price)::numeric"),
        ("'id', 'price', 'x'", "price::numeric"),
        ("'id', 'y', 'x', weights => '\"Fee\"'", '"Fee"::numeric'),
    ],
)
def test_an_amount_of_money_is_told_how_to_become_a_number(db: psycopg.Connection, call: str, number: str) -> None:
    db.execute(
        'CREATE TABLE sales AS SELECT i AS id, i AS x, i > 50 AS y, i::money AS price, 1::money AS "Fee" '
        "FROM generate_series(1, 100) AS i"
    )
    with pytest.raises(psycopg.Error, match="is of type money") as caught:
        db.execute(f"SELECT tree_train('sales', 'm', {call})".encode())
    assert caught.value.diag.message_hint == f"Write {number}."
    as_written = number.removesuffix("::numeric").strip("()")
    db.execute(f"SELECT tree_train('sales', 'm', {call.replace(as_written, number)})".encode())
