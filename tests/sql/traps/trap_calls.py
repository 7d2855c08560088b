"""Calls of every function of the schema madtree, made from the catalogue: an argument's name says what it is.

So a new function joins by itself. One whose arguments have names that nobody has used before fails a test
(`test_all_functions_are_called`), until the names are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from madtree.engine import call as call_by_client
from madtree.engine.call import FUNCTIONS
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost

# What an argument without a default is, by its name.
MEANINGS = {
    "model": "model", "tree_model": "model", "model_name": "model", "random_forest_model": "model",
    "boosted_model": "model",
    "forest_model_table": "model", "model_table": "model",
    "table_name": "data", "test_table": "data", "new_data_table": "data", "source": "data", "calibration_table": "data",
    "training_table": "data", "new_table": "data",
    "training_table_name": "data",
    "output_table": "out", "output": "out", "new_model": "out", "output_model": "out", "alias": "out",
    "output_table_name": "out",
    "id": "row", "id_col_name": "id", "dependent_variable": "dependent", "list_of_features": "features",
    "features": "features",
    "cp": "cp", "num_trees": "one", "gid": "one", "sample_id": "one", "message": "help",
}  # fmt: skip
FIXED: dict[str, Any] = {"row": "7", "id": "id", "dependent": "y", "features": "x, k", "cp": 0.02, "one": 1,
                         "help": "help"}  # fmt: skip


@dataclass(frozen=True)
class OfData:
    """An argument with the data's name in it."""

    text: str = "{}"

    def __str__(self) -> str:
        return self.text.format("data")


# Further calls, by arguments beside those that are required.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "tree_predict": ({"type": "prob"}, {"type": "leaf"}, {"replace": True}),
    "forest_predict": ({"type": "prob"}, {"type": "leaf"}, {"type": "interval", "level": 0.8}),
    "conformal_quantiles": ({"calibration_table": OfData(), "levels": "0.5, 0.8"},),
    "calibrate": ({"method": "sigmoid"},),
    "boost_predict": ({"type": "raw"}, {"type": "leaf"}),
    "boost_sql": ({"type": "prob"}, {"type": "raw"}),
    "tree_sql": ({"type": "prob"}, {"tree_id": 1}),
    "tree_rules": ({"tree_id": 1},),
    "tree_path": ({"tree_id": 1},),
    "tree_shap": (
        {"layout": "long", "top": 1},
        {"replace": True},
        {"layout": "long", "interactions": True},
        {"background": OfData()},
        {"background": OfData(), "interactions": True},
    ),
    "tree_explain": ({"type": "raw"},),
    "partial_dependence": ({"accumulated": True}, {"ice": True}),
    "permutation_importance": ({"features": "[x, k]"},),
    "tree_display": ({"dot_format": False, "verbosity": True},),
    "tree_to_json": ({"tree_id": 1},),
    "tree_to_pmml": ({"tree_id": 1},),
    "tree_train": (
        {"pruning_params": "n_folds=2", "surrogate_params": "max_surrogates=1", "max_competitors": 1, "replace": True},
    ),
    "forest_train": (
        {"oob_predictions": True, "null_handling_params": "max_surrogates=1", "replace": True},
        {"dependent_variable": "x", "list_of_features": "k", "intervals": True, "replace": True},
    ),
    "tree_tune": (
        {"method": "forest", "params": "num_trees=1,2", "replace": True},
        {"method": "boost", "params": "num_trees=1,2", "replace": True},
        {"fold_column": "x", "search": "halving", "replace": True},
    ),
    "boost_train": (
        {"validation_params": "fraction=0.3", "replace": True},
        {"validation_params": OfData("table={}, n_iter_no_change=1"), "boost_params": "subsample=0.7"},
        {"validation_params": "fold_col=x", "monotone": "x=+1", "interaction_constraints": "[x], [k]"},
        {"class_params": "class_weight=balanced", "classification": True},
        {"boost_params": "category_encoding=ordered", "replace": True},
        {"offsets": "x / 100", "grouping_cols": "g"},
    ),
}
# So that a training is a matter of milliseconds.
SMALL = {
    "forest_train": {"num_trees": 2, "max_tree_depth": 3},
    "tree_train": {"max_depth": 3, "min_split": 4},
    "boost_train": {"num_trees": 2, "max_leaf_nodes": 4},
    "tree_tune": {"n_folds": 2},
}
# Their work is undone, as others go on with what they remove or make.
UNDONE = ("tree_drop", "install_madlib_names")
VIEWS = (
    "SELECT count(*), count(m.kind) FROM madtree.models AS m UNION ALL "
    "SELECT count(*), count(m.kind) FROM madtree.model_list AS m UNION ALL "
    "SELECT count(*), count(a.stage) FROM madtree.activity AS a"
)
_FUNCTIONS = """
SELECT p.proname, COALESCE(p.proargnames[:p.pronargs], '{}') AS names, p.pronargdefaults AS n_defaults
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace = 'madtree'::regnamespace AND p.proname !~ '^_' ORDER BY p.proname, p.oid
"""
_RELATIONS = """
SELECT c.relname FROM pg_catalog.pg_class AS c
WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
"""


