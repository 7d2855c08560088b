"""Writing a trained model into its tables, in bulk.

Each column goes to the server as one array literal: PL/Python turns a list into an array at some 300 ns an element,
PostgreSQL reads a literal in about half of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import numpy as np

from madtree import __version__
from madtree.host.protocol import Host
from madtree.host.settings import local_settings
from madtree.model.tables import prediction_type
from madtree.request.train_request import TrainingTask
from madtree.sqltext import array_text as text
from madtree.sqltext import tables as sql
from madtree.trees.model import Kind

CHUNK_ROWS = 16_384
CHUNK_BYTES = 2 * 2**20  # of a chunk's widest parameter, about
_NUMBER_BYTES = 24  # a float8 in text, with its comma

TEXT = "pg_catalog.text"
_NO_VALUES = "{}"  # a shorter array than the other columns': `unnest` makes NULLs of what it lacks
Levels = Sequence[str | None] | None
Encoder = Callable[[slice], str]  # some of a column's rows as an array literal


@dataclass(frozen=True)
class NodeColumns:
    """Nodes of all trees, a column each; n rows. Arrays may be numpy's or lists.

    Attributes:
        tree_id: int (n,)
        node_id: int (n,), root 0, children 2i+1 and 2i+2
        depth: int (n,)
        feature: int (n,), index into the task's features; -1 for a leaf
        threshold: float (n,), NaN where there is none
        left_levels, right_levels: n lists of level texts; None where there are none
        majority_left: int (n,), 1 or 0; ignored for leaves
        n_rows: int (n,)
        weight, impurity, risk, complexity: float (n,)
        improvement: float (n,), ignored for leaves
        prediction: classification, int (n,), index into `classes`; regression, float (n,)
        class_weights: float (n, number of classes); None for regression
    """

    tree_id: Any
    node_id: Any
    depth: Any
    feature: Any
    threshold: Any
    left_levels: Sequence[Levels]
    right_levels: Sequence[Levels]
    majority_left: Any
    n_rows: Any
    weight: Any
    impurity: Any
    risk: Any
    complexity: Any
    improvement: Any
    prediction: Any
    class_weights: Any = None


@dataclass(frozen=True)
class TreeColumns:
    """All trees, a column each; m rows.

    Attributes:
        tree_id: int (m,)
        n_rows: int (m,)
        n_nodes, n_leaves, tree_depth: int (m,)
        pruning_cp, root_risk: float (m,)
        importance: float (m, number of features), `impurity_var_importance`
        success: bool (m,)
        message: m texts or None
    """

    tree_id: Any
    n_rows: Any
    n_nodes: Any
    n_leaves: Any
    tree_depth: Any
    pruning_cp: Any
    root_risk: Any
    importance: Any
    success: Any
    message: Sequence[str | None]


@dataclass(frozen=True)
class Totals:
    """What the summary tells of the whole run."""

    classes: Sequence[str]  # class labels as text, in the dependent's SQL order; empty for regression
    num_all_groups: int
    num_failed_groups: int
    total_rows_processed: int
    total_rows_skipped: int
    levels: dict[str, Any] | None = None  # of each unordered feature, where NULL is one: texts, or texts by tree id


@dataclass(frozen=True)
class SurrogateColumns:
    """Surrogates of all trees, a column each; k rows.

    Attributes:
        tree_id, node_id, rank: int (k,); rank from 1
        feature: int (k,), index into the task's features
        threshold: float (k,), NaN where there is none
        left_levels, right_levels: k lists of level texts; None where there are none
        low_goes_left: bool (k,)
        agreement, adjusted_agreement: float (k,)
    """

    tree_id: Any
    node_id: Any
    rank: Any
    feature: Any
    threshold: Any
    left_levels: Sequence[Levels]
    right_levels: Sequence[Levels]
    low_goes_left: Any
    agreement: Any
    adjusted_agreement: Any


@dataclass(frozen=True)
class CvColumns:
    """The cp tables of all trees, a column each; k rows.

    Attributes:
        tree_id, n_splits: int (k,)
        cp, rel_error, cv_error_avg, cv_error_stddev, xerror, xstd: float (k,), NaN where there is none
        chosen: bool (k,)
    """

    tree_id: Any
    cp: Any
    n_splits: Any
    rel_error: Any
    cv_error_avg: Any
    cv_error_stddev: Any
    xerror: Any
    xstd: Any
    chosen: Any


def write_trees(host: Host, task: TrainingTask, columns: TreeColumns, group_source: str | None = None) -> None:
    """Fill `<output>`.

    Args:
        group_source: for a grouped task, SQL of a relation that holds each tree's group: `tree_id int` and `g1`,
            `g2`, ... in the types of the grouping columns.
    """
    width = len(task.features)
    importance = np.asarray(columns.importance, dtype=float).reshape(-1, width)
    encoders: dict[str, Encoder] = {
        **{key: _integers(getattr(columns, key)) for key in ("tree_id", "n_rows", "n_nodes", "n_leaves", "tree_depth")},
        **{key: _floats(getattr(columns, key)) for key in ("pruning_cp", "root_risk")},
        "impurity_var_importance": lambda part: text.rows_of_floats(_numbers(importance[part].ravel()), width),
        "success": _picked(["false", "true"], columns.success),
        "message": lambda part: text.texts(columns.message[part]),
    }
    statement = sql.insert_trees(task.output_schema, task.output_name, task.grouping, group_source)
    for part in _chunks(np.full(len(importance), width * _NUMBER_BYTES)):
        values = [encoders[column](part) for column, _ in sql.TREE_COLUMNS]
        host.command(statement, [TEXT] * len(values), values)


def write_nodes(host: Host, task: TrainingTask, columns: NodeColumns, classes: Sequence[str] = ()) -> None:
    """Fill `<output>_nodes`. `classes` are the class labels as text, for classification."""
    feature = np.asarray(columns.feature)
    is_leaf = feature < 0
    left, right = text.text_rows(columns.left_levels), text.text_rows(columns.right_levels)
    encoders: dict[str, Encoder] = {
        **{key: _integers(getattr(columns, key)) for key in ("tree_id", "node_id", "depth", "n_rows")},
        **{key: _floats(getattr(columns, key)) for key in ("threshold", "weight", "impurity", "risk", "complexity")},
        # -1, a leaf, picks the last: NULL.
        "feature": _picked([*(text.quoted(f.name) for f in task.features), "NULL"], feature),
        "left_levels": _levels(left),
        "right_levels": _levels(right),
        "majority_left": _picked(["false", "true", "NULL"], np.where(is_leaf, -1, columns.majority_left)),
        "improvement": _floats(np.where(is_leaf, np.nan, columns.improvement)),
    }
    n_classes = len(classes)
    if task.is_classification:
        weights = np.asarray(columns.class_weights, dtype=float).reshape(-1, n_classes)
        encoders["prediction"] = _picked([text.quoted(label) for label in classes], columns.prediction)
        encoders["class_weights"] = lambda part: text.rows_of_floats(_numbers(weights[part].ravel()), n_classes)
    else:
        encoders["prediction"] = _floats(columns.prediction)
        encoders["class_weights"] = lambda _: _NO_VALUES
    sizes = np.array([*map(max, map(len, left), map(len, right))], dtype=int)
    statement = sql.insert_nodes(task.output_schema, task.output_name, prediction_type(task))
    sizes += n_classes * _NUMBER_BYTES
    with local_settings(host, _compression(host, int(sizes.sum()))):
        for part in _chunks(sizes):
            values = [encoders[column](part) for column, _ in sql.NODE_PARAMETERS]
            host.command(statement, [TEXT] * len(values), values)


def write_surrogates(host: Host, task: TrainingTask, columns: SurrogateColumns) -> None:
    """Fill `<output>_surrogates`."""
    left, right = text.text_rows(columns.left_levels), text.text_rows(columns.right_levels)
    encoders: dict[str, Encoder] = {
        **{key: _integers(getattr(columns, key)) for key in ("tree_id", "node_id", "rank")},
        **{key: _floats(getattr(columns, key)) for key in ("threshold", "agreement", "adjusted_agreement")},
        "feature": _picked([text.quoted(f.name) for f in task.features], columns.feature),
        "left_levels": _levels(left),
        "right_levels": _levels(right),
        "low_goes_left": _picked(["false", "true"], columns.low_goes_left),
    }
    sizes = np.array([*map(max, map(len, left), map(len, right))], dtype=int)
    statement = sql.insert_surrogates(task.output_schema, task.output_name)
    for part in _chunks(sizes):
        values = [encoders[column](part) for column, _ in sql.SURROGATE_COLUMNS]
        host.command(statement, [TEXT] * len(values), values)


def write_cv(host: Host, task: TrainingTask, columns: CvColumns, group_source: str | None = None) -> None:
    """Fill `<output>_cv`; `group_source` as for `write_trees`."""
    floats = ("cp", "rel_error", "cv_error_avg", "cv_error_stddev", "xerror", "xstd")
    encoders: dict[str, Encoder] = {
        **{key: _integers(getattr(columns, key)) for key in ("tree_id", "n_splits")},
        **{key: _floats(getattr(columns, key)) for key in floats},
        "chosen": _picked(["false", "true"], columns.chosen),
    }
    statement = sql.insert_cv(task.output_schema, task.output_name, task.grouping, group_source)
    for part in _chunks(np.full(len(columns.cp), _NUMBER_BYTES)):
        values = [encoders[column](part) for column, _ in sql.CV_PARAMETERS]
        host.command(statement, [TEXT] * len(values), values)


def write_summary(host: Host, task: TrainingTask, totals: Totals) -> None:
    """Fill `<output>_summary` with its one row."""
    arguments, parameters = task.arguments, task.parameters
    categorical = [f.name for f in task.features if f.kind is not Kind.CONTINUOUS]
    continuous = [f.name for f in task.features if f.kind is Kind.CONTINUOUS]
    labels = {f.name: list(f.labels) for f in task.features if f.labels}
    row: dict[str, Any] = {
        "method": "tree_train",
        "is_classification": task.is_classification,
        "source_table": arguments.training_table_name,
        "model_table": arguments.output_table_name,
        "id_col_name": task.id_sql,
        "list_of_features": arguments.list_of_features,
        "list_of_features_to_exclude": arguments.list_of_features_to_exclude or "None",
        "dependent_varname": _dependent_name(task),
        "independent_varnames": ",".join(f.name for f in task.features),
        "cat_features": ",".join(categorical),
        "con_features": ",".join(continuous),
        "grouping_cols": arguments.grouping_cols,
        "num_all_groups": totals.num_all_groups,
        "num_failed_groups": totals.num_failed_groups,
        "total_rows_processed": totals.total_rows_processed,
        "total_rows_skipped": totals.total_rows_skipped,
        "dependent_var_levels": list(totals.classes) if task.is_classification else None,
        "dependent_var_type": task.dependent_type,
        "independent_var_types": ", ".join(f.type for f in task.features),
        "input_cp": parameters.cp,
        "n_folds": parameters.n_folds,
        "null_proxy": None,
        "madtree_version": __version__,
        "seed": parameters.seed,
        "split_criterion": parameters.criterion,
        "weights": arguments.weights,
        "max_depth": parameters.max_depth,
        "min_split": parameters.min_split,
        "min_bucket": parameters.min_bucket,
        "n_bins": parameters.n_bins,
        "max_surrogates": parameters.max_surrogates,
        "surrogate_style": parameters.surrogate_style,
        "null_as_category": parameters.null_as_category,
        "rule": parameters.rule,
        "fold_col": parameters.fold_col,
        "features": [f.name for f in task.features],
        "feature_types": [f.type for f in task.features],
        "feature_kinds": [f.kind.value for f in task.features],
        "enum_labels": json.dumps(labels),
        "grouping_columns": [column.sql for column in task.grouping],
        "grouping_types": [column.type for column in task.grouping],
        "levels": None if totals.levels is None else json.dumps(totals.levels, ensure_ascii=False),
        "trained_at": datetime.now(timezone.utc).isoformat(),
    }
    types = [TEXT if kind == "jsonb" else f"pg_catalog.{kind}" for _, kind in sql.SUMMARY_COLUMNS]
    statement = sql.insert_summary(task.output_schema, task.output_name)
    host.command(statement, types, [row[column] for column, _ in sql.SUMMARY_COLUMNS])


def _dependent_name(task: TrainingTask) -> str:
    """A column's name as SQL, an expression as the user wrote it."""
    return task.arguments.dependent_variable.strip() if task.dependent_sql.startswith("(") else task.dependent_sql


