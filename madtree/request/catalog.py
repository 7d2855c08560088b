"""Looking things up in the system catalogues: relations, their columns, and the types of columns and expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import TYPES, Host, Row, bare_message
from madtree.records import dataclass
from madtree.request.hints import ADD_IDS, did_you_mean, to_be_quoted
from madtree.request.holding import changed, hold_types
from madtree.sqltext import catalog as sql
from madtree.sqltext.owners import BY_SUPERUSER
from madtree.sqltext.quote import EQUALS
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import columns_computed, is_plain, parse_name
from madtree.sqltext.typenames import is_equality, is_name_of, is_type
from madtree.sqltext.values import OUTPUT, Kept, Writer, kept, own_writer, text_of
from madtree.trees import Equality

TEXT = "pg_catalog.text"
OID = "pg_catalog.oid"
ID_COLUMN = "id_col_name"
# PostgreSQL's own types have smaller OIDs (FirstNormalObjectId).
FIRST_OTHER = 16_384
# Those that have smaller OIDs still (FirstGenbkiObjectId) are the same for everybody. In a session, by whichever host,
# each is looked at once: the query takes 3 ms, a quarter of a prediction. Another server's word is not taken for it.
_FIRST_OF_SERVER = 10_000


@dataclass(frozen=True)
class Type:
    """A column's or expression's type.

    Attributes:
        name: SQL of the type itself (a domain keeps its name), qualified unless it is PostgreSQL's own.
        base: SQL of the type under all domains; of the elements if it is an array.
        is_array: whether an array lies in between.
        typtype, category: pg_type's, of the base.
        labels: an enum's labels in order.
        equals: SQL of the type's operator "equals".
        writer: how a value is written as text.
        own: whether it is PostgreSQL's own, apart from domains: no cast of its values is anybody else's.
        other: how tables that madtree makes keep its values, where that is not as they are.
    """

    name: str
    base: str
    is_array: bool
    typtype: str
    category: str
    labels: tuple[str, ...]
    equals: Equality = EQUALS
    writer: Writer | None = None
    own: bool = True
    other: Kept | None = None

    @property
    def kept(self) -> Kept:
        """How its values are kept in tables that madtree makes."""
        return self.other or Kept(self.name)

    @property
    def as_kept(self) -> Type:
        """The type of its values as they are kept."""
        if self.other is None:
            return self
        if self.other.writer is None:
            return replace(self, name=self.other.type, other=None)
        return TEXT_TYPE

    def as_text(self, expression: str) -> str:
        """A value as SQL that nobody's cast will be asked for: as it is, or, of others' types, its text."""
        return expression if self.own else text_of(expression, self.writer)


TEXT_TYPE = Type("text", "text", False, "b", "S", ())


@dataclass(frozen=True)
class SourceColumn:
    """A column of the training relation: unquoted name, SQL (quoted where needed), OID and full SQL of its type, and
    SQL of the type's operator "equals"; and whether the caller may read it.
    """

    name: str
    sql: str
    type_oid: int
    full_type: str
    equals: Equality = EQUALS
    may_read: bool = True


def find_columns(host: Host, relation: Relation) -> dict[str, SourceColumn]:
    """Columns by unquoted name, in the table's order; without system and dropped columns. Their types are held."""
    rows = host.query(sql.COLUMNS, [OID], [relation.oid])
    if others := [row["type_oid"] for row in rows if row["type_oid"] >= FIRST_OTHER]:
        hold_types(host, others)
        rows = host.query(sql.COLUMNS, [OID], [relation.oid])
    return {row["name"]: _column(row) for row in rows}


def _column(row: Row) -> SourceColumn:
    _check_spelled(is_name_of(row["sql"], row["name"]) and is_type(row["full_type"]) and is_equality(row["equals"]))
    own = row["name"], row["sql"], row["type_oid"], row["full_type"]
    return SourceColumn(*own, Equality(*row["equals"]), row["may_read"])


