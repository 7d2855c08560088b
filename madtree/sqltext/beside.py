"""Statements that make a table beside a model that is there."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.inserts import unnested
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table

Columns = Sequence[tuple[str, str]]  # name, type


def create(schema: str, name: str, suffix: str, columns: Columns) -> str:
    """An empty table."""
    definitions = ", ".join(f"{ident(column)} pg_catalog.{kind}" for column, kind in columns)
    return f"CREATE TABLE {model_table(schema, name, suffix)} ({definitions})"


def fill(schema: str, name: str, suffix: str, columns: Columns) -> str:
    """Rows from one array literal per column."""
    names = ", ".join(column for column, _ in columns)
    values = ", ".join(f"s.{column}" for column, _ in columns)
    return f"INSERT INTO {model_table(schema, name, suffix)} ({names}) SELECT {values} FROM {unnested('s', columns)}"
