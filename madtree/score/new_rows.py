"""The rows of new data as a model reads them: the features, the id, and how rows find their group."""

from __future__ import annotations

from madtree.host import Host
from madtree.model import ModelTables, NewData, fit_features, unquoted
from madtree.request import check_known_types
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext.inserts import value_rows
from madtree.sqltext.quote import ident, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import model_table
from madtree.trees import Model


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
    check_known_types(host, [(f"{argument}: {model.id_column}", data.types[model.id_column].as_kept.base)])
    return data


def scan_of(
    host: Host, tables: ModelTables, model: Model, source: Relation, data: NewData, target: str, id_name: str
) -> sql.Scan:
    """How `data`, which is `source`, is read to be scored into `target`; the id is as it may be kept there."""
    id_sql = model.id_column
    if id_sql in data.types:  # where it is asked for
        id_sql = data.types[id_sql].kept.value(id_sql)
    groups = _groups_of(host, tables, model, data)
    return sql.Scan(target, qualified(source.schema, source.name), id_sql, id_name, data.features, groups)


def _groups_of(host: Host, tables: ModelTables, model: Model, data: NewData) -> sql.GroupJoin | None:
    """How rows find the number of their group; None where the model is not grouped.

    Rows of another server find it by literals: the model's table is not there.
    """
    if not model.grouping_columns:
        return None
    names = [*map(unquoted, model.grouping_columns)]
    types = [tables.column_types[name] for name in names]
    # Values of one type are compared by it; to compare them with another one, PostgreSQL would look for casts.
    columns = [tables.facts.tables[""].columns[name] for name in names]
    values = [
        value if data.types[value].name == column.name else _comparable(data.plain(value), column.name)
        for value, column in zip(model.grouping, columns, strict=True)
    ]
    keys = [(ident(name), value, type_[1]) for name, value, type_ in zip(names, values, types, strict=True)]
    table, number = model_table(tables.schema, tables.name, model.kind.groups_in), model.kind.group_number
    if host.source is not host:
        found = host.query(models_sql.group_texts(table, number, tables.group_writers(names)))
        rows = [[str(row["number"]), *row["texts"]] for row in found]
        table = value_rows(
            [(number, "int4"), *((name, type_[0]) for name, type_ in zip(names, types, strict=True))], rows
        )
    return sql.GroupJoin(table, tuple(keys), number)


def _comparable(value: str, type_: str) -> str:
    """A value of another type than that of the model's column as it is compared with that: to a char(n) blanks behind
    say nothing, to a text they do.
    """
    return f"({value})::pg_catalog.bpchar" if type_.startswith(("character(", "bpchar")) else value


def id_name_of(model: Model) -> str:
    """The id column keeps its name; an expression is called id."""
    parts = parse_name(model.id_column)
    return "id" if parts is None else parts[-1]
