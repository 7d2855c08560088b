"""Writes the summary of a model, a single row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from types import MappingProxyType
from typing import Any

from madtree import __version__
from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, SETTINGS
from madtree.records import dataclass
from madtree.request import TrainingTask, class_params_text
from madtree.sqltext import inserts
from madtree.sqltext import tables as sql
from madtree.sqltext.sizes import oversized
from madtree.trees import (
    MOST_EXPRESSION_BYTES,
    NUMBERS,
    BoostParameters,
    FeatureKind,
)

_TEXT = "pg_catalog.text"
_SMALL = MOST_EXPRESSION_BYTES // 8  # characters of all values, each some bytes, none of which is too large then


@dataclass(frozen=True)
class Totals:
    """What the summary says of the training as a whole.

    Attributes:
        classes: class labels as text, in the dependent's SQL order; empty for regression.
        categories: of each unordered feature, where NULL is one: texts, or texts by tree id.
    """

    classes: Sequence[str]
    num_all_groups: int
    num_failed_groups: int
    total_rows_processed: int
    total_rows_skipped: int
    categories: dict[str, Any] | None = None


def write_summary(
    host: Host,
    task: TrainingTask,
    totals: Totals,
    columns: Sequence[tuple[str, str]] = sql.SUMMARY_COLUMNS,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Fill `<output>_summary` with its one row.

    Args:
        more: values of `columns` that not all models have, or that differ from those of single trees.

    Raises:
        MadtreeError: it is larger than whoever reads it takes.
    """
    arguments = task.arguments
    categorical = [f.name for f in task.features if f.kind is not FeatureKind.CONTINUOUS]
    continuous = [f.name for f in task.features if f.kind is FeatureKind.CONTINUOUS]
    labels = {f.name: list(f.labels) for f in task.features if f.labels}
    row: dict[str, Any] = {
        "method": "tree_train",
        "is_classification": task.is_classification,
        "source_table": arguments.training_table_name,
        "model_table": arguments.output_table_name,
        "id_col_name": task.id_sql,
        "list_of_features": arguments.list_of_features,
        "list_of_features_to_exclude": arguments.list_of_features_to_exclude or "None",
        "dependent_varname": _dependent(task),
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
        "null_proxy": sql.NULL_PROXY if task.parameters.null_as_category else None,
        "madtree_version": __version__,
        **arguments.numbers,
        "features": [f.name for f in task.features],
        "feature_types": [f.type for f in task.features],
        "feature_kinds": [f.kind.value for f in task.features],
        "enum_labels": json.dumps(labels),
        "grouping_columns": [column.sql for column in task.grouping],
        "grouping_types": [column.type for column in task.grouping],
        "levels": None if totals.categories is None else json.dumps(totals.categories, ensure_ascii=False),
        "trained_at": datetime.now(timezone.utc).isoformat(),
        "dependent_name": task.dependent_name,
        "grouping_expressions": [column.value for column in task.grouping],
        **_settings(task),
        **more,
    }
    types = [_TEXT if kind == "jsonb" else f"pg_catalog.{kind}" for _, kind in columns]
    statement = inserts.insert_summary(task.output_schema, task.output_name, columns)
    values = [row[column] for column, _ in columns]
    host.command(statement, types, values)
    if sum(map(_n_characters, values)) < _SMALL:
        return
    for found in host.query(oversized(task.output_schema, task.output_name, [column for column, _ in columns])):
        raise MadtreeError(
            f"{arguments.output_table_name} would be too large to be read: {found['fault']}", sqlstate="54000"
        )


def _settings(task: TrainingTask) -> dict[str, Any]:
    """The columns of `SETTINGS`: as the user gave them, else as they are taken."""
    parameters, arguments = task.parameters, {**vars(task.arguments), **task.arguments.numbers}
    given = {name: value for name, value in arguments.items() if value is not None}
    taken = {
        **arguments,
        **vars(parameters),
        "split_criterion": parameters.criterion,
        "input_cp": parameters.cp,
        "class_params": parameters.class_params and class_params_text(parameters.class_params),
        "feature_costs": None,
    }
    is_of_scores = isinstance(task.ensemble, BoostParameters) and not task.is_classification
    outcome = NUMBERS if is_of_scores else parameters.outcome
    fitting = {each.column for each in FUNCTIONS["tree_train"].options if each.fits(outcome)}
    return {column: given.get(column, taken[column] if column in fitting else None) for column, _ in SETTINGS}


def _n_characters(value: Any) -> int:
    """Of a value, and of a list some for each entry."""
    return sum(len(str(each)) + 4 for each in value) if isinstance(value, list) else len(str(value))


def _dependent(task: TrainingTask) -> str:
    """A column's name as SQL, an expression as the user wrote it."""
    return task.dependent_sql[1:-1] if task.dependent_sql.startswith("(") else task.dependent_sql
