"""Rows of a frame down trees, on the client's side: to the same leaves as in the database (`learn.walk`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from madtree.client.frames import Array
from madtree.learn.data import Values, finished
from madtree.learn.walk import (
    ALL_TREES,
    MOST_ROWS,
    FlatSplits,
    FlatTrees,
    KnownCategories,
    Route,
    RowsByValues,
    SplitCategories,
    Walk,
)
from madtree.trees import Feature, Model, Node, Split, Tree

_ANSWERS = 65_536  # that are found together


@dataclass(frozen=True)
class WalkedTrees:
    """Trees that rows of a frame go down. Their nodes have places in depth-first order, each tree behind the other: a
    node stands before its children, the left child right behind it.

    Attributes:
        trees: of one group.
        features: names of the trees' features, by position.
        keys: of each unordered one by its name, the keys of its categories.
        members: how many trees a group of the model has, at most; 0 for a single tree.
        counts: trees of each of its groups, where these differ.
    """

    trees: FlatTrees
    features: Sequence[str]
    keys: Mapping[str, Mapping[Any, int]]
    members: int
    counts: Sequence[int] = ()

    @cached_property
    def place_and_depth(self) -> tuple[Array, Array]:
        """(n_nodes,) the place of each of `trees`' nodes, depth first; and (n_nodes,) its depth."""
        return self.trees.depth_first()

    @property
    def place(self) -> Array:
        return self.place_and_depth[0]

    @cached_property
    def order(self) -> Array:
        """(n_nodes,) the node at each place."""
        return np.argsort(self.place)

    @classmethod
    def of(cls, trees: Sequence[Tree], *, of_members: bool) -> WalkedTrees:
        """Of trees of plain values.

        Args:
            of_members: whether rows go down all of them, as those of a group; else down the one of their group.

        Raises:
            ValueError: one has no nodes: its group could not be trained.
        """
        nodes, ids = [], []
        for number, tree in enumerate(trees, 1):
            if not tree.nodes:
                raise ValueError(f"tree {tree.tree_id} has no nodes: its group could not be trained")
            nodes += [tree.nodes[node_id] for node_id in sorted(tree.nodes)]
            ids += [number] * len(tree.nodes)
        stand_ins = [(at, surrogate) for at, node in enumerate(nodes) for surrogate in node.surrogates]
        splits: list[Split] = [*nodes, *(surrogate for _, surrogate in stand_ins)]
        split_names = [split.feature for split in splits]
        names = [name for name in dict.fromkeys(split_names) if name is not None]
        position: dict[str | None, int] = {None: -1, **{name: at for at, name in enumerate(names)}}
        thresholds = [split.threshold for split in splits]
        own = FlatSplits(
            np.array([*range(len(nodes)), *(at for at, _ in stand_ins)], np.int64),
            np.array([position[name] for name in split_names], np.int64),
            np.array(thresholds, np.float64),  # None is NaN
            np.array([*[True] * len(nodes), *(surrogate.low_goes_left for _, surrogate in stand_ins)], np.bool_),
        )
        unordered = [
            (at, split) for at, split in enumerate(splits) if split_names[at] is not None and thresholds[at] is None
        ]
        keys: dict[str, dict[str | None, int]] = {str(split.feature): {} for _, split in unordered}

        def key(name: str, category: str | None) -> int:
            return keys[name].setdefault(category, len(keys[name]))

        named = [
            (number, position[split.feature], key(str(split.feature), category), category is None, is_left)
            for number, split in unordered
            for categories, is_left in ((split.left_levels, True), (split.right_levels, False))
            for category in categories or ()
        ]
        seen = {
            (position[name], ALL_TREES, key(name, category))
            for tree in trees
            for name, categories in tree.seen_categories.items()
            if name in keys  # a tree that was pruned may not ask for it any more
            for category in categories
        }
        for of_feature in keys.values():
            of_feature.pop(None, None)
        flat = FlatTrees.of(
            np.array(ids, np.int64),
            np.array([node.node_id for node in nodes], np.int64),
            np.array([bool(node.majority_left) for node in nodes], np.bool_),
            own,
            [name in keys for name in names],
            SplitCategories(*_columns(named, (np.int64, np.int64, np.int64, np.bool_, np.bool_))),
            KnownCategories(*_columns(sorted(seen), (np.int64, np.int64, np.int64))),
        )
        return cls(flat, tuple(names), keys, len(trees) if of_members else 0)

    def children(self) -> tuple[Array, Array]:
        """(n_nodes,) by place the places of the left children and of the right ones, -1 for a leaf."""
        child = self.trees.child.take(self.order)
        is_leaf = child == self.order
        right = np.minimum(child + 1, len(child) - 1)
        return tuple(np.where(is_leaf, -1, self.place.take(each)) for each in (child, right))  # type: ignore[return-value]

    def leaves(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows, n_trees) the place of the leaf that each row ends in; `values` as `feature_values`."""
        leaves = np.empty((n_rows, len(self.trees.roots)), np.int64)
        for rows, route in self.routes(values, n_rows):
            for number, root in enumerate(self.trees.roots.tolist()):
                leaves[rows, number] = self.place.take(finished(route.leaves(root)))
        return leaves

    def goes_right(self, places: Array, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows, n) whether each row, wherever it is, would leave inner nodes (n,) by their false branch."""
        answers = np.empty((n_rows, len(places)), np.bool_)
        nodes = self.order.take(places)
        for rows, route in self.routes(values, n_rows):
            assert isinstance(route, RowsByValues)  # as single trees' are
            n = rows.stop - rows.start
            at_once = max(1, _ANSWERS // n)
            for first in range(0, len(nodes), at_once):
                some = nodes[first : first + at_once]
                found = finished(route.goes_right(some.repeat(n), np.tile(np.arange(n), len(some))))
                answers[rows, first : first + at_once] = found.reshape(len(some), n).T
        return answers

    def routes(self, values: Mapping[str, Array], n_rows: int) -> Iterator[tuple[slice, Route]]:
        """The ways of some rows after the others; `values` as `feature_values`."""
        for first in range(0, n_rows, MOST_ROWS):
            rows = slice(first, min(first + MOST_ROWS, n_rows))
            group = np.zeros(rows.stop - first, np.int64)
            numbers = np.empty((len(self.features), len(group)))
            for at, name in enumerate(self.features):
                numbers[at] = (
                    self._codes(at, values[name][rows], group) if self.trees.is_category[at] else values[name][rows]
                )
            yield rows, finished(self._walk.route_of_codes(numbers))

    def _codes(self, feature: int, categories: Array, group: Array) -> Array:
        """(n_rows,) codes of categories; what has no key is unknown, as is NULL where it is no category."""
        keys = self.keys[self.features[feature]]
        found = [keys.get(category) for category in categories.tolist()]
        missing = np.array([key is None for key in found], np.bool_)
        return self._walk.categories.codes(feature, np.array([key or 0 for key in found], np.int64), missing, group)

    @cached_property
    def _walk(self) -> Walk:
        return Walk.from_values(Values(Walk.values_of(self.trees, self.members, counts=self.counts)), self.members)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_walk"}


def _columns(rows: Sequence[tuple[Any, ...]], types: Sequence[Any]) -> list[Array]:
    return [np.array([row[at] for row in rows], type_) for at, type_ in enumerate(types)]


@dataclass(frozen=True)
class FlatTree:
    """A single tree.

    Attributes:
        nodes: by place.
        left, right: (n_nodes,) places of the children, -1 for a leaf.
        tree: what it was made from.
        walked: rows go down it.
    """

    nodes: tuple[Node, ...]
    left: Array
    right: Array
    tree: Tree
    walked: WalkedTrees

    @classmethod
    def of(cls, tree: Tree) -> FlatTree:
        """Raises ValueError if the tree has no nodes, as that of a group that could not be trained."""
        walked = WalkedTrees.of([tree], of_members=False)
        ids = walked.trees.node_id.take(walked.order).tolist()
        return cls(tuple(tree.nodes[node_id] for node_id in ids), *walked.children(), tree, walked)

    def apply(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows,) the place in `nodes` of the leaf that each row ends in."""
        return self.walked.leaves(values, n_rows)[:, 0]


def used_features(model: Model, flat: FlatTree) -> list[Feature]:
    """The features that a tree's splits and surrogates ask, in the model's order."""
    return [feature for feature in model.features if feature.name in flat.walked.features]
