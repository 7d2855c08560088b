"""What the arguments of madtree's functions stand for, and calls of those that take a model, made of the declarations.

So a new function joins by itself wherever all functions are tried. One whose arguments have names that nobody has used
before is a KeyError until the names are in `MEANINGS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from madtree.interface import FUNCTIONS
from madtree.trees import ModelKind

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
    "tree_predict": ({"type": "prob"}, {"type": "leaf"}, {"type": "conformal"}, {"replace": True}),
    "forest_predict": ({"type": "prob"}, {"type": "leaf"}, {"type": "interval", "level": 0.8}, {"type": "conformal"}),
    "conformal_quantiles": ({"calibration_table": OfData(), "levels": "0.5, 0.8"},),
    "conformal_train": ({"calibration_table": OfData(), "levels": "0.5, 0.9"},),
    "calibrate": ({"method": "sigmoid"},),
    "boost_predict": ({"type": "raw"}, {"type": "leaf"}, {"type": "conformal"}),
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


def model_calls(
    kind: ModelKind, model: str = "m", leave_out: tuple[str, ...] = (), variants: bool = True, **place: Any
) -> list[str]:
    """Statements that call each function that takes such a model, by what it needs and, with `variants`, by these.

    Args:
        leave_out: functions.
        place: what `data`, `out` and the others of `FIXED` are, where they are not called so.
    """
    given = {**FIXED, "data": "data", "out": "out", "model": model, **place}
    return [*_model_calls(kind, leave_out, variants, given)]


def _model_calls(kind: ModelKind, leave_out: tuple[str, ...], variants: bool, place: dict[str, Any]) -> Iterator[str]:
    for function in FUNCTIONS.values():
        if function.name in leave_out or (function.takes and kind not in function.takes.kinds):
            continue
        needed = {each.name: MEANINGS[each.name] for each in function.arguments if each.is_required}
        if "model" not in needed.values():
            continue
        for more in ({}, *(VARIANTS.get(function.name, ()) if variants else ())):
            if more.get("type", "response") not in {"response", *kind.class_types, *kind.number_types}:
                continue
            given = {**{name: place[meaning] for name, meaning in needed.items()}, **more}
            values = {name: str(each) if isinstance(each, OfData) else each for name, each in given.items()}
            written = sql.SQL(", ").join(
                sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in values.items()
            )
            yield sql.SQL("SELECT * FROM madtree.{}({})").format(sql.Identifier(function.name), written).as_string(None)