def _integers(values: Any) -> Encoder:
    array = np.asarray(values, dtype=np.int64)
    return lambda part: text.integers(array[part].tolist())


def _floats(values: Any) -> Encoder:
    array = np.asarray(values, dtype=float)
    return lambda part: text.floats(_numbers(array[part]))


def _picked(elements: Sequence[str], index: Any) -> Encoder:
    """Elements that are text already, by their index."""
    choice = np.array(elements, dtype=object)
    array = np.asarray(index).astype(np.int64)
    return lambda part: text.joined(choice[array[part]].tolist())


def _compression(host: Host, n_bytes: int) -> dict[str, str]:
    """Settings for the compression of so many bytes of levels and class weights."""
    worth_it = n_bytes > CHUNK_BYTES and host.query(sql.QUICKER_COMPRESSION)
    return {"default_toast_compression": "lz4"} if worth_it else {}


def _levels(rows: Sequence[str]) -> Encoder:
    """Rows of levels that are text already; NULL for none."""
    known = np.array([row != "NULL" for row in rows], dtype=bool)
    return lambda part: text.joined(rows[part]) if known[part].any() else _NO_VALUES


def _numbers(values: Any) -> list[float] | list[int]:
    """Floats; as integers, whose text is shorter and made in half of the time, where all of them are whole."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    # A negative zero would lose its sign, and what does not fit an int64 comes out negative.
    if np.array_equal(whole, values) and not np.signbit(values).any() and not (whole < 0).any():
        return list(whole.tolist())
    return list(values.tolist())


def _chunks(sizes: np.ndarray) -> Iterator[slice]:
    """Slices of the rows such that no parameter grows far beyond `CHUNK_BYTES`; `sizes` are bytes a row."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        limit = CHUNK_BYTES + (ends[begin - 1] if begin else 0)
        end = min(begin + CHUNK_ROWS, max(begin + 1, int(np.searchsorted(ends, limit, side="right"))))
        yield slice(begin, min(end, len(sizes)))
        begin = end
