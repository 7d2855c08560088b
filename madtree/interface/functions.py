"""All functions that users call, and what the models' summaries keep of the arguments that they were trained with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from madtree.interface import evaluation, explanation, management, prediction
from madtree.interface.boost_train import BOOST_TRAIN
from madtree.interface.drift import TREE_DRIFT, TREE_STATISTICS
from madtree.interface.forest_train import FOREST_TRAIN
from madtree.interface.function import Argument, Function
from madtree.interface.probing import PARTIAL_DEPENDENCE, PERMUTATION_IMPORTANCE
from madtree.interface.shap import TREE_EXPLAIN, TREE_SHAP
from madtree.interface.tree_train import TREE_TRAIN
from madtree.interface.tuning import TREE_TUNE
from madtree.trees import KINDS, TREE, ModelKind

# Those that are about relations and models, and run in Python; in the order in which they are listed.
FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (
        TREE_TRAIN,
        prediction.TREE_PREDICT,
        prediction.TREE_SQL,
        evaluation.TREE_EVALUATE,
        evaluation.TREE_CONFUSION,
        evaluation.TREE_CURVE,
        evaluation.TREE_RELIABILITY,
        evaluation.CONFORMAL_QUANTILES,
        evaluation.CONFORMAL_TRAIN,
        TREE_STATISTICS,
        TREE_DRIFT,
        explanation.GET_VAR_IMPORTANCE,
        explanation.TREE_IMPORTANCE,
        explanation.TREE_DISPLAY,
        explanation.TREE_SURR_DISPLAY,
        explanation.TREE_RULES,
        explanation.TREE_PATH,
        TREE_SHAP,
        TREE_EXPLAIN,
        PARTIAL_DEPENDENCE,
        PERMUTATION_IMPORTANCE,
        explanation.TREE_CALL,
        explanation.TREE_CP,
        explanation.TREE_TO_JSON,
        explanation.TREE_TO_PMML,
        management.TREE_PRUNE,
        management.CALIBRATE,
        management.TREE_REFRESH,
        management.MODEL_ALIAS,
        management.TREE_DROP,
        FOREST_TRAIN,
        prediction.FOREST_PREDICT,
        explanation.GET_TREE,
        explanation.GET_TREE_SURR,
        BOOST_TRAIN,
        prediction.BOOST_PREDICT,
        prediction.BOOST_SQL,
        evaluation.BOOST_STAGED,
        management.BOOST_CUT,
        TREE_TUNE,
    )
}


# What madtree asks of a server for itself, in the schema madtree_internal.
INTERNAL: Mapping[str, Function] = {evaluation.TESTED_ROWS.name: evaluation.TESTED_ROWS}

# Those that are asked for each row of a query.
ROW_FUNCTIONS: Mapping[str, Function] = {prediction.HOLDOUT.name: prediction.HOLDOUT}


_COLUMN_TYPES = {
    "bigint": "int8",
    "boolean": "bool",
    "double precision": "float8",
    "integer": "int4",
    "text": "text",
}


def _kept(kind: ModelKind) -> tuple[Argument, ...]:
    return tuple(each for each in FUNCTIONS[kind.trains].options if each.setting)


def _typed(options: Iterable[Argument]) -> tuple[tuple[str, str], ...]:
    return tuple((each.column, _COLUMN_TYPES[each.type]) for each in options if each.setting)


def _listed(options: Iterable[Argument]) -> tuple[str, ...]:
    return tuple(each.column for each in options if each.setting and each.setting.is_listed)


def _beside(kind: ModelKind) -> tuple[Argument, ...]:
    """Those that a kind keeps beside the settings of all models."""
    return tuple(each for each in _kept(kind) if each.column not in dict(SETTINGS))


# Columns with their types, of all models.
SETTINGS = _typed(_kept(TREE))
# Those that models of 0.1.0 lack.
LATER_SETTINGS = frozenset(
    each.column for kind in KINDS.values() for each in _kept(kind) if each.setting and not each.setting.is_old
)
# Those of all models that are told among a model's parameters.
TOLD = _listed(_kept(TREE))
# The arguments that name a numeric column of the training table; summaries have columns of the same names.
NUMERIC_COLUMNS = tuple(
    dict.fromkeys(
        each.name for kind in KINDS.values() for each in FUNCTIONS[kind.trains].arguments if each.is_numeric_column
    )
)


def own_settings(kind: ModelKind) -> tuple[tuple[str, str], ...]:
    """The columns that the kind's summaries have beside those of all models, with their types."""
    return _typed(_beside(kind))


def listed_parameters(kind: ModelKind) -> tuple[str, ...]:
    """The columns that are told among the parameters of a model of that kind."""
    return TOLD + _listed(_beside(kind))


def labels(kind: ModelKind) -> tuple[tuple[str, str], ...]:
    """Of the settings that a call could give, the columns and what the report calls them."""
    return tuple(
        (each.column, each.setting.label or each.column)
        for each in _kept(kind)
        if each.setting and each.setting.is_listed
    )
