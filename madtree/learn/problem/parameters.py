"""Parameters and bins as they travel: the ranges that hold for whoever sends them are those of `tree_train`'s
arguments.
"""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

import numpy as np

from madtree.learn.binning import BinTable
from madtree.learn.data import WIDE_LIMIT, Values, require
from madtree.trees import (
    BALANCED,
    LARGEST_CLASS_PARAM,
    LEAST_CLASS_PARAM,
    MOST_CLASS_PARAMS,
    MOST_COST,
    MOST_FEATURES,
    OF_BOOSTING,
    ClassParams,
    Parameters,
    criteria_of,
)


def parameters_of(values: Values, n_classes: int) -> Parameters:
    """The parameters that `dataclasses.asdict` tells of.

    Args:
        n_classes: of the target, 0 for regression, which the criterion has to fit.

    Raises:
        MadtreeError: one of them is out of its range.
    """
    ranged: dict[str, Any] = {
        each.name: _ranged(values, each) for each in fields(Parameters) if "range" in each.metadata
    }
    of_boosting = (name for name, each in OF_BOOSTING.items() if each.outcome.of_classes == (n_classes > 0))
    known = (*criteria_of(classes=n_classes > 0), *of_boosting)
    require(ranged["n_bins"] != 1, "n_bins", "0 or at least 2")
    return Parameters(
        criterion=values.text("criterion", known),
        rule=values.text("rule", ("min", "1se")),
        fold_col=values.text("fold_col") if "fold_col" in values else None,
        null_as_category=values.boolean("null_as_category"),
        feature_costs=values.numbers("feature_costs", None, 1 / MOST_COST, MOST_COST),
        class_params=_class_params(values, n_classes),
        monotone=values.numbers("monotone", None, -1.0, 1.0),
        interactions=values.groups("interactions", MOST_FEATURES),
        limits_steps=values.boolean("limits_steps"),
        keeps_outcomes=values.boolean("keeps_outcomes"),
        **ranged,
    )


def _ranged(values: Values, parameter: Field[Any]) -> float | None:
    """The value of a parameter that has a range."""
    low, high = parameter.metadata["range"]
    if parameter.default is None and parameter.name not in values:
        return None
    read = values.integer if isinstance(low, int) else values.number
    return read(parameter.name, low, high)


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


def bins_of(given: Values, n_trees: int) -> BinTable:
    """The bins that a problem's values tell of; raises MadtreeError where they tell of none."""
    if "bin_lower" not in given:  # they are to be counted by, and no more
        most = given.ints("bin_sizes", (1, None), 0, WIDE_LIMIT - 1, np.int32)
        require(most.shape[1] > 0, "bin_sizes", "those of one feature at least")
        sizes = np.broadcast_to(most, (n_trees, most.shape[1]))
        return BinTable(sizes, np.zeros(0), np.zeros(0), np.zeros_like(sizes, np.int64))
    sizes = given.ints("bin_sizes", (n_trees, None), 0, WIDE_LIMIT - 1, np.int32)
    require(sizes.shape[1] > 0, "bin_sizes", "those of one feature at least")
    lower = given.floats("bin_lower", (None,), finite=False)
    upper = given.floats("bin_upper", (len(lower),), finite=False)
    offsets = given.ints("bin_offsets", sizes.shape, 0, len(lower))
    require(int((offsets + sizes).max()) <= len(lower), "bin_offsets", "places of bins that are there")
    return BinTable(sizes, lower, upper, offsets)
