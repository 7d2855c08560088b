"""The view madtree.models: every model that the caller can read, found from the tables themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from madtree.host.protocol import Host, Row
from madtree.sqltext import listing as sql
from madtree.sqltext.tables import suffixed

AT_ONCE = 100  # models asked for in one statement
# SQLSTATE classes that speak of one model's tables: dropped meanwhile, no right, other columns than they should be.
OF_ONE_MODEL = ("22", "3F", "42")

Name = tuple[str, str]  # schema and name, unquoted


def models(host: Host) -> list[Row]:
    """Rows of `madtree.models`, by schema and name.

    A table that looks like a model's and is none, or that is gone by the time it is read, has no row. Other errors,
    such as a cancel, pass.
    """
    owners = _find(host)
    names = sorted(owners)
    return [
        {"schema": name[0], "name": name[1], "owner": owners[name], **row}
        for begin in range(0, len(names), AT_ONCE)
        for name, row in _describe(host, names[begin : begin + AT_ONCE])
    ]


def _find(host: Host) -> dict[Name, str]:
    """The models whose tables are all there and readable, with their owners."""
    summaries = {(row["schema"], row["name"]) for row in host.query(sql.SUMMARIES)}
    if not summaries:
        return {}
    nodes = {(row["schema"], row["name"]) for row in host.query(sql.NODES)}
    trees = host.query(sql.TREES, ["pg_catalog.text[]"], [sorted({schema for schema, _ in summaries})])
    return {
        (row["schema"], row["name"]): row["owner"]
        for row in trees
        if (row["schema"], suffixed(row["name"], "_summary")) in summaries
        and (row["schema"], suffixed(row["name"], "_nodes")) in nodes
    }


def _describe(host: Host, names: Sequence[Name]) -> Iterator[tuple[Name, Row]]:
    """What the tables tell; where a statement for many fails, it is asked for each half."""
    try:
        found = host.query(sql.describe(names))
    except Exception as error:
        if str(getattr(error, "sqlstate", ""))[:2] not in OF_ONE_MODEL:
            raise
        if len(names) > 1:
            middle = len(names) // 2
            yield from _describe(host, names[:middle])
            yield from _describe(host, names[middle:])
        return
    for position, rows in groupby(found, key=lambda row: row["position"]):
        first, *others = rows
        if not others:  # a summary has one row
            del first["position"]
            yield names[position], first
