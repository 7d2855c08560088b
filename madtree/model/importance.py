"""get_var_importance and tree_importance: how much each feature did for each tree of a model, as a table or as rows."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.model.check import check_rows
from madtree.model.opened import find_to_show
from madtree.model.read import group_objects
from madtree.model.size_limits import check_answer
from madtree.request import check_new, warn_of_texts
from madtree.sqltext import importance as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext.quote import ident, qualified


def get_var_importance(host: Host, model_name: str | None, output_table: str | None) -> int:
    """Create the table of importances; returns the number of its rows.

    Raises:
        MadtreeError: there is no such model, or the table cannot be created.
    """
    opened = find_to_show(host, model_name, "model_name")
    check_rows(opened)
    schema, name = check_new(host, output_table, "output_table")
    grouping = opened.grouping
    own = sql.importance_columns(opened.model.kind)
    for column in grouping:
        if column in own:
            raise MadtreeError(
                f"output_table: {model_name} has a grouping column {column}, which is also the name of a column of "
                f"this table: {', '.join(own)}",
                hint="Train on a view that gives the column another name.",
                sqlstate="42701",
            )
    for column, found in grouping.items():
        warn_of_texts(host, "output_table", ident(column), found.type, found.kept)
    values = {column: found.kept.value(f"t.{ident(column)}") for column, found in grouping.items()}
    target = qualified(schema, name)
    return host.command(sql.create_importance(opened.model.kind, target, *opened.tables.at, values))


def tree_importance(host: Host, model_name: str | None) -> list[Row]:
    """A row for each feature of each tree, or of each group that has many; the most important first.

    Raises:
        MadtreeError: there is no such model.
    """
    opened = find_to_show(host, model_name)
    model = opened.model
    check_rows(opened)
    table = opened.tables.part(model.kind.groups_in)
    n_rows = host.query(models_sql.n_rows(table))[0]["n"] * len(model.features)
    check_answer("tree_importance", n_rows, "get_var_importance writes them into a table.")
    groups = group_objects(opened)
    place = {"tree_id": f"t.{model.kind.group_number}"}
    rows = listed(host, sql.importance(model.kind, *opened.tables.at, place, best_first=True))
    return [{**row, "group_values": groups.get(row["tree_id"])} for row in watched(host, rows)]
