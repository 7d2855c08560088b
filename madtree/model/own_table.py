"""The table that a model says it was trained on, where it stands in for one that nobody has named."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model.facts import held_by_citus
from madtree.model.opened import OpenModel
from madtree.model.trust import NOT_ALLOWED
from madtree.request import LOOKS, changed_meanwhile, find_relation, try_to_hold
from madtree.sqltext.owners import BY_SUPERUSER, OTHERS_SCHEMA, OWNER
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.trust import keep_names, lock

_OID = ["pg_catalog.oid"]


def check_own_table(opened: OpenModel, argument: str) -> None:
    """Whether the caller may read that table unasked, which then stays what it is until the transaction ends.

    A superuser would run what others wrote: whoever writes to the model may let it name any view, copies keep the name,
    and the owner of a table may have put a view in its place.

    Raises:
        MadtreeError: another role, which a superuser does not trust, has said which table that is, or owns what has its
            name now; or there is no such table.
    """
    tables, model = opened.tables, opened.model
    rows = opened.host.source
    elsewhere = bool(rows.query(BY_SUPERUSER)[0]["by_superuser"])
    if tables.trust_owner or not (tables.facts.by_superuser or elsewhere):
        return
    cause = f"{tables.facts.whose(model.name)}, and that role may let it name any table or view"
    if tables.facts.foreign_role is None:
        owner = _foreign_owner(rows, model.source_table, argument) if elsewhere else None
        if owner is None:
            return
        cause = (
            f"{model.source_table}, by which {model.name} was trained, belongs to {ident(owner)}, or reads what does: "
            "to read it may run what that role has made"
        )
    raise MadtreeError(
        f"{argument}: {cause}",
        hint="Name the table; or, if you trust that role, say trust_owner => true.",
        sqlstate=NOT_ALLOWED,
    )


def _foreign_owner(rows: Host, given: str, argument: str) -> str | None:
    """Whose a table is by now, if a superuser does not trust that role; it is held without being planned, which would
    run functions of a view.

    Raises:
        MadtreeError: there is no such table, or others put another one in its place all the time.
    """
    held: Relation | None = None
    for _ in range(LOOKS):
        relation = find_relation(rows, given, argument)
        found = rows.query(OWNER, _OID, [relation.oid])
        others = rows.query(OTHERS_SCHEMA, _OID, [relation.oid])
        if relation == held:
            if others and held_by_citus(rows, [relation.oid]):
                return str(others[0]["owner"])
            return None if found[0]["trusted"] else str(found[0]["owner"])
        for row in others:
            if not try_to_hold(rows, keep_names("pg_namespace", [row["oid"]])):
                return str(row["owner"])
        if relation.kind in "rpv":  # what LOCK TABLE takes
            rows.command(lock([qualified(relation.schema, relation.name)]))
        # Their rows' type is renamed and dropped with the others.
        elif found and not try_to_hold(rows, keep_names("pg_type", [found[0]["row_type"]])):
            return str(found[0]["owner"])
        held = relation
    raise changed_meanwhile(f"{argument}: {given}")
