"""Statements about how the values of a model's training rows are spread, which `<output>_statistics` keeps."""

from __future__ import annotations

from madtree.sqltext import sent_rows as sent
from madtree.sqltext.inserts import unnested
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.tables import NULL_PROXY, STATISTICS_COLUMNS, model_table

MOST_ROWS = 1_000_000  # of a table of statistics


def create(schema: str, name: str) -> str:
    """An empty table."""
    table = model_table(schema, name, "_statistics")
    columns = ", ".join(f"{ident(column)} pg_catalog.{kind}" for column, kind in STATISTICS_COLUMNS)
    return f"CREATE TABLE {table} ({columns})"


def fill(schema: str, name: str) -> str:
    """Rows from one array literal per column of `STATISTICS_COLUMNS`."""
    names = ", ".join(column for column, _ in STATISTICS_COLUMNS)
    values = ", ".join(f"s.{column}" for column, _ in STATISTICS_COLUMNS)
    table = model_table(schema, name, "_statistics")
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM {unnested('s', STATISTICS_COLUMNS)}"


def kept(schema: str, name: str) -> str:
    """The rows, those of a feature in order."""
    columns = ", ".join(f"s.{column}" for column, _ in STATISTICS_COLUMNS)
    table = model_table(schema, name, "_statistics")
    return f"SELECT {columns} FROM {table} AS s ORDER BY s.feature, s.place LIMIT {MOST_ROWS + 1}"


def categories(table: str) -> str:
    """All categories that any tree of `table`, which has a row for each, has seen of each unordered feature: its
    place among these from 1, and the text.
    """
    # Those of all features stand in one list, and how many are of which in another.
    return f"""SELECT DISTINCT f.feature, l.category FROM {table} AS t
CROSS JOIN LATERAL (
    SELECT n.place AS feature, pg_catalog.sum(n.size) OVER (ORDER BY n.place) AS last, n.size
    FROM pg_catalog.unnest(t.cat_n_levels) WITH ORDINALITY AS n(size, place)
) AS f
CROSS JOIN LATERAL (
    SELECT u.category FROM pg_catalog.unnest(t.cat_levels_in_text) WITH ORDINALITY AS u(category, place)
    WHERE u.place OPERATOR(pg_catalog.<=) f.last
        AND u.place OPERATOR(pg_catalog.>) (f.last OPERATOR(pg_catalog.-) f.size)
) AS l
WHERE l.category OPERATOR(pg_catalog.<>) {literal(NULL_PROXY)}"""


def rows_of_nodes(schema: str, name: str) -> str:
    """The training rows of all nodes that are rows, in order of tree and id, as integers sent."""
    nodes = f"SELECT m.n_rows FROM {model_table(schema, name, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0"
    return f"SELECT {sent.select({'n_rows': sent.ints('n.n_rows')})} FROM ({nodes}) AS n"
