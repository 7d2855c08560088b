"""Whose a model is, and whether it may be read and used: decided from the catalogue before anything of it is read.

A model is like a view: who uses it may run what its owner wrote. docs/security.md has the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.records import dataclass
from madtree.request import hold_types
from madtree.sqltext import trust as sql
from madtree.sqltext.group_tables import MEMBER_COLUMNS
from madtree.sqltext.kinds import EXPECTED, columns_of_kind
from madtree.sqltext.quote import EQUALS, ident
from madtree.sqltext.tables import BESIDE, SUFFIXES, suffixed
from madtree.sqltext.values import Kept, Writer, kept, own_writer
from madtree.trees import ModelKind

NOT_ALLOWED = "42501"
TRUST_HINT = "Look at it as you would at that role's views; if you trust it, say trust_owner => true."
_TEXTS = ["pg_catalog.text", "pg_catalog.text[]"]


@dataclass(frozen=True)
class ColumnFacts:
    """A column's type.

    Attributes:
        type: as SQL of this very session.
        name: as SQL of any session, without a length or the like.
        own: whether it is PostgreSQL's own.
        writer: how its values are written as text.
        equals: SQL of the type's operator "equals".
        trusted: whether it, and all that it is made of, belongs to roles that the caller trusts.
        kept: how its values are kept in tables that madtree makes.
        blurred: whether different texts are equal in the column, as its collation says.
    """

    type: str
    name: str
    own: bool
    writer: Writer | None
    equals: str
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
        readable: whether the caller may read it.
        hazards: what planning or reading it would run; empty where the owner is trusted.
        primary_key: its columns, unquoted; empty where there is none that holds of all rows at any time.
        columns: by unquoted name, in the table's order.
    """

    name: str
    kind: str
    oid: int
    owner: str
    trusted: bool
    readable: bool
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
    """

    tables: dict[str, TableFacts]
    by_superuser: bool
    foreign_schema: bool
    schema_owner: str
    schema_oid: int

    @property
    def foreign_owner(self) -> str | None:
        """The role behind the tables that the caller does not trust, None where she trusts all of them."""
        return next((table.owner for table in self.tables.values() if not table.trusted), None)


def look_up(host: Host, schema: str, name: str) -> Facts:
    """What the catalogue says of the relations that have the names of a model's tables."""
    names = {suffixed(name, suffix): suffix for suffix in SUFFIXES if suffix not in BESIDE}
    rows = host.query(sql.MODEL_COLUMNS, _TEXTS, [schema, list(names)])
    if oids := sorted({row["type_oid"] for row in rows if not row["own"]}):
        hold_types(host, oids)
        rows = host.query(sql.MODEL_COLUMNS, _TEXTS, [schema, list(names)])
    others = _other_types(host, oids)
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
                row["readable"],
                tuple(row["hazards"]),
                frozenset(row["primary_key"]),
            ),
        )
        table.columns[row["column"]] = _column(row, others.get(row["type_oid"]))
    if not rows:
        return Facts({}, False, False, "", 0)
    row = rows[0]
    return Facts(tables, row["by_superuser"], not row["schema_trusted"], row["schema_owner"], row["schema_oid"])


def _other_types(host: Host, oids: Sequence[int]) -> dict[int, Row]:
    """What the catalogue says of types that are not PostgreSQL's own (`OTHER_TYPES`)."""
    rows = host.query(sql.OTHER_TYPES, ["pg_catalog.oid[]"], [list(oids)]) if oids else []
    return {row["oid"]: row for row in rows}


def _column(row: Row, other: Row | None) -> ColumnFacts:
    """`row` is one of `MODEL_COLUMNS`; `other`, its type's where that is not PostgreSQL's own."""
    name = row["type"]
    if other is None:
        return ColumnFacts(name, name, row["own"], own_writer(name), EQUALS, True, Kept(name), row["blurred"])
    writer = None if other["output"] is None else Writer(other["output"], other["bare"])
    keep = kept(row["full_type"], other["keeps"], other["bare"], other["bare_keeps"], writer)
    return ColumnFacts(name, other["name"], row["own"], writer, other["equals"], other["trusted"], keep, row["blurred"])


def check_harmless(given: str, facts: Facts, argument: str) -> None:
    """Refuse tables on which something of another role's would run as soon as they are planned or read.

    Raises:
        MadtreeError: there is such a thing; it is named.
    """
    for table in facts.tables.values():
        # A view is a rule. Nothing of madtree's reads it.
        if table.hazards and table.kind != "v":
            raise MadtreeError(
                f"{argument}: {given} is {ident(table.owner)}'s, and its table {ident(table.name)} has "
                f"{table.hazards[0]}: PostgreSQL would run what {ident(table.owner)} wrote there with your rights as "
                "soon as the table is read",
                hint="A model's tables have nothing of the kind when they are trained. Ask the owner to drop it.",
                sqlstate=NOT_ALLOWED,
            )


