"""What the page asks the functions of madtree: by SQL where the extension is, else in this process."""

from __future__ import annotations

import json

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.host.psycopg import require_numpy
from madtree.report.trees import Choice
from madtree.sqltext import report as sql
from madtree.sqltext.catalog import EXTENSION_VERSION

_TEXT, _BOOL = "pg_catalog.text", "pg_catalog.bool"


def tested(choice: Choice, table: str, *, with_cells: bool) -> dict[str, list[Row]]:
    """How the model does on a table, which is scored once: `metrics` of all trees together and of those that are
    measured one by one; of classes, `with_cells`, the `cells` of the confusion matrix in which there is something,
    whose tree_id is None for trees that are not measured one by one; of two classes the points of the `curve` of the
    last one, and the `bins` of its probability, those of all trees together first.
    """
    given = [choice.model.name, table, choice.trust_owner, with_cells]
    if _has_extension(choice.host):
        answer = choice.host.query(sql.TESTED, [_TEXT, _TEXT, _BOOL, _BOOL], given)[0]
    else:
        answer = _here(choice.host, "tested_rows", *given)[0]
    found: dict[str, list[Row]] = json.loads(answer["tested_rows"])
    evaluated = {None, *choice.evaluated_ids}
    found["metrics"] = [row for row in found["metrics"] if row["tree_id"] in evaluated]
    for row in found.get("cells", ()):
        row["tree_id"] = row["tree_id"] if row["tree_id"] in evaluated else None
    return found


def row_paths(choice: Choice, table: str, id_: str) -> dict[int, list[str]]:
    """The nodes that a row goes through, as text, for each tree on the page that it goes down.

    Raises:
        MadtreeError: there is no such row, or it goes down none of these trees.
    """
    if _has_extension(choice.host):
        given = [choice.model.name, table, id_, choice.trust_owner]
        rows = choice.host.query(sql.PATH, [_TEXT, _TEXT, _TEXT, _BOOL], given)
    else:
        rows = _here(choice.host, "tree_path", choice.model.name, table, id_, choice.trust_owner)
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


def partial_dependence(
    choice: Choice, table: str, feature: str, size: int, most: int, *, accumulated: bool
) -> list[Row]:
    """What is predicted by a feature's values, of which there are at most `size`, of at most `most` rows; or the
    effects of these, `accumulated`.
    """
    given = [choice.model.name, table, feature, size, most, choice.trust_owner]
    if _has_extension(choice.host):
        types = [_TEXT, _TEXT, _TEXT, "pg_catalog.int4", "pg_catalog.int4", _BOOL, _BOOL]
        return choice.host.query(sql.PARTIAL_DEPENDENCE, types, [*given, accumulated])
    return _here(choice.host, "partial_dependence", *given[:3], None, None, accumulated, False, *given[3:])


def scoring_sql(choice: Choice) -> str:
    """The model as an SQL expression over the columns of its training table."""
    if _has_extension(choice.host):
        given = [choice.model.name, choice.trust_owner]
        return str(choice.host.query(sql.SCORING_SQL, [_TEXT, _BOOL], given)[0]["text"])
    return str(_here(choice.host, "tree_sql", choice.model.name, "response", None, choice.trust_owner)[0]["tree_sql"])


def _has_extension(host: Host) -> bool:
    if host.has_extension or host.source is not host:
        return host.has_extension
    return any(row["callable"] for row in host.query(EXTENSION_VERSION))


def _here(host: Host, function: str, *arguments: object) -> list[Row]:
    require_numpy()
    from madtree import engine

    return engine.call(host, function, arguments).to_dicts()
