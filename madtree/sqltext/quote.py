"""Quoting: identifiers, literals and qualified names as SQL text."""

from __future__ import annotations

import math
import re


def ident(name: str) -> str:
    """`name` as a quoted identifier. Always quoted, so that no keyword list is needed."""
    return '"' + name.replace('"', '""') + '"'


_PLAIN_NAME = re.compile(r'[a-z_][a-z0-9_]*|"(?:[^"]|"")+"')


def is_plain_name(sql: str) -> bool:
    """Whether `sql` is one identifier as `quote_ident` writes it, and no expression."""
    return _PLAIN_NAME.fullmatch(sql) is not None


def qualified(schema: str, name: str) -> str:
    return f"{ident(schema)}.{ident(name)}"


def literal(text: str) -> str:
    """`text` as a string literal, safe under either setting of standard_conforming_strings."""
    quoted = text.replace("'", "''")
    if "\\" in quoted:
        return "E'" + quoted.replace("\\", "\\\\") + "'"
    return "'" + quoted + "'"


def float_literal(value: float) -> str:
    """`value` as a float8 literal that reads back to the same bits."""
    if math.isnan(value):
        return "'NaN'::pg_catalog.float8"
    if math.isinf(value):
        return ("'Infinity'" if value > 0 else "'-Infinity'") + "::pg_catalog.float8"
    return f"'{value!r}'::pg_catalog.float8"


def text_array(values: list[str]) -> str:
    """`values` as a text[] expression."""
    return "ARRAY[" + ", ".join(literal(v) for v in values) + "]::pg_catalog.text[]"
