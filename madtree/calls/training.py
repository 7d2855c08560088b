"""Training from arguments as they are given: checked, trained, written."""

from __future__ import annotations

from functools import partial
from typing import Any

from madtree.host import Host
from madtree.request import check_arguments, check_forest_arguments
from madtree.score import predict_out_of_bag
from madtree.train import train


def tree_train(host: Host, *arguments: Any) -> str:
    """Train a tree for each group; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    return train(host, check_arguments(host, *arguments))


def forest_train(host: Host, *arguments: Any) -> str:
    """Train a forest for each group, and predict its own rows where that is wanted; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    task = check_forest_arguments(host, *arguments)
    return train(host, task, partial(predict_out_of_bag, host, task) if task.oob_predictions else None)
