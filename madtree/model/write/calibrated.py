"""Writes a calibrated copy of a tree of classes, with other probabilities in its leaves; and what copies of many trees
have in common with it.
"""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import rows_at_once, watched
from madtree.learn.data import Floats, Ints
from madtree.model import ModelTables, UsableModel
from madtree.model.write.columns_text import chunks, integers, rows_of_floats
from madtree.model.write.copies import NewModel
from madtree.records import dataclass
from madtree.request import class_params_of
from madtree.sqltext import calibrated as sql
from madtree.sqltext.predict import class_array
from madtree.sqltext.tables import CALIBRATION_COLUMNS
from madtree.trees import FittedMaps, Model

_TEXT = "pg_catalog.text"
_MOST_WEIGHTS = 2**25  # of the classes in leaves


@dataclass(frozen=True)
class Calibrated:
    """What is to be written.

    Attributes:
        method, table: of the calibration.
    """

    method: str
    table: str
    maps: FittedMaps

    def summary_values(self, former: ModelTables) -> dict[str, str]:
        """What the summary says of it."""
        columns = [name for name, _ in CALIBRATION_COLUMNS]
        return dict(zip(columns, (self.method, former.given, self.table), strict=True))


def write_calibrated_tree(opened: UsableModel, new: NewModel, calibration: Calibrated) -> None:
    """Create and fill the tables of a copy whose leaves have as much weight as before, parted among the classes as the
    maps say.
    """
    host, tables, model = opened.host, opened.tables, opened.model
    copy = new.of(tables, frozenset({"_cv"}), [*dict(CALIBRATION_COLUMNS)])
    new.make(host, copy.create())
    host.command(sql.fill_inner_nodes(copy))
    trees, nodes, weights = _leaves(opened, len(model.classes))
    total = weights.sum(axis=1)
    own = np.empty_like(weights)
    for place, tree in enumerate(watched(host, trees)):
        share = (weights[place] / total[place]).tolist()
        own[place] = calibration.maps.shares(tree if model.grouping_columns else 0, share)
    statement = sql.fill_leaves(copy, class_array(model.classes, tables.prediction_type))
    encoders = [
        integers(trees),
        integers(nodes),
        integers(_predicted(model, own) + 1),
        rows_of_floats(own * total[:, None], len(model.classes)),
    ]
    for part in chunks(np.full(len(trees), 20 * (len(model.classes) + 1))):
        host.command(statement, [_TEXT] * len(encoders), [encode(part) for encode in encoders])
    for suffix in copy.parts.keys() - {"_nodes", "_summary"}:
        host.command(copy.fill(suffix))
    new.write_summary(host, copy, calibration.summary_values(tables))


def _predicted(model: Model, shares: Floats) -> Ints:
    """(n,) the class that costs least by the losses that the tree was trained with, where there are `shares` (n, K) of
    each; the most probable one without losses.
    """
    params = class_params_of(str(model.summary.get("class_params") or ""))
    if params is None or params.loss is None:
        return np.asarray(shares.argmax(axis=1))
    if fault := params.fault(len(model.classes)):
        raise MadtreeError(f"{model.name} is damaged: its class_params: {fault}")
    costs = np.zeros_like(shares)
    for share, of_class in zip(shares.T, np.reshape(params.loss, (len(model.classes), -1)), strict=True):
        costs += np.multiply.outer(share, of_class)
    return np.asarray(costs.argmin(axis=1))


def _leaves(opened: UsableModel, n_classes: int) -> tuple[list[int], list[int], Floats]:
    """The leaves' trees, their ids, and (n_leaves, n_classes) the weights of the classes.

    Raises:
        MadtreeError: they have too many weights, or not one for each class.
    """
    at = opened.tables.at
    n_leaves = check_leaves(opened, n_classes)
    trees: list[int] = []
    nodes: list[int] = []
    weights = np.empty((n_leaves, n_classes))
    for row in watched(opened.host, opened.host.stream(sql.leaves(*at, n_classes), batch=rows_at_once(n_classes))):
        if row["class_weights"] is None or len(trees) == n_leaves:
            raise opened.tables.damaged("not each of its leaves has a weight for each class")
        weights[len(trees)] = row["class_weights"]
        trees.append(row["tree_id"])
        nodes.append(row["node_id"])
    return trees, nodes, weights[: len(trees)]


def check_leaves(opened: UsableModel, n_classes: int) -> int:
    """How many there are; raises MadtreeError where the weights of the classes in them are too many."""
    n_leaves: int = opened.size()["leaves"]
    if n_leaves * n_classes > _MOST_WEIGHTS:
        raise MadtreeError(
            f"model: {opened.tables.given} has {n_leaves:,} leaves and {n_classes:,} classes, and at most "
            f"{_MOST_WEIGHTS:,} weights of classes in leaves are calibrated",
            sqlstate="54000",
        )
    return n_leaves
