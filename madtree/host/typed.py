"""Parameters of the types that the host protocol names: psycopg would choose its own by the values' Python types."""

from __future__ import annotations

from typing import Any

from psycopg import postgres
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper, PyFormat, Transformer
from psycopg.pq import Format


class Typed:
    """A value as PostgreSQL reads it from text, and the OID of its type."""

    def __init__(self, text: bytes | None, oid: int) -> None:
        self.text, self.oid = text, oid


class TypedDumper(Dumper):
    """Hands a `Typed` over: there is one of these for each type."""

    format = Format.TEXT

    def get_key(self, obj: Any, format: PyFormat) -> Any:
        return self.cls, obj.oid

    def upgrade(self, obj: Any, format: PyFormat) -> TypedDumper:
        made = TypedDumper(self.cls)
        made.oid = obj.oid
        return made

    def dump(self, obj: Any) -> Buffer | None:
        text: bytes | None = obj.text
        return text


def typed(value: Any, type_: str, context: AdaptContext) -> Typed:
    """A parameter; `type_` is one of PostgreSQL's own types, or an array of it. Raises KeyError for any other."""
    name = type_.removeprefix("pg_catalog.")
    info = postgres.types[name.removesuffix("[]")]
    oid = info.array_oid if name.endswith("[]") else info.oid
    if value is None:
        return Typed(None, oid)
    if isinstance(value, bytes | memoryview):
        # psycopg would double the backslash where standard_conforming_strings is off, as in a literal.
        return Typed(rb"\x" + bytes(value).hex().encode(), oid)
    dumper = Transformer(context).get_dumper(value, PyFormat.TEXT)
    text = dumper.dump(value)
    return Typed(None if text is None else bytes(text), oid)
