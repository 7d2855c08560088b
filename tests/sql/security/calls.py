"""Calls of every public function over features, groups, weights and sources of every usual kind, with their answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from invoked import invoke
from psycopg import sql
from shares import ALL
from training import train

import madtree
from madtree.doctor.facts import gather
from madtree.report import build_report

SCHEMA = "boss_s"
TYPES = [f"{SCHEMA}.mood", f"{SCHEMA}.share", f"{SCHEMA}.citext"]
N_ROWS, N_LARGE = 3_000, 70_000
FEATURES = "i2, i4, i8, f4, f8, num, share, b, tx, vc, ch, nm, mood, d, ts, tstz, tm, tmtz, iv, arr, iarr"
FEW = "f4, i8, vc, mood, d, share, num"

MAKE = f"""
CREATE TYPE {SCHEMA}.mood AS ENUM ('low', 'middle', 'high');
CREATE DOMAIN {SCHEMA}.share AS float8;
CREATE TABLE {SCHEMA}.t AS SELECT i AS id, x.*,
    ('text ' || i % 3)::varchar(20) AS gv, (i % 3)::int2 AS gi, date '2020-01-01' + i % 2 AS gd, 'g' || i % 2 AS gt,
    (ARRAY['low', 'high'])[1 + i % 2]::{SCHEMA}.mood AS gm, (i % 2)::float4 AS gf,
    (ARRAY['a', 'A', 'b'])[1 + i % 3]::{SCHEMA}.citext AS gx, ('c' || i % 2)::char(4) AS gc,
    i % 4 AS wi, (i % 7)::numeric / 3 AS wn, (1 + i % 5)::real AS wr, (i % 3)::bigint AS wl, i % 4 AS fold,
    (i * 31 % 977 > 500) <> (i % 7 = 0) AS yes, ('class ' || i * 31 % 977 / 300)::varchar(10) AS kind,
    i * 31 % 5 AS class, (i * 31 % 977)::float8 / 10 + i % 7 AS value, (i * 31 % 977)::numeric / 4 AS price,
    (i * 31 % 977)::int8 AS count
FROM generate_series(1, {N_ROWS}) AS i, LATERAL (SELECT
    (i * 17 % 211)::int2 AS i2, nullif(i * 31 % 977, 5) AS i4, (i * 13 % 401)::int8 * 10000000000 AS i8,
    nullif(i * 31 % 977, 7)::float4 AS f4, CASE i % 50 WHEN 0 THEN 'NaN' ELSE sin(i) END AS f8,
    nullif(i * 7 % 103, 9)::numeric / 8 AS num, (i * 19 % 97)::float8::{SCHEMA}.share AS share, i % 3 = 1 AS b,
    'text ' || i * 13 % 19 AS tx, ('v' || i * 31 % 977 / 100)::varchar(9) AS vc, ('c' || i % 5)::char(5) AS ch,
    ('n' || i % 4)::name AS nm, (ARRAY['low', 'middle', 'high'])[1 + i * 31 % 977 / 326]::{SCHEMA}.mood AS mood,
    date '2020-01-01' + i * 31 % 977 AS d, timestamp '2020-01-01' + i * 31 % 977 * interval '1 hour' AS ts,
    timestamptz '2020-01-01 UTC' + i % 99 * interval '1 day' AS tstz, time '00:00' + i % 97 * interval '1 minute' AS tm,
    timetz '00:00 UTC' + i % 89 * interval '1 minute' AS tmtz, i % 83 * interval '1 hour' AS iv,
    ARRAY[sin(i * 3), i * 31 % 977] AS arr, ARRAY[i % 11, i % 13] AS iarr) AS x;
