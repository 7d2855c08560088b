"""Quoting: identifiers, literals, qualified names and operators as SQL text; and the schemas of these names.

Operators of PostgreSQL's own, under every search path.

A bare operator is looked for in all schemas of the caller's search path, and one of the very types of its operands is
taken before one of pg_catalog's that has to convert them. So anybody who may create objects in one of these schemas
could have their function run by others. The same goes for what hides an operator: IN, BETWEEN, NULLIF, IS DISTINCT
FROM, CASE with an operand, a comparison of rows, JOIN .. USING, LIKE. None of these is written.

What is written by `OPERATOR()` binds alike, whatever the symbol: tighter than comparisons, AND and IS, looser than
casts. Hence the parentheses.
"""

from __future__ import annotations

import math
import re

from madtree.trees import Equality

EQUALS = Equality("OPERATOR(pg_catalog.=)")
MAX_IDENTIFIER_BYTES = 63
_BETWEEN_BACKTICKS = re.compile("`([^`]+)`")


def ident(name: str) -> str:
    """`name` as a quoted identifier. Always quoted, so that no keyword list is needed."""
    return '"' + name.replace('"', '""') + '"'


def same(left: str, equals: Equality, right: str) -> str:
    """Whether two values are the same.

    Another schema than pg_catalog may have, beside an extension's, an operator of anybody's for the very types of the
    operands, such as a domain or a text: by the type of the extension's it is the extension's that is found.
    """
    cast = f"::{equals.type_}" if equals.type_ else ""
    return f"({left}){cast} {equals.operator} ({right}){cast}" if cast else f"{left} {equals.operator} {right}"


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


# As PostgreSQL decides: small letters, digits and underscores, and no keyword that has a meaning anywhere.
_NEEDS_NONE = '^"[a-z_][a-z0-9_]*"$'
_PIECES = '"(?:[^"]|"")*"|[^"]+'  # a quoted identifier, or what is between such ones


def with_needed_quotes(written: str) -> str:
    """SQL of a text, without the quotes that it does not need; `written` is SQL that has identifiers in it, and no
    other quotes.
    """
    name = "pg_catalog.btrim(i.piece[1], '\"')"
    # Most have none.
    return f"""(CASE WHEN pg_catalog.strpos({written}, '"') OPERATOR(pg_catalog.=) 0 THEN {written} ELSE (
        SELECT pg_catalog.string_agg(
            CASE WHEN i.piece[1] COLLATE pg_catalog."C" OPERATOR(pg_catalog.~) '{_NEEDS_NONE}'
                AND {name} OPERATOR(pg_catalog.<>) ALL (ARRAY(
                    SELECT k.word FROM pg_catalog.pg_get_keywords() AS k WHERE k.catcode OPERATOR(pg_catalog.<>) 'U'))
                THEN {name} ELSE i.piece[1] END, '' ORDER BY i.place)
        FROM pg_catalog.regexp_matches({written}, '{_PIECES}', 'g') WITH ORDINALITY AS i(piece, place)) END)"""


INTERNAL = "madtree_internal"


def is_temporary(schema: str) -> bool:
    """Whether a schema, unquoted, is one of temporary tables."""
    return schema.startswith("pg_temp")


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
