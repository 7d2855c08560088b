"""The view madtree.models: every model that the caller can read, found from the tables themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from madtree.host import Host, Row
from madtree.records import dataclass
from madtree.sqltext import listing as sql
from madtree.sqltext.tables import model_table, suffixed
from madtree.sqltext.trust import lock

AT_ONCE = 16  # models asked for in one statement: planning takes longer than its parts for many
# SQLSTATE classes that speak of one model's tables: dropped meanwhile, no right, other columns than they should be.
OF_ONE_MODEL = ("22", "3F", "42")

_OF_NODES = ("_nodes", "_packed")
NO_TEXT = "22021"  # SQLSTATE of bytes that are none by the encoding

NOT_TOLD = dict.fromkeys(sql.TOLD)  # of a model whose tables are not read


@dataclass(frozen=True)
class Found:
    """A model that is to be listed.

    Attributes:
        schema, name: unquoted.
        owner: of its table of trees.
        columns: of its summary, those that can be read.
        trusted: whether its tables may be read: all of them are of owners that the caller trusts.
    """

    schema: str
    name: str
    owner: str
    columns: list[str]
    trusted: bool


def models(host: Host) -> list[Row]:
    """Rows of `madtree.models`, by schema and name.

    A table that looks like a model's and is none, or that is gone by the time it is read, has no row. Of a model of
    owners that the caller does not trust, its row has what the catalogue says. Other errors, such as a cancel, pass.
    """
    try:
        found = _find(host)
    except Exception as error:
        if not isinstance(error, UnicodeError) and getattr(error, "sqlstate", "") != NO_TEXT:
            raise
        found = _find(host, legible=True)
    read = [model for model in found if model.trusted]
    described = {
        (model.schema, model.name): row
        for begin in range(0, len(read), AT_ONCE)
        for model, row in _describe(host, read[begin : begin + AT_ONCE])
    }
    return [
        {"schema": model.schema, "name": model.name, "owner": model.owner}
        | (described[model.schema, model.name] if model.trusted else NOT_TOLD)
        for model in found
        if not model.trusted or (model.schema, model.name) in described
    ]


def _find(host: Host, *, legible: bool = False) -> list[Found]:
    """The models whose tables are all there and can be read, in order; `legible`: of names that are ASCII."""
    summaries = _tables(host.query(sql.readable("_summary", legible=legible)), "_summary")
    if not summaries:
        return []
    nodes = {key for suffix in _OF_NODES for key in _tables(host.query(sql.readable(suffix, legible=legible)), suffix)}
    schemas = sorted({schema for schema, _ in summaries})
    of_trees = sql.readable("", legible=legible) + sql.IN_SCHEMAS
    trees = _tables(host.query(of_trees, ["pg_catalog.text[]"], [schemas]), "")
    found: list[Found] = []
    for (schema, name), row in sorted(trees.items(), key=lambda item: item[0]):
        summary = summaries.get((schema, suffixed(name, "_summary")))
        of_nodes = {(schema, suffixed(name, suffix)) for suffix in _OF_NODES}
        if summary is not None and of_nodes & nodes:
            trusted = row["trusted"] and summary["trusted"]
            found.append(Found(schema, name, row["owner"], summary["columns"], trusted))
    return found


def _tables(rows: Sequence[Row], suffix: str) -> dict[tuple[str, str], Row]:
    """By schema and name those that have the columns that are read."""
    return {(row["schema"], row["name"]): row for row in rows if sql.REQUIRED[suffix] <= set(row["columns"])}


def _describe(host: Host, found: Sequence[Found]) -> Iterator[tuple[Found, Row]]:
    """What the tables tell, once they are held and still trusted; where a statement for many fails, it is asked for
    each half.
    """
    try:
        tables = [[model_table(m.schema, m.name, suffix) for m in found] for suffix in ("_summary", "")]
        host.command(lock(chain(*zip(*tables, strict=True))))  # in the order of `describe`
        held = [found[row["position"] - 1] for row in host.query(sql.HELD, ["pg_catalog.text[]"] * 2, tables)]
        answers = host.query(sql.describe([(m.schema, m.name, m.columns) for m in held])) if held else []
    except Exception as error:
        if str(getattr(error, "sqlstate", ""))[:2] not in OF_ONE_MODEL:
            raise
        if len(found) > 1:
            middle = len(found) // 2
            yield from _describe(host, found[:middle])
            yield from _describe(host, found[middle:])
        return
    for position, rows in groupby(answers, key=lambda row: row["position"]):
        first, *others = rows
        if not others:  # a summary has one row
            del first["position"]
            yield held[position], first
