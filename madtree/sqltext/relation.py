"""Relations and their columns, as statements name them."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.sqltext.operators import EQUALS


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


@dataclass(frozen=True)
class Column:
    """A grouping column: its unquoted name, the SQL that names it, its type as `format_type` prints it, and SQL of the
    type's operator "equals".
    """

    name: str
    sql: str
    type: str
    equals: str = EQUALS