CREATE TABLE {SCHEMA}.few AS SELECT * FROM {SCHEMA}.t WHERE id <= 40;
CREATE VIEW {SCHEMA}.v AS SELECT * FROM {SCHEMA}.t;
CREATE MATERIALIZED VIEW {SCHEMA}.mv AS SELECT * FROM {SCHEMA}.t;
CREATE TABLE {SCHEMA}.p (LIKE {SCHEMA}.t) PARTITION BY RANGE (id);
CREATE TABLE {SCHEMA}.p1 PARTITION OF {SCHEMA}.p FOR VALUES FROM (MINVALUE) TO (1000);
CREATE TABLE {SCHEMA}.p2 PARTITION OF {SCHEMA}.p FOR VALUES FROM (1000) TO (MAXVALUE);
INSERT INTO {SCHEMA}.p SELECT * FROM {SCHEMA}.t;
CREATE TABLE {SCHEMA}.large AS SELECT i AS id, CASE WHEN i % 50 = 0 THEN 'small' ELSE 'large' END::varchar AS g,
    (i * 7919 % 10007)::float4 AS f4, (i * 31 % 977)::int8 AS i8, 'category ' || i % 19 AS tx, i % 4 AS w,
    i * 31 % 977 > 300 AS yes, (i * 31 % 977)::float8 AS value FROM generate_series(1, {N_LARGE} * 51 / 50) AS i;
