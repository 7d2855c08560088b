"""A forest of one group on the client's side: what it says of a frame's rows, to the bit what the database says."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.client.calls import CallError
from madtree.client.feature_values import read_features
from madtree.client.frames import Array
from madtree.client.tree_arrays import EnsembleArrays, mean_values, predicted_classes, votes
from madtree.errors import MadtreeError
from madtree.model import CONFORMAL, INTERVAL, OpenModel, check_level, own_types
from madtree.model.arrays import conformal_predictions, quantile_of_group, quantiles
from madtree.trees import Model

_ROWS_AT_ONCE = 65_536  # whose leaves in all trees are held together


def predict_frame(opened: OpenModel, X: Any, type_: str, level: float, gid: int | None) -> Array:
    """What `forest_predict` says of the rows of a frame, or of an array: (n_rows,), (n_rows, n_classes), or, of
    intervals, (n_rows, 3) the mean, the low end and the high one; of sets of classes (n_rows, n_classes) which are in.

    Args:
        gid: of a grouped forest, the group of all rows.

    Raises:
        CallError: the forest has no such predictions, or `level` is none.
        MadtreeError: as `EnsembleArrays.read`.
    """
    model = opened.model
    types = [each for each in (*own_types(model), CONFORMAL) if each != "leaf"]
    if type_ not in types:
        raise CallError(f"type must be one of {', '.join(types)} for a frame, not {type_!r}")
    try:
        check_level(type_, level)
    except MadtreeError as error:
        raise CallError(str(error)) from None
    forest = EnsembleArrays.read(opened, gid, outcomes=type_ == INTERVAL)  # which refuses a group it lacks
    quantile = quantile_of_group(opened, level, gid) if type_ == CONFORMAL else None
    values, n_rows = read_features(model.features, forest.used, X)
    found = []
    for first in range(0, max(n_rows, 1), _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, n_rows)
        some = {feature: column[first:last] for feature, column in values.items()}
        found.append(_predictions(model, forest, forest.apply(some, last - first), type_, level))
    numbers = np.concatenate(found)
    if quantile is None:
        return numbers
    return conformal_predictions(numbers, quantile, of_classes=model.is_classification)


def _predictions(model: Model, forest: EnsembleArrays, leaves: Array, type_: str, level: float) -> Array:
    """Of rows by their leaves (n_rows, n_trees), as `EnsembleArrays.apply` has them."""
    if type_ == "prob":
        return votes(forest, leaves) / forest.n_trees
    if type_ == "response" and model.is_classification:
        return predicted_classes(model, votes(forest, leaves).argmax(axis=1))
    means = mean_values(forest, leaves)
    if type_ != INTERVAL:  # of 'conformal' the numbers that quantiles are about
        return means[:, 0] if type_ == "response" else means
    assert forest.outcomes is not None
    below = (1 - level) / 2
    low, high = quantiles(forest.outcomes.take(leaves), (below, 1 - below))
    return np.stack([means[:, 0], low, high], axis=1)
