"""Rows of new data as a model reads them: the features, the id, how rows find their group; and one row by its id."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row, bare_message
from madtree.model import ColumnFacts, ModelTables, NewData, fit_features, unquoted
from madtree.request import Type, check_known_types, find_types
from madtree.sqltext import explain as explain_sql
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext.inserts import value_rows
from madtree.sqltext.quote import EQUALS, ident, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import model_table
from madtree.sqltext.typenames import type_sql
from madtree.sqltext.values import OUTPUT, text_of
from madtree.trees import Model

_TEXT = "pg_catalog.text"


def fit_to_source(host: Host, model: Model, source: Relation, given: str, argument: str = "new_data_table") -> NewData:
    """The new data, with the types of the id and of the groups' values.

    Args:
        given: the name of the new data as the user wrote it; `argument`, where, for errors.

    Raises:
        MadtreeError: the new data lacks columns of the model, or has them of types that cannot be cast to the model's;
            all are named.
    """
    hint = "It must have the id column, all features and the grouping columns of the training table."
    data = fit_features(host.source, model, source, given, argument, model.grouping, [model.id_column], hint)
    check_known_types(host, [(f"{argument}: {model.id_column}", data.types[model.id_column].as_kept.name)])
    return data


def scan_of(
    host: Host, tables: ModelTables, model: Model, source: Relation, data: NewData, target: str, id_name: str
) -> sql.Scan:
    """How `data`, which is `source`, is read to be scored into `target`; the id is as it may be kept there."""
    id_sql = model.id_column
    if id_sql in data.types:  # where it is asked for
        id_sql = data.types[id_sql].kept.value(id_sql)
    groups = _groups_of(host, tables, model, data)
    rows = qualified(source.schema, source.name)
    return sql.Scan(target, rows, id_sql, id_name, data.features, groups, data.offset)


def _groups_of(host: Host, tables: ModelTables, model: Model, data: NewData) -> sql.GroupJoin | None:
    """How rows find the number of their group; None where the model is not grouped.

    Rows of another server find it by literals: the model's table is not there.
    """
    if not model.grouping_columns:
        return None
    names = [*map(unquoted, model.grouping_columns)]
    # By their names with schemas: those that this session's search path would do with are others' elsewhere.
    columns = [tables.facts.tables[""].columns[name] for name in names]
    found = [
        _compared_as(column, f"t.{ident(name)}", data.types[value].name)
        for name, column, value in zip(names, columns, model.grouping, strict=True)
    ]
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
    table, number = model_table(tables.schema, tables.name, model.kind.groups_in), model.kind.group_number

    def as_values() -> str:
        found = host.query(models_sql.group_texts(table, number, tables.group_writers(names)))
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


def only_row(host: Host, scan: sql.Scan, model: Model, id_: str | None, id_type: Type, column: str) -> Row:
    """The row with that id, as `sqltext.explain.row_by_id` has it.

    Raises:
        MadtreeError: the id is NULL or not of the id column's type, not just one row has it, or the model does not know
            the row's group.
    """
    if id_ is None:
        raise MadtreeError("id must be the id of a row, not NULL")
    source = host.source
    where, type_ = f"{model.id_column} = {id_} in {scan.source}", type_sql(id_type.name)
    query = explain_sql.row_by_id(scan, type_, id_type.equals, column)
    try:
        rows = source.query(query, [_TEXT], [id_])
    except Exception as error:
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
