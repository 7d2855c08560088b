"""How well a model does on a table, for a report: metrics, confusion matrix or residuals, and the cp tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import psycopg

from madtree.errors import MadtreeError
from madtree.host import Row, local_settings
from madtree.host.psycopg import together
from madtree.model import (
    NOT_ALLOWED,
    OpenModel,
    check_own_table,
    few_rows,
    output_columns,
    read_trees,
)
from madtree.render.labels import category_text
from madtree.report.function_calls import scoring_sql, tested
from madtree.report.page import finite
from madtree.report.provenance import provenance
from madtree.report.trees import Choice
from madtree.request import find_source, plain_expressions
from madtree.sqltext import report as sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import row_expression
from madtree.sqltext.quote import qualified
from madtree.sqltext.relation import Relation

# The page itself says whose rows it measures on.
_QUIETLY = {"client_min_messages": "warning"}
MAX_CELLS = 250_000  # cells that tree_confusion may make: trees times classes squared
MAX_CLASSES = 60  # rows and columns of a drawn matrix; rarer classes are counted together
MAX_LEAVES, MAX_TREES = 20_000, 200  # beyond these a model as one expression is too large to draw residuals by
MAX_POINTS = 1_000  # rows that are drawn one by one; with more, ranges are
BINS = 30
CURVE_COLUMNS = ("threshold", "n", "share", "recall", "false_positive_rate", "lift")
BIN_COLUMNS = ("low", "high", "n", "estimated", "actual", "share", "expected_calibration_error")
SQL_LEAVES, SQL_LENGTH = 2_000, 300_000  # beyond these the page tells how to get the scoring SQL


def cp_tables(choice: Choice) -> dict[int, list[Row]]:
    """Rows of `<output>_cv` by tree; empty where the model was not cross-validated."""
    tables = choice.opened.tables
    if not tables.has("_cv"):
        return {}
    found: dict[int, list[Row]] = {}
    asked = sql.cv(*tables.at, choice.opened.group_writers, choice.tree_ids)
    for row in few_rows(choice.host, f"the cp table of {tables.given}", asked):
        found.setdefault(row.pop("tree_id"), []).append(
            {key: value if isinstance(value, bool) else finite(value) for key, value in row.items()}
        )
    return found


def evaluation(choice: Choice, table: str, is_given: bool) -> dict[str, Any]:
    """Metrics and a picture of the errors on a table, for the page's script; a `note` says what there is not, and why.

    Args:
        table: as the user or the model names it.
        is_given: whether the user did.
    """
    return {"table": table, **or_note(choice, is_given, lambda: _tried(choice, table))}


def or_note(choice: Choice, is_given: bool, look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a look at a table says, or a `note` why nothing is known.

    Args:
        is_given: whether the user named the table. A training table may be gone, or not be the reader's to see: that is
            a note.

    Raises:
        MadtreeError, psycopg.Error: the table was given and does not fit.
    """
    if choice.refusal is not None:
        return {"note": choice.refusal}
    try:
        with together(choice.host):
            if not is_given:  # somebody may have made it by now
                check_own_table(choice.opened, "data")
            return look()
    except (MadtreeError, psycopg.Error) as error:
        if is_given:
            raise
        return {"note": f"The model could not be tried on its training table: {_sentence(error)}"}


def _tried(choice: Choice, table: str) -> dict[str, Any]:
    """What the model does on a table; arguments as for `evaluation`. The table is the same one for all of it."""
    relation = find_source(choice.host.source, table, "data")
    classes = choice.model.classes
    n_cells = choice.totals["trees"] * len(classes) ** 2
    with local_settings(choice.host, _QUIETLY):
        answers = tested(choice, table, with_cells=n_cells <= MAX_CELLS)
    by_tree = _metrics(answers["metrics"])
    found: dict[str, Any] = {"trees": {tree: by_tree[tree] for tree in by_tree if tree is not None}}
    whole = by_tree.get(None) if choice.model.grouping_columns else next(iter(by_tree.values()), None)
    if whole is not None:
        found["metrics"] = whole
    rows = int(whole["n"] + whole.get("n_skipped", 0)) if whole is not None else None
    found["measured"] = provenance(choice, table, relation, rows)
    if not choice.model.is_classification:
        return found | _residuals(choice, relation)
    if len(classes) == 2:
        found["curve"] = _whole(answers["curve"], CURVE_COLUMNS)
        found["bins"] = _whole(answers["bins"], BIN_COLUMNS)
    if n_cells > MAX_CELLS:
        return found | {"missing": f"No confusion matrix: of all trees together it would have {n_cells:,} cells."}
    return found | _confusion(choice, answers["cells"])


def _metrics(rows: Sequence[Row]) -> dict[int | None, dict[str, Any]]:
    """Metrics by tree_id, those without a value left out; of a grouped model, None has those of all trees together."""
    found: dict[int | None, dict[str, Any]] = {}
    for row in rows:
        of_tree = found.setdefault(row["tree_id"], {})
        if row["value"] is not None:
            of_tree[row["metric"]] = finite(row["value"])
    return found


