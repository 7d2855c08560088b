"""The tables that a model has whose groups have several trees each: columns, and the statements that fill them.

`<output>` has a row for each tree, with the columns of a tree model behind its own, so whatever reads trees reads
these. `<output>_group` has a row for each group.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.inserts import unnested, with_arrays
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Column
from madtree.sqltext.tables import TREE_COLUMNS, model_table

# In front of the grouping columns and of TREE_COLUMNS.
MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("gid", "int4"), ("sample_id", "int4"))


def member_parameters(more: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The columns of `<output>` where groups have many trees, with `more` behind them."""
    return (*MEMBER_COLUMNS, *TREE_COLUMNS, *more)


def insert_members(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>` from one array literal per column of `parameters`; see `tables.insert_trees`."""
    return insert_for_groups(model_table(schema, name), parameters, grouping, group_source, "t.gid, t.sample_id")


def insert_groups(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>_group` from one array literal per column of `parameters`."""
    return insert_for_groups(model_table(schema, name, "_group"), parameters, grouping, group_source, "t.gid")


def insert_for_groups(
    table: str,
    parameters: Sequence[tuple[str, str]],
    grouping: Sequence[Column],
    group_source: str | None,
    order: str,
) -> str:
    """Fill a table that has a column `gid`, and the groups' values.

    `group_source` is a relation with `tree_id`, which is a group's number, and its values in `g1`, `g2`, ...
    """
    names = [column for column, _ in parameters]
    values = [f"t.{column}" for column in names]
    join = ""
    if grouping:
        names += [ident(column.name) for column in grouping]
        values += [f"g.g{i + 1}" for i in range(len(grouping))]
        join = f" JOIN {group_source} AS g ON g.tree_id OPERATOR(pg_catalog.=) t.gid"
    return (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {with_arrays(values)} "
        f"FROM {unnested('t', parameters)}{join} ORDER BY {order}"
    )
