"""Model tables without training: hand-made nodes, or random trees over a feature list, and a router to check by."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from madtree import __version__
from madtree.sqltext import kinds, tables
from madtree.sqltext.relation import Column
from madtree.trees import TREE, Feature, FeatureKind, Node, Split, Surrogate

Value = float | str | None
Nodes = dict[int, Node]


@dataclass(frozen=True)
class Sketch:
    """A model to be written.

    Attributes:
        features: of the model.
        trees: nodes by id, one dict for each group.
        dependent, dependent_type, classes: no classes for a regression.
        grouping: grouping columns.
        groups: for each tree the values of its group.
        levels: with null_as_category, what the summary's column `levels` holds.
    """

    features: Sequence[Feature]
    trees: Sequence[Nodes]
    dependent: str = "y"
    dependent_type: str = "text"
    classes: Sequence[str] = ("no", "yes")
    id_column: str = "id"
    grouping: Sequence[Column] = ()
    groups: Sequence[Sequence[Any]] = ()
    levels: Mapping[str, Any] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)


def inner(node_id: int, feature: str, threshold: float | None = None, **values: Any) -> Node:
    """An inner node; levels as `left_levels` and `right_levels`."""
    return _node(node_id, feature=feature, threshold=threshold, **{"majority_left": True, "improvement": 1.0, **values})


def leaf(node_id: int, prediction: str | float, class_weights: Sequence[float] | None = (1, 1), **values: Any) -> Node:
    weights = None if class_weights is None else tuple(map(float, class_weights))
    return _node(node_id, prediction=prediction, class_weights=weights, **values)


def stand_in(feature: str, threshold: float | None = None, **values: Any) -> Surrogate:
    """A surrogate; levels as `left_levels` and `right_levels`."""
    given = {"left_levels": None, "right_levels": None, "low_goes_left": True}
    agreements = {"agreement": 0.9, "adjusted_agreement": 0.5}
    return Surrogate(feature, threshold, **{**given, **agreements, **values})


def _node(node_id: int, **values: Any) -> Node:
    given = {
        "depth": (node_id + 1).bit_length() - 1,
        "is_leaf": "feature" not in values,
        "feature": None,
        "threshold": None,
        "left_levels": None,
        "right_levels": None,
        "majority_left": None,
        "n_rows": 2,
        "weight": 2.0,
        "impurity": 0.5,
        "risk": 1.0,
        "complexity": 0.01,
        "improvement": None,
        "prediction": None,
        "class_weights": None,
    }
    return Node(node_id=node_id, **{**given, **values})


def random_tree(
    rng: random.Random,
    features: Sequence[Feature],
    depth: int,
    thresholds: Mapping[str, Sequence[float]],
    levels: Mapping[str, Sequence[str | None]],
    classes: Sequence[str],
    split_share: float = 0.9,
    max_surrogates: int = 0,
) -> Nodes:
    """A tree of at most that depth.

    Args:
        thresholds, levels: by feature, what its splits may be made of; None among the levels if NULL is one.
        classes: empty for a regression.
        split_share: how likely a node above the last level is split.
        max_surrogates: a node has so many at most, on features other than its own.
    """
    nodes: Nodes = {}
    waiting = [0]
    while waiting:
        node_id = waiting.pop()
        weights = tuple(float(rng.randrange(1, 50)) for _ in classes) or None
        prediction = classes[weights.index(max(weights))] if weights else rng.uniform(-10, 10)
        outcome = {"prediction": prediction, "class_weights": weights, "n_rows": rng.randrange(1, 100)}
        if (node_id + 1).bit_length() > depth or rng.random() > split_share:
            nodes[node_id] = leaf(node_id, **outcome)
            continue
        feature = rng.choice(features)
        others = [other for other in features if other is not feature]
        surrogates = tuple(
            stand_in(
                other.name,
                low_goes_left=other.kind is FeatureKind.UNORDERED or rng.random() < 0.5,
                **_random_split(rng, other, thresholds, levels),
            )
            for other in rng.sample(others, min(len(others), rng.randint(0, max_surrogates)))
        )
        nodes[node_id] = inner(
            node_id,
            feature.name,
            majority_left=rng.random() < 0.5,
            surrogates=surrogates,
            **_random_split(rng, feature, thresholds, levels),
            **outcome,
        )
        waiting += [2 * node_id + 1, 2 * node_id + 2]
    return nodes


def _random_split(
    rng: random.Random,
    feature: Feature,
    thresholds: Mapping[str, Sequence[float]],
    levels: Mapping[str, Sequence[str | None]],
) -> dict[str, Any]:
    if feature.kind is not FeatureKind.UNORDERED:
        return {"threshold": rng.choice(thresholds[feature.name])}
    known = rng.sample(levels[feature.name], rng.randint(2, len(levels[feature.name])))
    cut = rng.randint(1, len(known) - 1)

    def in_order(levels: Sequence[str | None]) -> tuple[str | None, ...]:
        return tuple(sorted(levels, key=lambda level: (level is None, level)))

    return {"left_levels": in_order(known[:cut]), "right_levels": in_order(known[cut:])}


def route(
    nodes: Nodes,
    features: Mapping[str, Feature],
    row: Callable[[str], Value],
    seen: Mapping[str, Sequence[str | None]] | None = None,
) -> Node:
    """The leaf of a row, as the specification says it (semantics, sections 2 and 4).

    Args:
        row: a feature's value by its name: a number as float8, or a level's text; None if it is NULL.
        seen: with null_as_category, for each unordered feature all levels seen in training.
    """
    node = nodes[0]
    while not node.is_leaf:
        goes_left = node.majority_left
        for split in (node, *node.surrogates):
            of_split = None if seen is None else seen.get(split.feature)
            answer = _goes_left(split, features[str(split.feature)], row(str(split.feature)), of_split)
            if answer is not None:
                goes_left = answer
                break
        node = nodes[node.left_id if goes_left else node.right_id]
    return node


def _goes_left(split: Split, feature: Feature, value: Value, seen: Sequence[str | None] | None) -> bool | None:
    """What a split says of a value; None if it cannot tell."""
    if feature.kind is FeatureKind.UNORDERED:
        level = None if seen is not None and value not in seen else value  # the unseen goes NULL's way
        if seen is None and level is None:
            return None
        return True if level in split.left_levels else False if level in split.right_levels else None
    if value is None or math.isnan(float(value)):
        return None
    return (float(value) <= split.threshold) == split.low_goes_left


def write_model(db: psycopg.Connection, schema: str, name: str, sketch: Sketch) -> None:
    """Create the model's tables and fill them."""
    prediction_type = sketch.dependent_type if sketch.classes else "double precision"
    surrogates = [
        {"tree_id": number, "node_id": node.node_id, "rank": rank, **vars(surrogate)}
        for number, nodes in enumerate(sketch.trees)
        for node in nodes.values()
        for rank, surrogate in enumerate(node.surrogates, 1)
    ]
    wanted = ["_surrogates"] if surrogates else []
    db.execute(kinds.create_tables(schema, name, TREE, sketch.grouping, prediction_type, wanted))
    for number, nodes in enumerate(sketch.trees):
        tree = {
            "tree_id": number,
            "n_rows": nodes[0].n_rows if nodes else 0,
            "n_nodes": len(nodes),
            "n_leaves": sum(node.is_leaf for node in nodes.values()),
            "tree_depth": max((node.depth for node in nodes.values()), default=0),
            "pruning_cp": 0.0,
            "root_risk": 1.0,
            "impurity_var_importance": [0.0] * len(sketch.features),
            "success": bool(nodes),
            "message": None if nodes else "failed",
        }
        if sketch.grouping:
            tree |= {column.name: value for column, value in zip(sketch.grouping, sketch.groups[number], strict=True)}
        _insert(db, schema, tables.suffixed(name, ""), [tree])
    rows = [
        {"tree_id": number, "node_id": node.node_id, "parent_id": node.parent_id}
        | {column: getattr(node, column) for column, _ in tables.NODE_COLUMNS if column not in _TOLD}
        for number, nodes in enumerate(sketch.trees)
        for node in nodes.values()
    ]
    _insert(db, schema, tables.suffixed(name, "_nodes"), rows)
    db.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(schema, tables.suffixed(name, "_nodes"))))
    _insert(db, schema, tables.suffixed(name, "_surrogates"), surrogates)
    _insert(db, schema, tables.suffixed(name, "_summary"), [_summary(name, sketch)])


