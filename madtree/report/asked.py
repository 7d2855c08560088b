"""What the page asks the functions of madtree: by SQL where the extension is, else in this process."""

from __future__ import annotations

from madtree.errors import MadtreeError
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


def curve(host: Host, choice: Choice, table: str) -> list[Row]:
    """Points of the curves of the last of two classes, those of all trees together first."""
    return _of_last_class(host, choice, table, sql.CURVE, "tree_curve")


def reliability(host: Host, choice: Choice, table: str) -> list[Row]:
    """Bins of the probability of the last of two classes, those of all trees together first."""
    return _of_last_class(host, choice, table, sql.RELIABILITY, "tree_reliability")


def _of_last_class(host: Host, choice: Choice, table: str, query: str, function: str) -> list[Row]:
    asked = [choice.model.name, table, choice.trust_owner]
    return host.query(query, [_TEXT, _TEXT, _BOOL], asked) if _has_extension(host) else _here(host, function, *asked)


def row_paths(host: Host, choice: Choice, table: str, id_: str) -> dict[int, list[str]]:
    """The nodes that a row goes through, as text, for each tree on the page that it goes down.

    Raises:
        MadtreeError: there is no such row, or it goes down none of these trees.
    """
    if _has_extension(host):
        asked = [choice.model.name, table, id_, choice.trust_owner]
        rows = host.query(sql.PATH, [_TEXT, _TEXT, _TEXT, _BOOL], asked)
    else:
        rows = _here(host, "tree_path", choice.model.name, table, id_, choice.trust_owner)
    found: dict[int, list[str]] = {}
    for row in rows:
        found.setdefault(row["tree_id"], []).append(str(row["node_id"]))
    shown = {tree_id: nodes for tree_id, nodes in found.items() if tree_id in choice.tree_ids}
    if not shown:
        first = min(found)
        raise MadtreeError(
            f"row: the row {id_} of {table} goes down tree {first}, which is not on the page",
            f"Ask for that tree: trees=[{first}], or --tree {first}.",
        )
    return shown


def partial_dependence(host: Host, choice: Choice, table: str, feature: str, size: int, most: int) -> list[Row]:
    """What is predicted by a feature's values, of which there are at most `size`, of at most `most` rows."""
    asked = [choice.model.name, table, feature, size, most, choice.trust_owner]
    if _has_extension(host):
        types = [_TEXT, _TEXT, _TEXT, "pg_catalog.int4", "pg_catalog.int4", _BOOL]
        return host.query(sql.PARTIAL_DEPENDENCE, types, asked)
    return _here(host, "partial_dependence", *asked[:3], None, None, False, False, *asked[3:])


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
