"""The tables of a new model."""

from __future__ import annotations

from typing import Any

from madtree.host import Host
from madtree.model.turns import make_tables
from madtree.request import TrainingTask
from madtree.sqltext import forest_tables
from madtree.sqltext import tables as sql

_OF_FORESTS: dict[str, Any] = {
    "own": forest_tables.MEMBER_COLUMNS,
    "more": forest_tables.MORE_MEMBER_COLUMNS,
    "summary": forest_tables.FOREST_SUMMARY_COLUMNS,
    "of_groups": forest_tables.GROUP_COLUMNS,
}


def create_tables(host: Host, task: TrainingTask) -> None:
    """Create the model's empty tables; with `task.replace`, drop an existing model of that name first.

    Others who make or use a model of that name are waited for.

    Raises:
        MadtreeError: a table of that name has appeared since the arguments were checked.
    """
    statements = sql.create_tables(
        task.output_schema,
        task.output_name,
        task.grouping,
        prediction_type(task),
        surrogates=task.parameters.max_surrogates > 0,
        competitors=task.parameters.max_competitors > 0,
        cv=task.parameters.n_folds > 0 or task.parameters.fold_col is not None,
        **(_OF_FORESTS if task.forest else {}),
    )
    make_tables(host, task.output_schema, task.output_name, "output_table_name", statements, task.replace)


def prediction_type(task: TrainingTask) -> str:
    """Type of `<output>_nodes.prediction`."""
    return task.dependent_type if task.is_classification else "double precision"
