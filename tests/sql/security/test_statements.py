"""Every statement that a call has PostgreSQL run names its operators, functions and types with their schema, whatever
numbers stand in it: a sign before a cast is an operator, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import psycopg
import pytest
from shares import share
from test_sql_names import STATEMENT, faults

from madtree.interface import FUNCTIONS

# What a call would have run, in its order: statements, and those that are handed to a function as a text.
TOLD = """
CREATE FUNCTION told(name text, arguments text) RETURNS text LANGUAGE plpython3u AS $$
import json
from madtree.calls import run
from madtree.errors import MadtreeError
from madtree.host import PlpyHost
from madtree.interface import FUNCTIONS

found, error = [], None

class Host(PlpyHost):
    def _run(self, sql, types, params):
        found.extend([sql, *(each for each in params if isinstance(each, str))])
        return super()._run(sql, types, params)
    def stream(self, sql, batch=1):
        found.append(sql)
        return super().stream(sql, batch)

function, given = FUNCTIONS[name], json.loads(arguments)
try:
    run(Host(plpy), function, [given.get(each.name, each.default) for each in function.arguments])
except MadtreeError as raised:
    error = raised.message
return json.dumps([list(dict.fromkeys(found)), error])
$$
"""
DATA = """
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE data AS SELECT i AS id, sin(i) * 100 - 50 AS x, (i * 31 % 97 - 60)::numeric / 8 AS n, i % 3 - 4 AS c,
    (ARRAY['red', 'green', 'blue'])[1 + abs(i) % 3] AS k, (ARRAY['low', 'high'])[1 + abs(i) % 2]::mood AS m,
    date '1999-12-01' + i % 60 AS d, -(abs(i) % 2) - 1 AS two, -(abs(i) % 4) - 1 AS four, i * 7 % 90 - 100.5 AS v,
    abs(i) % 2 AS g, 1 + abs(i) % 2 AS w, abs(i) % 5 AS counts FROM generate_series(-150, 150) AS i;
CREATE TABLE large AS SELECT i AS id, sin(i) - 2 AS x, i % 9 - 12 AS k, -(i % 2) AS two, i % 2 AS g
    FROM generate_series(1, 210000) AS i;
