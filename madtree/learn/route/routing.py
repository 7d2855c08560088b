"""The way of a row down the trees: splits as rows follow them, with surrogates and the majority for missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

from madtree.learn.data import (
    LEFT,
    RIGHT,
    UNKNOWN,
    WIDE_LIMIT,
    Array,
    Bools,
    CodesOfRows,
    CodesOfRuns,
    Ints,
    Runs,
    Values,
    extend,
    flat_nonzero,
    require,
)
from madtree.records import dataclass
from madtree.trees import MAX_DEPTH_LIMIT

_PREFIX = "routing_"  # of its fields among other values
# What leaves have, beside their own number as `child`.
_ZERO_OF_LEAF = ("feature", "missing_right", "child", "surrogates", "first_surrogate")
_LEAF: dict[str, int] = {"cut": WIDE_LIMIT, "table": -1, **dict.fromkeys(_ZERO_OF_LEAF, 0)}
# What says something where no node has categories or surrogates.
_OF_CUTS = ("feature", "cut", "missing_right", "child", "rounds", "deepest")


def category_table(width: int, left: Ints, right: Ints) -> Array:
    """(width,) uint8 what a split says of each code."""
    table = np.full(width, UNKNOWN, np.uint8)
    table[left], table[right] = LEFT, RIGHT
    return table


@dataclass
class Routing:
    """What a row needs to find its way, an entry for each node of all trees, and one for each surrogate.

    A row with code c of the node's feature goes to `child` where c <= cut, else to `child` + 1; where c is missing,
    or a category that the split does not know, its surrogates are asked in turn, and then `missing_right` decides. A
    leaf leads to itself.

    Attributes:
        feature: int32, 0 for a leaf.
        cut: int32, largest code that goes left.
        missing_right: uint8, 1 where the majority went right.
        child: int32, the left child's index; the right one's is one more.
        table: int32, where the node's table of categories starts in `categories`, -1 for ordered splits and leaves.
        categories: uint8, LEFT, RIGHT or UNKNOWN for each code; tables of all unordered splits, one after the other.
        surrogates: int32, how many a node has; their entries follow each other from `first_surrogate` on.
        surrogate_feature, surrogate_cut, surrogate_table: int32, what `feature`, `cut` and `table` are of a node.
        surrogate_low_right: uint8, 1 where codes up to the cut go right.
        rounds: of growth; each adds children to some leaves, so a row moves one step down at most in each.
        deepest: depth of the deepest node.
    """

    feature: Ints
    cut: Ints
    missing_right: Array
    child: Ints
    table: Ints
    surrogates: Ints
    first_surrogate: Ints
    categories: Array
    surrogate_feature: Ints
    surrogate_cut: Ints
    surrogate_table: Ints
    surrogate_low_right: Array
    rounds: int = 0
    deepest: int = 0
    rooms: dict[str, Array] = field(init=False, default_factory=dict)  # of the columns of nodes (`extend`)

    @classmethod
    def leaves(cls, first: int, count: int) -> Routing:
        """Nodes `first` to `first + count - 1` as leaves."""
        feature, cut = np.zeros(count, np.int32), np.full(count, WIDE_LIMIT, np.int32)
        child = np.arange(first, first + count, dtype=np.int32)
        return cls(feature, cut, np.zeros(count, np.uint8), child, **_by_cuts_alone(count))

    def ending(self, inner: Bools, deepest: int) -> Routing:
        """With all nodes as leaves that are not `inner` (n_nodes,), whatever is below them."""
        leaf = Routing.leaves(0, len(self.child))
        changed = ("feature", "cut", "missing_right", "child", "table", "surrogates")
        columns = {name: np.where(inner, getattr(self, name), getattr(leaf, name)) for name in changed}
        return replace(self, **columns, deepest=deepest)

    def of_nodes(self, nodes: Ints, widths: Ints) -> Routing:
        """The entries of some nodes (m,) alone, in this order, with the tables that they need; children keep their
        numbers. No round of growth is among them.

        `widths`: (n_features,) codes of each feature.
        """
        entries, first_surrogate = _stretches(self.first_surrogate[nodes], self.surrogates[nodes])
        feature, surrogate_feature = self.feature[nodes], self.surrogate_feature[entries]
        starts = np.concatenate((self.table[nodes], self.surrogate_table[entries]))
        sizes = np.where(starts >= 0, widths[np.concatenate((feature, surrogate_feature))], 0)
        codes, places = _stretches(starts, sizes)
        tables: Ints = np.where(starts >= 0, places, -1).astype(np.int32)
        return Routing(
            feature=feature,
            cut=self.cut[nodes],
            missing_right=self.missing_right[nodes],
            child=self.child[nodes],
            table=tables[: len(nodes)],
            surrogates=self.surrogates[nodes],
            first_surrogate=first_surrogate.astype(np.int32),
            categories=self.categories[codes],
            surrogate_feature=surrogate_feature,
            surrogate_cut=self.surrogate_cut[entries],
            surrogate_table=tables[len(nodes) :],
            surrogate_low_right=self.surrogate_low_right[entries],
        )

    def to_values(self) -> dict[str, Any]:
        """Its fields by name, for `codec.dump`, but for those that say nothing."""
        names = [f.name for f in fields(self) if f.init] if self.has_categories_or_surrogates else _OF_CUTS
        return {f"{_PREFIX}{name}": getattr(self, name) for name in names}

    @classmethod
    def from_values(
        cls, values: Mapping[str, Any], n_roots: int, widths: Ints, nodes: Ints | None = None, n_nodes: int = 0
    ) -> Routing:
        """The routing that `to_values` tells of.

        Args:
            n_roots: trees; node t is tree t's root.
            widths: (n_features,) codes of each feature.
            nodes: (m,) whose entries these are, among `n_nodes`; None where there is one for every node.

        Raises:
            MadtreeError: it leads out of the nodes, or round in a circle.
        """
        given = Values({name.removeprefix(_PREFIX): v for name, v in values.items() if name.startswith(_PREFIX)})
        child = given.ints("child", (None if nodes is None else len(nodes),), 0, 2**31 - 1, np.int32)
        m = len(child)
        own, n_nodes = (np.arange(m, dtype=np.int32), m) if nodes is None else (nodes, n_nodes)
        # So a way down ends, and stays among the nodes: a child is behind its parent, and its sibling is there.
        down = (child > own) & (child >= n_roots) & (child < n_nodes - 1)
        down |= child == own
        require(n_nodes >= max(n_roots, 1) and down.all(), "child", "behind its parent, with a sibling")
        feature = given.ints("feature", (m,), 0, len(widths) - 1, np.int32)
        cut = given.ints("cut", (m,), -1, WIDE_LIMIT, np.int32)
        missing_right = given.ints("missing_right", (m,), 0, 1, np.uint8)
        others = _others_of(given, feature, widths) if "categories" in given else _by_cuts_alone(m)
        rounds, deepest = given.integer("rounds", 0, 2**31 - 1), given.integer("deepest", 0, MAX_DEPTH_LIMIT)
        # A node asks before it has children, while surrogates are looked for. Who makes requests up may let rows go on
        # from there to the next node, which the last one does not have.
        last = (cut, missing_right, others["table"], others["surrogates"])
        is_leaf = nodes is not None or [column.item(-1) for column in last] == [WIDE_LIMIT, 0, -1, 0]
        kind = cls if is_leaf or child.item(-1) != m - 1 else _Bounded
        return kind(feature, cut, missing_right, child, rounds=rounds, deepest=deepest, **others)

    def add_leaves(self, first: int, count: int) -> None:
        """Add the nodes `first` to `first + count - 1` as leaves behind those that are there."""
        n = len(self.child)
        extend(self, self.rooms, _LEAF, count)
        self.child[n:] = np.arange(first, first + count)

    def add_tables(self, tables: Sequence[Array]) -> Ints:
        """Append tables of categories; returns where each starts."""
        if not tables:
            return np.zeros(0, np.int32)
        sizes = np.array([len(table) for table in tables])
        starts: Ints = (len(self.categories) + np.cumsum(sizes) - sizes).astype(np.int32)
        self.categories = np.concatenate((self.categories, *tables))
        return starts

    @property
    def has_categories_or_surrogates(self) -> bool:
        """Whether some node has categories or surrogates."""
        return len(self.categories) > 0 or len(self.surrogate_feature) > 0

    def by_cut_alone(self, node: int) -> bool:
        """Whether a node sends each row by its code and cut, or, where that is missing, with the majority."""
        return self.surrogates.item(node) == 0 and self.table.item(node) < 0

    def advance(self, node: Ints, codes: CodesOfRows, rows: Ints | None = None) -> Ints:
        """One step down: the node (n_rows,) of each row after the step, from its node before.

        `rows` (n_rows,) says which rows these are; None for all.
        """
        moved: Ints = self.child.take(node)
        moved += self.goes_right(node, codes, rows)
        return moved

    def goes_right(self, node: Ints, codes: CodesOfRows, rows: Ints | None = None) -> Bools:
        """(n_rows,) whether each row goes right from its node; a leaf's do not. `rows` as of `advance`."""
        feature = self.feature.take(node)
        code = codes.gather(feature) if rows is None else codes.gather_at(feature, rows)
        if not self.has_categories_or_surrogates:
            # Code 0, missing, goes left by itself; lowered by one it wraps round to the largest code, and goes right.
            lowered = self.missing_right.take(node)
            cut = (self.cut - self.missing_right).take(node)
            code -= lowered
            return np.asarray(code > cut)
        side = self._side(code, self.cut, self.table, node)
        unknown = flat_nonzero(side == UNKNOWN)
        right: Bools = side == RIGHT
        unknown_rows = unknown if rows is None else rows[unknown]
        right[unknown] = self._by_surrogates(node[unknown], codes, unknown_rows)
        return right

    def goes_right_of(self, nodes: Ints, runs: Runs, codes: CodesOfRuns) -> Bools:
        """As `goes_right`, of rows that stand node by node: of each of `nodes` (n,) a run."""
        lowered, cut = self.missing_right.take(nodes), self.cut.take(nodes)
        if self.has_categories_or_surrogates or cut.min(initial=1) < 1:
            return self.goes_right(runs.spread(nodes), codes)
        code = codes.gather_of(self.feature.take(nodes).astype(np.int64), runs)
        if lowered.any() and not code.all():  # where nothing is missing, the cuts alone tell
            code -= runs.spread(lowered)  # as there
            cut = cut - lowered
        # Numbers of one type are compared many at once.
        highest = np.minimum(cut, np.iinfo(code.dtype).max).astype(code.dtype)
        return np.asarray(code > runs.spread(highest))

    def primary_side(self, node: Ints, codes: CodesOfRows) -> Array:
        """(n_rows,) uint8 the side that each row's node sends it to by its own split: LEFT, RIGHT or UNKNOWN."""
        return self._side(codes.gather(self.feature.take(node)), self.cut, self.table, node)

    def _side(self, code: Array, cut: Ints, tables: Ints, entry: Ints, low_right: Array | None = None) -> Array:
        """(n,) uint8 what the splits `entry` (n,) say of codes (n,): LEFT, RIGHT or UNKNOWN. The other arguments are
        those attributes of nodes, or of surrogates.
        """
        side: Array = (code > cut.take(entry)).astype(np.uint8)
        if low_right is not None:
            side ^= low_right.take(entry)
        side[code == 0] = UNKNOWN
        if len(self.categories):
            table = tables.take(entry)
            at = flat_nonzero(table >= 0)
            side[at] = self.categories.take(table[at] + code[at])
        return side

    def _by_surrogates(self, node: Ints, codes: CodesOfRows, rows: Ints) -> Array:
        """(m,) whether rows whose primary split does not know where to send them go right."""
        right = self.missing_right.take(node).astype(np.bool_)
        count, first = self.surrogates.take(node), self.first_surrogate.take(node)
        open_ = flat_nonzero(count > 0)
        rank = 0
        while len(open_):
            entry = first[open_] + rank
            code = codes.gather_at(self.surrogate_feature[entry], rows[open_])
            side = self._side(code, self.surrogate_cut, self.surrogate_table, entry, self.surrogate_low_right)
            decided = side != UNKNOWN
            right[open_[decided]] = side[decided] == RIGHT
            rank += 1
            open_ = open_[~decided & (count[open_] > rank)]
        return right


