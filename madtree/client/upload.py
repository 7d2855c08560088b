"""Arrays through COPY: temporary tables that are made, filled and dropped again; and integers that come back."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import psycopg

from madtree.client.frames import Array, FrameColumn
from madtree.sqltext.quote import ident

# The binary format of COPY, https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4: a header, for each
# row the number of its columns and for each value its length in bytes and the value, big-endian; at the end -1.
_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER = b"\xff\xff"
_FIXED = {"double precision": (">f8", 8), "bigint": (">i8", 8), "boolean": ("u1", 1)}
_CHUNK = 65_536  # rows
# In pg_catalog. Texts sort by their bytes, as Python sorts them: classes come in the same order there and here.
_NAMES = {"double precision": "float8", "bigint": "int8", "boolean": "bool"}


@contextlib.contextmanager
def uploaded(connection: psycopg.Connection[Any], columns: Sequence[FrameColumn]) -> Iterator[str]:
    """The columns as a temporary table; gives its name as SQL and drops it at the end.

    It may be used in a piece of work only (see `madtree.client.session`): an error there takes the table back.
    """
    table = f"pg_temp.{ident(f'madtree_data_{secrets.token_hex(8)}')}"
    types = ", ".join(f"{ident(column.name)} {_type_sql(column.type)}" for column in columns)
    create = f"CREATE TEMPORARY TABLE {table.removeprefix('pg_temp.')} ({types})"
    connection.execute(create.encode(connection.info.encoding), prepare=False)
    copy_columns(connection, table, columns)
    names = ", ".join(ident(column.name) for column in columns)
    connection.execute(f"ANALYZE {table} ({names})".encode(connection.info.encoding))
    yield table
    connection.execute(f"DROP TABLE {table}".encode())


def _type_sql(type_: str) -> str:
    element = type_.removesuffix("[]")
    collation = ' COLLATE pg_catalog."C"' if element == "text" else ""
    return f"pg_catalog.{_NAMES.get(element, element)}{'[]' * (type_ != element)}{collation}"


def copy_columns(connection: psycopg.Connection[Any], table: str, columns: Sequence[FrameColumn]) -> None:
    """Append rows to a table, given as SQL. Missing numbers become NULL or NaN, which are missing to madtree alike."""
    names = ", ".join(ident(column.name) for column in columns)
    is_fixed = all(column.type in _FIXED and column.values.dtype != object for column in columns)
    options = "(FORMAT binary)" if is_fixed else ""
    statement = f"COPY {table} ({names}) FROM STDIN {options}".encode(connection.info.encoding)
    with connection.cursor().copy(statement) as copy:
        if is_fixed:
            copy.write(_HEADER)
            for begin in range(0, len(columns[0].values), _CHUNK):
                copy.write(_packed([column.values[begin : begin + _CHUNK] for column in columns], columns))
            copy.write(_TRAILER)
            return
        for row in zip(*(_objects_or_null(column.values) for column in columns), strict=True):
            copy.write_row(row)


def read_integers(connection: psycopg.Connection[Any], query: str) -> Array:
    """(n_rows,) the one bigint column that a query returns, without NULLs."""
    data = bytearray()
    statement = f"COPY ({query}) TO STDOUT (FORMAT binary)".encode(connection.info.encoding)
    with connection.cursor().copy(statement) as copy:
        for piece in copy:
            data += piece
    rows = memoryview(data)[len(_HEADER) : len(data) - len(_TRAILER)]
    return np.frombuffer(rows, np.dtype([("n", ">i2"), ("length", ">i4"), ("value", ">i8")]))["value"].astype(np.int64)


def _packed(chunk: Sequence[Array], columns: Sequence[FrameColumn]) -> bytes:
    """Rows in the binary format, made a column at a time."""
    fields: list[tuple[str, str]] = [("n", ">i2")]
    for place, column in enumerate(columns):
        fields += [(f"length{place}", ">i4"), (f"value{place}", _FIXED[column.type][0])]
    rows = np.zeros(len(chunk[0]), np.dtype(fields))
    rows["n"] = len(columns)
    for place, (column, values) in enumerate(zip(columns, chunk, strict=True)):
        rows[f"length{place}"] = _FIXED[column.type][1]
        rows[f"value{place}"] = values
    return rows.tobytes()


def _objects_or_null(values: Array) -> list[Any]:
    """Python's values, None where missing."""
    if values.dtype.kind == "f":
        return [None if value != value else value for value in values.tolist()]
    return list(values.tolist())
