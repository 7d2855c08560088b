"""Reading the trees of a model back from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model.check import check_rows
from madtree.model.find import ModelTables, find_model, nodes_of
from madtree.model.summary import read_summary, unquoted
from madtree.sqltext import models as sql
from madtree.trees import Competitor, Model, Node, Split, Surrogate, Tree

_LISTS = ("left_levels", "right_levels", "class_weights")  # columns that are arrays
NODES_AT_ONCE = 2000  # rows fetched through a cursor; a node as a dict is about 2 kB


def read_model(
    host: Host, given: str | None, argument: str = "model", tree_id: int | None = None, *, competitors: bool = False
) -> Model:
    """Read a model with all its trees, or with the tree `tree_id` only, to show it: what it names may not be run.

    `competitors`: with those of its nodes.

    Raises:
        MadtreeError: as `find_model`; or the model has no tree `tree_id`.
    """
    tables = find_model(host, given, argument)
    model = read_summary(host, tables, to_run=False)
    return replace(model, trees=read_trees(host, tables, model, tree_id, competitors=competitors))


def read_trees(
    host: Host, tables: ModelTables, model: Model, tree_id: int | None = None, *, competitors: bool = False
) -> tuple[Tree, ...]:
    """The model's trees by ascending tree_id, or the one asked for; a group that failed has a tree without nodes.

    Raises:
        MadtreeError: the model has no tree `tree_id`, or none at all, or a tree lacks nodes.
    """
    competitors = competitors and tables.has_competitors
    check_rows(host, tables, model, tree_id, competitors=competitors)
    rows = host.query(
        sql.trees(tables.schema, tables.name, tables.group_writers([unquoted(name) for name in model.grouping_columns]))
    )
    nodes = dict(_nodes_by_tree(host, tables, model, tree_id, competitors=competitors))
    if not rows:
        raise MadtreeError(f"{tables.given} is damaged: it has no tree")
    wanted = [row for row in rows if tree_id is None or row["tree_id"] == tree_id]
    if not wanted:
        first, last = rows[0]["tree_id"], rows[-1]["tree_id"]
        raise MadtreeError(f"tree_id must be one of {tables.given}'s trees, {first} to {last}, not {tree_id}")
    return tuple(
        Tree(
            row["tree_id"],
            (of_tree := nodes.get(row["tree_id"], {})),
            tuple(row["group"] or ()),
            row["n_rows"] or 0,
            _seen_categories(of_tree, model.categories_of(row["tree_id"])),
        )
        for row in wanted
    )


def _nodes_by_tree(
    host: Host, tables: ModelTables, model: Model, tree_id: int | None, *, competitors: bool
) -> Iterator[tuple[int, dict[int, Node]]]:
    text = sql.nodes(nodes_of(tables, model), model.is_classification, tree_id is not None)
    types, params = ([], []) if tree_id is None else (["pg_catalog.int4"], [tree_id])
    surrogates = _surrogates(host, tables, tree_id) if tables.has_surrogates else {}
    others = _competitors(host, tables) if competitors else {}
    rows = host.stream(text, types, params, NODES_AT_ONCE)
    for tree, of_tree in groupby(rows, key=lambda row: row["tree_id"]):
        listed = list(of_tree)
        keys = [(tree, row["node_id"]) for row in listed]
        nodes = {
            key[1]: _node(row, surrogates.get(key, []), others.get(key, []))
            for key, row in zip(keys, listed, strict=True)
        }
        inner = [node for node in nodes.values() if not node.is_leaf]
        # With all children of inner nodes there, as many nodes mean that each of the others has a parent.
        whole = 0 in nodes and all(node.left_id in nodes and node.right_id in nodes for node in inner)
        if not whole or not len(listed) == len(nodes) == 2 * len(inner) + 1:
            raise MadtreeError(f"{tables.given} is damaged: the nodes of tree {tree} are not a whole tree")
        yield int(tree), nodes


def _surrogates(host: Host, tables: ModelTables, tree_id: int | None) -> dict[tuple[int, int], list[Surrogate]]:
    """By tree and node, the best one first."""
    text = sql.surrogates(tables.schema, tables.name, tree_id is not None)
    types, params = ([], []) if tree_id is None else (["pg_catalog.int4"], [tree_id])
    found: dict[tuple[int, int], list[Surrogate]] = {}
    for row in host.stream(text, types, params, NODES_AT_ONCE):
        key = row.pop("tree_id"), row.pop("node_id")
        found.setdefault(key, []).append(Surrogate(**_without_lists(row)))
    return found


def _competitors(host: Host, tables: ModelTables) -> dict[tuple[int, int], list[Competitor]]:
    """By tree and node, the best one first."""
    found: dict[tuple[int, int], list[Competitor]] = {}
    for row in host.stream(sql.competitors(tables.schema, tables.name), [], [], NODES_AT_ONCE):
        key = row.pop("tree_id"), row.pop("node_id")
        found.setdefault(key, []).append(Competitor(**_without_lists(row)))
    return found


def _node(row: Row, surrogates: list[Surrogate], competitors: list[Competitor]) -> Node:
    values = _without_lists(row)
    del values["tree_id"]
    return Node(**values, surrogates=tuple(surrogates), competitors=tuple(competitors))


def _without_lists(row: Row) -> dict[str, Any]:
    values = dict(row)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    return values


def _seen_categories(nodes: Mapping[int, Node], stored: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """`Tree.seen_categories`: what the summary names and, should it lack some, what the tree's own splits name."""
    named: dict[str, set[str | None]] = {}
    for node in nodes.values():
        splits: tuple[Split, ...] = (node, *node.surrogates)
        for split in splits:
            of_feature = named.setdefault(str(split.feature), set())
            of_feature.update(split.left_levels or (), split.right_levels or ())
    return {
        name: tuple(sorted({each for each in (*of_feature, *stored.get(name, ())) if each is not None}))
        for name, of_feature in named.items()
        if None in of_feature
    }
