"""tree_cp: the cp table of a model, as rpart's printcp shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from madtree.host import Host, Row, listed, watched, watching
from madtree.model import (
    OpenModel,
    check_kind,
    few_rows,
    find_to_show,
    group_objects,
    read_trees,
)
from madtree.sqltext import explain as sql
from madtree.trees import Tree, distinct_complexities

_STORED = ("cp", "n_splits", "rel_error", "xerror", "xstd")


def tree_cp(host: Host, model_name: str | None) -> list[Row]:
    """The cp tables of a model's trees, each by falling cp; none of a group that failed.

    With cross-validation they are as stored. Without it the last row is the tree as it is, the others follow from its
    nodes, and xerror and xstd are None.

    Raises:
        MadtreeError: there is no such model, or its trees are not pruned.
    """
    opened = find_to_show(host, model_name)
    check_kind(opened.model, "tree_cp", "model")
    trees = [tree for tree in read_trees(opened) if tree.nodes]
    groups = group_objects(opened)
    facts = listed(host, sql.pruned_at(*opened.tables.at))
    pruned_at = {row["tree_id"]: row["pruning_cp"] for row in watched(host, facts)}
    stored = _by_group(watched(host, stored_cp_table(opened) or ()))
    found = []
    for tree in trees:
        root, n_splits = tree.nodes[0], len(tree.nodes) // 2
        for row in watched(host, stored.get(tree.group) or _from_nodes(host, tree, pruned_at[tree.tree_id])):
            found.append(
                {
                    "tree_id": tree.tree_id,
                    "group_values": groups.get(tree.tree_id),
                    **{name: row.get(name) for name in _STORED},
                    "chosen": row["n_splits"] == n_splits,
                    "root_error": root.risk / root.n_rows if root.n_rows else None,
                }
            )
    return found


def stored_cp_table(opened: OpenModel) -> list[Row] | None:
    """The rows of `<output>_cv`, their groups as lists of texts; None if there was no cross-validation."""
    tables = opened.tables
    if not tables.has("_cv"):
        return None
    statement = sql.cp_table(*tables.at, opened.group_writers)
    return few_rows(opened.host, f"the cp table of {tables.given}", statement)


def _by_group(rows: Iterable[Row]) -> Mapping[tuple[str, ...], list[Row]]:
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row["group"] or ()), []).append(row)
    return found


def _from_nodes(host: Host, tree: Tree, pruned_at: float) -> Iterator[Row]:
    """The sequence of trees that a tree is pruned to at the complexities of its nodes, down to itself.

    No complexity is above the parent's, so the nodes that are split at a cp are those with a larger complexity.
    """
    nodes = tree.nodes
    inner = [node for node in watched(host, nodes.values()) if not node.is_leaf]
    inner.sort(key=watching(host, lambda node: -node.complexity))
    risk, place = nodes[0].risk, 0
    above = (node.complexity for node in inner if node.complexity > pruned_at)
    for cp in [*distinct_complexities(above, root_risk=1.0), pruned_at]:
        while place < len(inner) and inner[place].complexity > cp:
            node = inner[place]
            risk -= node.risk - nodes[node.left_id].risk - nodes[node.right_id].risk
            place += 1
        yield {"cp": cp, "n_splits": place, "rel_error": risk / nodes[0].risk if nodes[0].risk > 0 else None}
