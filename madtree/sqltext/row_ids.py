"""Queries that tell whether a column tells the rows of a relation apart."""

from __future__ import annotations

from madtree.sqltext.query import Lasting

# Of the relation $1: what tells whether its column $2, unquoted, tells rows apart; `n_rows` is negative where unknown.
ROW_IDS = Lasting("""
SELECT c.reltuples::pg_catalog.float8 AS n_rows, COALESCE(m.amname OPERATOR(pg_catalog.=) 'heap', false) AS is_heap,
    pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT') AS may_read,
    EXISTS (
        SELECT FROM pg_catalog.pg_index AS i
        WHERE i.indrelid OPERATOR(pg_catalog.=) c.oid AND i.indisunique AND i.indisvalid
            AND i.indpred IS NULL AND i.indnkeyatts OPERATOR(pg_catalog.=) 1::pg_catalog.int2
            AND i.indkey[0] OPERATOR(pg_catalog.=) a.attnum
    ) AND NOT (c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relhassubclass) AS is_unique
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
LEFT JOIN pg_catalog.pg_am AS m ON m.oid OPERATOR(pg_catalog.=) c.relam
WHERE c.oid OPERATOR(pg_catalog.=) $1::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) $2::pg_catalog.name
    AND NOT a.attisdropped""")


def sample_of_ids(relation: str, id_sql: str, rows: int, percent: float | None) -> str:
    """A query that counts rows and different ids among `rows` rows: the first ones, or those of some of the pages."""
    sample = "" if percent is None else f" TABLESAMPLE pg_catalog.system ({percent!r}) REPEATABLE (1)"
    first = f"SELECT s.{id_sql} AS id FROM {relation} AS s{sample} LIMIT {rows}"
    return (
        "SELECT COALESCE(pg_catalog.sum(g.n), 0)::pg_catalog.int8 AS n_rows, pg_catalog.count(*) AS n_ids "
        f"FROM (SELECT pg_catalog.count(*) AS n FROM ({first}) AS f WHERE f.id IS NOT NULL GROUP BY f.id) AS g"
    )
