"""Holding a model's tables as they are, from the look at them until the transaction ends.

What is looked at in the catalogue and then read by its name could be another thing by then: a table that was made in
between, one that has got an index with an expression, a schema in the place of another. Whoever reads a model holds its
tables against being dropped and replaced. A superuser, in whose name nothing of others' may run, also holds those of
others against all that could be put on them or written into them, and their schema against being renamed; and then
looks again, until what she sees is what she holds. For that she takes back her own rights if she has taken another
role. Others cannot hold rows: each statement sees those of its own time, and what several of them say need not be one
model. So it is looked at again when the call ends whether they are still the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row, at_end
from madtree.model.facts import Facts
from madtree.model.trust import NOT_ALLOWED, TRUST_HINT
from madtree.request import HOLD_HINT
from madtree.sqltext import trust as sql
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.tables import model_table

NO_TABLE = ("42P01", "42809")  # it is gone, or is no table
# Suffixes of the tables that any reader of a model may read.
READ = ("", "_nodes", "_summary", "_surrogates", "_cv", "_competitors", "_group", "_packed", "_rounds", "_outcomes")
LOOKS = 20  # at tables that others change all the time; more than two are rare


def hold_summary(host: Host, relation: Relation) -> None:
    """Hold the summary as readers do: whoever replaces a model begins with it, and waits. If there is none, nothing is
    held.
    """
    try:
        host.command(sql.lock([model_table(relation.schema, relation.name, "_summary")]))
    except Exception as error:
        if _sqlstate(error) not in NO_TABLE:
            raise


def held_facts(
    host: Host, relation: Relation, given: str, argument: str, look: Callable[[], Facts], *, trust_owner: bool
) -> Facts:
    """What `look` sees of a model's tables, all of which are held: where they are those of somebody whom the caller
    trusts, or has said that she does, as readers hold them, since others may create tables of these names in the same
    schema once they are gone.

    Args:
        given, argument: the model's name as the user wrote it, and where, for errors.
        trust_owner: whether she has said so. Of trusted owners' tables those of `READ` alone are held.

    Raises:
        MadtreeError: a superuser cannot hold them here; or they are made anew all the time.
    """
    for _ in range(LOOKS):
        facts = look()
        if not trust_owner and (facts.foreign_role or (facts.by_superuser and facts.foreign_schema)):
            facts = _held_of_others(host, relation, facts, given, argument, look)
        own = [each for each, part in facts.tables.items() if each in READ and (trust_owner or part.trusted)]
        if are_held(host, (relation.schema, relation.name), facts, own, trust_owner=trust_owner):
            return facts
    raise made_anew(given, argument)


def _held_of_others(
    host: Host, relation: Relation, facts: Facts, given: str, argument: str, look: Callable[[], Facts]
) -> Facts:
    """What `look` sees once the tables are held; `facts` is what it has seen. Arguments and errors of `held_facts`."""
    session = host.query(sql.SESSION)[0]
    still = facts.by_superuser and _can_hold_still(session, facts, given, argument)
    held: tuple[int, dict[str, int]] | None = None
    is_still = False
    for _ in range(LOOKS):
        schema = facts.schema_oid if still and facts.foreign_schema else 0
        # The view of packed nodes is not read.
        tables = {suffix: table.oid for suffix, table in facts.tables.items() if table.kind == "r"}
        if (schema, tables) == held and is_still == still:
            return facts
        # A view that has come in a table's place would be locked with all that it reads: what has been held as readers
        # hold it is no view any more when it is locked by a superuser's rights.
        is_still = still and (schema, tables) == held
        try:
            if schema:
                _by_own_rights(host, session, sql.keep_names("pg_namespace", [schema]), given, argument)
            if still:
                names = [model_table(relation.schema, relation.name, suffix) for suffix in tables]
                locks = sql.lock(names, still=is_still)
                _by_own_rights(host, session, locks, given, argument)
            else:
                _hold_readable(host, relation, list(tables))
            held = schema, tables
        except Exception as error:
            if _sqlstate(error) not in NO_TABLE:
                raise
        facts = look()
    raise made_anew(given, argument)


def made_anew(given: str, argument: str) -> MadtreeError:
    """The error where tables are not those that were looked at; arguments as of `held_facts`."""
    return MadtreeError(
        f"{argument}: tables of {given} have been made anew by others, again and again or since the transaction began",
        hint="Try again later, in another transaction.",
        sqlstate="40001",
    )


def are_held(host: Host, at: tuple[str, str], facts: Facts, suffixes: Collection[str], *, trust_owner: bool) -> bool:
    """Hold some tables, of trusted owners, as readers do, as far as the caller may; whether they are those that were
    looked at, and their owners trusted still; with `trust_owner`, whoever these are. One that may not be read counts,
    too: a query of it is planned before PostgreSQL refuses it, and some of its columns may be read.

    Raises:
        Exception: the database's, as where a superuser who has taken a role may not read one, and cannot hold it.
    """
    tables = {model_table(*at, key): part for key, part in facts.tables.items() if key in suffixes and part.kind == "r"}
    if not tables:
        return True
    hidden = [name for name, part in tables.items() if part.readable is False]  # of one that is gone nobody knows
    try:
        if held := [name for name in tables if name not in hidden]:
            host.command(sql.lock(held))
        if hidden and facts.by_superuser:
            host.command(sql.by_own_rights(sql.lock(hidden), host.query(sql.SESSION)[0]))
    except Exception as error:
        if _sqlstate(error) not in NO_TABLE:
            raise
        return False
    oids = [part.oid for part in tables.values()]
    (found,) = host.query(sql.ARE_HELD, ["pg_catalog.oid[]", "pg_catalog.text[]"], [oids, [*tables]])
    return bool(found["same"] and (trust_owner or found["trusted"]))


def look_again(host: Host, statement: str, given: str, argument: str) -> None:
    """Note what rows a model's tables have, and have that looked at once more when the call ends.

    Args:
        statement: tells what rows they have.
        given, argument: the model's name as the user wrote it, and where, for errors.
    """
    before = host.query(statement)

    def look() -> None:
        now = _marks(host, statement)
        if now is not None and now != before:
            raise MadtreeError(
                f"{argument}: {given} was changed while it was read",
                hint="Call again.",
                sqlstate="40001",
            )

    at_end(look)


def _marks(host: Host, statement: str) -> list[Row] | None:
    """None where a table is gone: what is read is held, so it has not been read, or this session has dropped it."""
    try:
        return host.query(statement)
    except Exception as error:
        if _sqlstate(error) != "42P01":
            raise
        return None


def _hold_readable(host: Host, relation: Relation, suffixes: Sequence[str]) -> None:
    for suffix in suffixes:
        try:
            host.command(sql.lock([model_table(relation.schema, relation.name, suffix)]))
        except Exception as error:  # who may not read it finds out when it is read
            if _sqlstate(error) != NOT_ALLOWED:
                raise


def _can_hold_still(session: Row, facts: Facts, given: str, argument: str) -> bool:
    """Whether a superuser holds tables against all changes. `session`: of `SESSION`.

    Raises:
        MadtreeError: the transaction sees the catalogue as it was before, or may not lock a schema; or this is a
            standby, which does what others do at its primary, and lets nobody hold more than is being read.
    """
    owner = facts.foreign_role or ident(facts.schema_owner)
    whose = facts.whose(given) if facts.foreign_role else f"{given} lies in a schema of {owner}'s"
    writes_rows = facts.foreign_owner is None and not facts.foreign_schema
    sees_past = session["isolation"] in ("repeatable read", "serializable")
    if sees_past and writes_rows:  # the past they cannot change
        return False
    if session["standby"]:
        cure = "Use repeatable read." if writes_rows else "Ask the primary, or log in as another role."
        where, sqlstate = "on a standby", "25006"
    elif sees_past:
        cure = "Use the isolation level read committed."
        where, sqlstate = f"in a transaction that is {session['isolation']}", "25001"
    elif session["read_only"] and facts.foreign_schema:
        cure, where, sqlstate = "Use a transaction that may write.", "in a transaction that is read only", "25006"
    else:
        return True
    message = f"{argument}: {whose}, and {where} a superuser cannot be kept from running what {owner} adds meanwhile"
    raise MadtreeError(message, hint=f"{cure} {TRUST_HINT}", sqlstate=sqlstate)


def _by_own_rights(host: Host, session: Row, locks: str, given: str, argument: str) -> None:
    """Lock as the superuser who asks, whatever role she has taken. Nothing but the locks runs by her
    rights, and after an error of one of them the role is what it was, as is all else.

    Raises:
        MadtreeError: she has taken a role in a way that does not let her lock.
    """
    try:
        host.command(sql.by_own_rights(locks, session))
    except Exception as error:
        if _sqlstate(error) != NOT_ALLOWED:
            raise
        raise MadtreeError(
            f"{argument}: as a superuser who acts as another role you cannot hold the tables of {given}, so their "
            "owner could have code run by you while they are read",
            hint=f"{HOLD_HINT} {TRUST_HINT}",
            sqlstate=NOT_ALLOWED,
        ) from error


def _sqlstate(error: Exception) -> str:
    return str(getattr(error, "sqlstate", ""))
