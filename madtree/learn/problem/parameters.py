"""Parameters as they travel: the ranges that hold for whoever sends them are those of `tree_train`'s arguments."""

from __future__ import annotations

import sys

from madtree.learn.data import Values, require
from madtree.learn.problem.bootstrap import MOST_MEMBERS
from madtree.trees import (
    BALANCED,
    EXACT_LIMIT,
    LARGEST_CLASS_PARAM,
    LEAST_CLASS_PARAM,
    MAX_DEPTH_LIMIT,
    MOST_CLASS_PARAMS,
    MOST_COMPETITORS,
    MOST_COST,
    MOST_FOLDS,
    MOST_SURROGATES,
    SAMPLINGS,
    SPLIT_RULES,
    UNPRUNED,
    ClassParams,
    ForestParameters,
    Parameters,
    criteria_of,
)

_MOST_ROWS = 2**40
_MOST_MEMORY = 2**40  # bytes: 2**20 MB


def parameters_of(values: Values, n_classes: int) -> Parameters:
    """The parameters that `dataclasses.asdict` tells of.

    Args:
        n_classes: of the target, 0 for regression, which the criterion has to fit.

    Raises:
        MadtreeError: one of them is out of its range.
    """
    n_bins = values.integer("n_bins", 0, EXACT_LIMIT)
    require(n_bins != 1, "n_bins", "0 or at least 2")
    return Parameters(
        criterion=values.text("criterion", criteria_of(classes=n_classes > 0)),
        max_depth=values.integer("max_depth", 0, MAX_DEPTH_LIMIT),
        min_split=values.integer("min_split", 0, _MOST_ROWS),
        min_bucket=values.integer("min_bucket", 0, _MOST_ROWS),
        n_bins=n_bins,
        cp=values.number("cp", UNPRUNED, sys.float_info.max),
        n_folds=values.integer("n_folds", 0, MOST_FOLDS),
        rule=values.text("rule", ("min", "1se")),
        fold_col=values.text("fold_col") if "fold_col" in values else None,
        max_surrogates=values.integer("max_surrogates", 0, MOST_SURROGATES),
        surrogate_style=values.integer("surrogate_style", 0, 1),
        null_as_category=values.boolean("null_as_category"),
        seed=values.integer("seed", -(2**63), 2**63 - 1),
        memory_bytes=values.integer("memory_bytes", 0, _MOST_MEMORY),
        max_leaf_nodes=values.integer("max_leaf_nodes", 2, _MOST_ROWS) if "max_leaf_nodes" in values else None,
        min_impurity_decrease=values.number("min_impurity_decrease", 0.0, sys.float_info.max),
        shrink=values.number("shrink", 0.0, sys.float_info.max),
        max_competitors=values.integer("max_competitors", 0, MOST_COMPETITORS),
        feature_costs=values.numbers("feature_costs", None, 1 / MOST_COST, MOST_COST),
        class_params=_class_params(values, n_classes),
    )


def _class_params(values: Values, n_classes: int) -> ClassParams | None:
    if "class_params" not in values:
        return None
    require(0 < n_classes <= MOST_CLASS_PARAMS, "class_params", f"those of 1 to {MOST_CLASS_PARAMS} classes")
    given = Values(values.mapping("class_params"))
    weight: tuple[float, ...] | str | None = None
    if "class_weight" in given:
        is_text = isinstance(values.mapping("class_params")["class_weight"], str)
        weight = (
            given.text("class_weight", (BALANCED,))
            if is_text
            else given.numbers("class_weight", n_classes, LEAST_CLASS_PARAM, LARGEST_CLASS_PARAM)
        )
    return ClassParams(
        prior=given.numbers("prior", n_classes, LEAST_CLASS_PARAM, 1.0) if "prior" in given else None,
        loss=given.numbers("loss", n_classes**2, 0.0, LARGEST_CLASS_PARAM) if "loss" in given else None,
        class_weight=weight,
    )


def forest_parameters_of(values: Values, n_features: int) -> ForestParameters:
    """A forest's own parameters, from values as above; raises MadtreeError where one is out of its range."""
    return ForestParameters(
        n_trees=values.integer("n_trees", 1, MOST_MEMBERS),
        n_drawn=values.integer("n_drawn", 1, n_features),
        sampling=values.text("sampling", SAMPLINGS),
        kept=values.number("kept", 0.0, 1.0),
        n_permutations=values.integer("n_permutations", 0, MOST_MEMBERS),
        split_rule=values.text("split_rule", SPLIT_RULES),
    )
