"""A model from the rows of its tables, where a client holds those already."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from madtree.trees import Feature, Kind, Model, Node, Tree

_NODE_FIELDS = tuple(name for name in Node.__dataclass_fields__ if name not in ("surrogates", "competitors"))


def model_of_rows(
    summary: Mapping[str, Any], nodes: Iterable[Mapping[str, Any]], groups: Mapping[int, tuple[str, ...]] | None = None
) -> Model:
    """The model that these rows are of; for drawing it, not for scoring by it: it has no surrogates.

    Args:
        summary: the row of `<output>_summary`, by column.
        nodes: rows of `<output>_nodes`, by column, of one tree or of many.
        groups: by tree_id, the values of its grouping columns as text; without them the model counts as ungrouped.
    """
    labels, levels = (_document(summary.get(column)) for column in ("enum_labels", "levels"))
    described = zip(summary["features"], summary["feature_types"], summary["feature_kinds"], strict=True)
    features = tuple(
        Feature(name, type_, Kind(kind), tuple(labels.get(name, ())), null_last=kind == "ordered" and name in levels)
        for name, type_, kind in described
    )
    return Model(
        name=summary["model_table"],
        source_table=summary["source_table"],
        id_column=summary["id_col_name"],
        dependent=summary["dependent_varname"],
        dependent_type=summary["dependent_var_type"],
        is_classification=summary["is_classification"],
        classes=tuple(summary["dependent_var_levels"] or ()),
        features=features,
        grouping_columns=tuple(summary["grouping_columns"] or ()) if groups else (),
        trees=trees_of_rows(nodes, groups or {}, summary["is_classification"]),
        summary=dict(summary),
        dependent_name=summary.get("dependent_name") or "",
    )


def trees_of_rows(
    nodes: Iterable[Mapping[str, Any]], groups: Mapping[int, tuple[str, ...]], is_classification: bool
) -> tuple[Tree, ...]:
    """Trees by ascending tree_id; those that `groups` names also where no node is given. Arguments as above."""
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


def _document(value: Any) -> Mapping[str, Any]:
    return json.loads(value) if isinstance(value, str) else value or {}


def _prediction(value: Any, is_class: bool) -> str | float | None:
    """A class as PostgreSQL writes it as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if is_class and value is not None else value
