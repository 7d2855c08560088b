"""Taking turns at a model's name: of several transactions that make, replace or drop it, one does at a time.

There is no lock of our own for that. An advisory lock can be taken by anybody, and for ever. What is waited for belongs
to those who may make or own a model: a model that is there is locked as DROP TABLE locks it, and of two who make tables
of one name PostgreSQL's catalogue lets the second wait for the first one's end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row, local_settings, making_here
from madtree.model.opened import OpenModel
from madtree.request import Part, check_free, model_tables, try_to_hold
from madtree.sqltext import waiting as sql
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.tables import SUFFIXES, drop_tables, suffixed
from madtree.sqltext.trust import MORE_THAN_READERS, keep_names, keep_to_readers

TRIES = 20  # a name that others make and drop all the time; more than once is rare
SECONDS = 1.0  # waited in silence; then a notice says for whom

_TAKEN = ("42P07", "42710", "23505")  # a table or its type of that name; the same, committed while we waited
_GONE = "42P01"
_LOCK_TIMEOUT = "55P03"


def make_tables(host: Host, schema: str, name: str, argument: str, statements: str, replace: bool | None) -> None:
    """Run the statements that create a model's tables, the first of which is called `name`; waits for its turn.

    Args:
        argument: name of the argument that the model's name came in, for errors.
        replace: drop a model of that name first; None where the caller cannot replace one. If false, only what is left
            of a model of the caller's, whose own table is gone, is dropped, and a notice says so.

    Raises:
        MadtreeError: a table of that name is there and may not be replaced.
    """
    for _ in range(TRIES):
        try:
            # Before it is looked at: what we wait for may make another model of it.
            locked = _lock(host, schema, name) if replace is not None else {}
            check_free(host, schema, name, argument, SUFFIXES, replace)
            if locked and replace:
                drop_model(host, schema, name, locked)
            elif locked:
                _drop_remains(host, schema, name, argument, locked)
            with making_here(host):
                _wait(host, statements, lambda: _makers(host, qualified(schema, name)))
            _keep_to_readers(host, schema, [suffixed(name, suffix) for suffix in SUFFIXES])
            return
        except Exception as error:
            if _sqlstate(error) not in (*_TAKEN, _GONE) or isinstance(error, MadtreeError):
                raise
    raise MadtreeError(
        f"{argument}: {qualified(schema, name)} has been made or dropped by others since this transaction began",
        hint="Begin a new transaction, and try again.",
        sqlstate="40001",
    )


def drop_model(host: Host, schema: str, name: str, locked: Mapping[str, bool] | None = None) -> list[str]:
    """Drop those of a model's tables that exist and have a model's columns; returns their unquoted names.

    `locked`: what `_lock` has returned, where they are locked already.
    """
    if locked is None:
        locked = _lock(host, schema, name)
    if (tables := _ordered(name, model_tables(host, schema, name))) != locked:
        _lock(host, schema, name)
        tables = _ordered(name, model_tables(host, schema, name))
    if tables:
        host.command(drop_tables(schema, tables))
    return list(tables)


def make_beside(opened: OpenModel, suffix: str, statement: str) -> None:
    """Create a table of a model that is there, in the place of one of that suffix that may be there already.

    Raises:
        MadtreeError: the model is another role's, or there is a table of that name that is none of the model's.
    """
    host, tables = opened.host, opened.tables
    parts = model_tables(host, *tables.at)
    if tables.name not in parts or not parts[tables.name].is_own:
        raise MadtreeError(
            f"{tables.argument}: {tables.given} is another role's, and its owner alone adds tables to it",
            sqlstate="42501",
        )
    name = suffixed(tables.name, suffix)
    if name in parts and parts[name].is_own:
        host.command(drop_tables(tables.schema, {name: False}))
    check_free(host, tables.schema, name, tables.argument, ("",), None)
    host.command(statement)
    _keep_to_readers(host, tables.schema, [name])


def _keep_to_readers(host: Host, schema: str, names: Sequence[str]) -> None:
    """Take from others what default privileges give them of new tables, apart from reading: what a model's tables say
    is run.
    """
    for row in host.query(MORE_THAN_READERS, ["pg_catalog.text", "pg_catalog.text[]"], [schema, names]):
        host.command(keep_to_readers(qualified(schema, row["name"]), row["roles"], row["privileges"]))


def _drop_remains(host: Host, schema: str, name: str, argument: str, tables: Mapping[str, bool]) -> None:
    """Drop what is left of a model whose own table is gone; a notice says so."""
    host.command(drop_tables(schema, tables))
    names = ", ".join(ident(table) for table in tables)
    host.notice(f"{argument}: dropped {names}, left of a model {qualified(schema, name)} whose table is gone")


def _lock(host: Host, schema: str, name: str) -> dict[str, bool]:
    """Lock the tables that `drop_model` would drop; returns their unquoted names, and whether each is a view.

    Only their owner does: others must not wait, but be told by DROP TABLE that they may not.
    """
    parts = model_tables(host, schema, name)
    tables = _ordered(name, parts)
    if tables and all(part.is_owner for part in parts.values()):
        # To lock a view would lock what it reads, in the order of its text, by the caller's rights.
        names = [table for table, is_view in tables.items() if not is_view]
        if names and (others := max(part.others_schema for part in parts.values())):
            # Nor is one locked that others have put in a table's place by now.
            try_to_hold(host, keep_names("pg_namespace", [others]))
            _wait(host, sql.lock_tables(schema, names, lightly=True), lambda: _users(host, schema, name, names))
            parts = model_tables(host, schema, name)
            tables = _ordered(name, parts)
            names = [each for each in names if each in parts and not parts[each].is_view]
        if names:
            _wait(host, sql.lock_tables(schema, names), lambda: _users(host, schema, name, names))
    return tables


def _ordered(name: str, parts: Mapping[str, Part]) -> dict[str, bool]:
    # The summary first: who reads a model begins there, too, so neither can hold what the other one waits for.
    summary = suffixed(name, "_summary")
    return {table: parts[table].is_view for table in sorted(parts, key=lambda table: (table != summary, table))}


def _wait(host: Host, statements: str, who: Callable[[], str]) -> None:
    """Run statements that may wait for other sessions, within the session's lock_timeout.

    Args:
        who: says whom they wait for, in a notice; asked if that takes longer than `SECONDS`.
    """
    silent = int(SECONDS * 1000)
    limit = int(host.query(sql.LOCK_TIMEOUT)[0]["milliseconds"])
    if 0 < limit <= silent:
        host.command(statements)
        return
    error = _within(host, statements, silent)
    if error is not None and _sqlstate(error) == _LOCK_TIMEOUT:
        host.notice(who())
        error = _within(host, statements, limit - silent if limit else 0)
    if error is not None:
        raise error


def _within(host: Host, statements: str, milliseconds: int) -> Exception | None:
    """Run statements by this lock_timeout; returns the error, so that the session's own holds again in any case."""
    with local_settings(host, {"lock_timeout": f"{milliseconds}ms"}):
        try:
            host.command(statements)
        except Exception as error:
            return error
    return None


def _users(host: Host, schema: str, name: str, tables: Sequence[str]) -> str:
    """Who uses the tables."""
    names = [qualified(schema, table) for table in tables]
    found = host.query(sql.USERS, ["pg_catalog.text[]"], [names])
    changing = [row for row in found if row["changes"]]
    doing = "is replacing or dropping it" if changing else "is reading it"
    return f"{qualified(schema, name)}: waiting for {_processes(changing or found)}, which {doing}"


def _makers(host: Host, model: str) -> str:
    """Who may be making a model of that name: PostgreSQL shows nobody the names of others' new tables."""
    found = host.query(sql.MAKERS)
    if len(found) == 1:
        return f"{model}: waiting for {_processes(found)}, which is making a table of that name"
    return f"{model}: waiting for another transaction, which is making a table of that name ({_processes(found)})"


def _processes(found: Sequence[Row]) -> str:
    texts = dict.fromkeys("a prepared transaction" if row["pid"] is None else f"process {row['pid']}" for row in found)
    return " or ".join(texts) or "another session"


def _sqlstate(error: Exception) -> str:
    return str(getattr(error, "sqlstate", ""))