@dataclass(frozen=True)
class Call:
    """A call: of a function with arguments by name, or of a view.

    `meanings` are what the arguments stand for that the place fills in: model, data, out.
    """

    function: str
    meanings: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        small = SMALL.get(self.function, {})
        shown = {name: str(value) if isinstance(value, OfData) else value for name, value in self.named.items()}
        more = [f"{name} => {value!r}" for name, value in shown.items() if name not in small]
        return f"{self.function}({', '.join([*self.meanings, *more])})"

    def arguments(self, place: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: place[meaning] for name, meaning in self.meanings.items()} | dict(self.named)
        in_place = (v.text.format(place["data"]) if isinstance(v, OfData) else v for v in given.values())
        return dict(zip(given, in_place, strict=True))


def by_the_extension(db: psycopg.Connection, call: Call, place: Mapping[str, Any]) -> Any:
    """What it answers; `place` says what `model`, `data` and `out` are."""
    if call.function == "models":
        return db.execute(VIEWS).fetchall()
    given = call.arguments(place)
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in given)
    text = sql.SQL("SELECT * FROM madtree.{}({}) AS answer").format(sql.Identifier(call.function), named)
    with db.transaction(force_rollback=call.function in UNDONE):
        return db.execute(text, list(given.values())).fetchall()


def by_the_client(db: psycopg.Connection, call: Call, place: Mapping[str, Any]) -> Any:
    with db.transaction(force_rollback=call.function in UNDONE):
        return call_by_client(PsycopgHost(db), call.function, (), call.arguments(place)).rows


ENGINES = {"extension": by_the_extension, "client": by_the_client}
REFUSED = (psycopg.Error, MadtreeError)


def functions(db: psycopg.Connection) -> list[tuple[str, list[str]]]:
    """Names and required arguments of all functions of the schema, but those that only tell how to call one."""
    found = db.execute(_FUNCTIONS).fetchall()
    required = [(name, names[: len(names) - n_defaults]) for name, names, n_defaults in found]
    helped = {name for name, names in required if names}
    return [(name, names) for name, names in required if name not in helped or names not in ([], ["message"])]


def relations(db: psycopg.Connection) -> list[str]:
    return [name for (name,) in db.execute(_RELATIONS).fetchall()]


def all_calls(db: psycopg.Connection, engine: str) -> Iterator[Call]:
    """A call of every function with the arguments that it needs, and the variants; a new function's name of an argument
    that is not known is a KeyError.
    """
    seen = set()
    for name, required in functions(db):
        meanings = {argument: MEANINGS[argument] for argument in required}
        if engine == "client":
            if name not in FUNCTIONS or name in seen:
                continue
            meanings = _own_names(name)
        for more in ({}, *(VARIANTS.get(name, ()) if name not in seen else ())):
            yield Call(name, meanings, {**SMALL.get(name, {}), **more})
        seen.add(name)
    yield Call("models")


def _own_names(name: str) -> dict[str, str]:
    """Required arguments of the client's function, which has them in Python."""
    return {each.name: MEANINGS[each.name] for each in FUNCTIONS[name].arguments if each.is_required}
