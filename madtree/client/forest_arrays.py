"""A forest as arrays, and rows down its trees on the client's side: to the same leaves as in the database.

All rows step down a tree together, a level at a time. What a node asks is a list of splits, its own and its surrogates:
the first that can tell decides (semantics, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from madtree.client.frames import Array
from madtree.client.routing import FlatTree, class_shares
from madtree.trees import Feature, Kind, Model, Split, Tree

_RIGHT, _LEFT, _CANNOT_TELL = 0, 1, 2


@dataclass(frozen=True)
class NodeColumns:
    """Nodes of one tree or of several, each tree in depth-first order as in `FlatTree`.

    Attributes:
        left, right: (n_nodes,) places of the children, -1 for a leaf.
        feature: (n_nodes,) place among the model's features, -1 for a leaf; threshold: NaN where there is none.
        prediction: (n_nodes,) the mean, or the place of the class.
        values: (n_nodes, n_classes) shares of the classes, or (n_nodes, 1) means.
    """

    node_id: Array
    depth: Array
    left: Array
    right: Array
    feature: Array
    threshold: Array
    majority_left: Array
    n_rows: Array
    weight: Array
    impurity: Array
    improvement: Array
    prediction: Array
    values: Array

    @classmethod
    def of(cls, model: Model, flat: FlatTree) -> NodeColumns:
        place = {feature.name: at for at, feature in enumerate(model.features)}
        classes = {label: at for at, label in enumerate(model.classes)}
        nodes = flat.nodes
        said = [classes[str(n.prediction)] if model.is_classification else float(n.prediction or 0) for n in nodes]
        prediction = np.array(said, np.float64)
        return cls(
            np.array([node.node_id for node in nodes], np.int64),
            np.array([node.depth for node in nodes], np.int64),
            flat.left,
            flat.right,
            np.array([-1 if node.is_leaf else place[str(node.feature)] for node in nodes], np.int64),
            np.array([np.nan if node.threshold is None else node.threshold for node in nodes], np.float64),
            np.array([bool(node.majority_left) for node in nodes], np.bool_),
            np.array([node.n_rows for node in nodes], np.int64),
            np.array([node.weight_by_class for node in nodes], np.float64),
            np.array([node.impurity for node in nodes], np.float64),
            np.array([node.improvement or 0.0 for node in nodes], np.float64),
            prediction,
            class_shares(model, flat) if model.is_classification else prediction[:, None],
        )

    @classmethod
    def joined(cls, trees: Sequence[NodeColumns], roots: Array) -> NodeColumns:
        """All trees behind one another; `roots` (n_trees,) says where each begins."""
        columns: dict[str, Array] = {}
        for name in cls.__dataclass_fields__:
            parts = [getattr(tree, name) for tree in trees]
            if name in ("left", "right"):
                parts = [np.where(part >= 0, part + root, -1) for part, root in zip(parts, roots, strict=True)]
            columns[name] = np.concatenate(parts)
        return cls(**columns)

    def of_tree(self, first: int, end: int) -> NodeColumns:
        """One tree of several, from one place to another, with its own places."""
        columns = {name: getattr(self, name)[first:end] for name in self.__dataclass_fields__}
        for name in ("left", "right"):
            columns[name] = np.where(columns[name] >= 0, columns[name] - first, -1)
        return NodeColumns(**columns)


@dataclass(frozen=True)
class ForestArrays:
    """The trees of one forest.

    Attributes:
        nodes: of all trees, one tree behind the other.
        roots: (n_trees + 1,) where each tree begins, and where the last one ends.
        used: the features that splits and surrogates ask.
        first_split: (n_nodes + 1,) the splits of node i are those from `first_split[i]` to `first_split[i + 1]`.
        asks: (n_splits,) place in `used`; threshold: NaN for a split of categories; low_goes_left: (n_splits,).
        table: (n_splits,) where in `sides` the split's categories begin, by their codes.
        sides: what a split says of a category: left, right, or that it cannot tell.
        codes: of each feature in `used`, the codes of its categories; None for a number. The two numbers behind them
            are a category that the model has never seen, and NULL.
        importance: (n_trees, n_features) gains by feature, surrogates by their adjusted agreement.
    """

    nodes: NodeColumns
    roots: Array
    used: tuple[Feature, ...]
    first_split: Array
    asks: Array
    threshold: Array
    low_goes_left: Array
    table: Array
    sides: Array
    codes: tuple[dict[str, int] | None, ...]
    importance: Array

    @classmethod
    def of(cls, model: Model, trees: Iterable[Tree]) -> ForestArrays:
        """Trees are read one by one. Raises ValueError if one has no nodes: its group could not be trained."""
        columns, splits, importance = [], _Splits(model), []
        for tree in trees:
            flat = FlatTree.of(tree)
            columns.append(NodeColumns.of(model, flat))
            importance.append(splits.add(flat))
        roots = np.array([0, *accumulate(len(each.node_id) for each in columns)], np.int64)
        return cls(NodeColumns.joined(columns, roots[:-1]), roots, importance=np.array(importance), **splits.arrays())

    @property
    def n_trees(self) -> int:
        return len(self.roots) - 1

    @property
    def is_plain(self) -> bool:
        """Whether each node asks one number only."""
        return all(codes is None for codes in self.codes) and bool((np.diff(self.first_split) <= 1).all())

    def tree(self, number: int) -> NodeColumns:
        """One tree, with places of its own."""
        return self.nodes.of_tree(int(self.roots[number]), int(self.roots[number + 1]))

    def apply(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows, n_trees) the place in `nodes` of the leaf that each row ends in; `values` as `feature_values`."""
        asked = self._numbers(values, n_rows)
        leaves = np.empty((n_rows, self.n_trees), np.int64)
        for number in range(self.n_trees):
            leaves[:, number] = self._leaves(int(self.roots[number]), asked)
        return leaves

    def _numbers(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_used, n_rows) numbers, and the codes of categories."""
        asked = np.empty((len(self.used), n_rows))
        for at, (feature, codes) in enumerate(zip(self.used, self.codes, strict=True)):
            of_rows = values[feature.name]
            if codes is None:
                asked[at] = of_rows
            else:
                null = len(codes) + 1
                found = (null if value is None else codes.get(value, len(codes)) for value in of_rows)
                asked[at] = np.fromiter(found, np.float64, n_rows)
        return asked

    def _leaves(self, root: int, asked: Array) -> Array:
        at = np.full(asked.shape[1], root)
        rows = np.arange(asked.shape[1])
        while True:
            rows = rows[self.nodes.left[at[rows]] >= 0]
            if not len(rows):
                return at
            node = at[rows]
            goes_left = self._goes_left(node, rows, asked)
            at[rows] = np.where(goes_left, self.nodes.left[node], self.nodes.right[node])

    def _goes_left(self, node: Array, rows: Array, asked: Array) -> Array:
        """(len(rows),) whether these rows, each at its node, leave it by its true branch."""
        answer = self.nodes.majority_left[node]
        split, end = self.first_split[node], self.first_split[node + 1]
        still = np.arange(len(rows))
        while len(still):
            side = self._side(split[still], rows[still], asked)
            answer[still] = np.where(side == _CANNOT_TELL, answer[still], side == _LEFT)
            split = split + 1
            still = still[side == _CANNOT_TELL]
            still = still[split[still] < end[still]]
        return answer

    def _side(self, split: Array, rows: Array, asked: Array) -> Array:
        value, threshold = asked[self.asks[split], rows], self.threshold[split]
        low = value <= threshold
        side = np.where(np.isnan(value), _CANNOT_TELL, (low == self.low_goes_left[split]).astype(np.int8))
        of_categories = np.isnan(threshold)
        if of_categories.any():
            place = self.table[split[of_categories]] + value[of_categories].astype(np.int64)
            side[of_categories] = self.sides[place]
        return side


class _Splits:
    """Collects the splits of trees."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._place = {feature.name: at for at, feature in enumerate(model.features)}
        self._of_nodes: list[int] = []
        self._splits: list[tuple[int, Split, Mapping[str, Sequence[str]]]] = []

    def add(self, flat: FlatTree) -> Array:
        """Take a tree's splits; returns (n_features,) what each feature gained in it."""
        gained = np.zeros(len(self._place))
        for node in flat.nodes:
            self._of_nodes.append(0 if node.is_leaf else 1 + len(node.surrogates))
            if node.is_leaf:
                continue
            gain = node.improvement or 0.0
            gained[self._place[str(node.feature)]] += gain
            for surrogate in node.surrogates:
                gained[self._place[surrogate.feature]] += gain * surrogate.adjusted_agreement
            own: tuple[Split, ...] = (node, *node.surrogates)
            for split in own:
                self._splits.append((self._place[str(split.feature)], split, flat.tree.seen_categories))
        return gained

    def arrays(self) -> dict[str, Any]:
        """The attributes of a forest from `used` to `codes`."""
        asked = sorted({at for at, _, _ in self._splits})
        used = tuple(self._model.features[at] for at in asked)
        codes = tuple(self._codes(at) if self._model.features[at].kind is Kind.UNORDERED else None for at in asked)
        number = {at: place for place, at in enumerate(asked)}
        tables: dict[bytes, int] = {}  # many nodes say the same
        length, of_splits = 0, []
        for at, split, seen in self._splits:
            known = codes[number[at]]
            said = b"" if known is None else _said(split, known, seen.get(str(split.feature), ()))
            if said not in tables:
                tables[said], length = length, length + len(said)
            of_splits.append(tables[said])
        thresholds = [np.nan if split.threshold is None else split.threshold for _, split, _ in self._splits]
        return {
            "used": used,
            "first_split": np.array([0, *accumulate(self._of_nodes)], np.int64),
            "asks": np.array([number[at] for at, _, _ in self._splits], np.int64),
            "threshold": np.array(thresholds, np.float64),
            "low_goes_left": np.array([split.low_goes_left for _, split, _ in self._splits], np.bool_),
            "table": np.array(of_splits, np.int64),
            "sides": np.frombuffer(b"".join(tables), np.int8),
            "codes": codes,
        }

    def _codes(self, at: int) -> dict[str, int]:
        """The categories of a feature that any split names, or any tree has seen."""
        named: set[str | None] = set()
        for feature, split, seen in self._splits:
            if feature == at:
                named.update(split.left_levels or (), split.right_levels or (), seen.get(str(split.feature), ()))
        return {category: code for code, category in enumerate(sorted(c for c in named if c is not None))}


def _said(split: Split, codes: Mapping[str, int], seen: Sequence[str]) -> bytes:
    """What a split of categories says of each code, of a category never seen, and of NULL, which may be a category."""
    left, right = set(split.left_levels or ()), set(split.right_levels or ())
    null = _LEFT if None in left else _RIGHT if None in right else _CANNOT_TELL
    known = {*seen, *left, *right}
    sides = [_LEFT if c in left else _RIGHT if c in right else _CANNOT_TELL for c in codes]
    if null != _CANNOT_TELL:  # what the tree has not seen goes its way
        sides = [side if category in known else null for side, category in zip(sides, codes, strict=True)]
    return bytes([*sides, null, null])
