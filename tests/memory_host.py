"""A host without a server: a catalogue in plain values answers what madtree looks up before it reads rows.

It runs no SQL and knows none. It answers the catalogue's constant queries, and those that are made for what they ask of
by what that is (`madtree.sqltext.catalog.look_up`). What PostgreSQL alone can tell, such as the type of an expression,
the catalogue has been told. `tests/sql/arguments/test_memory_host.py` holds both against a server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from madtree.host import Query, Row, Sharing, StepDone
from madtree.sqltext import aliases, catalog, owners, predict, sessions, trust, work, workers
from madtree.sqltext.query import LookUp
from madtree.sqltext.quote import EQUALS
from madtree.sqltext.split import parse_name

# PostgreSQL's own types by pg_type.typcategory.
_TYPES = {
    "B": ("boolean",),
    "N": ("smallint", "integer", "bigint", "real", "double precision", "numeric", "money"),
    "S": ("text", "character varying", "bpchar", "name"),
    "D": (
        "date",
        "timestamp without time zone",
        "timestamp with time zone",
        "time without time zone",
        "time with time zone",
    ),
    "T": ("interval",),
    "I": ("inet",),
    "V": ("bit varying",),
    "U": ("jsonb", "uuid", "bytea", "json", "xid"),
    "G": ("point",),
    "P": ("record",),
}
_FIRST_TYPE = 10_000  # of those numbers that differ from server to server
_CATEGORIES = {type_: category for category, types in _TYPES.items() for type_ in types}
_WITHOUT_ORDER = frozenset({"json", "xid", "point"})
_WITH_TYPMOD = re.compile(r"\(\d+(,\d+)?\)")
_PLAIN = re.compile("[a-z_][a-z0-9_]*")
_KEYWORDS = frozenset(
    [
        "all",
        "and",
        "any",
        "array",
        "as",
        "case",
        "desc",
        "else",
        "end",
        "group",
        "in",
        "limit",
        "not",
        "null",
        "order",
        "select",
        "table",
        "user",
    ]
)


class RefusedError(Exception):
    """What PostgreSQL says of a statement that it cannot run, as its own error."""

    def __init__(self, sqlstate: str, words: str) -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


@dataclass(frozen=True)
class Value:
    """What PostgreSQL knows of an expression: its type, and what it calls a column of its values."""

    type: str
    name: str = "?column?"


@dataclass(frozen=True)
class Enum:
    """A type of the schema `Catalogue.schema`."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A relation of the schema `Catalogue.schema`.

    Attributes:
        columns: type by name, as PostgreSQL prints it.
        rows: by column, a text for each row as PostgreSQL reads and prints the value; columns that are not here are
            NULL.
        kind: pg_class.relkind.
        n_rows: the planner's estimate.
        is_own: whether the caller owns it.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    kind: str = "r"
    n_rows: int = 0
    is_own: bool = True

    def texts(self, column: str) -> list[str | None]:
        """A column's values."""
        n_rows = max(map(len, self.rows.values()), default=0)
        return list(self.rows.get(column, [None] * n_rows))


@dataclass(frozen=True)
class Catalogue:
    """What there is in a database, as far as a caller sees it.

    Attributes:
        tables: by name, in `schema`.
        types: made by the caller, in `schema`.
        expressions: over rows of any of the tables: what they are, or how PostgreSQL refuses them.
        schema: on top of the search path; None: the search path names none that exists.
        schemas: further ones, empty; whether the caller may create tables in each.
        may_create: whether the caller may create tables in `schema`.
        limits: of parallel workers.
    """

    tables: Mapping[str, Table]
    types: Sequence[Enum] = ()
    expressions: Mapping[str, Value | RefusedError] = field(default_factory=dict)
    schema: str | None = "shop"
    schemas: Mapping[str, bool] = field(default_factory=lambda: {"public": True})
    may_create: bool = True
    limits: Mapping[str, Any] = field(
        default_factory=lambda: {"per_gather": 2, "parallel": 8, "processes": 8, "resident": True}
    )

    def statements(self) -> Iterator[str]:
        """The same in a server's current schema."""
        for enum in self.types:
            yield f'CREATE TYPE "{enum.name}" AS ENUM ({", ".join(map(_literal, enum.labels))})'
        for name, table in self.tables.items():
            if table.kind == "S":
                yield f'CREATE SEQUENCE "{name}"'
            if table.kind not in "rv":
                continue
            columns = [f'"{column}" {type_}' for column, type_ in table.columns.items()]
            yield f'CREATE TABLE "{name}" ({", ".join(columns)})'
            if table.rows:
                texts = [table.texts(column) for column in table.columns]
                rows = [", ".join(map(_literal, row)) for row in zip(*texts, strict=True)]
                yield f'INSERT INTO "{name}" VALUES ({"), (".join(rows)})'
        yield from (f"CREATE INDEX {name} ON data (id)" for name, table in self.tables.items() if table.kind == "i")


