"""Rows down a tree on the client's side, by the same rules and to the same leaves as in the database.

A tree is taken apart into arrays once; rows then step down it together, a level at a time (semantics, section 4).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.client.frames import Array, Column
from madtree.model import probabilities
from madtree.sqltext.split import parse_name
from madtree.trees import Feature, Kind, Model, Node, Split, Tree

NUMERIC = ("smallint", "integer", "bigint", "real", "double precision", "numeric")
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_US = dt.timedelta(microseconds=1)


def column_name(feature: Feature) -> str:
    """The name of the frame's column for a feature: a plain name without its quotes; else the expression as it is."""
    parts = parse_name(feature.name)
    return parts[0] if parts is not None and len(parts) == 1 else feature.name


def feature_values(features: Sequence[Feature], columns: Sequence[Column]) -> dict[str, Array]:
    """The features' values in columns of their names: (n_rows,) float64, NaN where missing; or texts or None.

    Raises:
        ValueError: columns are missing; all are named.
        TypeError: a column's values are not of the feature's kind.
    """
    by_name = {column.name: column for column in columns}
    missing = [column_name(feature) for feature in features if column_name(feature) not in by_name]
    if missing:
        raise ValueError(f"X lacks columns that the model needs: {', '.join(map(repr, missing))}")
    return {feature.name: _compared(feature, by_name[column_name(feature)]) for feature in features}


def _compared(feature: Feature, column: Column) -> Array:
    values = _values(feature, column)
    return np.where(np.isnan(values), np.inf, values) if feature.null_last else values


def _values(feature: Feature, column: Column) -> Array:
    if column.values.dtype.kind == "f" and np.isnan(column.values).all():
        return _nothing(feature, len(column.values))
    if feature.kind is Kind.UNORDERED:
        if feature.type == "boolean" and column.type == "boolean":
            words = {True: "true", False: "false", None: None}
            return _objects([words[value] for value in column.values.tolist()])
        if feature.type != "boolean" and column.type == "text":
            return column.values
    elif feature.labels and column.type == "text":
        place = {label: float(number) for number, label in enumerate(feature.labels, 1)}
        return np.array([place.get(value, np.nan) for value in column.values], np.float64)
    elif feature.type in NUMERIC and column.type in ("double precision", "bigint", "numeric", "boolean"):
        return np.array([np.nan if v is None else float(v) for v in column.values.tolist()], np.float64)
    elif not feature.labels and column.type in _SECONDS and column.type in _FAMILY.get(feature.type, ()):
        seconds = _SECONDS[column.type]
        return np.array([np.nan if v is None else seconds(v) for v in column.values.tolist()], np.float64)
    raise TypeError(
        f"column {column.name!r} holds {column.type}, but the model's feature is of the type {feature.type}"
    )


def _nothing(feature: Feature, n_rows: int) -> Array:
    return np.full(n_rows, None, object) if feature.kind is Kind.UNORDERED else np.full(n_rows, np.nan)


def _objects(values: Sequence[Any]) -> Array:
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects


# As PostgreSQL's date_part('epoch', ..) has it: whole microseconds by one division; an interval's days are added.
_SECONDS: dict[str, Callable[[Any], float]] = {
    "date": lambda value: float((value - _EPOCH.date()).days * 86_400),
    "timestamp": lambda value: ((value - _EPOCH) // _US) / 1e6,
    "timestamptz": lambda value: ((value - _EPOCH_UTC) // _US) / 1e6,
    "time": lambda value: (((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond) / 1e6,
    "interval": lambda value: (value.seconds * 10**6 + value.microseconds) / 1e6 + 86_400.0 * value.days,
}
_FAMILY = {
    "date": ("date", "timestamp"),
    "timestamp without time zone": ("date", "timestamp"),
    "timestamp with time zone": ("timestamptz",),
    "time without time zone": ("time",),
    "interval": ("interval",),
}


@dataclass(frozen=True)
class FlatTree:
    """A tree as arrays, in depth-first order: a node stands before its children, the left child right behind it.

    Attributes:
        nodes: in that order.
        left, right: (n_nodes,) places of the children, -1 for a leaf.
        tree: what it was made from, with the categories that training saw.
    """

    nodes: tuple[Node, ...]
    left: Array
    right: Array
    tree: Tree

    @classmethod
    def of(cls, tree: Tree) -> FlatTree:
        """Raises ValueError if the tree has no nodes, as that of a group that could not be trained."""
        if not tree.nodes:
            raise ValueError(f"tree {tree.tree_id} has no nodes: its group could not be trained")
        order: list[Node] = []
        waiting = [0]
        while waiting:
            node = tree.nodes[waiting.pop()]
            order.append(node)
            if not node.is_leaf:
                waiting += [node.right_id, node.left_id]
        place = {node.node_id: at for at, node in enumerate(order)}
        left = np.array([-1 if n.is_leaf else place[n.left_id] for n in order], np.int64)
        right = np.array([-1 if n.is_leaf else place[n.right_id] for n in order], np.int64)
        return cls(tuple(order), left, right, tree)

    def apply(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows,) the place in `nodes` of the leaf that each row ends in."""
        ends = np.zeros(n_rows, np.int64)
        waiting = [(0, np.arange(n_rows))]
        while waiting:
            at, rows = waiting.pop()
            if self.left[at] < 0:
                ends[rows] = at
                continue
            goes_left = self.goes_left(at, values, rows)
            for child, chosen in ((self.left[at], goes_left), (self.right[at], ~goes_left)):
                if chosen.any():
                    waiting.append((int(child), rows[chosen]))
        return ends

    def goes_left(self, at: int, values: Mapping[str, Array], rows: Array) -> Array:
        """(len(rows),) whether these rows leave a node by its true branch: by its split, a surrogate, the majority."""
        node = self.nodes[at]
        answer = np.full(len(rows), bool(node.majority_left))
        asked = np.arange(len(rows))
        splits: tuple[Split, ...] = (node, *node.surrogates)
        for split in splits:
            left, known = _side(split, values[str(split.feature)][rows[asked]], self.tree.seen_categories)
            answer[asked[known]] = left[known]
            asked = asked[~known]
            if not len(asked):
                break
        return answer


def _side(split: Split, values: Array, seen: Mapping[str, Sequence[str]]) -> tuple[Array, Array]:
    """For rows (m,) whether a split sends them left, and whether it can tell."""
    if split.threshold is not None:
        return (values <= split.threshold) == split.low_goes_left, ~np.isnan(values)
    left, right = set(split.left_levels or ()), set(split.right_levels or ())
    if None in left or None in right:  # NULL is a category, and what was never seen goes its way
        known_categories = {*seen.get(str(split.feature), ()), *left, *right}
        values = _objects([value if value in known_categories else None for value in values])
    goes = np.fromiter((value in left for value in values), np.bool_, len(values))
    knows = goes | np.fromiter((value in right for value in values), np.bool_, len(values))
    return goes, knows


def class_shares(model: Model, flat: FlatTree) -> Array:
    """(n_nodes, n_classes) probabilities as tree_predict has them."""
    rows = [probabilities(node.class_weights or ()) for node in flat.nodes]
    return np.array(rows, np.float64).reshape(len(flat.nodes), len(model.classes))


def used_features(model: Model, flat: FlatTree) -> list[Feature]:
    """The features that a tree's splits and surrogates ask, in the model's order."""
    used = {node.feature for node in flat.nodes}.union(s.feature for node in flat.nodes for s in node.surrogates)
    return [feature for feature in model.features if feature.name in used]
