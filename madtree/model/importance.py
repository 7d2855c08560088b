"""get_var_importance: how much each feature did for each tree of a model, as a table."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.model.read import find_model, read_summary, unquoted
from madtree.request.new_tables import check_new
from madtree.sqltext import importance as sql
from madtree.sqltext.quote import qualified

HELP = """\
get_var_importance writes how much each feature did for each tree of a model.

SELECT madtree.get_var_importance(
    model_name,   -- output_table_name of tree_train
    output_table  -- table to create; must not exist
);

The output table has the grouping columns, if there are any, and a row for each feature of each tree:
    feature                  as listed in <model>_summary.features
    impurity_var_importance  share of the tree's total in percent; 0 for all where no feature has any
    raw_importance           impurity decrease, summed over the rows of the feature's splits, plus for each of its
                             surrogate splits the decrease of the split that it stands in for, times its adjusted
                             agreement

Example:
    SELECT madtree.get_var_importance('delay_tree', 'delay_importance');
    SELECT * FROM delay_importance ORDER BY impurity_var_importance DESC;
"""


def get_var_importance(host: Host, model_name: str | None, output_table: str | None) -> str:
    """Create the table of importances; returns one line that says so.

    Raises:
        MadtreeError: there is no such model, or the table cannot be created.
    """
    tables = find_model(host, model_name, "model_name")
    model = read_summary(host, tables)
    schema, name = check_new(host, output_table, "output_table")
    grouping = [unquoted(column) for column in model.grouping_columns]
    for column in grouping:
        if column in sql.COLUMNS:
            raise MadtreeError(
                f"output_table: {model_name} has a grouping column {column}, which is also the name of a column of "
                f"this table: {', '.join(sql.COLUMNS)}",
                hint="Train on a view that gives the column another name.",
                sqlstate="42701",
            )
    rows = host.command(sql.create_importance(qualified(schema, name), tables.schema, tables.name, grouping))
    return f"get_var_importance: {rows} row{'s' * (rows != 1)} of {model_name} into {output_table}"
