"""Rows of new data as a model reads them: the features, the id, how rows find their group; and one row by its id."""

from __future__ import annotations

from contextlib import AbstractContextManager

from madtree.errors import MadtreeError
from madtree.host import Host, Row, bare_message
from madtree.model import ColumnFacts, NewData, NewTable, UsableModel, casting, fit_features
from madtree.records import dataclass
from madtree.request import Type, check_known_types, find_source, find_types, has_order
from madtree.sqltext import explain as explain_sql
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext.inserts import value_rows
from madtree.sqltext.quote import EQUALS, ident, qualified, same
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.typenames import type_sql
from madtree.sqltext.values import OUTPUT, text_of
from madtree.trees import Model

_TEXT = "pg_catalog.text"


@dataclass(frozen=True)
class NewRows:
    """A table or view whose rows a model reads.

    Attributes:
        opened: the model.
        source: the table.
        data: what the model needs of it.
        given, argument: its name as the user wrote it, and where, for errors.
    """

    opened: UsableModel
    source: Relation
    data: NewData
    given: str
    argument: str

    @classmethod
    def named(cls, opened: UsableModel, given: str | None, argument: str = "new_data_table") -> NewRows:
        """Those of the table of that name; raises MadtreeError where there is none, or as `of`."""
        return cls.of(opened, find_source(opened.host.source, given, argument), str(given), argument)

    @classmethod
    def of(cls, opened: UsableModel, source: Relation, given: str, argument: str = "new_data_table") -> NewRows:
        """With the types of the id and of the groups' values.

        Raises:
            MadtreeError: the new data lacks columns of the model, or has them of types that cannot be cast to the
                model's; all are named.
        """
        model, trusts = opened.model, opened.tables.trust_owner
        hint = "It must have the id column, all features and the grouping columns of the training table."
        table = NewTable(opened.host.source, source, given, argument)
        data = fit_features(model, table, model.grouping, [model.id_column], hint, trust_owner=trusts)
        check_known_types(opened.host, [(f"{argument}: {model.id_column}", data.types[model.id_column].as_kept.name)])
        return cls(opened, source, data, given, argument)

    @property
    def id_type(self) -> Type:
        """Of the id, where it was asked for."""
        return self.data.types[self.opened.model.id_column]

    def scan(self, target: str = "", id_name: str = "") -> sql.Scan:
        """How the rows are read to be scored into `target`; the id is as it may be kept there."""
        id_sql = self.opened.model.id_column
        if id_sql in self.data.types:  # where it is asked for
            id_sql = self.data.types[id_sql].kept.value(id_sql)
        rows, groups = qualified(self.source.schema, self.source.name), _groups_of(self.opened, self.data)
        return sql.Scan(target, rows, id_sql, id_name, self.data.features, groups, self.data.offset)

    def casting(self) -> AbstractContextManager[None]:
        """Around statements over the rows: what cannot be cast is told as `model.casting` says."""
        return casting(self.opened.model, self.data.features, self.given, self.argument)


def _groups_of(opened: UsableModel, data: NewData) -> sql.GroupJoin | None:
    """How rows find the number of their group; None where the model is not grouped.

    Rows of another server find it by literals: the model's table is not there.
    """
    host, tables, model = opened.host, opened.tables, opened.model
    if not model.grouping_columns:
        return None
    # By their names with schemas: those that this session's search path would do with are others' elsewhere.
    columns = list(opened.grouping.values())
    found = [
        _compared_as(column, f"t.{ident(name)}", data.types[value].name)
        for (name, column), value in zip(opened.grouping.items(), model.grouping, strict=True)
    ]
    names = list(opened.grouping)
    types = [(type_, column.equals) for (_, type_), column in zip(found, columns, strict=True)]
    used = [(f"{tables.argument}: {ident(name)}", type_[0]) for name, type_ in zip(names, types, strict=True)]
    oids = check_known_types(host, used, of_model=True)
    if any(oids):  # an operator of that name may be another one there
        own = find_types(host.source, filter(None, oids))
        types = [(type_[0], own[oid].equals if oid else type_[1]) for oid, type_ in zip(oids, types, strict=True)]
    values = [
        value if data.types[value].name == type_[0] else _comparable(data.plain(value), type_[0])
        for value, type_ in zip(model.grouping, types, strict=True)
    ]
    keys = [(of_model, value, type_[1]) for (of_model, _), value, type_ in zip(found, values, types, strict=True)]
    table, number = tables.part(model.kind.groups_in), model.kind.group_number

    def as_values() -> str:
        found = host.query(models_sql.group_texts(table, number, opened.group_writers))
        rows = [[str(row["number"]), *row["texts"]] for row in found]
        return value_rows(
            [(number, "int4"), *((name, type_[0]) for name, type_ in zip(names, types, strict=True))], rows
        )

    return sql.GroupJoin(as_values() if host.source is not host else table, tuple(keys), number, as_values)


