"""Relations and their columns, as statements name them."""

from __future__ import annotations

from madtree.records import dataclass
from madtree.sqltext.quote import EQUALS
from madtree.sqltext.values import Writer
from madtree.trees import Equality


@dataclass(frozen=True)
class Relation:
    """A relation that holds training rows.

    Attributes:
        oid: of pg_class.
        schema, name: unquoted.
        kind: relkind: r table, p partitioned, v view, m materialized view, f foreign table.
    """

    oid: int
    schema: str
    name: str
    kind: str

    @property
    def is_stored(self) -> bool:
        """Whether it has its rows itself, so that a few are read in no time; a view or a foreign table may take any."""
        return self.kind in ("r", "p", "m")


@dataclass(frozen=True)
class Column:
    """A grouping column of a model.

    Attributes:
        name, sql: its name, unquoted and as SQL.
        type: as `format_type` prints it.
        equals: SQL of the type's operator "equals".
        expression: SQL of its value in a row of the data; empty where that is the column of the same name.
        writer: how its values are written as text.
    """

    name: str
    sql: str
    type: str
    equals: Equality = EQUALS
    expression: str = ""
    writer: Writer | None = None

    @property
    def value(self) -> str:
        return self.expression or self.sql
