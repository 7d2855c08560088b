"""Packed nodes, read from `<output>_packed` and checked, as plain values.

Scoring reads the same bytes into arrays (`madtree.score.packed_nodes`); this is for who shows or exports trees.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping
from math import isnan
from typing import Any

from madtree.host import Row, listed, watched
from madtree.model.opened import OpenModel
from madtree.model.size_limits import MOST_BYTES, check_categories, too_large
from madtree.sqltext import packed_nodes as sql
from madtree.trees import MAX_DEPTH_LIMIT, MOST_NAMED, Categories, FeatureKind, Node

CHUNK_BYTES = 8 * 2**20  # of nodes and categories read at once, but for a larger tree
CATEGORIES_AT_ONCE = 500_000
_INT = "pg_catalog.int4"
_LARGEST = 1e300  # as in sqltext/check.py: weights add up to less than the largest float8
_CODES = {"i4": "i", "u4": "I", "i8": "q", "f8": "d"}  # struct's of numpy's
_ID = struct.Struct(">q")  # with which a record begins
_NO_CATEGORIES = (-1, 0, 0)
_NO_NODE = 2 ** (MAX_DEPTH_LIMIT + 1)
_BOOLEANS = frozenset(("true", "false", None))


def packed_trees(opened: OpenModel, tree_id: int | None = None) -> Iterator[tuple[int, dict[int, Node]]]:
    """Of each tree by ascending id, or of `tree_id` only, its nodes by ascending id, without surrogates.

    That there are nodes of each tree was looked at before; that they are a whole tree is left to the caller.

    Raises:
        MadtreeError: there are bytes that are no nodes, or too many of categories.
    """
    unpacker = _Unpacker(opened)
    for tree, data, sets in _packed(opened, None if tree_id is None else (tree_id,)):
        yield tree, unpacker.nodes(tree, data, sets)


def packed_trees_to_walk(
    opened: OpenModel, tree_ids: Container[int] | None
) -> Iterator[tuple[int, Mapping[int, Node]]]:
    """As `packed_trees`, of some trees, or of all; but a node is unpacked and looked at only when it is asked for,
    which raises MadtreeError where it is not there.
    """
    unpacker = _Unpacker(opened)
    for tree, data, sets in _packed(opened, tree_ids):
        yield tree, _Nodes(unpacker, tree, data, unpacker.categories(tree, data, sets))


def _packed(
    opened: OpenModel, tree_ids: Container[int] | None
) -> Iterator[tuple[int, bytes, Iterable[str | None] | None]]:
    """Of each tree, or of these, its id, its nodes' records, and the categories that these name."""
    tables = opened.tables
    rows = listed(opened.host, sql.packed_lengths(*tables.at))
    wanted = [row for row in watched(opened.host, rows) if tree_ids is None or row["tree_id"] in tree_ids]
    check_categories(tables, sum(int(row["n_categories"]) for row in wanted))
    if (total := sum(int(row["size_of_categories"]) for row in wanted)) > MOST_BYTES:
        raise too_large(tables, "categories of its trees", total)
    statement = sql.packed_rows(*tables.at)
    first = 0
    while first < len(wanted):
        end, size = first + 1, _size(wanted[first])
        while end < len(wanted) and size + _size(wanted[end]) <= CHUNK_BYTES:
            size += _size(wanted[end])
            end += 1
        between = [wanted[first]["tree_id"], wanted[end - 1]["tree_id"]]
        for row in opened.host.query(statement, [_INT, _INT, _INT], [*between, CATEGORIES_AT_ONCE]):
            sets = row["category_sets"]
            if row["n_categories"] > CATEGORIES_AT_ONCE:
                sets = _in_pieces(opened, row["tree_id"], row["n_categories"])
            yield row["tree_id"], row["nodes"], sets
        first = end


def _size(row: Row) -> int:
    return int(row["size"]) + int(row["size_of_categories"])


def _in_pieces(opened: OpenModel, tree: int, n_categories: int) -> Iterator[str | None]:
    """The categories of a tree that has very many, fetched by queries, between which cancels are let in."""
    statement = sql.some_categories(*opened.tables.at)
    for first in range(1, n_categories + 1, CATEGORIES_AT_ONCE):
        last = min(first + CATEGORIES_AT_ONCE - 1, n_categories)
        (row,) = opened.host.query(statement, [_INT] * 3, [tree, first, last])
        yield from row["some"]


