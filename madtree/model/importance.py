"""get_var_importance and tree_importance: how much each feature did for each tree of a model, as a table or as rows."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.model.check import check_rows
from madtree.model.find import find_model
from madtree.model.summary import read_summary, unquoted
from madtree.request import check_new, tell_of_kept
from madtree.sqltext import importance as sql
from madtree.sqltext.explain import group_object
from madtree.sqltext.quote import ident, qualified


def get_var_importance(host: Host, model_name: str | None, output_table: str | None) -> int:
    """Create the table of importances; returns the number of its rows.

    Raises:
        MadtreeError: there is no such model, or the table cannot be created.
    """
    tables = find_model(host, model_name, "model_name")
    model = read_summary(host, tables, to_run=False)
    check_rows(host, tables, model)
    schema, name = check_new(host, output_table, "output_table")
    names = [unquoted(column) for column in model.grouping_columns]
    grouping = {name: tables.facts.tables[""].columns[name] for name in names}
    own = sql.COLUMNS[model.kind]
    for column in grouping:
        if column in own:
            raise MadtreeError(
                f"output_table: {model_name} has a grouping column {column}, which is also the name of a column of "
                f"this table: {', '.join(own)}",
                hint="Train on a view that gives the column another name.",
                sqlstate="42701",
            )
    for column, found in grouping.items():
        tell_of_kept(host, "output_table", ident(column), found.type, found.kept)
    values = {column: found.kept.value(f"t.{ident(column)}") for column, found in grouping.items()}
    target = qualified(schema, name)
    return host.command(sql.create_importance(model.kind, target, tables.schema, tables.name, values))


def tree_importance(host: Host, model_name: str | None) -> list[Row]:
    """A row for each feature of each tree, or of each group that has many; the most important first.

    Raises:
        MadtreeError: there is no such model.
    """
    tables = find_model(host, model_name, "model")
    model = read_summary(host, tables, to_run=False)
    check_rows(host, tables, model)
    names = [unquoted(column) for column in model.grouping_columns]
    group = group_object(tables.group_writers(names)) if names else "NULL::pg_catalog.text"
    place = {"tree_id": f"t.{model.kind.group_number}", "group_values": group}
    return list(watched(host, listed(host, sql.IMPORTANCE[model.kind](tables.schema, tables.name, place, True))))
