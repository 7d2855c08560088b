"""The rows of a test table as queries: the tree of each, the leaf that it comes to, its outcome, its weight and
its exposure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import TREE, Output, Scan, case_of_tree, tree_case
from madtree.sqltext.quote import ident
from madtree.sqltext.values import Writer, text_of
from madtree.trees import Tree


def actual_class(dependent: str, type_: str, writer: Writer | None) -> str:
    """A row's class as the text by which the model knows it."""
    return f'{text_of(f"({dependent})::{type_}", writer)} COLLATE pg_catalog."C"'


def number(expression: str) -> str:
    return f"({expression})::pg_catalog.float8"


def rows_by_case(
    scan: Scan, trees: Sequence[Tree], leaf: Output, actual: str, weight: str | None, exposure: str | None = None
) -> str:
    """A query for the rows, each with the leaf that an expression finds."""
    cases = [tree_case(t, scan.features, leaf, QUALIFIED) if t.nodes else f"NULL::{leaf.type}" for t in trees]
    if scan.groups is None:
        tree, found = f"{trees[0].tree_id}::pg_catalog.int4", cases[0]
    else:
        tree = f"madtree_model.{TREE}"
        found = f"CASE WHEN {tree} IS NOT NULL THEN {case_of_tree([t.tree_id for t in trees], cases)} END"
    weights = "".join(f", {value} AS {name}" for name, value in (("weight", weight), ("exposure", exposure)) if value)
    return f"SELECT {tree} AS tree, {found} AS leaf, {actual} AS actual{weights} FROM {scan.rows()}"


def payload(scan: Scan, tree_id: int, actual: str, weight: str | None, exposure: str | None = None) -> str:
    """What `rows_of_payload` wants of a row besides its leaf, in place of an id, which it need not have.

    `tree_id`: of rows that are not grouped; of a forest its number.
    """
    tree = f"madtree_model.{TREE}" if scan.groups else str(tree_id)
    elements = [f"({element})::pg_catalog.text" for element in (tree, actual, weight or "NULL", exposure or "NULL")]
    return f"ARRAY[{', '.join(elements)}]"


def rows_of_payload(table: str, column: str, said: Mapping[str, str], actual_type: str) -> str:
    """A query for the rows from a table, or a query in brackets, that holds payloads and what the model says; without a
    weight or an exposure these are NULL.

    `said`: for each name in the query the column that it is of.
    """
    columns = "".join(f"t.{ident(of)} AS {name}, " for name, of in said.items())
    return (
        f"SELECT (t.{ident(column)})[1]::pg_catalog.int4 AS tree, {columns}"
        f"(t.{ident(column)})[2]::{actual_type} AS actual, (t.{ident(column)})[3]::pg_catalog.float8 AS weight, "
        f"(t.{ident(column)})[4]::pg_catalog.float8 AS exposure "
        f"FROM {table} AS t"
    )
