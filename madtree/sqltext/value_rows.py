"""Rows of literals in place of a table that is on another server."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import ident, literal
from madtree.sqltext.typenames import type_sql


def value_rows(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str | None]]) -> str:
    """A query in brackets for some rows, which needs an alias.

    Args:
        columns: name, unquoted, and type of each.
        rows: their values as texts, None for NULL.
    """
    names = ", ".join(ident(name) for name, _ in columns)
    types = [type_sql(type_) for _, type_ in columns]
    nothing = ", ".join(f"NULL::{type_}" for type_ in types)
    if not rows:
        return f"(SELECT * FROM (SELECT {nothing} WHERE false) AS madtree_values ({names}))"
    values = ", ".join(
        "(" + ", ".join(f"{_text(text)}::{type_}" for text, type_ in zip(row, types, strict=True)) + ")" for row in rows
    )
    return f"(SELECT * FROM (VALUES {values}) AS madtree_values ({names}))"


def _text(text: str | None) -> str:
    return "NULL" if text is None else literal(text)
