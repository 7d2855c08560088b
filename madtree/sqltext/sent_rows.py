"""Numbers as bytes that PostgreSQL's own functions make, for whoever reads them over a connection: those of a row, and
those of a column in many rows, 8 bytes each (`madtree.learn.data.postgres_bytes` reads them).

`lseg_send` is the quickest of these functions: a line segment's bytes are its four numbers, 8 bytes each, and nothing
else. So all rows have one size. 1,000,000 rows of 11 numbers, strung together by `string_agg`, take the server 0.4 s
of processor time and the client 0.1 s. By `array_send` they take the server 1.1 s, and 12 bytes a number; by COPY in
its binary format the server 0.6 s and 12 bytes a number, and the client 2 s, since it gets each row by itself. (AMD
EPYC, PostgreSQL 15.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.sqltext.elements import Element, known_number, runs, stretch
from madtree.sqltext.quote import literal, operator


def sent_row(numbers: Sequence[str | Element]) -> str:
    """SQL of the bytes of a row, NaN for any NULL; `numbers` are SQL of a float8 each, or elements."""
    parts = []
    for first, last in runs(numbers):
        number = numbers[first]
        if isinstance(number, Element):
            parts.append(f"pg_catalog.array_send({stretch(number, last - first, careful=True)})")
        else:
            parts += _singles([known_number(str(number)) for number in numbers[first:last]])
    return f" {operator('||')} ".join(parts)


def sent_stretches(numbers: Sequence[str | Element]) -> list[tuple[int, bool]]:
    """Of what the bytes consist: numbers that stand side by side, and whether they are an array as `array_send` makes
    it.
    """
    return [(last - first, isinstance(numbers[first], Element)) for first, last in runs(numbers)]


def _singles(numbers: Sequence[str]) -> list[str]:
    """SQL of the bytes of some numbers, four at a time."""
    fours = len(numbers) - len(numbers) % 4
    parts = [
        f"pg_catalog.lseg_send(pg_catalog.lseg({_point(*numbers[i : i + 2])}, {_point(*numbers[i + 2 : i + 4])}))"
        for i in range(0, fours, 4)
    ]
    rest = list(numbers[fours:])
    if len(rest) > 1:
        parts.append(f"pg_catalog.point_send({_point(*rest[:2])})")
        rest = rest[2:]
    return parts + [f"pg_catalog.float8send({number})" for number in rest]


def _point(x: str, y: str) -> str:
    return f"pg_catalog.point({x}, {y})"


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