class MemoryHost:
    """A session in which no statement runs; it keeps what it is told.

    Attributes:
        said: severity and text of each message.
        settings: those that somebody has set.
    """

    def __init__(
        self,
        catalogue: Catalogue | None = None,
        answers: Mapping[str, list[Row]] | None = None,
        in_server: bool = False,
        has_extension: bool = True,
    ) -> None:
        """`answers`: to further constant queries."""
        self.catalogue = catalogue or Catalogue({})
        self.in_server, self.has_extension = in_server, has_extension
        self.kept: dict[str, Any] = {}
        self.said: list[tuple[str, str]] = []
        self.steps: list[StepDone] = []  # that were told of
        self.settings: dict[str, str] = {}
        self._relations = {name: 16_384 + number for number, name in enumerate(self.catalogue.tables)}
        self._types: list[str] = []
        self._answers: dict[object, Callable[..., list[Row]]] = {
            catalog.RELATION: self._relation,
            owners.OTHERS_SCHEMA: lambda oid: [],
            trust.OTHERS_TYPES: lambda oids: [],
            aliases.ALIAS: lambda oid: [],
            catalog.SCHEMA_EXISTS: lambda schema: [{"found": schema in self._schemas}],
            catalog.RELATION_NAMES: self._relation_names,
            catalog.SCHEMAS_OF_RELATION: self._schemas_of,
            catalog.COLUMNS: self._columns,
            catalog.TYPES: lambda oids: [self._type(oid) for oid in oids],
            catalog.OUTPUT_SCHEMA: self._output_schema,
            catalog.TABLE_COLUMNS: self._table_columns,
            catalog.GENERATED_FROM: lambda oid: [],
            catalog.QUOTED_NAME: lambda name: [{"sql": _quoted(name)}],
            catalog.probe: self._probe,
            catalog.hold: lambda schema, name: [],
            catalog.name_probe: lambda schema, name, expression: [{self._value(name, expression).name: None}],
            catalog.array_lengths: self._array_lengths,
            catalog.array_example: self._array_example,
            workers.HAS_CITUS: lambda: [],
            work.LEAVES: lambda oid: [{"oid": oid}] if self._table_of(oid).kind in "rm" else [],
            workers.LIMITS: lambda: [dict(self.catalogue.limits)],
            predict.estimate: self._estimate,
            sessions.current_settings: lambda names: [{name: self.settings.get(name, "") for name in names}],
            sessions.setting_if_any(sessions.READS_BY_ITSELF): lambda: [{"setting": None}],  # there is no Citus
            sessions.SET_LOCAL: self._set,
            **{query: (lambda *_, rows=rows: rows) for query, rows in (answers or {}).items()},
        }

    @property
    def source(self) -> MemoryHost:
        return self

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        """What the catalogue says; raises LookupError of a query that it knows nothing of."""
        if isinstance(sql, LookUp) and sql.builder in self._answers:
            return self._answers[sql.builder](**sql.arguments)
        if sql not in self._answers:
            raise LookupError(f"without a server nobody answers to {sql}")
        return self._answers[sql](*params)

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        raise LookupError(f"without a server nobody runs {sql}")

    def stream(self, sql: str, batch: int = 1) -> Generator[Row, None, None]:
        yield from self.query(sql)

    def data_stream(self, sql: str, batch: int = 1) -> Iterator[Row]:
        yield from self.query(sql)

    def data_ahead(self, requests: Iterable[Query], sharing: Sharing | None = None) -> Generator[list[Row], None, None]:
        return (self.query(*request) for request in requests)

    def training_begins(self) -> None:
        """Nothing of it is written anywhere."""

    @contextmanager
    def shown(self) -> Iterator[Callable[[str], None]]:
        """Nobody looks."""
        yield lambda text: None

    def let_in(self) -> None:
        """Nobody cancels it."""

    def notice(self, message: str) -> None:
        self.said.append(("NOTICE", message))

    def warning(self, message: str) -> None:
        self.said.append(("WARNING", message))

    def info(self, message: str, step: StepDone | None = None) -> None:
        self.said.append(("INFO", message))
        self.steps += [] if step is None else [step]

    # Relations

    @property
    def _schemas(self) -> dict[str, bool]:
        own = {} if self.catalogue.schema is None else {self.catalogue.schema: self.catalogue.may_create}
        return {**self.catalogue.schemas, **own}

    def _relation(self, given: str) -> list[Row]:
        *schema, name = parse_name(given) or ("",)
        if name not in self.catalogue.tables or schema not in ([], [self.catalogue.schema]):
            return []
        kind = self.catalogue.tables[name].kind
        return [{"oid": self._relations[name], "schema": self.catalogue.schema, "name": name, "kind": kind}]

    def _schemas_of(self, name: str) -> list[Row]:
        table = self.catalogue.tables.get(name)
        return [{"schema": self.catalogue.schema}] if table and table.kind in "rpvmf" else []

    def _relation_names(self, schema: str | None) -> list[Row]:
        if schema not in (None, self.catalogue.schema):
            return []
        return [{"name": name} for name, table in self.catalogue.tables.items() if table.kind in "rpvmf"]

    def _output_schema(self, schema: str | None, names: Sequence[str]) -> list[Row]:
        found = self.catalogue.schema if schema is None else schema
        if found is None or found not in self._schemas:
            return []
        existing = [name for name in names if name in self.catalogue.tables and found == self.catalogue.schema]
        told = {"schema": found, "may_create": self._schemas[found], "may_be_swapped": False, "existing": existing}
        return [told]

    def _table_columns(self, schema: str, names: Sequence[str]) -> list[Row]:
        found = {} if schema != self.catalogue.schema else self.catalogue.tables
        return [
            {
                "name": name,
                "columns": list(table.columns),
                "is_owner": table.is_own,
                "is_own": table.is_own,
                "owner": 10 if table.is_own else 11,
                "is_view": table.kind == "v",
                "schema": 0,
            }
            for name, table in found.items()
            if name in names and table.kind in "rv"
        ]

    def _table_of(self, oid: int) -> Table:
        (name,) = (name for name, number in self._relations.items() if number == oid)
        return self.catalogue.tables[name]

    def _columns(self, oid: int) -> list[Row]:
        return [
            {
                "name": name,
                "sql": _quoted(name),
                "type_oid": self._oid(type_),
                "full_type": self._qualified(type_),
                "equals": [EQUALS.operator],
                "may_read": True,
            }
            for name, type_ in self._table_of(oid).columns.items()
        ]

    # Types: a number for each that has been asked for

    def _oid(self, type_: str) -> int:
        if type_ not in self._types:
            self._types.append(type_)
        return _FIRST_TYPE + self._types.index(type_)

    @cached_property
    def _enums(self) -> dict[str, Enum]:
        return {_quoted(enum.name): enum for enum in self.catalogue.types}

    def _qualified(self, type_: str) -> str:
        return f"{self.catalogue.schema}.{type_}" if type_.removesuffix("[]") in self._enums else type_

    def _type(self, oid: int) -> Row:
        type_ = self._types[oid - _FIRST_TYPE]
        base = type_.removesuffix("[]")
        enum = self._enums.get(base)
        if enum is None:
            base = _WITH_TYPMOD.sub("", base)
            base = "bpchar" if base == "character" else base
        name = base + "[]" * type_.endswith("[]")
        return {
            "asked": oid,
            "name": self._qualified(name),
            "base": self._qualified(base),
            "is_array": type_.endswith("[]"),
            "trusted": True,
            "bare": self._qualified(name),
            "bare_trusted": True,
            "typtype": "e" if enum else "p" if base == "record" else "b",
            "category": "E" if enum else _CATEGORIES[base],
            "equals": [EQUALS.operator],
            "own": enum is None,
            "labels": list(enum.labels) if enum else [],
        }

    # Expressions and rows

    def _value(self, table: str, expression: str) -> Value:
        columns = self.catalogue.tables[table].columns
        if expression.startswith("(") and expression[1:-1] in self.catalogue.expressions:
            expression = expression[1:-1]
        found = self.catalogue.expressions.get(expression)
        if found is None and (name := parse_name(expression)) and name[0] in columns:
            found = Value(columns[name[0]], name[0])
        if found is None:
            raise LookupError(f"the catalogue knows nothing of the expression {expression}")
        if isinstance(found, RefusedError):
            raise found
        return found

    def _probe(self, schema: str, name: str, expressions: Sequence[str], group_by: Sequence[str]) -> list[Row]:
        oids = [self._oid(self._value(name, expression).type) for expression in expressions]
        for key in group_by:
            type_ = self._value(name, key).type
            if type_ in _WITHOUT_ORDER:
                raise RefusedError("42883", f"could not identify an ordering operator for type {type_}")
        return [{"oids": oids}]

    def _array_lengths(self, schema: str, name: str, arrays: Sequence[str]) -> list[Row]:
        table = self.catalogue.tables[name]
        row: Row = {"n_rows": max((len(texts) for texts in table.rows.values()), default=0)}
        for i, array in enumerate(arrays):
            (column,) = parse_name(array) or ("",)
            shapes = [_shape(text) for text in table.texts(column) if text is not None]
            lengths = [length for length, _ in shapes]
            row |= {f"min_{i}": min(lengths, default=None), f"max_{i}": max(lengths, default=None)}
            row[f"odd_{i}"] = any(_is_odd(dims) for _, dims in shapes)
        return [row]

    def _array_example(self, schema: str, name: str, id_text: str, array: str, length: int | None) -> list[Row]:
        table = self.catalogue.tables[name]
        (column,) = parse_name(array) or ("",)
        for id_, text in zip(table.texts("id"), table.texts(column), strict=True):
            found, dims = _shape(text or "{}")
            if _is_odd(dims) if length is None else found == length:
                return [{"id": id_, "dims": dims}]
        return []

    def _estimate(self, source: str) -> list[Row]:
        name = (parse_name(source) or ("",))[-1]
        table, planned = self.catalogue.tables[name], int(self.catalogue.limits["per_gather"])
        scan = f"Seq Scan on {name}  (cost=0.00..1.00 rows={table.n_rows} width=0)"
        if table.kind == "r" and planned and self.settings.get("parallel_setup_cost") == "0":
            gather = f"Gather  (cost=0.00..1.00 rows={table.n_rows} width=0)"
            return [
                {"QUERY PLAN": line} for line in (gather, f"  Workers Planned: {planned}", f"  ->  Parallel {scan}")
            ]
        return [{"QUERY PLAN": scan}]

    def _set(self, name: str, value: str) -> list[Row]:
        self.settings[name] = value
        return [{"set_config": value}]


def _quoted(name: str) -> str:
    """As PostgreSQL's quote_ident, for the keywords that tests use."""
    if _PLAIN.fullmatch(name) and name not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def _shape(array: str) -> tuple[int, str]:
    """How many elements an array has that is written as text, and its array_dims."""
    bounds = re.match(r"\[(-?\d+):(-?\d+)\]=", array)
    body = array[bounds.end() :] if bounds else array
    depth = len(body) - len(body.lstrip("{"))
    elements = [part for part in re.split(r"[{},]", body) if part]
    if bounds:
        return len(elements), bounds[0].removesuffix("=")
    if depth < 2:
        return len(elements), f"[1:{len(elements)}]"
    outer = body.count("{") - 1
    return len(elements), f"[1:{outer}][1:{len(elements) // outer}]"


def _is_odd(dims: str) -> bool:
    """Whether there are several dimensions, or the first element is not the first."""
    return dims.count("[") > 1 or not dims.startswith("[1:")
