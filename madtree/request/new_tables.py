"""Tables that a function is asked to create: where they go, and that nothing is there yet."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.sqltext import catalog as sql
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import MAX_IDENTIFIER_BYTES, SIGNATURES, SUFFIXES, suffixed

_TEXT = "pg_catalog.text"


def check_new(
    host: Host, given: str | None, argument: str, suffixes: Sequence[str] = ("",), kind: str = "table"
) -> tuple[str, str]:
    """Schema and name, unquoted, of what is to be created.

    Args:
        given: the name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        suffixes: of the tables that must not exist.
        kind: what is to be created, for errors.

    Raises:
        MadtreeError: the name is NULL, malformed or too long, there is no such schema, the caller may not create in it,
            or something has that name.
    """
    if given is None or not given.strip():
        raise MadtreeError(
            f"{argument} must be the name of a {kind} to create, not {'NULL' if given is None else 'empty'}"
        )
    parts = parse_name(given)
    if parts is None or len(parts) > 2:
        raise MadtreeError(
            f"{argument} is not a valid table name: {given!r}; it must be name or schema.name",
            hint="Put a name with capitals, spaces or other special characters in double quotes.",
        )
    name = parts[-1]
    if len(name.encode()) > MAX_IDENTIFIER_BYTES:
        raise MadtreeError(f"{argument}: the name {name} is longer than PostgreSQL's {MAX_IDENTIFIER_BYTES} bytes")
    schema = parts[0] if len(parts) == 2 else None
    names = [suffixed(name, suffix) for suffix in suffixes]
    rows = host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, names])
    if not rows and schema == "pg_temp":
        return schema, name  # the session's first temporary table will make it
    if not rows:
        found = (
            "no schema has been selected to create in" if schema is None else f"schema {ident(schema)} does not exist"
        )
        raise MadtreeError(f"{argument}: {found}", sqlstate="3F000")
    schema = str(rows[0]["schema"])
    if not rows[0]["may_create"]:
        raise MadtreeError(f"permission denied for schema {schema}", sqlstate="42501")  # in PostgreSQL's own words
    taken = [table for table in names if table in rows[0]["existing"]]
    if taken:
        raise MadtreeError(
            f"{argument}: {qualified(schema, taken[0])} exists already",
            hint="Choose another name, or drop it first.",
            sqlstate="42P07",
        )
    return schema, name


def check_output(host: Host, schema: str | None, name: str, replace: bool) -> str:
    """The schema that a model of that name goes to (None: where unqualified names are created).

    Raises:
        MadtreeError: the schema does not exist, the caller may not create in it, or one of the model's tables exists
            and is not to be replaced or no part of a madtree model.
    """
    names = [suffixed(name, suffix) for suffix in SUFFIXES]
    rows = host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, names])
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


def _check_replaceable(host: Host, schema: str, name: str, taken: Sequence[str]) -> None:
    """Raise MadtreeError unless all of these tables are parts of a model that the caller may drop."""
    tables = model_tables(host, schema, name)
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


def model_tables(host: Host, schema: str, name: str) -> dict[str, bool]:
    """The tables that exist and have the columns of this model's part of that name; is the caller their owner?"""
    signatures = {suffixed(name, suffix): columns for suffix, columns in SIGNATURES.items()}
    rows = host.query(sql.TABLE_COLUMNS, [_TEXT, f"{_TEXT}[]"], [schema, list(signatures)])
    return {row["name"]: row["is_owner"] for row in rows if signatures[row["name"]] <= set(row["columns"])}