def check_columns(given: str, facts: Facts, grouping: Iterable[str] | None = None) -> None:
    """A model's tables must have the columns that are read, of the very types that training gives them, and with a
    collation by which no texts are equal but the same: what a query has found to be a feature's name must be that.

    A column that is not there could be a function of its owner's that takes the table's row.

    Raises:
        MadtreeError: a column is missing, or of another type or such a collation.
    """
    blurred = [(each.name, name) for each in facts.tables.values() for name, c in each.columns.items() if c.blurred]
    for name, column in blurred:
        raise MadtreeError(
            f"{given} is damaged: by the collation of the column {ident(column)} of its table {ident(name)} different "
            "texts are equal"
        )
    for suffix, columns, optional in _EXPECTED:
        table = facts.tables.get(suffix)
        if table is None:
            continue
        for column, type_ in columns:
            found = table.columns.get(column)
            if found is None and column in optional:
                continue
            if found is None:
                cause = "; was the type of the dependent variable dropped?" if column == "prediction" else ""
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(table.name)} lacks the column {column}{cause}",
                    hint="Train the model again, or restore its tables.",
                    sqlstate="42703",
                )
            _check_type(given, table, column, type_)
    if "_group" in facts.tables:
        trees = facts.tables[""]
        for column, _ in MEMBER_COLUMNS:
            if column not in trees.columns or trees.columns[column].type != "integer":
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(trees.name)} has no column {column} of type integer",
                    hint="Train the model again, or restore its tables.",
                    sqlstate="42703",
                )
    for column in grouping or ():
        for suffix in ("", "_group", "_cv", "_rounds"):
            table = facts.tables.get(suffix)
            if table is not None and column not in table.columns:
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(table.name)} lacks the grouping column "
                    f"{ident(column)}; was its type dropped?"
                )
            if table is not None and table.columns[column].type != facts.tables[""].columns[column].type:
                raise MadtreeError(
                    f"{given} is damaged: the grouping column {ident(column)} of its table {ident(table.name)} is of "
                    f"type {table.columns[column].type}, not {facts.tables[''].columns[column].type}"
                )


def check_columns_of_kind(given: str, facts: Facts, kind: ModelKind) -> None:
    """Columns that models of that kind alone have must be of the very types that training gives them.

    Raises:
        MadtreeError: one of them is not.
    """
    for suffix, columns in columns_of_kind(kind):
        for column, type_ in columns:
            if suffix in facts.tables and column in facts.tables[suffix].columns:
                _check_type(given, facts.tables[suffix], column, _spelled(type_))


def _check_type(given: str, table: TableFacts, column: str, type_: str | None) -> None:
    found = table.columns[column]
    if type_ is not None and not (found.own and found.type.removeprefix("pg_catalog.") == type_):
        raise MadtreeError(
            f"{given} is damaged: column {column} of its table {ident(table.name)} is of type {found.type}, not {type_}"
        )


def check_owners_code(
    given: str, facts: Facts, argument: str, expressions: Sequence[str], types: Mapping[str, bool], trust_owner: bool
) -> None:
    """Refuse to run for a superuser what another role wrote into a model, unless she trusts that role.

    Args:
        expressions: what the model names that is no plain column.
        types: by its name, whether each type that the model uses is trusted.

    Raises:
        MadtreeError: there is such a thing.
    """
    owner = facts.foreign_owner
    if owner is None or trust_owner or not facts.by_superuser:
        return
    untrusted = [name for name, trusted in types.items() if not trusted]
    if not expressions and not untrusted:
        return
    what = f"the expression {_shown(expressions[0])}" if expressions else f"the type {_shown(untrusted[0])}"
    raise MadtreeError(
        f"{argument}: {given} is {ident(owner)}'s, and has {what}: like a view of that role's it would run what "
        f"{ident(owner)} wrote, or had others write, with the rights of a superuser",
        hint=TRUST_HINT,
        sqlstate=NOT_ALLOWED,
    )


def _shown(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."


_SPELLED = {
    "int4": "integer",
    "int8": "bigint",
    "float8": "double precision",
    "bool": "boolean",
    "timestamptz": "timestamp with time zone",
}


def _spelled(type_: str | None) -> str | None:
    """A type's name as `format_type` prints it."""
    if type_ is None:
        return None
    element = type_.removesuffix("[]")
    return _SPELLED.get(element, element) + type_[len(element) :]


# As `kinds.EXPECTED`, types spelled as the catalogue spells them.
_EXPECTED = tuple(
    (suffix, tuple((column, _spelled(type_)) for column, type_ in columns), optional)
    for suffix, columns, optional in EXPECTED
)
