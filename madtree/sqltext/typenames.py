"""Names of types: as statements write them, and made safe to be looked up."""

from __future__ import annotations

import re

from madtree.sqltext.quote import qualified
from madtree.sqltext.split import parse_name

# What `format_type` prints for types whose own names are others.
_OWN_NAMES = {
    "boolean": "bool",
    "smallint": "int2",
    "integer": "int4",
    "bigint": "int8",
    "real": "float4",
    "double precision": "float8",
    "character": "bpchar",
    "character varying": "varchar",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
    "time without time zone": "time",
    "time with time zone": "timetz",
    "bit varying": "varbit",
}


# Types that are keywords of the grammar: these names mean PostgreSQL's own type under every search path.
_KEYWORD_TYPE = re.compile(
    r"(boolean|smallint|integer|bigint|real|double precision|numeric|character|bit|time|timestamp|interval)\b"
)
_QUALIFIED_TYPE = re.compile(r'("([^"]|"")+"|[^".\s(\[]+)\.')


def type_sql(name: str) -> str:
    """A type's name, as the catalogue look-up spells it, so that no search path can give it another meaning."""
    if _KEYWORD_TYPE.match(name) or _QUALIFIED_TYPE.match(name):
        return name
    return f"pg_catalog.{name}"


def quoted_type(name: str) -> str | None:
    """A type's name, as the catalogue look-up spelled it once, with its schema and in quotes; None if it is no name.

    So `to_regtype` needs no grammar, which could refuse it with an error, and no search path.

    >>> quoted_type('double precision')
    '"pg_catalog"."float8"'
    """
    if name in _OWN_NAMES:
        return qualified("pg_catalog", _OWN_NAMES[name])
    parts = parse_name(name)
    if parts is None or len(parts) > 2 or not all(0 < len(part.encode()) < 64 for part in parts):
        return None
    return qualified(*(parts if len(parts) == 2 else ("pg_catalog", parts[0])))
