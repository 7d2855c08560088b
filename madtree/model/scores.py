"""The scores that rows of a boosted model begin with, what its loss is told by, and what calibrated scores mean."""

from __future__ import annotations

from itertools import pairwise
from math import inf, isfinite
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import listed, rows_at_once, watched
from madtree.model.find import ModelTables
from madtree.model.opened import OpenModel
from madtree.sqltext import models as models_sql
from madtree.sqltext.boost_tables import isotonic_columns
from madtree.trees import IsotonicFunction, Joining, Link

MOST_POINTS, MOST_POINTS_OF_ALL = 100_000, 5_000_000  # points of a group, and of all groups together
MOST_SCORES = 5_000_000  # that rows of all groups together begin with


def base_scores(opened: OpenModel) -> list[list[float]]:
    """Of all groups by their numbers, from 1, what their trees are added to; zeros of those that failed. None of models
    whose trees are not added up.

    Raises:
        MadtreeError: they are no finite numbers, or too many.
    """
    model = opened.model
    if model.kind.joining is not Joining.SUM:
        return []
    found = []
    if len(model.numbering.counts) * model.n_scores > MOST_SCORES:
        raise MadtreeError(
            f"{opened.tables.given} is too large to be read: its groups begin with more than {MOST_SCORES:,} scores",
            sqlstate="54000",
        )
    statement = models_sql.base_scores(*opened.tables.at, model.n_scores)
    for row in watched(opened.host, opened.host.stream(statement, batch=rows_at_once(model.n_scores))):
        own = (row["base_score"] or []) if row["n_trees"] else [0.0] * model.n_scores  # others have failed
        if len(own) != model.n_scores or not all(isinstance(value, float | int) and isfinite(value) for value in own):
            raise opened.tables.damaged(f"base_score of group {row['gid']} is not a finite number for each score")
        found.append([float(value) for value in own])
    return found


def loss_thresholds(opened: OpenModel) -> list[float]:
    """By which the loss of all groups is told, by their numbers; zeros of those that failed, and of other losses.

    Raises:
        MadtreeError: they are none.
    """
    found = []
    for row in watched(opened.host, listed(opened.host, models_sql.loss_thresholds(*opened.tables.at))):
        own = row["loss_threshold"] if row["n_trees"] and opened.model.loss.has_threshold else 0.0
        if not isinstance(own, float | int) or not 0 <= own < inf:
            raise opened.tables.damaged(f"loss_threshold of group {row['gid']} is no threshold of its loss")
        found.append(float(own))
    return found


def isotonic_functions(opened: OpenModel) -> list[list[IsotonicFunction]]:
    """Of all groups by their numbers, what each of their scores means where the model's link is `ISOTONIC`; none of
    other models.

    Raises:
        MadtreeError: they are none.
    """
    tables, model = opened.tables, opened.model
    if model.kind.joining is not Joining.SUM or model.loss.link is not Link.ISOTONIC:
        return []
    if not dict(isotonic_columns(model.n_scores)).keys() <= tables.facts.tables["_group"].columns.keys():
        raise _no_function(tables, "its groups")
    size = opened.host.query(models_sql.size_of_isotonic(*tables.at))[0]
    if size["longest"] > MOST_POINTS or size["total"] > MOST_POINTS_OF_ALL:
        raise _no_function(tables, "its groups")
    found = []
    statement = models_sql.isotonic_points(*tables.at, model.n_scores)
    for row in watched(opened.host, opened.host.stream(statement, batch=rows_at_once(int(size["longest"])))):
        if not row["n_trees"]:
            found.append([IsotonicFunction((0.0,), (0.0,))] * model.n_scores)
            continue
        scores, probabilities = (_numbers(row[column]) for column in ("point_scores", "point_probabilities"))
        ends = [len(scores)] if model.n_scores == 1 else row["point_ends"] or []
        fits = len(ends) == model.n_scores and ends[-1] == len(scores) == len(probabilities)
        fits = fits and all(isinstance(end, int) for end in ends)
        parts = [slice(*each) for each in pairwise((0, *ends))] if fits else []
        if not fits or not all(part.start < part.stop and _rise(scores[part], probabilities[part]) for part in parts):
            raise _no_function(tables, f"group {row['gid']}")
        found.append([IsotonicFunction(tuple(scores[part]), tuple(probabilities[part])) for part in parts])
    return found


def _numbers(values: Any) -> list[float]:
    """A list of finite numbers, as it is; an empty one of anything else."""
    fits = isinstance(values, list) and all(isinstance(each, float | int) and isfinite(each) for each in values)
    return [float(each) for each in values] if fits else []


def _rise(scores: list[float], probabilities: list[float]) -> bool:
    ascend = all(low < high and isfinite(high - low) for low, high in pairwise(scores))
    return ascend and probabilities == sorted(probabilities) and probabilities[0] >= 0 and probabilities[-1] <= 1


def _no_function(tables: ModelTables, whose: str) -> MadtreeError:
    return tables.damaged(
        f"point_scores and point_probabilities of {whose} are no points of a function from scores to probabilities",
        "Calibrate the model again, or restore its tables.",
    )
