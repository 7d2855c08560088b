"""The arguments of `forest_train`, checked as those of `tree_train` are, and those that only a forest has."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, isqrt
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, Range, defaults
from madtree.request.arguments import check_grouping, make_task
from madtree.request.option_strings import checked
from madtree.request.train_request import TrainingTask
from madtree.trees import FOREST, MAX_DEPTH_LIMIT, UNPRUNED, ForestParameters

_ROWS_OF_INTERVALS = 10  # of a leaf, as Meinshausen has it


def check_forest_arguments(host: Host, *given: Any, **named: Any) -> TrainingTask:
    """What to train, from the arguments of `forest_train`; NULL for an optional argument means its default.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    values = checked(host, FUNCTIONS["forest_train"], given, named)
    if values["oob_predictions"] and values["sampling"] == "none":
        raise MadtreeError(
            "oob_predictions: with sampling 'none' no row is out of bag, as each tree has all of them",
            hint="Draw samples (sampling => 'poisson' or 'without_replacement'), or leave out oob_predictions.",
        )
    depth = MAX_DEPTH_LIMIT if values["max_tree_depth"] is None else values["max_tree_depth"]
    task = make_task(host, {**values, "max_depth": depth, "n_bins": values["num_splits"]})
    check_grouping(task, FOREST)
    if values["intervals"] and task.is_classification:
        raise MadtreeError(
            f"intervals: {task.arguments.dependent_variable} is a class, and intervals are of numbers",
            hint="madtree.conformal_quantiles tells which classes a row may be of.",
        )
    least = defaults.GROWN_OUT_MIN_SPLIT[task.is_classification]
    parameters = replace(
        task.parameters,
        cp=UNPRUNED,
        min_split=least if values["min_split"] is None else values["min_split"],
        min_bucket=defaults.GROWN_OUT_MIN_BUCKET if values["min_bucket"] is None else values["min_bucket"],
    )
    forest = ForestParameters(
        n_trees=values["num_trees"],
        n_drawn=_n_drawn(values["num_random_features"], task),
        sampling=values["sampling"],
        kept=values["sample_ratio"],
        n_permutations=values["num_permutations"] if values["importance"] else 0,
        split_rule=values["split_rule"],
    )
    if not values["importance"] and values["num_permutations"] != defaults.NUM_PERMUTATIONS:
        host.notice("num_permutations: nothing is permuted, since importance is false")
    if values["intervals"] and parameters.min_bucket < _ROWS_OF_INTERVALS:
        host.notice(
            f"intervals: with min_bucket {parameters.min_bucket} the trees' leaves keep outcomes of the same few rows, "
            f"and fewer new ones lie between than level says; min_bucket => {_ROWS_OF_INTERVALS} or more comes closer"
        )
    kept = {"oob_predictions": values["oob_predictions"], "intervals": values["intervals"]}
    return replace(task, parameters=parameters, ensemble=forest, **kept)


def _n_drawn(given: int | None, task: TrainingTask) -> int:
    n_features = len(task.features)
    if given is None:
        return max(1, isqrt(n_features)) if task.is_classification else ceil(n_features / 3)
    return int(Range(1, n_features).checked("num_random_features", given))
