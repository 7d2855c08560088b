"""Numbers of many rows as one byte string, by nothing but PostgreSQL's own functions: any host can read them.

Each number has eight bytes, as PostgreSQL sends it; `madtree.learn.data.postgres_bytes` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping

from madtree.sqltext.quote import literal


def ints(expression: str, null: int = 0) -> str:
    """Integers; `null` stands where there is none."""
    return _joined(f"pg_catalog.int8send(COALESCE(({expression})::pg_catalog.int8, {literal(str(null))}))")


def truths(expression: str) -> str:
    """1 where a condition holds, else 0, as integers."""
    return ints(f"CASE WHEN {expression} THEN 1 ELSE 0 END")


def floats(expression: str, null: str = "NaN") -> str:
    """Numbers; `null` stands where there is none."""
    return _joined(f"pg_catalog.float8send(COALESCE(({expression})::pg_catalog.float8, {literal(null)}))")


def select(columns: Mapping[str, str]) -> str:
    """A SELECT list of such byte strings by name."""
    return ", ".join(f"{value} AS {name}" for name, value in columns.items())


def _joined(sent: str) -> str:
    nothing = "''::pg_catalog.bytea"
    return f"COALESCE(pg_catalog.string_agg({sent}, {nothing}), {nothing})"
