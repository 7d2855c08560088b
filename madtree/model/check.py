"""Refusing a model whose tables hold what training never writes, before anything of them becomes SQL or arrays."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model.find import ModelTables, nodes_of
from madtree.model.summary import unquoted
from madtree.sqltext import check as sql
from madtree.trees import Kind, Model

_TEXTS = "pg_catalog.text[]"
_INT = "pg_catalog.int4"


def check_trees(host: Host, tables: ModelTables, model: Model) -> None:
    """Look at the rows of all trees, and of a forest's groups.

    Raises:
        MadtreeError: a row cannot be a model's; it is named.
    """
    at = tables.schema, tables.name
    grouping = [unquoted(column) for column in model.grouping_columns]
    n_features = len(model.features)
    _refuse(tables, host.query(sql.faulty_trees(*at, grouping), [_INT], [n_features]))
    if not model.n_members:
        return
    _refuse(tables, host.query(sql.faulty_members(*at), [_INT], [model.n_members]))
    n_groups = model.summary["num_all_groups"]
    for row in host.query(sql.faulty_groups(*at, grouping), [_INT, _INT], [n_features, n_groups]):
        which = "a group" if row["gid"] is None else f"group {row['gid']}"
        raise MadtreeError(f"{tables.given} is damaged: {which} {row['fault']}")


def check_rows(
    host: Host,
    tables: ModelTables,
    model: Model,
    tree_id: int | None = None,
    *,
    competitors: bool = False,
    nodes: bool = True,
) -> None:
    """`check_trees`, and look at the nodes and surrogates, or at the nodes of the tree `tree_id` only.

    That the nodes are those of whole trees is found where they are put together.

    Args:
        competitors: whether these are looked at, too.
        nodes: whether these are.

    Raises:
        MadtreeError: a row cannot be a model's; it is named.
    """
    at = tables.schema, tables.name
    check_trees(host, tables, model)
    names = [feature.name for feature in model.features]
    unordered = [feature.name for feature in model.features if feature.kind is Kind.UNORDERED]
    booleans = [feature.name for feature in model.features if feature.type == "boolean"]
    params = [names, unordered, booleans, list(model.classes)]
    types = [_TEXTS] * 4
    if nodes:
        of_tree = ([], []) if tree_id is None else ([_INT], [tree_id])
        faulty = sql.faulty_nodes(
            *at, nodes_of(tables, model), is_classification=model.is_classification, one_tree=tree_id is not None
        )
        _refuse(tables, host.query(faulty, types + of_tree[0], params + of_tree[1]))
    if tables.has_surrogates:
        _refuse(tables, host.query(sql.faulty_surrogates(*at), types[:3], params[:3]))
    if competitors:
        _refuse(tables, host.query(sql.faulty_competitors(*at), types[:3], params[:3]))


def _refuse(tables: ModelTables, rows: list[Row]) -> None:
    for row in rows:
        where = (
            f"tree {row['tree_id']}" if row["node_id"] is None else f"node {row['node_id']} of tree {row['tree_id']}"
        )
        raise MadtreeError(f"{tables.given} is damaged: {where} {row['fault']}")
