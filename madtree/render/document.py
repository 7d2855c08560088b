"""A model as a JSON document: the format that docs/json.md describes and docs/madtree-tree-1.schema.json checks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from madtree.interface import NUMERIC_COLUMNS, listed_parameters
from madtree.trees import Feature, FeatureKind, Model, Node, Split, Tree

NODES_AT_ONCE = 200  # in a piece of text
FORMAT_VERSION = 1  # of all formats; raised only by what an old reader would misunderstand

Document = dict[str, Any]


def model_document(model: Model, more: Document) -> Document:
    """The document but for its trees; numbers that JSON does not have are the texts NaN, Infinity and -Infinity.

    Args:
        model: without its trees.
        more: what documents of its kind tell beside others: `cp_table`, rows of `<output>_cv`, None if there was no
            cross-validation; or `groups`, rows of `<output>_group`.
    """
    summary = model.summary
    return {
        "format": model.kind.document,
        "format_version": FORMAT_VERSION,
        "madtree_version": summary.get("madtree_version"),
        "model": model.name,
        "task": "classification" if model.is_classification else "regression",
        "source_table": model.source_table,
        "id_column": model.id_column,
        "dependent": {"name": model.target, "expression": model.dependent, "type": model.dependent_type},
        "classes": list(model.classes),
        **{name: summary.get(name) for name in NUMERIC_COLUMNS},
        "n_rows": summary.get("total_rows_processed"),
        "n_rows_skipped": summary.get("total_rows_skipped"),
        "features": [_feature(feature) for feature in model.features],
        "grouping": [
            {"name": name, "expression": value, "type": type_}
            for name, value, type_ in zip(model.grouping_columns, model.grouping, model.grouping_types, strict=True)
        ],
        "parameters": {key: summary.get(key) for key in listed_parameters(model.kind)},
        **more,
    }


def dump(model: Model, document: Document, trees: Iterable[tuple[Tree, Mapping[str, Any]]]) -> Iterator[str]:
    """The document as pieces of text, each tree in a line of its own.

    Args:
        document: of `model_document`.
        trees: of the model, each with what else `<output>` tells of it: its kind's `place`, pruning_cp, root_risk,
            importance, success, message.
    """
    positions = {feature.name: position for position, feature in enumerate(model.features)}
    yield _text({**document, "trees": []}).removesuffix("[]}") + "["
    for number, (tree, of_tree) in enumerate(trees):
        place = {key: of_tree.get(key) for key in model.kind.place}
        if model.kind.tells_rounds:
            place |= _round(model, place.get("sample_id"))
        yield ",\n" if number else "\n"
        yield from _tree(tree, place, of_tree, positions)
    yield "\n]}"


def _round(model: Model, member: object) -> Document:
    """Of which round a tree is, and, where there are several, to the score of which class it adds."""
    if not isinstance(member, int) or member < 1:
        return {"round": None, "class": None}
    before, score = divmod(member - 1, model.n_scores)
    return {"round": before + 1, "class": model.classes[score] if model.n_scores > 1 else None}


def encoding(feature: Feature) -> str:
    """What a split compares of a feature's value: see docs/json.md."""
    if feature.kind is FeatureKind.UNORDERED:
        return "level"
    if feature.labels:
        return "label_position"
    if feature.type in ("smallint", "integer", "bigint", "real", "double precision", "numeric"):
        return "number"
    return "seconds"


def _feature(feature: Feature) -> Document:
    return {
        "name": feature.name,
        "type": feature.type,
        "kind": feature.kind.value,
        "encoding": encoding(feature),
        "labels": list(feature.labels),
        "null_last": feature.null_last,
    }


def _tree(tree: Tree, place: Document, facts: Mapping[str, Any], positions: Mapping[str, int]) -> Iterator[str]:
    """A tree, some of its nodes after the other; `place`: what is told of it first."""
    nodes = [node for _, node in sorted(tree.nodes.items())]
    index = {node.node_id: position for position, node in enumerate(nodes)}
    head = {
        **place,
        "tree_id": tree.tree_id,
        "group": list(tree.group),
        "n_rows": tree.n_rows,
        **{key: facts.get(key) for key in ("success", "message", "pruning_cp", "root_risk", "importance")},
        "levels": {name: list(seen) for name, seen in tree.seen_categories.items()},
        "nodes": [],
    }
    yield _text(head).removesuffix("]}")
    for first in range(0, len(nodes), NODES_AT_ONCE):
        some = [_node(node, index, positions) for node in nodes[first : first + NODES_AT_ONCE]]
        yield f"{', ' if first else ''}{_text(some)[1:-1]}"
    yield "]}"


def _node(node: Node, index: Mapping[int, int], positions: Mapping[str, int]) -> Document:
    document: Document = {
        "node_id": node.node_id,
        "depth": node.depth,
        "n_rows": node.n_rows,
        "weight": node.weight,
        "impurity": node.impurity,
        "risk": node.risk,
        "complexity": node.complexity,
        "prediction": node.prediction,
        "class_weights": node.class_weights,
    }
    if not node.is_leaf:
        document["left"], document["right"] = index[node.left_id], index[node.right_id]
        document["default"] = "left" if node.majority_left else "right"
        document["improvement"] = node.improvement
        document["split"] = _split(node, positions)
        document["surrogates"] = [
            _split(surrogate, positions)
            | {"agreement": surrogate.agreement, "adjusted_agreement": surrogate.adjusted_agreement}
            for surrogate in node.surrogates
        ]
    return document


def _split(split: Split, positions: Mapping[str, int]) -> Document:
    feature = positions[str(split.feature)]
    if split.threshold is None:
        return {"feature": feature, "left_levels": split.left_levels or (), "right_levels": split.right_levels or ()}
    return {"feature": feature, "threshold": split.threshold, "low_goes_left": split.low_goes_left}


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    except ValueError:  # a number that JSON does not have, which is rare: looking at each would take longer
        return json.dumps(_plain(value), ensure_ascii=False, separators=(", ", ": "))


def _plain(value: Any) -> Any:
    """Numbers that JSON does not have as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {key: _plain(element) for key, element in value.items()}
    return value
