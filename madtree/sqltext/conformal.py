"""Statements about how far predictions may be off, which `<output>_conformal` keeps."""

from __future__ import annotations

from madtree.sqltext.operators import spelled_out
from madtree.sqltext.tables import model_table

MOST_GROUPS = 2**20


def kept(schema: str, name: str, most: int) -> str:
    """The quantiles of the level $1, that of all groups together first."""
    return spelled_out("""SELECT c.tree_id, c.quantile FROM {table} AS c WHERE c.level `=` $1
ORDER BY c.tree_id NULLS FIRST LIMIT {most}""").format(table=model_table(schema, name, "_conformal"), most=most + 1)


def levels(schema: str, name: str, most: int) -> str:
    """The levels that are kept, so many at most."""
    return f"""SELECT DISTINCT c.level FROM {model_table(schema, name, "_conformal")} AS c
WHERE c.level IS NOT NULL ORDER BY c.level LIMIT {most}"""
