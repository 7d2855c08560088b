"""Tables that a function is asked to create: where they go, and that nothing is there yet."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.records import dataclass
from madtree.request.holding import HOLD_HINT, NOT_ALLOWED, hold_schema
from madtree.request.source import find_alias
from madtree.sqltext import catalog as sql
from madtree.sqltext.distributed import HAS_DISTRIBUTED_SCHEMAS, IS_DISTRIBUTED_SCHEMA
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES, ident, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import SIGNATURES, suffixed
from madtree.wording import BLANKS

_TEXT = "pg_catalog.text"
LOOKS = 10  # at a model that others replace all the time; more than one more is rare


def check_new(
    host: Host,
    given: str | None,
    argument: str,
    kind: str = "table",
    suffixes: Sequence[str] = ("",),
    replace: bool | None = None,
) -> tuple[str, str]:
    """Schema and name, unquoted, of what a function is asked to create.

    Args:
        given: the name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        kind: what is to be created, for errors.
        suffixes: of the tables that it consists of.
        replace: whether a model of that name may be there; None where the function cannot replace one. If false, what
            is left of a model of the caller's, whose own table is gone, may be there all the same.

    Raises:
        MadtreeError: the name is NULL, malformed or too long, there is no such schema, the caller may not create in it,
            or a table of that name exists and may not be replaced.
    """
    given = required_name(given, argument, kind)
    parts = parse_name(given)
    if parts is None or len(parts) > 2:
        raise MadtreeError(
            f"{argument} is not a valid table name: {given!r}; it must be name or schema.name",
            hint="Put a name with capitals, spaces or other special characters in double quotes.",
        )
    name = parts[-1]
    if (length := len(name.encode())) > MAX_IDENTIFIER_BYTES:
        raise MadtreeError(
            f"{argument}: {ident(name)} has {length} bytes, but a name may have {MAX_IDENTIFIER_BYTES}",
            hint="Choose a shorter name.",
            sqlstate="42622",
        )
    return check_free(host, parts[0] if len(parts) == 2 else None, name, argument, suffixes, replace), name


def required_name(given: str | None, argument: str, kind: str = "table") -> str:
    """The name without white space around it. Raises MadtreeError if it is NULL or empty."""
    if given is None or not given.strip(BLANKS):
        raise MadtreeError(
            f"{argument} must be the name of a {kind} to create, not {'NULL' if given is None else 'empty'}",
            hint="Write name or schema.name.",
        )
    return given.strip(BLANKS)


def check_free(
    host: Host, schema: str | None, name: str, argument: str, suffixes: Sequence[str], replace: bool | None
) -> str:
    """The schema that tables of a valid, unquoted name go to (None: where unqualified names are created).

    A schema whose owner a superuser does not trust is held until the transaction ends: its owner could put another
    one in its place, with tables of these names that have triggers, before they are filled. (PostgreSQL 15.20 itself
    keeps it once there is a new table in it; not all versions do.)

    Arguments and errors are those of `check_new`; or it is a superuser's who cannot hold the schema here.
    """
    names = [suffixed(name, suffix) for suffix in suffixes]
    if not name.isascii() and host.query(sql.TOO_LONG, [f"{_TEXT}[]"], [names]):
        raise MadtreeError(
            f"{argument}: {ident(name)} is too long, as letters are in this database's encoding: one name would be "
            f"cut at {MAX_IDENTIFIER_BYTES} bytes",
            hint="Choose a shorter name.",
            sqlstate="42622",
        )
    rows = host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, names])
    held = 0
    while rows and rows[0]["may_be_swapped"] and rows[0]["oid"] != held:
        held = rows[0]["oid"]
        _hold_schema(host, rows[0], argument)
        rows = host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, names])
    if not rows and schema == "pg_temp":
        return schema  # the session's first temporary table will make it
    if not rows and schema is not None:
        raise MadtreeError(
            f"{argument}: schema {ident(schema)} does not exist",
            hint="Create it first, or name another schema.",
            sqlstate="3F000",
        )
    if not rows:
        raise MadtreeError(
            f"{argument}: no schema has been selected to create {ident(name)} in",
            hint="Name a schema (schema.name), or set search_path to one that exists.",
            sqlstate="3F000",
        )
    schema = str(rows[0]["schema"])
    if not rows[0]["may_create"]:
        raise MadtreeError(
            f"{argument}: permission denied for schema {ident(schema)}",
            hint="Name a schema in which you may create tables, or have its owner grant you CREATE on it.",
            sqlstate="42501",
        )
    taken = [table for table in names if table in rows[0]["existing"]]
    if taken and replace:
        _check_replaceable(host, schema, name, argument, taken)
    elif taken and (replace is None or not _is_left_over(host, schema, name, taken)):
        hint = "Choose another name, or drop it first."
        if replace is False and name in taken:
            hint = "Choose another name, drop it, or, if it is a madtree model, call with replace => true."
        elif replace is False:
            hint += " What is left of a model is dropped for you where all of it is yours and has a model's columns."
        raise MadtreeError(f"{argument}: {qualified(schema, taken[0])} exists already", hint=hint, sqlstate="42P07")
    return schema


def may_be_swapped(host: Host, schema: str) -> bool:
    """Whether a superuser asks, and the owner of that schema, whom she does not trust, could put another one in its
    place: she holds it where she can, which is on this server.
    """
    return bool(host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, []])[0]["may_be_swapped"])


def _hold_schema(host: Host, row: Row, argument: str) -> None:
    """Hold the schema of a row of `OUTPUT_SCHEMA`, as the superuser who asks, whatever role she has taken."""
    found = host.query(HAS_DISTRIBUTED_SCHEMAS)[0]["has"]
    if found and host.query(IS_DISTRIBUTED_SCHEMA, ["pg_catalog.oid"], [row["oid"]])[0]["is_one"]:
        raise MadtreeError(
            f"{argument}: Citus puts tables of the schema {ident(row['schema'])} on another server, where its owner "
            f"{ident(row['owner'])} could put others in their place, with code that you would run as they are filled",
            hint="Name another schema.",
            sqlstate=NOT_ALLOWED,
        )
    try:
        hold_schema(host, row["oid"])
    except Exception as error:
        if getattr(error, "sqlstate", "") != NOT_ALLOWED:
            raise
        owner = ident(row["owner"])
        raise MadtreeError(
            f"{argument}: as a superuser who acts as another role you cannot hold the schema {ident(row['schema'])}, "
            f"so {owner} could have code run by you while tables in it are filled",
            hint=HOLD_HINT,
            sqlstate=NOT_ALLOWED,
        ) from error


def _is_left_over(host: Host, schema: str, name: str, taken: Sequence[str]) -> bool:
    """Whether these tables are what the caller left of a model when she dropped the table that has its name.

    MADlib's models are two tables, and scripts written for it drop these before they train again. That somebody may
    drop a table, as a superuser may all, does not make it hers.
    """
    if name in taken:
        return False
    own = {table for table, part in model_tables(host, schema, name).items() if part.is_own}
    return own.issuperset(taken)


def _check_replaceable(host: Host, schema: str, name: str, argument: str, taken: Sequence[str]) -> None:
    """Raise MadtreeError unless all of these tables are parts of a model that the caller may drop."""
    tables, strange = model_tables(host, schema, name), list(taken)
    for _ in range(LOOKS):
        strange = [table for table in strange if table not in tables]
        if not strange:
            break
        # Between two looks the model may have been replaced by one with other tables.
        existing = host.query(sql.OUTPUT_SCHEMA, [_TEXT, f"{_TEXT}[]"], [schema, strange])[0]["existing"]
        strange = [table for table in strange if table in existing]
        tables = model_tables(host, schema, name)
    if strange:
        table = qualified(schema, strange[0])
        what, hint = "not part of a madtree model", "Choose another name."
        for row in host.query(sql.RELATION, [_TEXT], [table]):  # none where it has come this moment
            if alias := find_alias(host, Relation(row["oid"], row["schema"], row["name"], row["kind"])):
                what = f"an alias of the model {alias.model}"
                hint = "Train a model of another name, and have model_alias give the alias to it."
        raise MadtreeError(
            f"{argument}: {table} exists and is {what}, and replace => true replaces models only",
            hint=hint,
            sqlstate="42P07",
        )
    for table, part in tables.items():
        if not part.is_owner:
            raise MadtreeError(
                f"{argument}: must be owner of table {qualified(schema, table)}",
                hint="Choose another name.",
                sqlstate="42501",
            )


@dataclass(frozen=True)
class Part:
    """One of a model's tables: whether the caller may act as its owner, is its owner, and whether it is a view; and its
    schema's OID where a superuser asks and others could put something else in its place, else 0.
    """

    is_owner: bool
    is_own: bool
    is_view: bool
    others_schema: int


def model_tables(host: Host, schema: str, name: str) -> dict[str, Part]:
    """The tables that exist and have the columns of this model's part of that name, and the owner of the first of them:
    of the model's own table, if that is there. What another role has made under such a name is no part of it.

    A view is a part of a model only as that of its nodes, whose packed ones are there.
    """
    signatures = {suffixed(name, suffix): columns for suffix, columns in SIGNATURES.items()}
    rows = host.query(sql.TABLE_COLUMNS, [_TEXT, f"{_TEXT}[]"], [schema, list(signatures)])
    parts = {
        row["name"]: Part(row["is_owner"], row["is_own"], row["is_view"], row["schema"])
        for row in rows
        if signatures[row["name"]] <= set(row["columns"])
    }
    owners = {row["name"]: row["owner"] for row in rows}
    first = next((owners[table] for table in signatures if table in parts), None)
    parts = {table: part for table, part in parts.items() if owners[table] == first}
    may_be_view = suffixed(name, "_nodes") if suffixed(name, "_packed") in parts else None
    return {table: part for table, part in parts.items() if not part.is_view or table == may_be_view}