_TOLD = ("tree_id", "node_id", "parent_id")


def _summary(name: str, sketch: Sketch) -> dict[str, Any]:
    return {
        "method": "tree_train",
        "is_classification": bool(sketch.classes),
        "source_table": "training",
        "model_table": name,
        "id_col_name": sketch.id_column,
        "dependent_varname": sketch.dependent,
        "independent_varnames": ",".join(feature.name for feature in sketch.features),
        "dependent_var_levels": list(sketch.classes) or None,
        "dependent_var_type": sketch.dependent_type,
        "madtree_version": __version__,
        "features": [feature.name for feature in sketch.features],
        "feature_types": [feature.type for feature in sketch.features],
        "feature_kinds": [feature.kind.value for feature in sketch.features],
        "enum_labels": json.dumps({f.name: list(f.labels) for f in sketch.features if f.labels}),
        "null_as_category": sketch.levels is not None,
        "levels": None if sketch.levels is None else json.dumps(sketch.levels),
        "grouping_columns": [column.sql for column in sketch.grouping],
        "grouping_types": [column.type for column in sketch.grouping],
        **sketch.summary,
    }


def _insert(db: psycopg.Connection, schema: str, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    columns = list(rows[0])
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(schema, table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(sql.Placeholder() * len(columns)),
    )
    listed = [[list(v) if isinstance(v, tuple) else v for v in row.values()] for row in rows]
    db.cursor().executemany(statement, listed)