def _check_spelled(fits: bool) -> None:
    """Raise MadtreeError where a server has told of a name, a type or an operator something else than that: it becomes
    SQL of the model's server, which another one that only has the rows must not write.
    """
    if not fits:
        raise MadtreeError(
            "the server of the rows has told of a column, or of its type, what is no name of one", sqlstate="08P01"
        )


def quoted_name(host: Host, name: str) -> str:
    """A name as SQL, without the quotes that it does not need."""
    quoted = str(host.query(sql.QUOTED_NAME, [TEXT], [name])[0]["sql"])
    _check_spelled(is_name_of(quoted, name))
    return quoted


def find_types(host: Host, oids: Iterable[int]) -> dict[int, Type]:
    """The types by OID; those that are not PostgreSQL's own are held by `hold_types`. Raises MadtreeError where the
    transaction's snapshot has not yet got one.
    """
    wanted = set(oids)
    known: dict[int, Type] = host.kept.setdefault(TYPES, {})
    looked_up = sorted(wanted - known.keys())
    hold_types(host, [oid for oid in looked_up if oid >= FIRST_OTHER])
    rows = host.query(sql.TYPES, [f"{OID}[]"], [looked_up]) if looked_up else []
    if len(rows) < len(looked_up):
        raise changed("the type of a column or an expression")
    found = {row["asked"]: _type(row) for row in rows}
    known.update((oid, type_) for oid, type_ in found.items() if oid < _FIRST_OF_SERVER)
    return found | {oid: known[oid] for oid in wanted - found.keys()}


def _type(row: Row) -> Type:
    _check_spelled(all(map(is_type, (row["name"], row["base"], row["bare"]))) and is_equality(row["equals"]))
    writer = _writer(row)
    keep = kept(row["name"], row["trusted"], row["bare"], row["bare_trusted"], writer)
    said = row["name"], row["base"], row["is_array"], row["typtype"], row["category"], tuple(row["labels"])
    return Type(*said, Equality(*row["equals"]), writer, row["own"], None if keep.as_is else keep)


def warn_of_texts(host: Host, argument: str, expression: str, type_: str, keep: Kept) -> None:
    """Tell where the values of an expression of some type are not kept as they are; `argument`, for which table."""
    if keep.as_is:
        return
    host.notice(
        f"{argument}: values of {expression} are kept as {keep.type}, since their type {type_} is, or has functions "
        "that are, another role's"
    )


def _writer(row: Row) -> Writer | None:
    if not row["own"]:
        return OUTPUT
    return None if row["is_array"] else own_writer(row["base"])


def find_column(columns: Mapping[str, SourceColumn], given: str, argument: str, relation: str) -> SourceColumn | None:
    """The column that `given` names, or None if `given` is not a plain name (so it must be an expression).

    Raises:
        MadtreeError: it is a name, but of no column.
    """
    parts = parse_name(given)
    if parts is None:
        return None
    if len(parts) == 1 and parts[0] in columns:
        return columns[parts[0]]
    spelled = spelling(columns.values())
    if len(parts) > 1:
        raise MadtreeError(
            f"{argument}: name the column without its table, not as {given}",
            hint=to_be_quoted(given, spelled)
            or (f"Write {columns[parts[-1]].sql}." if parts[-1] in columns else did_you_mean(parts[-1], spelled)),
        )
    hints = did_you_mean(parts[0], spelled), ADD_IDS if argument == ID_COLUMN else None
    raise MadtreeError(
        f"{argument}: column {given} does not exist in {relation}",
        hint=" ".join(filter(None, hints)) or None,
        sqlstate="42703",
    )


def spelling(columns: Iterable[SourceColumn]) -> dict[str, str]:
    """SQL of columns by their unquoted names."""
    return {column.name: column.sql for column in columns}