ALTER TABLE {SCHEMA}.t ADD PRIMARY KEY (id);
ANALYZE;
"""
FOREIGN = """
CREATE EXTENSION postgres_fdw SCHEMA public;
CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {}, port {}, dbname {});
CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user {});
CREATE SCHEMA abroad;
IMPORT FOREIGN SCHEMA boss_s LIMIT TO (t) FROM SERVER loopback INTO abroad;
ALTER FOREIGN TABLE abroad.t RENAME TO f;
ALTER FOREIGN TABLE abroad.f SET SCHEMA boss_s
"""

# To group by; unqualified, `upper` and `||` would be whose the search path says.
KEYS = "pg_catalog.upper(gv) OPERATOR(pg_catalog.||) '!' AS loud, pg_catalog.date_part('day', gd)"

Answers = dict[str, Any]


def run(*words: str) -> str:
    """What the command says."""
    said = invoke(words)
    assert said.exit_code in (0, 1 if words[0] == "doctor" else 0), f"{said.output} {said.exception}"
    return said.stdout


Call = Callable[[psycopg.Connection, str, Path], Any]


def make_sources(db: psycopg.Connection) -> None:
    """All tables and views; `f` is a foreign table, and `gx` of a type of an extension, where the server has these."""
    if db.execute("SELECT FROM pg_available_extensions WHERE name = 'citext'").fetchone() is None:
        db.execute(f"CREATE DOMAIN {SCHEMA}.citext AS text")
    else:
        db.execute(f"CREATE EXTENSION citext SCHEMA {SCHEMA}")
    db.execute(MAKE)
    if db.execute("SELECT FROM pg_available_extensions WHERE name = 'postgres_fdw'").fetchone() is None:
        db.execute(f"CREATE VIEW {SCHEMA}.f AS SELECT * FROM {SCHEMA}.t")
        return
    places = db.execute("""SELECT (regexp_split_to_array(current_setting('unix_socket_directories'), ',\\s*'))[1],
        current_setting('port'), current_database(), current_user""").fetchone()
    for statement in FOREIGN.split(";"):
        literals = [sql.Literal(place) for place in places or ()]
        named = {"SERVER loopback FOREIGN": literals[:3], "USER MAPPING": literals[3:]}
        given = next((values for key, values in named.items() if key in statement), [])
        db.execute(sql.SQL(statement).format(*given))


def shown(db: psycopg.Connection, table: str) -> list[str]:
    """The rows of a table as PostgreSQL prints them, less what differs from training to training."""
    rows = db.execute(f"SELECT pg_catalog.to_jsonb(r) FROM {SCHEMA}.{table} AS r", prepare=False).fetchall()
    return sorted(json.dumps({k: v for k, v in row.items() if k != "trained_at"}, sort_keys=True) for (row,) in rows)


def model_rows(db: psycopg.Connection, model: str) -> Answers:
    suffixes = ("", "_nodes", "_summary", "_surrogates", "_cv", "_group")
    there = [
        s
        for s in suffixes
        if db.execute("SELECT pg_catalog.to_regclass(%s)", [f"{SCHEMA}.{model}{s}"]).fetchone() != (None,)
    ]
    return {suffix: shown(db, model + suffix) for suffix in there}


def training(dependent: str, features: str = FEATURES, table: str = "t", **more: Any) -> Call:
    """A training, and all rows of its model."""

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        workers = 1 if more.get("strategy") in ("auto", "workers") else 0
        given = {"max_depth": 5, "min_split": 6, "replace": True, "parallel_workers": workers, **more}
        train(db, f"{SCHEMA}.{table}", f"{SCHEMA}.trained", dependent, features, **given)
        return model_rows(db, "trained")

    return call


def tuning(method: str, params: str, **more: Any) -> Call:
    """A search, its scores, and all rows of the best model."""

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        named = "".join(f", {name} => %s" for name in more)
        db.execute(
            f"SELECT madtree.tree_tune(%s, %s, 'id', 'yes', %s, %s, %s, n_folds => 3, replace => true{named})",
            [f"{SCHEMA}.t", f"{SCHEMA}.found", FEATURES, method, params, *more.values()],
        )
        scores = db.execute(f"SELECT setting, fold, score, is_best FROM {SCHEMA}.found", prepare=False).fetchall()
        return rounded(sorted(scores)), model_rows(db, "found_model")

    return call


def trainings() -> Iterator[tuple[str, Call]]:
    yield "settings of trees", tuning("tree", "max_depth=2,4; min_bucket=3,9", weights="wr")
    yield "settings of forests", tuning("forest", "num_trees=1,2; max_tree_depth=3")
    yield "settings of boosting", tuning("boost", "num_trees=1,2; max_leaf_nodes=4", metric="accuracy")
    for strategy in ("auto", "memory", "workers", "aggregate"):
        yield f"classes, {strategy}", training("yes", strategy=strategy)
        yield f"numbers, {strategy}", training("value", weights="wr", strategy=strategy)
        yield (
            f"groups, {strategy}",
            training("kind", FEW, grouping_cols="gv, gd", weights="wn", strategy=strategy),
        )
        yield (
            f"large groups, {strategy}",
            training("yes", "f4, i8, tx", "large", grouping_cols="g", weights="w", strategy=strategy),
        )
        yield (
            f"folds, {strategy}",
            training(
                "value",
                FEW,
                strategy=strategy,
                weights="wi",
                pruning_params="n_folds=3",
                surrogate_params="max_surrogates=3",
            ),
        )
        yield (
            f"null as category, {strategy}",
            training("class", strategy=strategy, surrogate_params="null_as_category=true, max_surrogates=2"),
        )
    yield "numbers of large groups", training("value", "f4, i8, tx", "large", grouping_cols="g")
    yield "large and folds of a column", training("yes", "f4, i8", "large", pruning_params="n_folds=4, fold_col=w")
    for group in ("gi", "gt", "gm", "gf", "gc", "gv, gi, gd", "gx", "tstz", "num", "b", "nm"):
        yield f"grouped by {group}", training("value", "f4, i8, tx", grouping_cols=group, weights="wl")
    for strategy in ("auto", "workers", "aggregate"):
        yield f"grouped by expressions, {strategy}", training("value", "f4, i8", grouping_cols=KEYS, strategy=strategy)
    for weights in ("wi", "wn", "wr", "wl", "f4", "i2"):
        yield f"weighed by {weights}", training("yes", "i8, tx", weights=weights)
    for dependent in (
        "i2",
        "i4",
        "tx",
        "vc",
        "ch",
        "nm",
        "mood",
        "b",
        "num",
        "f4",
        "i8",
        "price",
        "count",
        "d",
        "share",
    ):
        # Text as it is, numbers as they are; dates have no tree.
        if dependent != "d":
            yield f"dependent {dependent}", training(dependent, "f8, gv, wn", max_depth=3)
    for table in ("v", "mv", "p", "f"):
        yield f"from {table}", training("yes", table=table)
        yield f"groups from {table}", training("value", FEW, table, grouping_cols="gv", weights="wn")
        yield f"aggregate from {table}", training("value", FEW, table, strategy="aggregate")
        yield (
            f"workers from {table}",
            training("value", FEW, table, strategy="workers" if table in ("mv", "p") else "auto"),
        )
    yield "every column", training("yes", "*", list_of_features_to_exclude="kind, id")
    yield "expressions", training("yes", "i4, pg_catalog.upper(tx)")
    yield "exact bins", training("yes", FEW, n_bins=0)
    yield "fold column", training("yes", FEW, pruning_params="n_folds=4, fold_col=fold, rule=1se")
    yield "entropy", training("class", FEW, split_criterion="entropy", verbose=True)


MODELS: dict[str, dict[str, Any]] = {
    "class_model": {"dependent_variable": "yes", "list_of_features": FEATURES, "surrogate_params": "max_surrogates=2",
                    "pruning_params": "n_folds=3"},
    "number_model": {"dependent_variable": "value", "list_of_features": FEATURES, "weights": "wn"},
    "group_model": {"dependent_variable": "kind", "list_of_features": FEW, "weights": "wi",
                    "grouping_cols": "gv, gd, gm, gx", "pruning_params": "n_folds=3"},
    "expression_model": {"dependent_variable": "kind", "list_of_features": FEW, "grouping_cols": KEYS},
    "null_model": {"dependent_variable": "class", "list_of_features": FEATURES,
                   "surrogate_params": "null_as_category=true, max_surrogates=1"},
}  # fmt: skip


# One of numbers, and one that has all that the others have.
OF_COMMANDS = ("number_model", "group_model")


def make_models(db: psycopg.Connection) -> None:
    for name, given in MODELS.items():
        arguments = {"max_depth": 6, "min_split": 6, **given}
        db.execute(
            sql.SQL("SELECT madtree.tree_train(%s, %s, 'id', {})").format(
                sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(key)) for key in arguments)
            ),
            [f"{SCHEMA}.t", f"{SCHEMA}.{name}", *arguments.values()],
        )


def asking(text: str, *parameters: Any) -> Call:
    """A query, and its rows as text."""

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        return rounded(db.execute(text, parameters, prepare=False).fetchall())

    return call


def rounded(answer: Any) -> str:
    """As text, numbers to ten digits: sums over a table's rows are taken in the order of the planner's choice."""
    return re.sub(r"\d+\.\d{9,}", lambda match: f"{float(match[0]):.10g}", str(answer))


def scoring(model: str, type_: str, table: str, ways: str = "tree_predict") -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.scored")
        db.execute(f"SELECT {ways}(%s, %s, %s, %s)", [f"{SCHEMA}.{m}" for m in (model, table, "scored")] + [type_])
        return shown(db, "scored")

    return call


FORESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "classes": ("kind", {"weights": "wn", "null_handling_params": "max_surrogates=2", "sample_ratio": 0.8}),
    "numbers": ("price", {"grouping_cols": "gv, gm", "sampling": "without_replacement"}),
    "groups": ("yes", {"grouping_cols": "gx, gd", "null_handling_params": "null_as_category=true"}),
}


def grow(db: psycopg.Connection, dependent: str, more: dict[str, Any]) -> None:
    """A small forest, `trained`."""
    given = {"num_trees": 3, "max_tree_depth": 4, "replace": True, **more}
    named = ", ".join(f"{name} => %({name})s" for name in given)
    call = f"SELECT madtree.forest_train('{SCHEMA}.t', '{SCHEMA}.trained', 'id', %(y)s, %(features)s, {named})"
    db.execute(call, {**given, "y": dependent, "features": FEW})  # type: ignore[arg-type]


def growing(dependent: str, type_: str, more: dict[str, Any]) -> Call:
    """A forest's training, all rows of its model, and what it says of the rows."""

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        grow(db, dependent, more)
        db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.scored")
        names = [f"{SCHEMA}.{name}" for name in ("trained", "t", "scored")]
        db.execute("SELECT madtree.forest_predict(%s, %s, %s, %s)", [*names, type_])
        return model_rows(db, "trained"), rounded(shown(db, "scored"))

    return call


