"""Holding what has been looked up, until the transaction ends, so that a name means the same in later statements.

Whoever owns a schema or a type could give its name to another one in between. A superuser, in whose name nothing of
others' may run, holds those of owners whom she does not trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.sqltext import trust as sql
from madtree.sqltext.typenames import made_type

NOT_ALLOWED = "42501"
HOLD_HINT = (
    "Call it outside of SECURITY DEFINER functions, after SET ROLE or SET SESSION AUTHORIZATION but not after both; or "
    "log in as that role; or log in again, where you are no superuser any more."
)
LOOKS = 20  # at what others replace all the time; more than two are rare


def changed_meanwhile(what: str) -> MadtreeError:
    """The error after so many looks."""
    return MadtreeError(f"{what} is made anew by others again and again", hint="Try again later.", sqlstate="40001")


def changed(what: str) -> MadtreeError:
    """The error for what is newer than the snapshot of a transaction that is REPEATABLE READ or SERIALIZABLE: its
    statements find tables as they are, and in the catalogue what was.
    """
    return MadtreeError(
        f"{what} has changed since the transaction began", hint="Do it in another transaction.", sqlstate="40001"
    )


def cannot_hold(argument: str, given: str) -> MadtreeError:
    """The error where `hold_types` is false."""
    return MadtreeError(
        f"{argument}: to use {given} takes types of other roles, or in other roles' schemas, which a superuser cannot "
        "hold here: what they are called may be another type by the time that it is used",
        hint=f"Use a transaction that may write, at the primary. {HOLD_HINT}",
        sqlstate=NOT_ALLOWED,
    )


def hold_schema(host: Host, oid: int) -> None:
    """Hold a schema, as the superuser who asks, whatever role she has taken.

    Raises:
        Exception: the database's, `NOT_ALLOWED` where she has taken a role in a way that does not let her.
    """
    host.command(sql.by_own_rights(sql.keep_names("pg_namespace", [oid]), host.query(sql.SESSION)[0]))


def try_to_hold(host: Host, locks: str) -> bool:
    """Lock rows as the superuser who asks; whether she could. In a transaction that is read only nobody can."""
    session = host.query(sql.SESSION)[0]
    if session["standby"] or session["read_only"]:
        return False
    try:
        host.command(sql.by_own_rights(locks, session))
    except Exception as error:
        if getattr(error, "sqlstate", "") != NOT_ALLOWED:
            raise
        return False
    return True


def hold_types(host: Host, oids: Sequence[int]) -> bool:
    """Hold types, and what they are domains over or arrays of, with their schemas, where a superuser asks and does not
    trust the owner; whether she could.
    """
    held: Row = {"types": [], "schemas": [], "asked": []}
    for _ in range(LOOKS):
        rows = host.query(sql.OTHERS_TYPES, ["pg_catalog.oid[]"], [list(oids)]) if oids else []
        if not rows or rows[0] == held:
            return True
        held = rows[0]
        names = [("pg_type", held["types"]), ("pg_namespace", held["schemas"])]
        if not all(try_to_hold(host, sql.keep_names(catalogue, found)) for catalogue, found in names if found):
            return False
    raise changed_meanwhile("a type of a column or an expression")


def renamed_by_others(host: Host, oids: Iterable[int]) -> set[int]:
    """Where a superuser asks, those of these types whose names others could give to other ones, where she does not hold
    them: on other servers.
    """
    found = host.query(sql.OTHERS_TYPES, ["pg_catalog.oid[]"], [list(oids)])
    return {oid for row in found for oid in row["asked"]}


def named_types(host: Host, names: Sequence[str | None]) -> tuple[list[Row], bool]:
    """What `NAMED_TYPES` says of types that are given by name, and what `hold_types` does of these."""
    seen, held = None, False
    for _ in range(LOOKS):
        rows = host.query(sql.NAMED_TYPES, ["pg_catalog.text[]"], [list(names)])
        if rows == seen:
            return rows, held
        held = hold_types(host, [row["oid"] for row in rows if row["oid"] is not None])
        seen = rows
    raise changed_meanwhile("a type")


def check_known_types(host: Host, used: Iterable[tuple[str, str]], *, of_model: bool = False) -> list[int]:
    """Look up the types that one server names and the other one is to have, and tell their OIDs there, 0 of
    PostgreSQL's own: nothing keeps two servers from having two things of a name, and the second one's may have
    functions of anybody's. Where there is one server there are none.

    Args:
        used: what is of a type, for errors, and the type as the server spells it that names it.
        of_model: whether that is the model's, whose values are asked for where the rows are. Else it is the rows', and
            the model's tables will have or name the type.

    Raises:
        MadtreeError: one is not there, or is another role's there than the caller or a superuser; enums of others do
            for values that are asked for, as nothing but them is compared with these.
    """
    if host.source is host:
        return []
    oids = []
    at, where = (host.source, "of the rows") if of_model else (host, "of the model")
    for what, type_ in used:
        oids.append(0)
        if (name := made_type(type_)) is None:
            continue
        ((found,), _) = named_types(at, [name])
        if found["oid"] is not None and not (found["trusted"] or (of_model and found["is_enum"])):
            raise MadtreeError(
                f"{what} is of type {type_}, which at the server {where} is another role's",
                hint="Cast it, for instance to text.",
                sqlstate="42501",
            )
        if found["oid"] is None:
            raise MadtreeError(
                f"{what} is of type {type_}, which the server {where} lacks",
                hint="Cast it, for instance to text, or create the type there, too.",
                sqlstate="42704",
            )
        oids[-1] = int(found["oid"])
    return oids