def probe_types(
    host: Host, relation: Relation, expressions: Sequence[tuple[str, str]], grouping: Sequence[str] = ()
) -> list[int]:
    """Type OIDs of expressions over a relation's row. Reads no row, but asks PostgreSQL for the right to read it.

    Args:
        expressions: (argument, SQL) pairs.
        grouping: columns and expressions that must be groupable, as SQL.

    Raises:
        MadtreeError: one of them is not valid, with the argument's name and PostgreSQL's words. Other errors of the
            database, such as a missing right, pass as they are.
    """
    refuse_others_values(host, relation, expressions)
    try:
        return _probe(host, relation, [text for _, text in expressions], grouping)
    except Exception as error:
        if not _is_users_mistake(error):
            raise
        # Which one was it? Ask for each alone; that costs time only here.
        for argument, text in expressions:
            _probe_alone(host, relation, argument, text, [text], [])
        for key in grouping:
            _probe_alone(host, relation, "grouping_cols", key, [], [key])
        raise


def types_of_others(host: Host, columns: Mapping[str, SourceColumn]) -> dict[str, Type]:
    """By name the types of those columns whose types are another role's."""
    types = find_types(host, {column.type_oid for column in columns.values() if column.type_oid >= FIRST_OTHER})
    others = {oid: type_ for oid, type_ in types.items() if type_.other is not None}
    return {name: others[each.type_oid] for name, each in columns.items() if each.type_oid in others}


def refuse_others_values(host: Host, relation: Relation, expressions: Iterable[tuple[str, str]]) -> None:
    """Raise MadtreeError where an expression of a superuser's, of pairs of argument and SQL, may compute with values of
    another role's type: PostgreSQL by itself runs casts and checks that this role may have made.
    """
    computed = [(argument, text) for argument, text in expressions if not is_plain(text)]
    columns = find_columns(host, relation) if computed else {}
    others = types_of_others(host, columns)
    if not others or not host.query(BY_SUPERUSER)[0]["by_superuser"]:
        return
    for argument, text in computed:
        if found := sorted(columns_computed(text, others)):
            column = columns[found[0]]
            raise MadtreeError(
                f"{argument}: {text} computes with {column.sql}, whose type {column.full_type} is another role's: the "
                "casts and checks that this role makes for it would run with the rights of a superuser",
                hint=f"Take its text, pg_catalog.concat({column.sql}), or have a view of yours do so.",
                sqlstate="42501",
            )


def plain_expressions(host: Host, relation: Relation, expressions: Sequence[str]) -> list[str]:
    """Expressions over a relation's row, as SQL that can be cast without running what others wrote.

    Raises:
        MadtreeError: as `probe_types`.
    """
    oids = probe_types(host, relation, [("expression", text) for text in expressions])
    types = find_types(host, oids)
    return [types[oid].as_text(text) for oid, text in zip(oids, expressions, strict=True)]


def has_order(host: Host, relation: Relation, expression: str) -> bool:
    """Whether values of an expression, which is a valid one, can be told apart and put in order."""
    try:
        _probe(host, relation, [], [expression])
    except Exception as error:
        if not _is_users_mistake(error):
            raise
        return False
    return True


def _probe(host: Host, relation: Relation, expressions: Sequence[str], keys: Sequence[str]) -> list[int]:
    return list(host.query(sql.probe(relation.schema, relation.name, expressions, keys))[0]["oids"])


def _probe_alone(
    host: Host, relation: Relation, argument: str, shown: str, expressions: Sequence[str], keys: Sequence[str]
) -> None:
    try:
        _probe(host, relation, expressions, keys)
    except Exception as error:
        if not _is_users_mistake(error):
            raise
        words = bare_message(error)
        what = "cannot group by" if keys else "is not a valid expression over the training table's columns:"
        raise MadtreeError(
            f"{argument}: {what} {shown}: {words}" if keys else f"{argument}: {shown} {what} {words}",
            to_be_quoted(shown, spelling(find_columns(host, relation).values())),
            sqlstate=str(getattr(error, "sqlstate", "22023")),
        ) from error


def _is_users_mistake(error: Exception) -> bool:
    """Whether the database refused the text (SQLSTATE classes 0A, 22 and 42), and not the user (42501)."""
    state = str(getattr(error, "sqlstate", ""))
    return state[:2] in ("0A", "22", "42") and state != "42501"