def _compared_as(column: ColumnFacts, value: str, other: str) -> tuple[str, str]:
    """A group's value, SQL of a column, and its type, as it is compared with a value of the type `other`. Values of one
    type are compared by it; to compare an enum or the like with another type, PostgreSQL would look for casts, which
    may be the owner's.
    """
    if not column.kept.as_is:
        return column.kept.value(value), column.kept.type
    if column.own or column.equals != EQUALS or column.name == other:
        return value, column.name
    return text_of(value, OUTPUT), "text"


def _comparable(value: str, type_: str) -> str:
    """A value of another type than that of the model's column as it is compared with that: to a char(n) blanks behind
    say nothing, to a text they do.
    """
    return f"({value})::pg_catalog.bpchar" if type_.startswith(("character(", "bpchar")) else value


def id_name_of(model: Model) -> str:
    """The id column keeps its name; an expression is called id."""
    parts = parse_name(model.id_column)
    return "id" if parts is None else parts[-1]


def only_row(new_rows: NewRows, scan: sql.Scan, id_: str | None, column: str) -> Row:
    """The row of a scan of the rows with that id, as `sqltext.explain.row_by_id` has it.

    Raises:
        MadtreeError: the id is NULL or not of the id column's type, which may have no operator =; not just one row has
            it, or the model does not know the row's group.
    """
    if id_ is None:
        raise MadtreeError("id must be the id of a row, not NULL")
    model, id_type = new_rows.opened.model, new_rows.id_type.as_kept
    source = new_rows.opened.host.source
    where, type_ = f"{model.id_column} = {id_} in {scan.source}", type_sql(id_type.name)
    query = explain_sql.row_by_id(scan, type_, id_type.equals, column)
    with new_rows.casting():
        try:
            rows = source.query(query, [_TEXT], [id_])
        except Exception as error:
            equals = same(f"({scan.id_sql})", id_type.equals, f"({scan.id_sql})")
            if not has_order(source, new_rows.source, f"({equals})"):
                raise MadtreeError(
                    f"id: {model.id_column} is of type {id_type.name}, for which PostgreSQL finds no operator =",
                    hint="Name a view that has its text in that column.",
                    sqlstate="42883",
                ) from error
            # Values of the row are read as well, or a view that computes them may fail in just this way.
            if not _is_of_data(error) or _can_be_read(source, id_, type_):
                raise
            words = bare_message(error)
            raise MadtreeError(f"id: {id_!r} cannot be looked up as {model.id_column}: {words}") from error
    if len(rows) != 1:
        number = "no row has" if not rows else "several rows have"
        raise MadtreeError(f"id: {number} {where}", hint="Give an id that just one row has.", sqlstate="P0002")
    if scan.groups and rows[0]["tree"] is None:
        raise MadtreeError(f"id: the row with {where} is of a group that {model.name} does not know")
    return rows[0]


def _can_be_read(host: Host, text: str, type_: str) -> bool:
    """Whether a text is a value of a type."""
    try:
        host.query(explain_sql.value_of_text(type_), [_TEXT], [text])
    except Exception as error:
        if not _is_of_data(error):
            raise
        return False
    return True


def _is_of_data(error: Exception) -> bool:
    """Whether an error is of the class of data exceptions."""
    return str(getattr(error, "sqlstate", ""))[:2] == "22"
