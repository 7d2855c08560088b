"""Identifiers as the server writes them, with the quotes that they need and no others.

With `quote_all_identifiers = on`, `quote_ident`, `format_type` and the `%I` of `format` quote everything: a column is
`"x"`, the type text is `"text"`. Names and types are kept in models and compared, so they have one spelling.
"""

from __future__ import annotations

# As PostgreSQL decides: small letters, digits and underscores, and no keyword that has a meaning anywhere.
_NEEDS_NONE = '^"[a-z_][a-z0-9_]*"$'
_PIECES = '"(?:[^"]|"")*"|[^"]+'  # a quoted identifier, or what is between such ones


def with_needed_quotes(written: str) -> str:
    """SQL of a text, without the quotes that it does not need; `written` is SQL that has identifiers in it, and no
    other quotes.
    """
    name = "pg_catalog.btrim(i.piece[1], '\"')"
    return f"""(
        SELECT pg_catalog.string_agg(
            CASE WHEN i.piece[1] COLLATE pg_catalog."C" OPERATOR(pg_catalog.~) '{_NEEDS_NONE}'
                AND {name} OPERATOR(pg_catalog.<>) ALL (ARRAY(
                    SELECT k.word FROM pg_catalog.pg_get_keywords() AS k WHERE k.catcode OPERATOR(pg_catalog.<>) 'U'))
                THEN {name} ELSE i.piece[1] END, '' ORDER BY i.place)
        FROM pg_catalog.regexp_matches({written}, '{_PIECES}', 'g') WITH ORDINALITY AS i(piece, place))"""
