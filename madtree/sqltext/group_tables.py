"""The tables that a model has whose groups have several trees each: columns, and the statements that fill them.

`<output>` has a row for each tree, with the columns of a tree model behind its own, so whatever reads trees reads
these. `<output>_group` has a row for each group. `<output>_outcomes`, where it is there, has a row for each tree, with
an outcome for each leaf in order of the leaves' ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext import sent_rows as sent
from madtree.sqltext.inserts import insert_with_groups, unnested, with_arrays
from madtree.sqltext.relation import Column
from madtree.sqltext.tables import OUTCOME_COLUMNS, TREE_COLUMNS, model_table

# In front of the grouping columns and of TREE_COLUMNS.
MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("gid", "int4"), ("sample_id", "int4"))


def member_parameters(more: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The columns of `<output>` where groups have many trees, with `more` behind them."""
    return (*MEMBER_COLUMNS, *TREE_COLUMNS, *more)


def insert_members(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>` from one array literal per column of `parameters`; see `tables.insert_trees`."""
    return insert_with_groups(model_table(schema, name), parameters, grouping, group_source, "t.gid, t.sample_id")


def insert_groups(
    schema: str, name: str, parameters: Sequence[tuple[str, str]], grouping: Sequence[Column], group_source: str | None
) -> str:
    """Fill `<output>_group` from one array literal per column of `parameters`."""
    return insert_with_groups(model_table(schema, name, "_group"), parameters, grouping, group_source, "t.gid")


def insert_outcomes(schema: str, name: str) -> str:
    """Fill `<output>_outcomes` from one array literal per column."""
    names = [column for column, _ in OUTCOME_COLUMNS]
    return (
        f"INSERT INTO {model_table(schema, name, '_outcomes')} ({', '.join(names)}) "
        f"SELECT {with_arrays([f't.{column}' for column in names])} FROM {unnested('t', OUTCOME_COLUMNS)}"
    )


def outcome_counts(schema: str, name: str) -> str:
    """The trees' ids in order, and how many outcomes each has, as integers sent."""
    table = model_table(schema, name, "_outcomes")
    columns = {
        "tree_id": sent.ints("t.tree_id"),
        "size": sent.ints("pg_catalog.cardinality(t.outcomes)"),
    }
    rows = f"(SELECT m.tree_id, m.outcomes FROM {table} AS m ORDER BY m.tree_id OFFSET 0)"
    return f"SELECT {sent.select(columns)} FROM {rows} AS t"


def outcomes_between(schema: str, name: str) -> str:
    """The outcomes of the trees from $1 to $2, one tree's behind the other's, as floats sent."""
    rows = (
        f"(SELECT m.outcomes FROM {model_table(schema, name, '_outcomes')} AS m "
        "WHERE m.tree_id OPERATOR(pg_catalog.>=) $1 AND m.tree_id OPERATOR(pg_catalog.<=) $2 "
        "ORDER BY m.tree_id OFFSET 0)"
    )
    each = "pg_catalog.unnest(t.outcomes) WITH ORDINALITY AS o(outcome, place)"
    return f"SELECT {sent.floats('o.outcome')} AS outcomes FROM {rows} AS t, {each}"
