"""What the catalogue says of a model's tables: whose they are, what is on them, and their columns' types."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from madtree.host import Host, Row, has_citus
from madtree.records import dataclass
from madtree.request import hold_types
from madtree.sqltext import trust as sql
from madtree.sqltext.distributed import HELD_TABLES
from madtree.sqltext.quote import EQUALS, ident
from madtree.sqltext.tables import BESIDE, SUFFIXES, suffixed
from madtree.sqltext.values import OUTPUT, Kept, Writer, kept, own_writer
from madtree.trees import Equality

_TEXTS, _OIDS = ["pg_catalog.text", "pg_catalog.text[]", "pg_catalog.text"], ["pg_catalog.oid[]"]
_ON_SERVERS = "its rows in tables of Citus's, which may have become views"


@dataclass(frozen=True)
class ColumnFacts:
    """A column's type.

    Attributes:
        type: as SQL of this very session.
        name: as SQL of any session, without a length or the like.
        own: whether it is PostgreSQL's own.
        writer: how its values are written as text.
        equals: the type's operator.
        trusted: whether it, and all that it is made of, belongs to roles that the caller trusts.
        kept: how its values are kept in tables that madtree makes.
        blurred: whether different texts are equal in the column, as its collation says.
    """

    type: str
    name: str
    own: bool
    writer: Writer | None
    equals: Equality
    trusted: bool
    kept: Kept
    blurred: bool


@dataclass(frozen=True)
class TableFacts:
    """What the catalogue says of one of a model's tables.

    Attributes:
        name: unquoted.
        kind: relkind of pg_class.
        oid: of pg_class.
        owner: its role.
        trusted: whether the caller trusts that role.
        writer: of the summary, another role that may write to it and that the caller does not trust; PUBLIC for
            everybody, None if there is none.
        readable: whether the caller may read it; None where it is gone by now.
        hazards: what planning or reading it would run; empty where nobody can put anything there who is not trusted.
        primary_key: its columns, unquoted; empty where there is none that holds of all rows at any time.
        columns: by unquoted name, in the table's order.
    """

    name: str
    kind: str
    oid: int
    owner: str
    trusted: bool
    writer: str | None
    readable: bool | None
    hazards: tuple[str, ...]
    primary_key: frozenset[str]
    columns: dict[str, ColumnFacts] = field(default_factory=dict)


@dataclass(frozen=True)
class Facts:
    """What the catalogue says of a model.

    Attributes:
        tables: by suffix, as far as there are any.
        by_superuser: whether a superuser asks, by whichever of her roles.
        foreign_schema: whether the caller does not trust the owner of the tables' schema, who could replace them.
        schema_owner: that role.
        schema_oid: of pg_namespace.
        types_held: whether no name of the columns' types can become another one's until the transaction ends, as far as
            that is others' to give.
    """

    tables: dict[str, TableFacts]
    by_superuser: bool
    foreign_schema: bool
    schema_owner: str
    schema_oid: int
    types_held: bool = True

    @property
    def foreign_owner(self) -> str | None:
        """The owner of tables whom the caller does not trust, quoted; None where she trusts all of them."""
        return next((ident(table.owner) for table in self.tables.values() if not table.trusted), None)

    @property
    def foreign_role(self) -> str | None:
        """Who is behind what the model names, and not trusted by the caller: the tables' owner, or who may write to the
        summary, which has all that could be an expression.
        """
        writer = self.tables["_summary"].writer if "_summary" in self.tables else None
        return self.foreign_owner or ("everybody" if writer == "PUBLIC" else writer and ident(writer))

    def whose(self, given: str) -> str:
        """A clause: that the model is the foreign role's."""
        if self.foreign_owner is not None:
            return f"{given} is {self.foreign_owner}'s"
        return f"{self.foreign_role} may write to the summary of {given}"


def look_up(host: Host, schema: str, name: str) -> Facts:
    """What the catalogue says of the relations that have the names of a model's tables."""
    names = {suffixed(name, suffix): suffix for suffix in SUFFIXES if suffix not in BESIDE}
    given = [schema, list(names), suffixed(name, "_summary")]
    rows = host.query(sql.MODEL_COLUMNS, _TEXTS, given)
    types_held = True
    if oids := sorted({row["type_oid"] for row in rows if not row["own"]}):
        types_held = hold_types(host, oids)
        rows = host.query(sql.MODEL_COLUMNS, _TEXTS, given)
    rows = [row for row in rows if row["table"] in names]  # a name may have been cut
    others = _other_types(host, oids)
    # Of an owner who is not trusted, or where a superuser asks, in the schema of one.
    open_ = {row["oid"] for row in rows if not (row["trusted"] and (row["schema_trusted"] or not row["by_superuser"]))}
    held = held_by_citus(host, open_)
    tables: dict[str, TableFacts] = {}
    for row in rows:
        suffix = names[row["table"]]
        table = tables.setdefault(
            suffix,
            TableFacts(
                row["table"],
                row["kind"],
                row["oid"],
                row["owner"],
                row["trusted"],
                row["writer"],
                row["readable"],
                (*row["hazards"], *([_ON_SERVERS] if row["oid"] in held else [])),
                frozenset(row["primary_key"]),
            ),
        )
        table.columns[row["column"]] = _column(row, others.get(row["type_oid"]))
    if not rows:
        return Facts({}, False, False, "", 0)
    row = rows[0]
    foreign = not row["schema_trusted"]
    return Facts(tables, row["by_superuser"], foreign, row["schema_owner"], row["schema_oid"], types_held)


def held_by_citus(host: Host, oids: Collection[int]) -> set[int]:
    """Those of some tables, by their OIDs, that Citus holds: what is read of them may be replaced on another server,
    where nobody holds it.
    """
    if not oids or not has_citus(host):
        return set()
    return {row["oid"] for row in host.query(HELD_TABLES, _OIDS, [sorted(oids)])}


def _other_types(host: Host, oids: Sequence[int]) -> dict[int, Row]:
    """What the catalogue says of types that are not PostgreSQL's own (`OTHER_TYPES`)."""
    rows = host.query(sql.OTHER_TYPES, _OIDS, [list(oids)]) if oids else []
    return {row["oid"]: row for row in rows}


def _column(row: Row, other: Row | None) -> ColumnFacts:
    """`row` is one of `MODEL_COLUMNS`; `other`, its type's where that is not PostgreSQL's own."""
    name = row["type"]
    if other is None:
        return ColumnFacts(name, name, row["own"], own_writer(name), EQUALS, True, Kept(name), row["blurred"])
    writer = None if other["bare_own"] else OUTPUT
    keep = kept(row["full_type"], other["trusted"], other["bare"], other["bare_trusted"], writer)
    return ColumnFacts(
        name, other["name"], row["own"], writer, Equality(*other["equals"]), other["trusted"], keep, row["blurred"]
    )