def forest_shown() -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        grow(db, "kind", {"grouping_cols": "gt", "null_handling_params": "max_surrogates=2"})
        db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.worth")
        name = f"{SCHEMA}.trained"
        db.execute("SELECT madtree.get_var_importance(%s, %s)", [name, f"{SCHEMA}.worth"])
        drawn = [
            db.execute(f"SELECT madtree.{function}(%s, 2, 3)", [name]).fetchone()  # type: ignore[arg-type]
            for function in ("get_tree", "get_tree_surr")
        ]
        asked = [
            rounded(db.execute(f"SELECT * FROM madtree.{call}", [name]).fetchall())  # type: ignore[arg-type]
            for call in (
                f"tree_evaluate(%s, '{SCHEMA}.t')",
                f"tree_evaluate(%s, '{SCHEMA}.v')",
                f"tree_confusion(%s, '{SCHEMA}.t')",
                f"tree_path(%s, '{SCHEMA}.t', '7')",
                f"tree_path(%s, '{SCHEMA}.v', '7', tree_id => 4)",
                "tree_rules(%s, 5)",
                "tree_sql(%s, 'prob', 5)",
                "tree_to_json(%s)",
                "tree_to_json(%s, 5)",
                "tree_to_pmml(%s)",
                "tree_to_pmml(%s, 5)",
            )
        ]
        return drawn, shown(db, "worth"), asked

    return call


