"""Training from arguments as they are given: checked, trained, written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from madtree.host import Host, Stopwatch
from madtree.request import TrainingTask, check_arguments, check_forest_arguments
from madtree.score import predict_out_of_bag
from madtree.train import Trained, line_of, train


def tree_train(host: Host, *arguments: Any) -> str:
    """Train a tree for each group; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    return line_of(trained(host, check_arguments(host, *arguments)))


def forest_train(host: Host, *arguments: Any) -> str:
    """Train a forest for each group, and predict its own rows where that is wanted; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    return line_of(trained(host, check_forest_arguments(host, *arguments)))


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
    if task.verbose:
        host.info(watch.line())
    return replace(found, seconds=watch.seconds)
