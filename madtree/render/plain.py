"""Trees from the rows of a model's tables, where a client holds those already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from madtree.trees import Node, Tree

_NODE_FIELDS = tuple(name for name in Node.__dataclass_fields__ if name not in ("surrogates", "competitors"))


def trees_of_rows(
    nodes: Iterable[Mapping[str, Any]], groups: Mapping[int, tuple[str, ...]], is_classification: bool
) -> tuple[Tree, ...]:
    """Trees by ascending tree_id; those that `groups` names also where no node is given.

    Args:
        nodes: rows of `<output>_nodes`, by column, of one tree or of many.
        groups: by tree_id, the values of its grouping columns as text.
    """
    trees: dict[int, dict[int, Node]] = {tree: {} for tree in groups}
    for row in nodes:
        values: dict[str, Any] = {
            name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in _NODE_FIELDS
        }
        values["prediction"] = _prediction(values["prediction"], is_classification)
        trees.setdefault(row["tree_id"], {})[row["node_id"]] = Node(**values)
    return tuple(
        Tree(tree, of_tree, groups.get(tree, ()), of_tree[0].n_rows if of_tree else 0)
        for tree, of_tree in sorted(trees.items())
    )


def _prediction(value: Any, is_class: bool) -> str | float | None:
    """A class as PostgreSQL writes it as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if is_class and value is not None else value
