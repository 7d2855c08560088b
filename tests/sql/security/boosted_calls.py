"""Calls of boosting, and of every function that explains, judges or copies a model of any kind, with their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
from calls import FEW, KEYS, SCHEMA, Answers, Call, asking, rounded, shown
from psycopg import sql

import madtree

TABLE, VIEW = f"{SCHEMA}.t", f"{SCHEMA}.v"
_SMALL = {"boost": {"num_trees": 3, "max_leaf_nodes": 5}, "forest": {"num_trees": 3, "max_tree_depth": 4},
          "tree": {"max_depth": 5}}  # fmt: skip
# By name: the kind, the outcome, and further arguments.
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "boosted_yes": ("boost", "yes", {"weights": "wr", "validation_params": "fraction=0.2"}),
    "boosted_kind": ("boost", "kind", {"grouping_cols": "gv, gd"}),
    "boosted_value": ("boost", "value", {"offsets": "share", "grouping_cols": KEYS}),
    "boosted_codes": ("boost", "yes", {"boost_params": "category_encoding=ordered", "grouping_cols": "gm"}),
    "forest_value": ("forest", "value", {"intervals": True, "oob_predictions": True}),
    "forest_kind": ("forest", "kind", {"grouping_cols": "gt", "null_handling_params": "max_surrogates=1"}),
    "tree_yes": ("tree", "yes", {"weights": "wn", "surrogate_params": "max_surrogates=1"}),
}
TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "exponential": ("yes", {"loss": "exponential", "class_params": "class_weight=balanced"}),
    "quantile": ("value", {"loss": "quantile", "boost_params": "quantile=0.3"}),
    "huber": ("price", {"loss": "huber", "weights": "wi"}),
    "poisson": ("wi", {"loss": "poisson", "exposure": "wr"}),
    "offsets": ("yes", {"offsets": "wr", "weights": "wl"}),
    "numeric offsets": ("value", {"offsets": "num"}),
    "codes": ("yes", {"boost_params": "category_encoding=ordered", "weights": "wn", "grouping_cols": "gv, gm"}),
    "codes of counts": ("wi", {"loss": "poisson", "exposure": "wr", "boost_params": "category_encoding=ordered"}),
    "held-out column": ("yes", {"validation_params": "fold_col=b, n_iter_no_change=2"}),
    "held-out rows": ("kind", {"validation_params": "fraction=0.3", "boost_params": "subsample=0.7"}),
    "held-out table": ("value", {"validation_params": f"table={VIEW}, n_iter_no_change=1"}),
    "constraints": ("value", {"monotone": "f4=+1", "interaction_constraints": "[f4, i8], [vc, mood]"}),
    "gradients": ("yes", {"boost_params": "top_rate=0.2, other_rate=0.2"}),
    "groups": ("value", {"grouping_cols": "gx, gi, gc"}),
}


def make_models(db: psycopg.Connection) -> None:
    for name, (kind, dependent, more) in MODELS.items():
        _train(db, kind, name, dependent, more)
        db.execute("SELECT madtree.tree_statistics(%s, %s)", [f"{SCHEMA}.{name}", TABLE])


def _train(db: psycopg.Connection, kind: str, name: str, dependent: str, more: Mapping[str, Any]) -> None:
    given = {**_SMALL[kind], "replace": True, **more}
    named = sql.SQL("").join(sql.SQL(", {} => {}").format(sql.Identifier(n), sql.Placeholder(n)) for n in given)
    call = sql.SQL("SELECT madtree.{}(%(t)s, %(m)s, 'id', %(y)s, %(x)s{})").format(
        sql.Identifier(f"{kind}_train"), named
    )
    db.execute(call, {**given, "t": TABLE, "m": f"{SCHEMA}.{name}", "y": dependent, "x": FEW})


def tables_of(db: psycopg.Connection, model: str) -> Answers:
    """All rows of a model."""
    suffixes = db.execute(
        "SELECT pg_catalog.substr(c.relname::pg_catalog.text, %s) FROM pg_catalog.pg_class AS c "
        "WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relnamespace OPERATOR(pg_catalog.=) "
        "pg_catalog.to_regnamespace(%s)::pg_catalog.oid AND pg_catalog.starts_with(c.relname::pg_catalog.text, %s)",
        [len(model) + 1, SCHEMA, model],
        prepare=False,
    ).fetchall()
    return {suffix: rounded(shown(db, model + suffix)) for (suffix,) in sorted(suffixes)}


def boosting(dependent: str, more: Mapping[str, Any]) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        _train(db, "boost", "rounds", dependent, more)
        return tables_of(db, "rounds")

    return call


def making(function: str, *arguments: Any, **more: Any) -> Call:
    """What a function makes that takes the name of a new model or table, `made`."""

    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        given = [f"{SCHEMA}.made" if each == "made" else each for each in arguments]
        named = "".join(f", {name} => %s" for name in more)
        text = f"SELECT madtree.{function}({', '.join(['%s'] * len(given))}{named})"
        db.execute(text, [*given, *more.values()], prepare=False)  # type: ignore[arg-type]
        try:
            return tables_of(db, "made")
        finally:
            is_model = function in ("calibrate", "tree_refresh", "boost_cut")
            db.execute(f"SELECT madtree.tree_drop('{SCHEMA}.made')" if is_model else f"DROP TABLE {SCHEMA}.made")

    return call


def by_the_client(model: str, kind: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        client = madtree.connect(db, engine="client", on_message=lambda line: None)
        name, made = f"{SCHEMA}.{model}", f"{SCHEMA}.made"
        found = [
            list(client.call("permutation_importance", name, TABLE, n_repeats=1, max_rows=500)),
            list(client.call("partial_dependence", name, VIEW, "vc")),
            list(client.call("tree_explain", name, TABLE, "7")),
            list(client.call("tree_drift", name, VIEW)),
        ]
        for function in ("tree_shap", f"{kind}_predict"):
            client.call(function, name, TABLE, made)
            found.append(shown(db, "made"))
            db.execute(f"DROP TABLE {made}")
        return [rounded(each) for each in found]

    return call


def uses() -> Iterator[tuple[str, Call]]:
    for name, (dependent, more) in TRAININGS.items():
        yield f"boosting: {name}", boosting(dependent, more)
    for model, (kind, dependent, more) in MODELS.items():
        name, is_classes = f"{SCHEMA}.{model}", dependent != "value"
        rows = "SELECT * FROM madtree."
        types = ["response", "leaf", *(["prob"] if is_classes else []), *(["raw"] if kind == "boost" else [])]
        for number, type_ in enumerate([*types, *(["interval"] if "intervals" in more else [])]):
            source = (TABLE, VIEW, f"{SCHEMA}.p")[number % 3]
            yield f"{model}: {type_}", making(f"{kind}_predict", name, source, "made", type_)
        yield f"{model}: wide", making("tree_shap", name, VIEW, "made")
        yield f"{model}: long", making("tree_shap", name, TABLE, "made", layout="long", top=2)
        if "grouping_cols" not in more:
            yield f"{model}: pairs", making("tree_shap", name, f"{SCHEMA}.few", "made", interactions=True)
            background = {"background": f"{SCHEMA}.few", "layout": "long", "interactions": True, "features": "f4, vc"}
            yield f"{model}: background", making("tree_shap", name, f"{SCHEMA}.few", "made", **background)
        yield f"{model}: explained", asking(f"{rows}tree_explain(%s, %s, '7')", name, TABLE)
        for given in (
            "'vc'", "'f4, mood'", "'d', accumulated => true", "'f4, d', accumulated => true",
            "'num', ice => true, max_rows => 50",
        ):  # fmt: skip
            yield f"{model}: dependence {given}", asking(f"{rows}partial_dependence(%s, %s, {given})", name, TABLE)
        permuted = f"{rows}permutation_importance(%s, %s, n_repeats => 1, max_rows => 300)"
        yield f"{model}: permuted", asking(permuted, name, VIEW)
        yield f"{model}: drift", asking(f"{rows}tree_drift(%s, %s)", name, VIEW)
        yield f"{model}: statistics", asking("SELECT madtree.tree_statistics(%s, %s)", name, TABLE)
        yield f"{model}: evaluated", asking(f"{rows}tree_evaluate(%s, %s)", name, VIEW)
        yield f"{model}: call", asking("SELECT madtree.tree_call(%s)", name)
        yield f"{model}: pmml", asking("SELECT madtree.tree_to_pmml(%s, 1)", name)
        yield f"{model}: path", asking(f"{rows}tree_path(%s, %s, '50')", name, VIEW)
        yield f"{model}: quantiles", asking(f"{rows}conformal_quantiles(%s, %s, '0.5, 0.8')", name, VIEW)
        yield f"{model}: kept quantiles", asking("SELECT madtree.conformal_train(%s, %s, '0.5')", name, VIEW)
        yield (
            f"{model}: refreshed",
            making("tree_refresh", name, VIEW, "made") if "offsets" not in more else refused("tree_refresh", name),
        )
        if is_classes:
            yield f"{model}: confusion", asking(f"{rows}tree_confusion(%s, %s)", name, TABLE)
            yield f"{model}: isotonic", making("calibrate", name, TABLE, "made")
            yield f"{model}: sigmoid", making("calibrate", name, VIEW, "made", "sigmoid")
        if dependent == "yes":
            yield f"{model}: curve", asking(f"{rows}tree_curve(%s, %s)", name, TABLE)
            yield f"{model}: reliability", asking(f"{rows}tree_reliability(%s, %s)", name, VIEW)
        if kind == "boost":
            yield f"{model}: staged", asking(f"{rows}boost_staged(%s, %s)", name, VIEW)
            yield f"{model}: SQL", asking("SELECT madtree.boost_sql(%s)", name)
            yield f"{model}: cut", making("boost_cut", name, "made", 2)
        if kind == "forest" and "oob_predictions" in more:
            yield f"{model}: quantiles of its own", asking(f"{rows}conformal_quantiles(%s)", name)
        yield f"{model}: client engine", by_the_client(model, kind)
    yield "alias", alias


def refused(function: str, model: str) -> Call:
    def call(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
        try:
            db.execute(f"SELECT madtree.{function}(%s, %s, %s)", [model, VIEW, f"{SCHEMA}.made"], prepare=False)  # type: ignore[arg-type]
        except psycopg.Error as error:
            return error.sqlstate, error.diag.message_primary
        return "an answer"

    return call


def alias(db: psycopg.Connection, _dsn: str, _folder: Path) -> Any:
    name = f"{SCHEMA}.alias"
    db.execute("SELECT madtree.model_alias(%s, %s)", [name, f"{SCHEMA}.boosted_yes"])
    found = db.execute("SELECT madtree.boost_sql(%s)", [name]).fetchall()
    db.execute("SELECT madtree.model_alias(%s, NULL)", [name])
    return found
