"""The relation whose rows are read: found, and held, with its schema, before anything of it is looked at; and what it
is an alias of.
"""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.records import dataclass
from madtree.request.hints import missing_relation, no_name
from madtree.request.holding import LOOKS, changed_meanwhile, try_to_hold
from madtree.sqltext import aliases as alias_sql
from madtree.sqltext import catalog as sql
from madtree.sqltext import trust
from madtree.sqltext.owners import OTHERS_SCHEMA
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name

_TEXT, _OID = "pg_catalog.text", "pg_catalog.oid"
_KINDS = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table"}


def find_relation(host: Host, given: str, argument: str, *, is_model: bool = False) -> Relation:
    """The relation of that name, found as PostgreSQL finds it; `is_model`: whether a model is looked for.

    Raises:
        MadtreeError: the name is malformed, its schema or the relation does not exist, or it is no relation with rows.
    """
    parts = parse_name(given)
    if parts is None or len(parts) > 2:
        raise no_name(given, argument)
    rows = host.query(sql.RELATION, [_TEXT], [".".join(ident(part) for part in parts)])
    if not rows:
        raise missing_relation(host, given, argument, parts, is_model=is_model)
    found = rows[0]
    if found["kind"] not in _KINDS:
        raise MadtreeError(
            f"{argument} must be a {', '.join(_KINDS.values())}, but {given} is none of these", sqlstate="42809"
        )
    return Relation(found["oid"], found["schema"], found["name"], found["kind"])


def is_relation(host: Host, name: str) -> bool:
    """Whether a relation of that name, unquoted, is found as PostgreSQL finds it."""
    return bool(host.query(sql.RELATION, [_TEXT], [ident(name)])) if name else False


def find_source(host: Host, given: str | None, argument: str) -> Relation:
    """As `find_relation`, for whoever reads its rows. What is looked at in it is used in later statements, by its name:
    so it is held until the transaction ends, and found again, until what is found is what is held. A superuser also
    holds a schema whose owner she does not trust, who could put another one there. Not where nobody can, as in a
    transaction that is read only. In one that sees the past, what is not a trusted owner's is refused her.
    """
    if given is None:
        raise MadtreeError(f"{argument} must be the name of a table or view, not NULL")
    held: tuple[int, Relation] | None = None
    for _ in range(LOOKS):
        relation = find_relation(host, given, argument)
        rows = host.query(OTHERS_SCHEMA, [_OID], [relation.oid])
        if rows and rows[0]["sees_past"]:
            raise MadtreeError(
                f"{argument}: {given}, or its schema, is another role's or has changed since the transaction began, "
                "which would show a superuser what was there then",
                hint="Commit, or use the isolation level read committed.",
                sqlstate="25001",
            )
        schema = rows[0]["oid"] if rows else 0
        if (schema, relation) == held:
            return relation
        if schema:
            try_to_hold(host, trust.keep_names("pg_namespace", [schema]))
        host.query(sql.hold(relation.schema, relation.name))
        held = schema, relation
    raise changed_meanwhile(f"{argument}: {given}")


@dataclass(frozen=True)
class Alias:
    """An alias.

    Attributes:
        schema, name: unquoted.
        model: the qualified name of the model, as SQL.
        owner: its role.
        is_own: whether the caller is that role.
        is_foreign: whether a superuser asks who does not trust that role.
    """

    schema: str
    name: str
    model: str
    owner: str
    is_own: bool
    is_foreign: bool


def find_alias(host: Host, relation: Relation) -> Alias | None:
    """What a relation is an alias of; None where it is none."""
    for row in host.query(alias_sql.ALIAS, [_OID], [relation.oid]):
        if row["kind"] != "r" or row["columns"] != [alias_sql.COLUMN]:
            continue
        model = alias_sql.model_in(row["said"] or "")
        parts = parse_name(model) if model else None
        if model and parts is not None and len(parts) == 2:
            name = qualified(*parts)
            return Alias(relation.schema, relation.name, name, row["owner"], row["is_own"], row["is_foreign"])
    return None