class _Unpacker:
    """Makes nodes of records, and refuses what training never writes."""

    def __init__(self, opened: OpenModel) -> None:
        model = opened.model
        self._host = opened.host
        layout = model.node_layout
        codes = "".join(_CODES[kind] for _, kind in layout.fields)
        self._record = struct.Struct(f">{codes}{layout.n_classes}{_CODES[layout.weight_of_class]}")
        place = {name: place for place, (name, _) in enumerate(layout.fields)}
        sets, end = place.get("categories", len(place)), len(place)
        self._weight, self._risk = place.get("weight"), place.get("risk")
        # The numbers that no node lacks: impurity, complexity, and the two where they are there.
        self._numbers = slice(place["impurity"], sets)
        self._sets, self._of_classes = slice(sets, end), slice(end, None)
        self._tables = opened.tables
        self._classes = model.classes if model.has_class_leaves else None
        self._features = (None, *model.feature_names)
        self._by_category = (False, *(feature.kind is FeatureKind.UNORDERED for feature in model.features))
        self._is_boolean = (False, *(feature.type == "boolean" for feature in model.features))

    def categories(self, tree: int, data: bytes, category_sets: Iterable[str | None] | None) -> Categories:
        """Those that the nodes name. Raises MadtreeError if they are none, or the records no whole ones."""
        sets = tuple(category_sets or ())
        if len(data) % self._record.size:
            raise self._tables.damaged(f"the nodes of tree {tree} are cut off")
        if not all(category is None or isinstance(category, str) for category in watched(self._host, sets)):
            raise self._tables.damaged(f"the categories of tree {tree} are no list of texts")
        return sets

    def n_nodes(self, data: bytes) -> int:
        return len(data) // self._record.size

    def find(self, tree: int, data: bytes, sets: Categories, node_id: int) -> Node:
        """One of the nodes. Raises MadtreeError if it is not there, or is none."""
        size = self._record.size
        place = bisect_left(range(len(data) // size), node_id, key=lambda at: _ID.unpack_from(data, at * size)[0])
        values = self._record.unpack_from(data, place * size) if place < len(data) // size else (None,)
        if values[0] != node_id:
            raise self._tables.damaged(f"the nodes of tree {tree} are not a whole tree")
        if fault := self._fault(values, sets):
            raise self._tables.damaged(f"node {node_id} of tree {tree} {fault}")
        return self._node(values, sets)

    def nodes(self, tree: int, data: bytes, category_sets: Iterable[str | None] | None) -> dict[int, Node]:
        """By ascending id. Raises MadtreeError if one of them is none."""
        sets = self.categories(tree, data, category_sets)
        nodes: dict[int, Node] = {}
        last, named, most = -(2**63), 0, max(len(sets), MOST_NAMED)
        for values in watched(self._host, self._record.iter_unpack(data)):
            fault = "" if values[0] > last else "is not in the order of the nodes' numbers"
            if fault := fault or self._fault(values, sets):
                raise self._tables.damaged(f"node {values[0]} of tree {tree} {fault}")
            _, n_left, n_right = values[self._sets] or _NO_CATEGORIES
            if (named := named + n_left + n_right) > most:
                raise self._tables.damaged(f"the nodes of tree {tree} name more categories than it has")
            last = values[0]
            nodes[last] = self._node(values, sets)
        return nodes

    def _node(self, values: tuple[Any, ...], sets: Categories) -> Node:
        node_id, n_rows, feature, prediction, threshold, improvement, impurity, complexity, *_ = values
        start, n_left, n_right = values[self._sets] or _NO_CATEGORIES
        middle = start + n_left
        of_classes = values[self._of_classes]
        weight = float(n_rows) if self._weight is None else values[self._weight]
        risk = max(weight - of_classes[prediction - 1], 0.0) if self._risk is None else values[self._risk]
        return Node(
            node_id,
            (node_id + 1).bit_length() - 1,
            not feature,
            self._features[abs(feature)],
            None if isnan(threshold) else threshold,
            sets[start:middle] if start >= 0 else None,
            sets[middle : middle + n_right] if start >= 0 else None,
            feature > 0 if feature else None,
            n_rows,
            weight,
            impurity,
            risk,
            complexity,
            None if isnan(improvement) else improvement,
            prediction if self._classes is None else self._classes[prediction - 1],
            None if self._classes is None else tuple(map(float, of_classes)),
        )

    def _fault(self, values: tuple[Any, ...], sets: Categories) -> str:
        """What is wrong with a record, as the end of a sentence; empty where nothing is."""
        node_id, _, feature, prediction, threshold, improvement, *_ = values
        start, n_left, n_right = values[self._sets] or _NO_CATEGORIES
        position = abs(feature)
        if not 0 <= node_id < _NO_NODE:
            return "has a number that no node has"
        if position >= len(self._features):
            return "asks what is no feature of the model"
        if self._by_category[position] != (start >= 0):
            return "has no lists of categories, or has them and does not ask for any"
        if start >= 0 and (n_left < 0 or n_right < 0 or start + n_left + n_right > len(sets)):
            return "names categories that its tree does not have"
        if self._is_boolean[position] and not _BOOLEANS.issuperset(sets[start : start + n_left + n_right]):
            return "has categories that are no booleans"
        if feature and start < 0 and isnan(threshold):
            return "has no threshold"
        if start >= 0 and not isnan(threshold):
            return "has a threshold besides its categories"
        numbers = values[self._numbers]
        # A sum with NaN in it is NaN; one that is NaN without, infinity less infinity, is looked at once more.
        if isnan(sum(numbers)) and any(map(isnan, numbers)):
            return "has an unfit weight, impurity, risk or complexity"
        if self._weight is not None and values[self._weight] < 0:
            return "has a negative weight"
        if feature and isnan(improvement):
            return "has an unfit improvement"
        if self._classes is None:
            return "predicts no number" if isnan(prediction) else ""
        if not 1 <= prediction <= len(self._classes):
            return "predicts no class of the model"
        of_classes = values[self._of_classes]
        fits = min(of_classes) >= 0 and max(of_classes) <= _LARGEST and sum(of_classes) > 0  # with NaN the sum is, too
        return "" if fits else "has no weight for each class"


class _Nodes(Mapping[int, Node]):
    """Nodes of a tree by their ids, each unpacked when it is asked for."""

    def __init__(self, unpacker: _Unpacker, tree: int, data: bytes, sets: Categories) -> None:
        self._unpacker, self._at = unpacker, (tree, data, sets)

    def __getitem__(self, node_id: int) -> Node:
        return self._unpacker.find(*self._at, node_id)

    def __iter__(self) -> Iterator[int]:
        return iter(self._unpacker.nodes(*self._at))

    def __len__(self) -> int:
        return self._unpacker.n_nodes(self._at[1])