class _Bounded(Routing):
    """A routing whose last node may send rows to the right, where there is none."""

    def advance(self, node: Ints, codes: CodesOfRows, rows: Ints | None = None) -> Ints:
        last: Ints = np.minimum(super().advance(node, codes, rows), len(self.child) - 1)
        return last


def _stretches(first: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """The places of stretches (n,) that begin at `first`, one after the other, and where each begins among them."""
    runs = Runs(sizes)
    return runs.spread(first - runs.firsts, step=1), runs.firsts


def _by_cuts_alone(n: int) -> dict[str, Any]:
    """The other fields of `n` nodes of which none has categories or surrogates."""
    bytes_ = {name: np.zeros(0, np.uint8) for name in ("categories", "surrogate_low_right")}
    none = {f"surrogate_{name}": np.zeros(0, np.int32) for name in ("feature", "cut", "table")}
    of_nodes = {name: np.full(n, _LEAF[name], np.int32) for name in ("table", "surrogates", "first_surrogate")}
    return {**of_nodes, **none, **bytes_}


def _others_of(given: Values, feature: Ints, widths: Ints) -> dict[str, Array]:
    """The other fields of nodes that ask for `feature`; raises MadtreeError where there can be none such."""
    m, by_categories = len(feature), given.ints("categories", (None,), 0, UNKNOWN, np.uint8)
    by_feature = given.ints("surrogate_feature", (None,), 0, len(widths) - 1, np.int32)
    n = len(by_feature)
    found: dict[str, Array] = {
        "categories": by_categories,
        "table": _tables(given, "table", feature, widths, len(by_categories)),
        "surrogates": given.ints("surrogates", (m,), 0, len(widths), np.int32),
        "first_surrogate": given.ints("first_surrogate", (m,), 0, n, np.int32),
        "surrogate_feature": by_feature,
        "surrogate_cut": given.ints("surrogate_cut", (n,), -1, WIDE_LIMIT, np.int32),
        "surrogate_table": _tables(given, "surrogate_table", by_feature, widths, len(by_categories)),
        "surrogate_low_right": given.ints("surrogate_low_right", (n,), 0, 1, np.uint8),
    }
    ends = found["first_surrogate"] + found["surrogates"]
    require(int(ends.max(initial=0)) <= n, "surrogates", "those that there are")
    return found


def _tables(given: Values, name: str, feature: Ints, widths: Ints, n_categories: int) -> Ints:
    """Where tables start, -1 for none; each has an entry for every code of its feature."""
    table = given.ints(name, feature.shape, -1, n_categories, np.int32)
    ends = np.where(table >= 0, table + widths[feature], 0)
    require(int(ends.max(initial=0)) <= n_categories, name, "places of tables that are there")
    return table
