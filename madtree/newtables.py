"""Tables that a function is asked to create: where they go, and that nothing is there yet."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.sqltext import catalog as sql
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import MAX_IDENTIFIER_BYTES, suffixed

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
