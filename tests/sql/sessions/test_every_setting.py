"""No setting that an ordinary role may place changes a model or a prediction. The owner of a database places settings
for everybody who comes there, by ALTER DATABASE, a superuser among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import psycopg
import pytest
from psycopg import sql
from shares import share
from training import read_model

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

# What ends a call, makes an error of one that is caught, or takes the machine's memory at once; and what is no setting.
LEFT = {
    "default_transaction_read_only", "exit_on_error", "hash_mem_multiplier", "role", "search_path",
    "session_authorization", "temp_buffers", "transaction_deferrable", "transaction_isolation",
    "transaction_read_only", "work_mem",
}  # fmt: skip
SETTABLE = """
SELECT name, vartype, setting, min_val, max_val, enumvals FROM pg_settings
WHERE context = 'user' AND NOT name = ANY (%s) ORDER BY name
"""
WORDS = {
    "DateStyle": "German, DMY", "IntervalStyle": "sql_standard", "TimeZone": "Asia/Kathmandu", "lc_numeric": "C",
    "plpgsql.extra_errors": "all", "plpgsql.extra_warnings": "none", "application_name": "{\"'\\",
}  # fmt: skip
DATA = r"""
CREATE TABLE data AS SELECT i AS id, i * 7919 % 1000 / 7.0::float8 AS x, date '2020-01-01' + i AS day,
    make_interval(hours => i * 31 % 500) AS span, timestamptz '2021-05-01 00:00+00' + make_interval(hours => i) AS at,
    (ARRAY[E'a\\b', E'it''s', E'\\', '"', E'two\nlines', '{x,y}', '', 'NULL', NULL])[1 + i % 9] AS word,
    1 + (i % 9)::float8 / 1e12 AS close, i % 3 AS g, (i % 9 < 4) <> (i * 7919 % 1000 < 200) AS y,
    timestamptz '2021-05-01 00:00+00' + make_interval(days => i % 4) AS moment, make_interval(days => i % 4) AS length
FROM generate_series(1, 400) AS i
"""
FEATURES = "x, day, span, at, word"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "whole": ("tree", {"dependent_variable": "y", "list_of_features": FEATURES, "max_competitors": 2,
                       "surrogate_params": "max_surrogates=2, null_as_category=true",
                       "pruning_params": "n_folds=3"}),
    "close": ("tree", {"dependent_variable": "close", "list_of_features": FEATURES, "classification": True,
                       "min_split": 2, "min_bucket": 1}),
    "moment": ("tree", {"dependent_variable": "moment", "list_of_features": FEATURES}),
    "grouped": ("tree", {"dependent_variable": "y", "list_of_features": FEATURES, "max_depth": 3,
                         "grouping_cols": "close, moment, length"}),
    "forest": ("forest", {"dependent_variable": "y", "list_of_features": FEATURES, "num_trees": 2,
                          "null_handling_params": "max_surrogates=1, null_as_category=true", "grouping_cols": "moment",
                          "oob_predictions": True}),
}  # fmt: skip


def hostile(db: psycopg.Connection, which: str) -> dict[str, str]:
    """A value other than the default for each setting that has one of that sort."""
    found = {}
    for name, type_, setting, low, high, values in db.execute(SETTABLE, [list(LEFT)]).fetchall():
        if type_ == "bool" and which == "booleans":
            found[name] = "off" if setting == "on" else "on"
        elif type_ == "enum" and which in ("first words", "last words"):
            others = [value for value in values if value != setting]
            found[name] = others[0 if which == "first words" else -1]
        elif type_ in ("integer", "real") and which in ("least numbers", "greatest numbers"):
            found[name] = low if which == "least numbers" else high
    return WORDS if which == "words" else found


def train(db: psycopg.Connection, engine: str, suffix: str, names: Iterable[str] = MODELS) -> None:
    for name in names:
        kind, given = MODELS[name]
        model = f"{name}_{suffix}"
        arguments = {"training_table_name": "data", "output_table_name": model, "id_col_name": "id", **given}
        _call(db, engine, f"{kind}_train", arguments)
        _call(db, engine, f"{kind}_predict", [model, "data", f"{model}_scored"])


def _call(db: psycopg.Connection, engine: str, function: str, given: dict[str, Any] | list[str]) -> None:
    if engine == "client":
        named, listed = (given, []) if isinstance(given, dict) else ({}, given)
        with db.transaction():
            call(PsycopgHost(db), function, listed, named)
    elif isinstance(given, dict):
        names = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in given)
        db.execute(sql.SQL("SELECT madtree.{}({})").format(sql.Identifier(function), names), list(given.values()))
    else:
        db.execute(sql.SQL("SELECT madtree.{}(%s, %s, %s)").format(sql.Identifier(function)), given)


def outcome(db: psycopg.Connection, suffix: str, names: Iterable[str]) -> dict[str, Any]:
    """Models and predictions, as a session of the usual settings prints them."""
    found: dict[str, Any] = {}
    for name in names:
        model = f"{name}_{suffix}"
        found[name] = read_model(db, model)
        scored = db.execute(f"SELECT s::text FROM {model}_scored AS s ORDER BY id").fetchall()  # type: ignore[arg-type]
        found[f"predictions of {name}"] = scored
    return found


@pytest.fixture(scope="module")
def usual(shared_db: psycopg.Connection) -> psycopg.Connection:
    """A session of the usual settings, with the data, and the models and predictions that it has made of them."""
    shared_db.execute(DATA)
    train(shared_db, "extension", "usual")
    return shared_db


KINDS = ["booleans", "first words", "last words", "least numbers", "words", "greatest numbers"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("which", "engine"),
    [(kind, engine) for turn, kind in enumerate(KINDS) for engine in share(("extension", "client"), 2, turn)],
)
def test_no_setting_changes_a_model_or_a_prediction(
    usual: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    schema: str,
    shared_schema: str,
    which: str,
    engine: str,
) -> None:
    db, settings = connect(), hostile(usual, which)
    assert len(settings) > 5
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    for name, value in settings.items():
        db.execute(sql.SQL("SET {} = {}").format(sql.Identifier(*name.split(".")), sql.Literal(value)))
    names = share([*MODELS], 2, KINDS.index(which))
    train(db, engine, "set", names)
    usual.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    assert outcome(usual, "set", names) == outcome(usual, "usual", names), settings
