"""The relation whose rows are read: found, and held, with its schema, before anything of it is looked at."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.request.catalog import OID, find_relation
from madtree.sqltext import catalog as sql
from madtree.sqltext import trust
from madtree.sqltext.relation import Relation

NOT_ALLOWED = "42501"
HOLD_HINT = (
    "Call it outside of SECURITY DEFINER functions, after SET ROLE or SET SESSION AUTHORIZATION but not after both; or "
    "log in as that role."
)
LOOKS = 20  # at a relation that others replace all the time; more than two are rare


def find_source(host: Host, given: str, argument: str) -> Relation:
    """As `find_relation`, for whoever reads its rows. What is looked at in it is used in later statements, by its name:
    so it is held until the transaction ends, and found again, until what is found is what is held. A superuser also
    holds a schema whose owner she does not trust, who could put another one there. Not where nobody can, as in a
    transaction that is read only.
    """
    held: tuple[int, Relation] | None = None
    for _ in range(LOOKS):
        relation = find_relation(host, given, argument)
        rows = host.query(sql.OTHERS_SCHEMA, [OID], [relation.oid])
        schema = rows[0]["oid"] if rows else 0
        if (schema, relation) == held:
            return relation
        if schema:
            _try_to_hold(host, schema)
        host.query(sql.hold(relation.schema, relation.name))
        held = schema, relation
    raise MadtreeError(
        f"{argument}: {given} is made anew by others again and again", hint="Try again later.", sqlstate="40001"
    )


def hold_schema(host: Host, oid: int) -> None:
    """Hold a schema until the transaction ends, as the superuser who asks, whatever role she has taken.

    Raises:
        Exception: the database's, `NOT_ALLOWED` where she has taken a role in a way that does not let her.
    """
    host.command(trust.by_own_rights(trust.hold_schema(oid), host.query(trust.SESSION)[0]))


def _try_to_hold(host: Host, oid: int) -> None:
    session = host.query(trust.SESSION)[0]
    if session["standby"] or session["read_only"]:
        return
    try:
        hold_schema(host, oid)
    except Exception as error:
        if getattr(error, "sqlstate", "") != NOT_ALLOWED:
            raise