# What tests call to have a way of scoring that the measured costs would not choose.
MAKE_WAYS = f"""
CREATE FUNCTION {SCHEMA}.by_blocks(model text, source text, target text, type text) RETURNS text
LANGUAGE plpython3u SET jit = off AS $$
from madtree.host.plpy import PlpyHost
from madtree.score.predict import tree_predict
return tree_predict(PlpyHost(plpy), model, source, target, type, in_blocks=True)
$$;
CREATE FUNCTION {SCHEMA}.evaluated_by_blocks(model text, source text) RETURNS SETOF text
LANGUAGE plpython3u SET jit = off AS $$
from madtree.host.plpy import PlpyHost
from madtree.score.evaluate import tree_confusion, tree_evaluate
host = PlpyHost(plpy)
found = [*tree_evaluate(host, model, source, in_blocks=True)]
return [str(row) for row in found]
$$;
"""


def uses() -> Iterator[tuple[str, Call]]:
    table, view = f"{SCHEMA}.t", f"{SCHEMA}.v"
    for model, given in MODELS.items():
        name = f"{SCHEMA}.{model}"
        for type_ in ("response", "leaf") if model == "number_model" else ("response", "prob", "leaf"):
            for source in ("t", "v", "p") if type_ == "response" else ("t",):
                yield f"{model}: {type_} of {source}", scoring(model, type_, source, "madtree.tree_predict")
                yield f"{model}: {type_} of {source}, by blocks", scoring(model, type_, source, f"{SCHEMA}.by_blocks")
        functions = ["display", "to_json", "to_pmml", "sql"]
        for function in [*functions, "surr_display"] if "surrogate_params" in given else functions:
            yield f"{model}: {function}", asking(f"SELECT madtree.tree_{function}(%s)", name)
        yield f"{model}: text", asking("SELECT madtree.tree_display(%s, false, true)", name)
        yield f"{model}: rules", asking("SELECT * FROM madtree.tree_rules(%s)", name)
        for source, id_ in ((table, "7"), (view, "50")):
            yield (
                f"{model}: path of {source}, {id_}",
                asking("SELECT * FROM madtree.tree_path(%s, %s, %s)", name, source, id_),
            )
        for source in (table, view):
            yield f"{model}: evaluate on {source}", asking("SELECT * FROM madtree.tree_evaluate(%s, %s)", name, source)
            by_blocks = f"SELECT {SCHEMA}.evaluated_by_blocks(%s, %s)"
            yield f"{model}: evaluate by blocks on {source}", asking(by_blocks, name, source)
        if model != "number_model":
            yield f"{model}: confusion", asking("SELECT * FROM madtree.tree_confusion(%s, %s)", name, table)
            first = "pg_catalog.json_extract_path_text(madtree.tree_to_json(%s), 'classes', '0')"
            of_class = f"SELECT * FROM madtree.tree_curve(%s, %s, class => {first})"
            yield f"{model}: curve", asking(of_class, name, table, name)
            yield f"{model}: reliability", asking(of_class.replace("_curve", "_reliability"), name, table, name)
        yield f"{model}: importance", importance(model)
        yield f"{model}: importance as rows", asking("SELECT * FROM madtree.tree_importance(%s)", name)
        yield f"{model}: prune", pruning(model)
        yield f"{model}: client", client_calls(model)
        yield f"{model}: report", html_report(model)
        if ALL or model in OF_COMMANDS:
            yield f"{model}: command line", command_line(model)
    for kind, (dependent, more) in FORESTS.items():
        for type_ in ("response", "leaf") if kind == "numbers" else ("response", "prob", "prob_mean", "leaf"):
            yield f"forest of {kind}: {type_}", growing(dependent, type_, more)
    yield "forest: shown", forest_shown()
    listed = (
        "SELECT m.model, m.kind, m.n_rows, m.n_leaves, m.parameters FROM madtree.models AS m WHERE m.name ~~ '%%_model'"
    )
    yield "models", asking(listed.replace("~~", "OPERATOR(pg_catalog.~~)") + " ORDER BY 1")
    briefly = "SELECT m.model, m.kind, m.dependent FROM madtree.model_list AS m WHERE m.model ~~ 'boss_s.%%_model'"
    yield "list of models", asking(briefly.replace("~~", "OPERATOR(pg_catalog.~~)") + " ORDER BY 1")
    yield "client engine: trees of a table", by_the_client("tree", "t")
    yield "client engine: forests of a view", by_the_client("forest", "v")
    yield "missing names", mistakes
    yield "estimators", estimators
    yield "doctor", doctor
    yield "drop", dropping
    for function in ("train", "predict", "sql", "display", "evaluate", "rules", "drop"):
        yield f"help of {function}", asking(f"SELECT madtree.tree_{function}()")


