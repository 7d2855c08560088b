"""A model's tables as a whole: may they be made, make them, drop them."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.sqltext import catalog as catalog_sql
from madtree.sqltext import tables as sql
from madtree.sqltext.quote import ident, qualified
from madtree.task import TrainingTask

_TEXT = "pg_catalog.text"
_TEXTS = "pg_catalog.text[]"


def check_output(host: Host, schema: str | None, name: str, replace: bool) -> str:
    """The schema that a model of that name goes to (None: where unqualified names are created).

    Raises:
        MadtreeError: the schema does not exist, the caller may not create in it, or one of the model's tables exists
            and is not to be replaced or no part of a madtree model.
    """
    names = [sql.suffixed(name, suffix) for suffix in sql.SUFFIXES]
    rows = host.query(catalog_sql.OUTPUT_SCHEMA, [_TEXT, _TEXTS], [schema, names])
    if not rows and schema == "pg_temp":
        return schema  # the session's first temporary table will make it
    if not rows and schema is not None:
        raise MadtreeError(f"output_table_name: schema {ident(schema)} does not exist", sqlstate="3F000")
    if not rows:
        raise MadtreeError(
            f"output_table_name: no schema has been selected to create {ident(name)} in",
            hint="Name a schema (schema.name), or set search_path to one that exists.",
            sqlstate="3F000",
        )
    found = rows[0]
    schema = str(found["schema"])
    if not found["may_create"]:
        raise MadtreeError(f"permission denied for schema {schema}", sqlstate="42501")  # in PostgreSQL's own words
    taken = [table for table in names if table in found["existing"]]
    if taken and not replace:
        raise MadtreeError(
            f"output_table_name: {qualified(schema, taken[0])} exists already",
            hint="Choose another name, drop it, or, if it is a madtree model, call with replace => true.",
            sqlstate="42P07",
        )
    if taken:
        _check_replaceable(host, schema, name, taken)
    return schema


def create_tables(host: Host, task: TrainingTask) -> None:
    """Create the model's empty tables; with `task.replace`, drop an existing model of that name first.

    Raises:
        MadtreeError: a table of that name has appeared since the arguments were checked.
    """
    # One model of a name at a time: of two trainings with the same output, the later gets the error of `check_output`
    # and not one about a unique index of pg_class.
    key = f"madtree {qualified(task.output_schema, task.output_name)}"
    host.query("SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", [_TEXT], [key])
    check_output(host, task.output_schema, task.output_name, task.replace)
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
    tables = _model_tables(host, schema, name)
    # The summary first: who reads a model begins there, too, so neither can hold what the other one waits for.
    ordered = sorted(tables, key=lambda table: table != sql.suffixed(name, "_summary"))
    if ordered:
        host.command(sql.drop_tables(schema, ordered))
    return ordered


def prediction_type(task: TrainingTask) -> str:
    """Type of `<output>_nodes.prediction`."""
    return task.dependent_type if task.is_classification else "double precision"


def _check_replaceable(host: Host, schema: str, name: str, taken: Sequence[str]) -> None:
    """Raise MadtreeError unless all of these tables are parts of a model that the caller may drop."""
    tables = _model_tables(host, schema, name)
    for table in taken:
        if table not in tables:
            raise MadtreeError(
                f"output_table_name: {qualified(schema, table)} exists and is not part of a madtree model, and "
                "replace => true replaces models only",
                hint="Choose another name.",
                sqlstate="42P07",
            )
        if not tables[table]:
            raise MadtreeError(f"must be owner of table {table}", sqlstate="42501")  # in PostgreSQL's own words


def _model_tables(host: Host, schema: str, name: str) -> dict[str, bool]:
    """The tables that exist and have the columns of this model's part of that name; is the caller their owner?"""
    signatures = {sql.suffixed(name, suffix): columns for suffix, columns in sql.SIGNATURES.items()}
    rows = host.query(catalog_sql.TABLE_COLUMNS, [_TEXT, _TEXTS], [schema, list(signatures)])
    return {row["name"]: row["is_owner"] for row in rows if signatures[row["name"]] <= set(row["columns"])}
