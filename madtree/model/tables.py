"""A model's tables as a whole: make them, drop them."""

from __future__ import annotations

from madtree.host import Host
from madtree.request import TrainingTask, check_free, model_tables
from madtree.sqltext import tables as sql
from madtree.sqltext.quote import qualified

_TEXT = "pg_catalog.text"


def create_tables(host: Host, task: TrainingTask) -> None:
    """Create the model's empty tables; with `task.replace`, drop an existing model of that name first.

    Raises:
        MadtreeError: a table of that name has appeared since the arguments were checked.
    """
    # One model of a name at a time: of two trainings with the same output, the later gets the error of `check_free`
    # and not one about a unique index of pg_class.
    key = f"madtree {qualified(task.output_schema, task.output_name)}"
    host.query("SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", [_TEXT], [key])
    check_free(host, task.output_schema, task.output_name, "output_table_name", sql.SUFFIXES, task.replace)
    if task.replace:
        drop_model(host, task.output_schema, task.output_name)
    statements = sql.create_tables(
        task.output_schema,
        task.output_name,
        task.grouping,
        prediction_type(task),
        surrogates=task.parameters.max_surrogates > 0,
        cv=task.parameters.n_folds > 0 or task.parameters.fold_col is not None,
    )
    host.command(statements)


def drop_model(host: Host, schema: str, name: str) -> list[str]:
    """Drop those of a model's tables that exist and have a model's columns; returns their unquoted names."""
    tables = model_tables(host, schema, name)
    # The summary first: who reads a model begins there, too, so neither can hold what the other one waits for.
    ordered = sorted(tables, key=lambda table: table != sql.suffixed(name, "_summary"))
    if ordered:
        host.command(sql.drop_tables(schema, ordered))
    return ordered


def prediction_type(task: TrainingTask) -> str:
    """Type of `<output>_nodes.prediction`."""
    return task.dependent_type if task.is_classification else "double precision"