def importance(model: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.important")
        db.execute("SELECT madtree.get_var_importance(%s, %s)", [f"{SCHEMA}.{model}", f"{SCHEMA}.important"])
        return shown(db, "important")

    return call


def pruning(model: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        for suffix in ("", "_nodes", "_summary", "_surrogates", "_cv"):
            db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.pruned{suffix}")
        db.execute("SELECT madtree.tree_prune(%s, %s, 0.01)", [f"{SCHEMA}.{model}", f"{SCHEMA}.pruned"])
        return model_rows(db, "pruned")

    return call


def client_calls(model: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        client = madtree.connect(db)
        found = client.model(f"{SCHEMA}.{model}")
        answers = [repr(found.read().trees), list(found.trees), list(found.nodes), list(found.importance())]
        if "pruning_params" in MODELS[model]:
            answers.append(list(found.cv))
        scored = found.predict(f"{SCHEMA}.t")
        return [*map(str, answers), str(list(scored)), str(list(client.models()) != [])]

    return call


def by_the_client(kind: str, source: str) -> Call:
    """Models that the client's process trains and uses, over a session with this search path."""
    table, name = f"{SCHEMA}.{source}", f"{SCHEMA}.by_client"

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        client = madtree.connect(db, engine="client", on_message=lambda line: None)
        named: dict[str, Any] = {"grouping_cols": "gv, gm", "weights": "wn", "replace": True}
        if kind == "tree":
            named |= {"pruning_params": "n_folds=2", "surrogate_params": "max_surrogates=1", "max_competitors": 1}
            named["max_depth"] = 5
        else:
            named |= {"num_trees": 2, "oob_predictions": True, "null_handling_params": "max_surrogates=1"}
            named["max_tree_depth"] = 5
        answers: list[Any] = []
        for dependent in ("kind", "value"):
            getattr(client, f"{kind}_train")(table, name, "id", dependent, FEATURES, **named)
            for type_ in ("response", "prob") if dependent == "kind" else ("response",):
                db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.scored, {SCHEMA}.important")
                getattr(client, f"{kind}_predict")(name, table, f"{SCHEMA}.scored", type_)
                answers.append(shown(db, "scored"))
            client.call("get_var_importance", name, f"{SCHEMA}.important")
            answers += [
                shown(db, "important"),
                *(list(rows) for rows in (client.tree_evaluate(name, table), client.tree_rules(name))),
                list(client.tree_importance(name)),
                list(client.tree_path(name, table, 7)),
                client.tree_to_json(name)["trees"],
                client.tree_to_pmml(name).partition("<DataDictionary")[2],
                client.tree_sql(name, tree_id=1),
            ]
        assert name in client.models().column("model")
        client.tree_drop(name)
        return [rounded(str(answer)) for answer in answers]

    return call


def html_report(model: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        page = build_report(db, f"{SCHEMA}.{model}", data=f"{SCHEMA}.t")
        return rounded(page.partition('<script type="application/json"')[2])

    return call


def command_line(model: str) -> Call:
    name = f"{SCHEMA}.{model}"

    def call(_db: psycopg.Connection, dsn: str, folder: Path) -> Any:
        said = []
        for words in (
            ["show", name],
            ["show", name, "--rules"],
            ["evaluate", name, f"{SCHEMA}.t", "--confusion"]
            if model != "number_model"
            else ["evaluate", name, f"{SCHEMA}.t"],
            ["importance", name],
            ["export", name, "--format", "sql"],
        ):
            said.append(run(*words, "--dsn", dsn))
        assert name in run("models", "--dsn", dsn)
        return said

    return call


def mistakes(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
    """Errors look into the catalogue, too, for names that may have been meant."""
    said = []
    for call in (
        "SELECT madtree.tree_train('boss_s.tt', 'boss_s.m', 'id', 'yes', 'i4')",
        "SELECT madtree.tree_train('tt', 'boss_s.m', 'id', 'yes', 'i4')",
        "SELECT madtree.tree_train('nowhere.t', 'boss_s.m', 'id', 'yes', 'i4')",
        "SELECT madtree.tree_train('boss_s.t', 'boss_s.m', 'id', 'yess', 'i4')",
        "SELECT madtree.tree_train('boss_s.t', 'boss_s.m', 'id', 'yes', 'i4 + nothing')",
        "SELECT madtree.tree_train('boss_s.t', 'boss_s.class_model', 'id', 'yes', 'i4')",
        "SELECT madtree.tree_train('boss_s.t', 'boss_s.m', 'id', 'value', 'i4', weights => '(-1)')",
        "SELECT madtree.tree_display('boss_s.t')",
        "SELECT madtree.tree_path('boss_s.class_model', 'boss_s.t', '0')",
        "SELECT madtree.tree_path('boss_s.class_model', 'boss_s.t', 'x')",
        "SELECT madtree.tree_predict('boss_s.class_model', 'boss_s.t', 'boss_s.t')",
        "SELECT madtree.tree_predict('boss_s.class_model', 'boss_s.class_model', 'boss_s.s')",
    ):
        try:
            db.execute(call)
            said.append("no error")
        except psycopg.Error as error:
            said.append(f"{error.sqlstate} {error.diag.message_primary} {error.diag.message_hint}")
    return said


def estimators(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
    client = madtree.connect(db)
    numbers = np.arange(600.0).reshape(200, 3) % 17
    answers = []
    for estimator, target in (
        (madtree.DecisionTreeClassifier(client), numbers[:, 0] > 8),
        (madtree.DecisionTreeRegressor(client), numbers[:, 0] * 2 + numbers[:, 1]),
    ):
        estimator.fit(numbers, target, sample_weight=1 + numbers[:, 2])
        answers += [
            estimator.predict(numbers).tolist(),
            estimator.apply(numbers).tolist(),
            estimator.score(numbers, target),
        ]
    for kind, target in ((madtree.DecisionTreeClassifier, "kind"), (madtree.DecisionTreeRegressor, "value")):
        estimator = kind(client, list_of_features="i4, tx, d", id_col_name="id").fit(f"{SCHEMA}.t", target)
        answers += [estimator.predict(f"{SCHEMA}.t").tolist(), estimator.score(f"{SCHEMA}.t", target)]
    estimator = madtree.DecisionTreeRegressor(client, list_of_features="i4, tx").fit(f"{SCHEMA}.t", "value")
    return [*answers, estimator.score(f"{SCHEMA}.t", "value", "wn")]


def doctor(db: psycopg.Connection, dsn: str, _folder: Path) -> Any:
    facts = gather(db, SCHEMA)
    assert not facts.refused, {name: words.message_primary for name, words in facts.refused.items()}
    run("doctor", "--dsn", dsn)
    return [row["schema"] for row in facts.madtree_rights]


def dropping(db: psycopg.Connection, dsn: str, _folder: Path) -> Any:
    for name in ("dropped", "gone"):
        training("yes", "i4")(db, dsn, _folder)
        db.execute("SELECT madtree.tree_prune(%s, %s, 0.001)", [f"{SCHEMA}.trained", f"{SCHEMA}.{name}"])
    said = [str(row) for row in db.execute("SELECT madtree.tree_drop(%s)", [f"{SCHEMA}.dropped"]).fetchall()]
    return [*said, run("drop", f"{SCHEMA}.gone", "--dsn", dsn)]