def refusal(opened: OpenModel, *, by_own_table: bool) -> str | None:
    """Why a superuser's page does not run another role's model; None if nothing speaks against it.

    Args:
        by_own_table: whether it would be tried on the table that it names.
    """
    try:
        opened.to_use()
    except MadtreeError as error:
        if error.sqlstate != NOT_ALLOWED:
            raise
        return f"{error.message}. {error.hint}"
    try:
        if by_own_table:
            check_own_table(opened, "data")
    except MadtreeError as error:  # that there is none is a note
        if error.sqlstate == NOT_ALLOWED:
            return f"{error.message.removeprefix('data: ')}. As a superuser, name a table by --data."
    return None


def _sentence(error: MadtreeError | psycopg.Error) -> str:
    if isinstance(error, MadtreeError):
        return error.message
    return (error.diag.message_primary or str(error)).removeprefix("madtree: ")


def _whole(rows: Sequence[Row], columns: Sequence[str]) -> list[dict[str, Any]]:
    """What rows say of all trees together, which come first."""
    whole = rows[0]["tree_id"] if rows else None
    return [{name: finite(row[name]) for name in columns} for row in rows if row["tree_id"] == whole]


def _confusion(choice: Choice, rows: Sequence[Row]) -> dict[str, Any]:
    """Cells as [actual, predicted, weight] with the classes' positions in `labels`, for each tree and for all."""
    labels = _labels(rows, choice.model.classes)
    at = {label: position for position, label in enumerate(labels)}
    others = len(labels)
    has_others = any(row[side] not in at for row in rows for side in ("actual", "predicted"))
    whole: dict[tuple[int, int], float] = {}
    by_tree: dict[int, dict[tuple[int, int], float]] = {}
    for row in rows:
        cell = at.get(row["actual"], others), at.get(row["predicted"], others)
        weight = float(row["weight"])
        whole[cell] = whole.get(cell, 0.0) + weight
        if row["tree_id"] is not None:
            of_tree = by_tree.setdefault(row["tree_id"], {})
            of_tree[cell] = of_tree.get(cell, 0.0) + weight
    names = [*map(category_text, labels), *(["(other classes)"] if has_others else [])]
    found: dict[str, Any] = {"labels": names, "confusion": _cells(whole)}
    if choice.model.grouping_columns:
        found["confusions"] = {tree: _cells(of_tree) for tree, of_tree in sorted(by_tree.items())}
    return found


def _labels(rows: Iterable[Row], classes: tuple[str, ...]) -> list[str]:
    """The classes of the matrix: the model's in their order, then others; the most frequent where there are many."""
    weights: dict[str, float] = dict.fromkeys(classes, 0.0)
    for row in rows:
        for side in ("actual", "predicted"):
            weights[row[side]] = weights.get(row[side], 0.0) + float(row["weight"])
    if len(weights) <= MAX_CLASSES:
        return list(weights)
    kept = set(sorted(weights, key=lambda label: -weights[label])[:MAX_CLASSES])
    return [label for label in weights if label in kept]


def _cells(weights: dict[tuple[int, int], float]) -> list[list[float | None]]:
    return [[actual, predicted, finite(weight)] for (actual, predicted), weight in sorted(weights.items())]


def _residuals(choice: Choice, data: Relation) -> dict[str, Any]:
    """Points [predicted, actual] where there are few rows, else ranges of the prediction."""
    totals = choice.totals
    if not choice.model.kind.is_expression:
        return {"missing": f"No residuals: {choice.model.kind.in_words} is no single expression."}
    if totals["leaves"] > MAX_LEAVES or totals["trees"] > MAX_TREES:
        return {
            "missing": f"No residuals: with {totals['trees']:,} trees and {totals['leaves']:,} leaves the model is too "
            f"large for one expression; {MAX_TREES:,} trees and {MAX_LEAVES:,} leaves are the most."
        }
    if choice.model.exposure is not None:
        return {"missing": "No residuals: the model predicts rates, and rows count events over exposures of their own."}
    actual = choice.model.dependent
    used = [actual, *(feature.name for feature in choice.model.features), *choice.model.grouping]
    # The expression would cast them, by functions of their owner's.
    if plain_expressions(choice.host.source, data, used) != used:
        return {"missing": "No residuals: columns of the table have types that belong to another role."}
    relation, predicted = qualified(data.schema, data.name), _qualified_sql(choice)
    if found_rows := choice.host.source.query(
        sql.residual_points(relation, predicted, actual), ["pg_catalog.int4"], [MAX_POINTS + 1]
    ):
        if len(found_rows) <= MAX_POINTS:
            return {"points": [[row["predicted"], row["actual"]] for row in found_rows]}
        return {"ranges": choice.host.source.query(sql.residuals(relation, predicted, actual, BINS))}
    return {"missing": f"No residuals: no row has a prediction and a value of {actual}."}


def _qualified_sql(choice: Choice) -> str:
    """As `scoring_sql`, for a statement that is run: under every search path it means the same."""
    opened = choice.opened.to_use()
    (output,) = output_columns(opened.model, "response", QUALIFIED)
    return row_expression(replace(opened.model, trees=read_trees(opened)), output, QUALIFIED)


def shown_sql(choice: Choice) -> str | None:
    """The expression that the page shows; None if it would be too long to read or to carry, or may not be run."""
    if choice.refusal is not None:
        return None
    if not choice.model.kind.is_expression or choice.totals["leaves"] > SQL_LEAVES:
        return None
    text = scoring_sql(choice)
    return text if len(text) <= SQL_LENGTH else None
