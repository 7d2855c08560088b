"""Training from arguments as they are given: checked, trained, written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from madtree.host import Host, Stopwatch
from madtree.model.write import write_outcomes
from madtree.request import TrainingTask, check_arguments, check_boost_arguments, check_forest_arguments
from madtree.score import draw_leaf_outcomes, predict_out_of_bag
from madtree.train import Trained, line_of, train

# What checks the arguments, by function.
CHECKS = {
    "tree_train": check_arguments,
    "forest_train": check_forest_arguments,
    "boost_train": check_boost_arguments,
}


def train_model(host: Host, *arguments: Any, function: str) -> str:
    """Train a model of the function's kind, for each group; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    return line_of(trained(host, CHECKS[function](host, *arguments)))


def trained(host: Host, task: TrainingTask) -> Trained:
    """Train, predict the model's own rows where that is wanted, and tell where the time went.

    Raises:
        MadtreeError: the rows are not fit to learn from.
    """
    watch = Stopwatch("write")
    found = train(host, task, watch)
    if task.oob_predictions:
        watch.begin("write")
        predict_out_of_bag(host, task, found.is_tested)
    if task.intervals:
        watch.begin("write")
        drawn = draw_leaf_outcomes(host, task)
        write_outcomes(host, task, drawn.tree_id, drawn.n_leaves, drawn.outcomes)
    if task.verbose:
        host.info(watch.line())
    return replace(found, seconds=watch.seconds)
