"""The relation whose rows are read: found, and its schema held as long as somebody could put another one there."""

from __future__ import annotations

from madtree.host import Host
from madtree.request.catalog import OID, find_relation
from madtree.sqltext import catalog as sql
from madtree.sqltext import trust
from madtree.sqltext.relation import Relation

NOT_ALLOWED = "42501"


def find_source(host: Host, given: str, argument: str) -> Relation:
    """As `find_relation`, for whoever reads its rows. What is looked at in it is used in later statements, by its name:
    so a superuser holds a schema whose owner she does not trust until the transaction ends. (A table itself is held by
    the first look at its columns.) Not where nobody can, as in a transaction that is read only.
    """
    relation, held = find_relation(host, given, argument), set[int]()
    while rows := host.query(sql.OTHERS_SCHEMA, [OID], [relation.oid]):
        schema = rows[0]["oid"]
        if schema in held or not _could_hold(host, schema):
            break
        held.add(schema)
        relation = find_relation(host, given, argument)
    return relation


def hold_schema(host: Host, oid: int) -> None:
    """Hold a schema until the transaction ends, as the superuser who asks, whatever role she has taken.

    Raises:
        Exception: the database's, `NOT_ALLOWED` where she has taken a role in a way that does not let her.
    """
    host.command(trust.by_own_rights(trust.hold_schema(oid), host.query(trust.SESSION)[0]))


def _could_hold(host: Host, oid: int) -> bool:
    session = host.query(trust.SESSION)[0]
    if session["standby"] or session["read_only"]:
        return False
    try:
        hold_schema(host, oid)
    except Exception as error:
        if getattr(error, "sqlstate", "") != NOT_ALLOWED:
            raise
        return False
    return True
