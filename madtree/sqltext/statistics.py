"""Statements about how the values of a model's training rows are distributed, which `<output>_statistics` keeps."""

from __future__ import annotations

from madtree.sqltext import sent_rows as sent
from madtree.sqltext.quote import literal, spelled_out
from madtree.sqltext.tables import NULL_PROXY, STATISTICS_COLUMNS, model_table
from madtree.trees import MAX_CATEGORIES

MOST_ROWS, MOST_BYTES = 500_000, 64 * 2**20  # of a table of statistics: rows, and of their texts


def kept(schema: str, name: str) -> str:
    """The rows, those of a feature in order."""
    columns = ", ".join(f"s.{column}" for column, _ in STATISTICS_COLUMNS)
    table = model_table(schema, name, "_statistics")
    return f"SELECT {columns} FROM {table} AS s ORDER BY s.feature, s.place LIMIT {MOST_ROWS + 1}"


def categories(table: str, most: int) -> str:
    """All categories that any tree of `table`, which has a row for each, has seen of each unordered feature: its
    place among these from 1, and the text. Where they are more than `most`, one more than these.
    """
    # Those of all features stand in one list, and how many are of which in another.
    return spelled_out(f"""SELECT DISTINCT f.feature, l.category FROM {{table}} AS t
CROSS JOIN LATERAL (
    SELECT n.place AS feature, n.size, pg_catalog.sum(n.size) OVER (ORDER BY n.place) `-` n.size AS before
    FROM pg_catalog.unnest(t.cat_n_levels) WITH ORDINALITY AS n(size, place)
) AS f
CROSS JOIN LATERAL pg_catalog.unnest(CASE
    WHEN f.size `>` 0 AND f.size `<=` {MAX_CATEGORIES + 1} AND f.before `>=` 0 AND f.before `<` {2**30}
    THEN t.cat_levels_in_text[f.before::pg_catalog.int4 `+` 1:f.before::pg_catalog.int4 `+` f.size] END
) AS l(category)
WHERE l.category `<>` {literal(NULL_PROXY)} LIMIT {most + 1}""").format(table=table)


def size(schema: str, name: str) -> str:
    """How many rows the table has, and how many bytes its texts have, the `largest` and all in `total`."""
    columns = [column for column, kind in STATISTICS_COLUMNS if kind == "text"]
    lengths = ", ".join(f"COALESCE(pg_catalog.octet_length(s.{column}), 0)" for column in columns)
    return (
        "SELECT pg_catalog.count(*) AS n, COALESCE(pg_catalog.max(t.size), 0) AS largest, "
        "COALESCE(pg_catalog.sum(t.size), 0)::pg_catalog.int8 AS total "
        f"FROM (SELECT GREATEST({lengths}) AS size FROM {model_table(schema, name, '_statistics')} AS s) AS t"
    )


def rows_of_nodes(schema: str, name: str) -> str:
    """The training rows of all nodes that are rows, in order of tree and id, as integers sent."""
    nodes = f"SELECT m.n_rows FROM {model_table(schema, name, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0"
    return f"SELECT {sent.select({'n_rows': sent.ints('n.n_rows')})} FROM ({nodes}) AS n"
