"""The scores that rows of a boosted model begin with, and what its loss is told by."""

from __future__ import annotations

from math import inf, isfinite

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model.find import ModelTables
from madtree.sqltext import models as models_sql
from madtree.trees import Model


def base_scores(host: Host, tables: ModelTables, model: Model) -> list[list[float]]:
    """Of all groups by their numbers, from 1; zeros of those that failed.

    Raises:
        MadtreeError: they are none.
    """
    found = []
    for row in host.query(models_sql.base_scores(tables.schema, tables.name)):
        own = (row["base_score"] or []) if row["n_trees"] else [0.0] * model.n_scores  # others have failed
        if len(own) != model.n_scores or not all(isinstance(value, float | int) and isfinite(value) for value in own):
            raise MadtreeError(
                f"{tables.given} is damaged: base_score of group {row['gid']} is not a finite number for each score",
                hint="Train the model again, or restore its tables.",
            )
        found.append([float(value) for value in own])
    return found


def loss_thresholds(host: Host, tables: ModelTables, model: Model) -> list[float]:
    """By which the loss of all groups is told, by their numbers; zeros of those that failed, and of other losses.

    Raises:
        MadtreeError: they are none.
    """
    found = []
    for row in host.query(models_sql.loss_thresholds(tables.schema, tables.name)):
        own = row["loss_threshold"] if row["n_trees"] and model.loss.has_threshold else 0.0
        if not isinstance(own, float | int) or not 0 <= own < inf:
            raise MadtreeError(
                f"{tables.given} is damaged: loss_threshold of group {row['gid']} is no threshold of its loss",
                hint="Train the model again, or restore its tables.",
            )
        found.append(float(own))
    return found
