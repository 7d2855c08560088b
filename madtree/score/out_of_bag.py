"""What a forest says of its own rows: of each, what the trees say whose samples lack it."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, sqrt

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.learn.problem import Bootstrap
from madtree.model import UsableModel, distinct_names, find_own, output_columns
from madtree.request import TrainingTask, Type
from madtree.score.block_plan import Drawn
from madtree.score.case_or_blocks import measure
from madtree.score.forest_outcomes import OUT_OF_BAG
from madtree.score.new_rows import NewRows, id_name_of
from madtree.score.score_by_blocks import BlockScoring
from madtree.sqltext import models as sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Output
from madtree.sqltext.rows import identity_number
from madtree.sqltext.tables import OOB_TREES
from madtree.trees import Model

_ABOUT, _ROWS = 0.05, 3.5  # by how much an error may differ from that of the training: a part of it, or by these rows
_TINY, _ROUNDED = 1e-9, 1e-6  # of figures that are sums in another order, and of roots of these
_SAMPLES = {"seed": "seed", "sampling": "sampling", "kept": "sample_ratio"}  # columns of the summary
_COUNTED = ("total_rows_processed", "total_rows_skipped")


def has_bags(model: Model) -> bool:
    """Whether each of its trees was grown on a sample, so that rows are out of its bag."""
    return model.kind.unseen_in is not None and model.summary.get("sampling") != "none"


def drawn_rows(opened: UsableModel, id_type: Type) -> Drawn:
    """Which rows the trees of a forest have seen: samples are a hash of the rows' ids, so they are drawn again.

    Raises:
        MadtreeError: the summary tells no samples.
    """
    facts = opened.model.summary
    values = {name: facts.get(column) for name, column in _SAMPLES.items()}
    samples = Bootstrap.from_values({**values, "first": 0, "count": opened.model.n_members})
    is_tested = np.ones(opened.size()["trees"], np.bool_)
    if "oob_tested" in opened.tables.columns(""):
        untested = [row["place"] for row in opened.host.query(sql.untested_trees(*opened.tables.at))]
        is_tested[untested] = False
    return Drawn(samples, is_tested, identity_number(opened.model.id_column, id_type.name, id_type.writer))


def predict_out_of_bag(host: Host, task: TrainingTask) -> None:
    """Create `<output>_oob` of a forest that `task` has just trained, with a row for each row of the training table.

    A row that all trees have in bag gets NULL, as one whose group has no forest.
    """
    opened = find_own(host, task.output_schema, task.output_name)
    model = opened.model
    rows = NewRows.of(opened, task.source, task.arguments.training_table_name)
    id_name = id_name_of(model)
    outputs = output_columns(model, "response", QUALIFIED, id_name)
    if model.is_classification:
        outputs += output_columns(model, "prob", QUALIFIED, id_name)
    # The last column, by which the table is known, keeps its name.
    taken = distinct_names([id_name, *(output.name for output in outputs)], OOB_TREES)
    outputs = [replace(output, name=name) for output, name in zip(outputs, taken[1:], strict=True)]
    outputs.append(Output(OOB_TREES, "pg_catalog.int4", lambda node: ""))
    work = measure(rows, len(outputs), task.tuning.costs)
    drawn = drawn_rows(opened, rows.id_type)
    given = task.source, rows.scan(opened.tables.part("_oob"), taken[0]), rows.id_type.as_kept
    BlockScoring(opened, OUT_OF_BAG, *given, outputs, work, drawn).create()


def check_own_rows(opened: UsableModel, found: list[Row], table: str, argument: str) -> None:
    """Are these the rows that a forest was trained on? Then they are as many, and about as wrong out of bag as training
    has found. What leaves the error as it was does not change quantiles of errors much either.

    Args:
        found: their metrics by scope, as `sqltext.evaluate` has them, those of all rows first.
        table, argument: for errors.

    Raises:
        MadtreeError: they are others, or the summary does not tell how many there were.
    """
    model = opened.model
    facts, whole = model.summary, found[0]
    n_rows, before = whole["n"] + whole["n_skipped"], 0
    for name in _COUNTED:
        count = facts.get(name)
        if not isinstance(count, int):
            shown = "NULL" if count is None else repr(count)
            raise opened.tables.damaged(f"{name} in its summary is {shown}")
        before += count
    fault = ""
    if n_rows != before:
        fault = f"they are {n_rows:,}"
    known = {row["gid"]: row for row in opened.host.query(sql.oob_figures(*opened.tables.at))}
    for row in found:
        figures = known.get(row["tree_id"])
        if figures is not None and row["n"] and not _alike(row, figures, is_classification=model.is_classification):
            fault = fault or "its error on out-of-bag rows is another one"
    if fault:
        raise MadtreeError(
            f"{argument}: the rows of {table} are not those any more that {model.name} was trained on: {fault}",
            hint="Give another table, with rows that training has not seen; or train the forest again.",
            sqlstate="55000",
        )


def _alike(row: Row, figures: Row, *, is_classification: bool) -> bool:
    """Whether the error, or, where this is hardly above 0, what it leaves unexplained, is about that of the training.

    It has found rows' ways by bins, here they are by values. So a row may go another way where a split lies within a
    bin, which only happens where no row that the node was grown on is in it.
    """
    error, score, r2 = figures["oob_error"], figures["oob_score"], row.get("r2")
    if error is None:
        return False
    if is_classification:
        return isclose(1 - row["accuracy"], error, rel_tol=_ABOUT, abs_tol=_ROWS / row["n"])
    before = sqrt(max(error, 0.0))
    if r2 is None:  # the outcome is the same in all rows
        return isclose(row["rmse"], before, abs_tol=_ROUNDED)
    return isclose(row["rmse"], before, rel_tol=_ABOUT / 2) or (score is not None and isclose(r2, score, rel_tol=_TINY))
