"""Where a relation's rows are: in plain tables of this server, which are read by place, or with Citus."""

from __future__ import annotations

from madtree.host import Host
from madtree.sqltext import distributed as sql
from madtree.sqltext import work as work_sql

_OID, _TEXT = "pg_catalog.oid", "pg_catalog.text"


def has_citus(host: Host) -> bool:
    return bool(host.query(sql.HAS_CITUS))


def placement(host: Host, oid: int) -> str | None:
    """How a relation is held: "spread" over servers, "whole" in one place of a cluster, None: in PostgreSQL's way."""
    found = host.query(sql.PLACEMENT, [_OID], [oid]) if has_citus(host) else []
    if not found:
        return None
    return "whole" if found[0]["method"] == "n" else "spread"


def distribution_column(host: Host, oid: int) -> str | None:
    """The column, unquoted, by whose hash a relation's rows are spread; None where they are spread otherwise."""
    found = host.query(sql.DISTRIBUTION_COLUMN, [_OID], [oid])
    return str(found[0]["name"]) if found else None


def distribute_beside(host: Host, table: str, column: str, beside: str) -> None:
    """Spread an empty table by a column, its rows to the servers where the table `beside` has its rows of equal values
    in its own; does nothing on plain PostgreSQL.

    Args:
        table, beside: SQL names.
    """
    if has_citus(host):
        host.query(sql.DISTRIBUTE_BESIDE, [_TEXT] * 3, [table, column, beside])


def oid_of(host: Host, table: str) -> int:
    """Of a table by its SQL name."""
    return int(host.query(work_sql.OID_OF, [_TEXT], [table])[0]["oid"])


def plain_tables(host: Host, oid: int, held: str | None) -> list[int]:
    """The tables, by OID, that hold the relation's rows and can be read page by page; none where it must be copied to
    be read so, or read as a whole.

    Args:
        held: the relation's placement. What Citus holds is an empty shell here, though it looks like a table.
    """
    if held is not None:
        return []
    return [int(row["oid"]) for row in host.query(work_sql.LEAVES, [_OID], [oid])]
