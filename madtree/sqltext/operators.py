"""Operators of PostgreSQL's own, under every search path.

A bare operator is looked for in all schemas of the caller's search path, and one of the very types of its operands is
taken before one of pg_catalog's that has to convert them. So anybody who may create objects in one of these schemas
could have their function run by others. The same goes for what hides an operator: IN, BETWEEN, NULLIF, IS DISTINCT
FROM, CASE with an operand, a comparison of rows, JOIN .. USING, LIKE. None of these is written.

What is written by `OPERATOR()` binds alike, whatever the symbol: tighter than comparisons, AND and IS, looser than
casts. Hence the parentheses.
"""

from __future__ import annotations

import re

EQUALS = "OPERATOR(pg_catalog.=)"
_BETWEEN_BACKTICKS = re.compile("`([^`]+)`")


def operator(symbol: str, schema: str = "pg_catalog") -> str:
    """An operator of a schema, by default of PostgreSQL's own."""
    return f"OPERATOR({schema}.{symbol})"


def binary(left: str, symbol: str, right: str) -> str:
    """`left symbol right` in parentheses. The operands are names, casts, calls, or in parentheses themselves."""
    return f"({left} {operator(symbol)} {right})"


def spelled_out(template: str) -> str:
    """A template with its operators, which stand between backticks: `` `+` `` becomes ``OPERATOR(pg_catalog.+)``.

    Only for text of our own: a user's names may have backticks.
    """
    return _BETWEEN_BACKTICKS.sub(lambda match: operator(match[1]), template)
