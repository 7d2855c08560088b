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


@pytest.mark.parametrize(
    ("arguments", "words", "left"),
    [
        ({"features": "x, n, X"}, "x (listed twice)", ["x", "n"]),
        ({"features": "v, x"}, "v (the dependent variable)", ["x"]),
        ({"features": "x, id"}, "id (the id)", ["x"]),
        ({"features": "x, g", "grouping_cols": "g"}, "g (a grouping column)", ["x"]),
        ({"features": "x, w", "weights": "w"}, "w (the weights)", ["x"]),
        ({"features": "x, g", "pruning_params": "fold_col=g"}, "g (the folds)", ["x"]),
        ({"features": "(pair)[2], pair"}, "(pair)[2] (listed twice)", ["(pair)[1]", "(pair)[2]"]),
    ],
    ids=str,
)
def test_what_cannot_be_a_feature_is_left_out(
    data: psycopg.Connection, arguments: dict[str, Any], words: str, left: list[str]
) -> None:
    assert ("NOTICE", FEATURES_LEFT_OUT + words) in told(data, **arguments)
    assert features(data) == left


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


@pytest.mark.parametrize("criterion", ["entropy", "misclassification", "gain_ratio", "gini"])
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