CREATE TABLE few AS SELECT * FROM data WHERE id < -120;
ANALYZE
"""
FEATURES = "x, n, c, k, m, d"


LITERAL = re.compile(r"'(?:[^']|'')*'")
# What the grammar decides: frames of windows, what UPDATE sets, types that are keywords; and types of other schemas.
DECIDED = re.compile(
    r"\b(?:ROWS|RANGE|GROUPS) BETWEEN\b|(?<=SET )\w+ = |(?<=, )\w+ = (?=\()|"
    r"::(?:integer|smallint|bigint|real|double precision|boolean|numeric)(?:\[\])?\b|::(?!pg_catalog\b)\w+\.\w+"
)

_OF = {"id_col_name": "id", "list_of_features": FEATURES, "training_table_name": "data", "replace": True, "seed": -3}
_SMALL = {"tree": {"max_depth": 4}, "forest": {"num_trees": 2, "max_tree_depth": 4},
          "boost": {"num_trees": 2, "max_leaf_nodes": 4}}  # fmt: skip
# By the model's name: its kind, its outcome and further arguments.
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "t": ("tree", "two", {"surrogate_params": "max_surrogates=1", "pruning_params": "n_folds=2", "weights": "w"}),
    "t_values": ("tree", "v", {"grouping_cols": "g, c", "max_competitors": 1}),
    "f": ("forest", "four", {"grouping_cols": "m", "null_handling_params": "max_surrogates=1"}),
    "f_values": ("forest", "v", {"intervals": True, "oob_predictions": True}),
    "b": ("boost", "two", {"validation_params": "fraction=0.2", "weights": "w"}),
    "b_classes": ("boost", "four", {"grouping_cols": "g"}),
    "b_values": ("boost", "v", {"offsets": "n"}),
    "b_codes": ("boost", "two", {"boost_params": "category_encoding=ordered", "classification": True}),
}
TRAININGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    **{
        f"{kind} by {strategy}": (kind, "two", {"strategy": strategy, "parallel_workers": 1})
        for kind in ("tree", "forest", "boost")
        for strategy in ("memory", "workers", "aggregate")
    },
    "folds of a column": ("tree", "four", {"pruning_params": "n_folds=2, fold_col=two", "max_leaf_nodes": 5}),
    "costs of features": ("tree", "v", {"feature_costs": "x=0.5, k=2", "weights": "w"}),
    "rates": ("tree", "counts", {"split_criterion": "poisson", "exposure": "w"}),
    "costs of classes": ("tree", "two", {"class_params": "class_weight=balanced"}),
    "drawn splits": ("forest", "v", {"split_rule": "random", "sampling": "without_replacement", "weights": "w"}),
    "large": ("tree", "two", {"training_table_name": "large", "list_of_features": "x, k", "grouping_cols": "g"}),
    "large by workers": ("boost", "x", {"training_table_name": "large", "list_of_features": "k, g",
                                        "parallel_workers": 2}),
    "codes by groups": ("boost", "two", {"boost_params": "category_encoding=ordered, subsample=0.5",
                                         "grouping_cols": "m", "classification": True, "seed": 2}),
    "codes of numbers": ("boost", "v", {"boost_params": "category_encoding=ordered, prior_weight=0.5",
                                        "validation_params": "fraction=0.2"}),
    "offsets": ("boost", "two", {"offsets": "c", "grouping_cols": "m", "classification": True}),
    "offsets of counts": ("boost", "counts", {"loss": "poisson", "offsets": "g", "exposure": "w"}),
    "quantiles": ("boost", "v", {"loss": "quantile", "boost_params": "quantile=0.1"}),
    "rows by gradients": ("boost", "v", {"boost_params": "top_rate=0.3, other_rate=0.2"}),
    "held-out table": ("boost", "v", {"validation_params": "table=few, n_iter_no_change=1"}),
    "held-out column": ("boost", "v", {"validation_params": "fold_col=g", "monotone": "x=+1, n=-1"}),
}  # fmt: skip


Called = tuple[str, dict[str, Any]]


def training(name: str, kind: str, dependent: str, more: dict[str, Any]) -> Called:
    named = {**_OF, **_SMALL[kind], "output_table_name": name, "dependent_variable": dependent, **more}
    return f"{kind}_train", named


def trainings() -> Iterator[Called]:
    for given in TRAININGS.values():
        yield training("other", *given)
    for method, params in {"tree": "max_depth=2,3", "forest": "num_trees=1,2", "boost": "num_trees=1,2"}.items():
        given = {**_OF, "output_table_name": f"found_{method}", "dependent_variable": "two", "method": method,
                 "params": params, "n_folds": 2, "classification": True, "weights": "w"}  # fmt: skip
        yield "tree_tune", given
        yield "tree_tune", {**given, "fold_column": "g"}


def uses(name: str) -> Iterator[Called]:
    """What is done with a model, whether or not such models take it."""
    kind, dependent, more = MODELS[name]
    of, is_classes = {"model": name}, dependent != "v"
    data, scored = {"new_data_table": "data"}, {"output_table": f"scored_{name}", "replace": True}
    argument = {"tree": "tree_model", "forest": "random_forest_model", "boost": "boosted_model"}[kind]
    types = ["response", "leaf", *(["prob"] if is_classes else []), *(["raw"] if kind == "boost" else [])]
    for type_ in [*types, *(["interval"] if "intervals" in more else [])]:
        yield f"{kind}_predict", {argument: name, **data, **scored, "type": type_}
        yield ("boost_sql", {**of, "type": type_}) if kind == "boost" else (
            "tree_sql", {**of, "type": type_, "tree_id": 1}
        )  # fmt: skip
    for number, how in enumerate(({}, {"layout": "long", "top": 2}, {"interactions": True}, {"background": "few"})):
        yield "tree_shap", {**of, **data, "output_table": f"shap_{name}_{number}", **how}
    for function in ("tree_explain", "tree_path"):
        yield function, {**of, "table_name": "data", "id": "-7"}
    for which, dependence in {
        "k": {}, "x, c": {}, "d": {"accumulated": True}, "x, d": {"accumulated": True},
        "x": {"ice": True, "max_rows": 9},
    }.items():  # fmt: skip
        yield "partial_dependence", {**of, **data, "features": which, **dependence}
    yield "permutation_importance", {**of, "test_table": "data", "n_repeats": 1, "max_rows": 50}
    for function in ("tree_evaluate", "tree_confusion", "tree_curve", "tree_reliability"):
        yield function, {"tree_model": name, "test_table": "data", **({"class": "-1"} if "_c" in function else {})}
    yield "tree_statistics", {**of, "training_table": "data"}
    yield "tree_drift", {**of, "new_data_table": "few"}
    yield "conformal_quantiles", {**of, "calibration_table": "data"}
    yield "conformal_quantiles", of
    yield "conformal_train", {**of, "calibration_table": "data"}
    for method in ("isotonic", "sigmoid"):
        copy = f"{name}_{method}"
        yield "calibrate", {**of, "calibration_table": "data", "output_model": copy, "method": method}
        predict = ("tree_predict", "tree_model") if kind == "tree" else ("boost_predict", "boosted_model")
        yield predict[0], {predict[1]: copy, **data, "output_table": f"scored_{copy}", "type": "prob"}
    yield "tree_refresh", {**of, "new_table": "data", "output_model": f"{name}_new"}
    for function in ("tree_rules", "tree_importance", "tree_call", "tree_to_json", "tree_to_pmml", "tree_cp"):
        yield function, of
    yield "boost_staged", {**of, "test_table": "data"}
    yield "boost_cut", {**of, "new_model": f"{name}_cut", "num_trees": 1}
    yield "tree_prune", {**of, "new_model": f"{name}_pruned", "cp": 0.05}
    for function in ("tree_display", "tree_surr_display"):
        yield function, of
    for function in ("get_tree", "get_tree_surr"):
        yield function, {"forest_model_table": name, "gid": 1, "sample_id": 1}
    yield "get_var_importance", {"model_name": name, "output_table": f"importance_{name}"}
    yield "model_alias", {"alias": f"also_{name}", **of}
    yield "tree_drop", {"model": f"{name}_new"}


@cache
def faults_in(text: str) -> list[str]:
    """Of a statement, by `faults`; what is in literals is none of it."""
    return faults(DECIDED.sub(" ", LITERAL.sub("''", text))) if STATEMENT.search(text) else []


@pytest.fixture(scope="module")
def telling(shared_db: psycopg.Connection) -> psycopg.Connection:
    shared_db.execute("SELECT madtree.tree_predict()")  # from here on the session knows where madtree's code is
    shared_db.execute(TOLD)
    shared_db.execute(DATA)
    return shared_db


def wrong_in(telling: psycopg.Connection, calls: Iterable[Called]) -> tuple[list[str], set[str]]:
    """The faults of all statements, and the functions that have answered."""
    wrong, answered = dict[str, str](), set[str]()
    for function, given in calls:
        row = telling.execute("SELECT told(%s, %s)", [function, json.dumps(given)]).fetchone()
        assert row
        statements, error = json.loads(row[0])
        if error is None:
            answered.add(function)
        for text in statements:
            wrong |= {f"{function}: {fault}": text for fault in faults_in(text)}
    return [f"{fault} in {text}" for fault, text in wrong.items()], answered


def test_no_statement_of_a_training_asks_the_search_path(telling: psycopg.Connection) -> None:
    wrong, answered = wrong_in(telling, trainings())
    assert not wrong, "\n".join(wrong)
    assert answered == {"tree_train", "forest_train", "boost_train", "tree_tune"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", MODELS)
def test_no_statement_of_a_models_use_asks_the_search_path(telling: psycopg.Connection, model: str) -> None:
    calls = share([*uses(model)], 2, [*MODELS].index(model))
    wrong, answered = wrong_in(telling, [training(model, *MODELS[model]), *calls])
    assert not wrong, "\n".join(wrong)
    assert len(answered) > 10


def test_every_function_is_used() -> None:
    used = {function for calls in (trainings(), *map(uses, MODELS)) for function, _ in calls}
    assert {*FUNCTIONS} == used | {"tree_train", "forest_train", "boost_train"}


@pytest.mark.parametrize(
    "text", ["SELECT a OPERATOR(pg_catalog.#) -1::pg_catalog.int8", "UPDATE t SET a = 'x'::text", "SELECT 1 - 1"]
)
def test_a_fault_is_found(text: str) -> None:
    assert faults_in(text) != []
