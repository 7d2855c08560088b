"""tree_evaluate, tree_confusion, tree_curve and tree_reliability: how well a model does on rows whose outcomes are
known.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row, watched
from madtree.interface import FUNCTIONS
from madtree.model import UsableModel, check_answer, class_position, find_to_use
from madtree.request import COSTS, Costs
from madtree.score.asking import HELD_BYTES, asking
from madtree.score.tested_rows import TestedRows, tested_rows
from madtree.sqltext import curves
from madtree.sqltext import evaluate as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext.cells import Question
from madtree.trees import Model

_OF_A_CLASS = "a curve is of a class"


def tree_evaluate(
    host: Host,
    tree_model: str | None,
    test_table: str | None,
    trust_owner: bool | None = False,
    *,
    in_blocks: bool | None = None,
    costs: Costs = COSTS,
    most_bytes: int = HELD_BYTES,
) -> list[Row]:
    """A row for each metric of each group's model; see its usage text.

    Args:
        tree_model, test_table: names as the user gave them.
        in_blocks: whether rows are scored by blocks or by one expression; None lets `score.case_or_blocks` decide. By
            models that are no expression, they always are by blocks.
        costs: of work, by which workers share the blocks.
        trust_owner: whether what the model's owner wrote may run, see `find_model`.
        most_bytes: that this process and the server's may hold of rows that are scored outside of the server, where
            nothing may be written.

    Raises:
        MadtreeError: there is no such model or table, or the table lacks a column or has too many rows, or a weight or
            outcome in it is out of range.
    """
    opened = find_to_use(host, tree_model, trust_owner, "tree_model")
    with asking(_tested(opened, test_table), in_blocks, costs, most_bytes) as put:
        metrics = sql.class_metrics if opened.model.is_classification else sql.number_metrics
        return _by_metric(host, opened.model, put.checked(metrics(put.question)))


def _by_metric(host: Host, model: Model, rows: list[Row]) -> list[Row]:
    """A row for each metric."""
    names = sql.metric_names(model.is_classification, len(model.classes), model.of_counts)
    return [
        {"tree_id": row["tree_id"], "group_values": row["group_values"], "metric": name, "value": _float(row[name])}
        for row in watched(host, rows)
        for name in names
    ]


def rows_of_report(
    host: Host,
    tree_model: str | None,
    test_table: str | None,
    trust_owner: bool | None,
    with_cells: bool | None,
) -> str:
    """The rows that a report shows, as an object of JSON by what they are: `metrics` those of tree_evaluate; of classes
    and `with_cells`, as `cells` those of tree_confusion in which there is something; of two classes, as `curve` and
    `bins` those of tree_curve and tree_reliability. Errors as for `tree_evaluate`.
    """
    opened = find_to_use(host, tree_model, trust_owner, "tree_model")
    model = opened.model
    found: dict[str, list[Row]] = {}
    with asking(_tested(opened, test_table)) as put:
        metrics = sql.class_metrics if model.is_classification else sql.number_metrics
        found["metrics"] = _by_metric(host, model, put.checked(metrics(put.question)))
        if model.is_classification and with_cells:
            _check_cells(opened)
            found["cells"] = [row for row in put.checked(sql.confusion(put.question)) if row["n"]]
        if model.is_classification and len(model.classes) == 2:
            question = replace(put.question, chosen=class_position(model, None) + 1)
            found["curve"] = put.checked(curves.curve(question, _points()))
            found["bins"] = put.checked(curves.reliability(question, _bins()))
    return json.dumps(found, default=float)


def _points(max_points: int | None = None) -> int:
    return int(FUNCTIONS["tree_curve"].checked("max_points", max_points))


def _bins(n_bins: int | None = None) -> int:
    return int(FUNCTIONS["tree_reliability"].checked("n_bins", n_bins))


def tree_confusion(
    host: Host,
    tree_model: str | None,
    test_table: str | None,
    trust_owner: bool | None = False,
    *,
    in_blocks: bool | None = None,
    costs: Costs = COSTS,
) -> list[Row]:
    """Rows of the confusion matrix. Arguments and errors as for `tree_evaluate`."""
    opened = _with_classes(host, tree_model, trust_owner, "a confusion matrix needs classes")
    _check_cells(opened)
    with asking(_tested(opened, test_table), in_blocks, costs) as put:
        return put.checked(sql.confusion(put.question))


def _check_cells(opened: UsableModel) -> None:
    """Raises MadtreeError where the confusion matrices of all groups together have too many cells."""
    table = opened.tables.part(opened.model.kind.groups_in)
    n_rows = opened.host.query(models_sql.n_rows(table))[0]["n"] * len(opened.model.classes) ** 2
    check_answer("tree_confusion", n_rows, "madtree.tree_evaluate tells of all classes together.")


def tree_curve(
    host: Host,
    tree_model: str | None,
    test_table: str | None,
    trust_owner: bool | None = False,
    class_: str | None = None,
    max_points: int | None = 100,
) -> list[Row]:
    """Rows of the curve of a class. Arguments and errors as for `tree_evaluate`; and

    Raises:
        MadtreeError: `class_` is none of the model's classes, or is not given where there are more than two, or
            `max_points` is less than 1.
    """
    most = _points(max_points)
    opened = _with_classes(host, tree_model, trust_owner, _OF_A_CLASS)
    return _of_class(opened, test_table, class_, lambda question: curves.curve(question, most))


def tree_reliability(
    host: Host,
    tree_model: str | None,
    test_table: str | None,
    trust_owner: bool | None = False,
    class_: str | None = None,
    n_bins: int | None = 10,
) -> list[Row]:
    """Bins of the probability of a class. Arguments and errors as for `tree_evaluate`; and

    Raises:
        MadtreeError: `class_` is none of the model's classes, or is not given where there are more than two, or
            `n_bins` is less than 1.
    """
    n = _bins(n_bins)
    opened = _with_classes(host, tree_model, trust_owner, _OF_A_CLASS)
    return _of_class(opened, test_table, class_, lambda question: curves.reliability(question, n))


def _tested(opened: UsableModel, test_table: str | None) -> TestedRows:
    return tested_rows(opened, test_table, with_id=False, argument="test_table")


def _of_class(
    opened: UsableModel, test_table: str | None, class_: str | None, statement: Callable[[Question], str]
) -> list[Row]:
    """Rows about the probabilities of a class."""
    chosen = class_position(opened.model, class_) + 1
    with asking(_tested(opened, test_table)) as put:
        return put.checked(statement(replace(put.question, chosen=chosen)))


def _with_classes(host: Host, given: str | None, trust_owner: bool | None, why: str) -> UsableModel:
    """The model of that name; raises MadtreeError where it is not one of classes."""
    opened = find_to_use(host, given, trust_owner, "tree_model")
    if not opened.model.is_classification:
        raise MadtreeError(
            f"tree_model: {given} is a regression model, and {why}", "madtree.tree_evaluate measures its errors."
        )
    return opened


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
