"""Names of types: as statements write them, and made safe to be looked up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from madtree.sqltext.quote import ident, operator, qualified
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
_PLAIN = re.compile("[a-z_][a-z0-9_]*")
_QUALIFIED_TYPE = re.compile(r'("([^"]|"")+"|[^".\s(\[]+)\.')

_NAME = r'(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)'
_WORDS = "precision|varying|with|without|time|zone|year|month|day|hour|minute|second|to"  # behind a type's first one
_SPELLED_TYPE = re.compile(rf"(?P<name>{_NAME}(?:\.{_NAME})?)( ({_WORDS})|\(-?\w+(, ?-?\w+)*\))*(?P<brackets>(\[\])*)")
_SYMBOL = frozenset("<>=~!@#%^&|?")  # what an "equals" is made of


def is_type(text: str) -> bool:
    """Whether a text is a type and nothing more, as a catalogue look-up spells it.

    >>> is_type("timestamp(3) with time zone"), is_type("integer DEFAULT f()")
    (True, False)
    """
    return _SPELLED_TYPE.fullmatch(text) is not None


def made_type(text: str) -> str | None:
    """A type without its modifiers, as a catalogue look-up spells it, in quotes; None for those of PostgreSQL's own.

    >>> made_type("shop.code(3)[]")
    '"shop"."code"[]'
    """
    found = _SPELLED_TYPE.fullmatch(text)
    parts = parse_name(found["name"]) if found else None
    if found is None or parts is None or len(parts) < 2 or parts[0] == "pg_catalog":
        return None
    return qualified(*parts) + found["brackets"]


def is_equality(parts: Sequence[str]) -> bool:
    """Whether texts are an "equals" with its schema and, perhaps, a type, as a catalogue look-up spells them."""
    schema, _, symbol = parts[0].partition("(")[2].removesuffix(")").rpartition(".")
    fits = parts[0] == operator(symbol, schema) and len(parse_name(schema) or ()) == 1 and {*symbol} <= _SYMBOL
    return fits and all(map(is_type, parts[1:]))


def is_name_of(text: str, name: str) -> bool:
    """Whether a text is an identifier, with quotes where it needs them, of that name."""
    return text == ident(name) or (text == name and _PLAIN.fullmatch(name) is not None)


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
