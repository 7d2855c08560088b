"""What the page asks of madtree's functions: the extension's, where the database has it, else this process's own."""

from __future__ import annotations

from madtree.host import Host, Row
from madtree.host.psycopg import require_numpy
from madtree.report.trees import Choice
from madtree.sqltext import report as sql
from madtree.sqltext.catalog import EXTENSION_VERSION

_TEXT, _BOOL = "pg_catalog.text", "pg_catalog.bool"
_ASKED = [_TEXT, _TEXT, "pg_catalog.int4[]", _BOOL]


def metrics(host: Host, choice: Choice, table: str) -> list[Row]:
    """Metrics of the model on a table, of all trees together and of those that are measured one by one."""
    if _has_extension(host):
        return host.query(sql.METRICS, _ASKED, [choice.model.name, table, choice.measured_ids, choice.trust_owner])
    rows = _here(host, "tree_evaluate", choice.model.name, table, choice.trust_owner)
    return [row for row in rows if row["tree_id"] is None or row["tree_id"] in choice.measured_ids]


def confusion(host: Host, choice: Choice, table: str) -> list[Row]:
    """Cells with anything in them; tree_id is None for trees that are not measured one by one."""
    if _has_extension(host):
        return host.query(sql.CONFUSION, _ASKED, [choice.model.name, table, choice.measured_ids, choice.trust_owner])
    rows = _here(host, "tree_confusion", choice.model.name, table, choice.trust_owner)
    return [
        row | {"tree_id": row["tree_id"] if row["tree_id"] in choice.measured_ids else None} for row in rows if row["n"]
    ]


def scoring_sql(host: Host, choice: Choice) -> str:
    """The model as an SQL expression over the columns of its training table."""
    if _has_extension(host):
        return str(host.query(sql.SCORING_SQL, [_TEXT, _BOOL], [choice.model.name, choice.trust_owner])[0]["text"])
    return str(_here(host, "tree_sql", choice.model.name, "response", None, choice.trust_owner)[0]["tree_sql"])


def _has_extension(host: Host) -> bool:
    return host.has_extension or (host.source is host and bool(host.query(EXTENSION_VERSION)))


def _here(host: Host, function: str, *arguments: object) -> list[Row]:
    require_numpy()
    from madtree import engine

    return engine.call(host, function, arguments).to_dicts()
