"""Reading the trees of a model back from its tables."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Generic, TypeVar

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.model.check import check_rows, check_trees
from madtree.model.find import ModelTables
from madtree.model.opened import OpenModel, find_to_show
from madtree.model.packed_nodes import packed_trees, packed_trees_to_walk
from madtree.model.size_limits import MOST_BYTES, check_listed
from madtree.sqltext import explain as explain_sql
from madtree.sqltext import models as sql
from madtree.trees import MAX_CATEGORIES, Competitor, Model, Node, Split, Surrogate, Tree

_SIDES = ("left_levels", "right_levels")
_LISTS = (*_SIDES, "class_weights")  # columns that are arrays
T = TypeVar("T")
NODES_AT_ONCE = 2000  # rows fetched through a cursor; a node as a dict is about 2 kB
_ELEMENTS_AT_ONCE = 200_000  # of their arrays
_BYTES_AT_ONCE = 2**25  # of a column of theirs


def read_model(
    host: Host, given: str | None, argument: str = "model", tree_id: int | None = None, *, competitors: bool = False
) -> Model:
    """Read a model with all its trees, or with the tree `tree_id` only, to show it: what it names may not be run.

    `competitors`: with those of its nodes.

    Raises:
        MadtreeError: as `find_model`; or the model has no tree `tree_id`.
    """
    opened = find_to_show(host, given, argument)
    return replace(opened.model, trees=read_trees(opened, tree_id, competitors=competitors))


def read_trees(opened: OpenModel, tree_id: int | None = None, *, competitors: bool = False) -> tuple[Tree, ...]:
    """The model's trees by ascending tree_id, or the one asked for; a group that failed has a tree without nodes.

    Raises:
        MadtreeError: the model has no tree `tree_id`, or none at all, or a tree lacks nodes.
    """
    return tuple(each_tree(opened, tree_id, competitors=competitors))


def trees_of_group(opened: OpenModel, group: int) -> list[int]:
    """The ids of the trees of a group, given by its number; there may be none, if it failed.

    Raises:
        MadtreeError: the trees cannot be a model's.
    """
    check_trees(opened)
    ids = [int(row["tree_id"]) for row in watched(opened.host, listed(opened.host, sql.trees(*opened.tables.at, ())))]
    if not opened.model.grouping_columns:
        return ids
    return [tree_id for tree_id in watched(opened.host, ids) if opened.model.numbering.group(tree_id) == group]


def each_tree(opened: OpenModel, tree_id: int | None = None, *, competitors: bool = False) -> Iterator[Tree]:
    """What `read_trees` reads, one by one: many trees are larger than what is written of them. Errors are the same."""
    host, tables = opened.host, opened.tables
    competitors = competitors and tables.has("_competitors")
    # Packed nodes are looked at as they are read.
    check_rows(opened, tree_id, competitors=competitors, nodes=not tables.is_packed)
    check_listed(host, tables)
    rows = listed(host, sql.trees(*tables.at, opened.group_writers))
    if not rows:
        raise tables.damaged("it has no tree")
    wanted = rows if tree_id is None else [row for row in watched(host, rows) if row["tree_id"] == tree_id]
    if not wanted:
        first, last = rows[0]["tree_id"], rows[-1]["tree_id"]
        raise MadtreeError(f"tree_id must be one of {tables.given}'s trees, {first} to {last}, not {tree_id}")
    nodes = _InOrder(_nodes_by_tree(opened, tree_id, competitors=competitors))
    for row in watched(host, wanted):
        of_tree = nodes.of(row["tree_id"]) or {}
        seen = _seen_categories(tables, watched(host, of_tree.values()), opened.model.categories_of(row["tree_id"]))
        yield Tree(row["tree_id"], of_tree, tuple(row["group"] or ()), row["n_rows"] or 0, seen)
    nodes.of(None)


class _InOrder(Generic[T]):
    """What there is of some of the trees, as it comes by ascending tree_id."""

    def __init__(self, rest: Iterator[tuple[int, T]]) -> None:
        self._rest = rest
        self._next = next(rest, None)

    def of(self, tree_id: int | None) -> T | None:
        """That of a tree behind those asked for before; None is behind them all."""
        while self._next is not None and (tree_id is None or self._next[0] < tree_id):
            self._next = next(self._rest, None)
        return self._next[1] if self._next is not None and self._next[0] == tree_id else None


def trees_of_gid(opened: OpenModel, gid: int | None = None) -> list[int]:
    """The ids of the trees of the only group, or of the group `gid`, from 1; they follow each other.

    Raises:
        MadtreeError: there are several groups and `gid` does not name one, or the group has no tree.
    """
    model = opened.model
    n_groups = model.summary.get("num_all_groups") or 1
    if gid is None and n_groups != 1:
        raise MadtreeError(
            f"{opened.tables.given} has {model.kind.in_words} for each of {n_groups} groups",
            hint=f"gid must say which one, from 1 to {n_groups}.",
        )
    number = _checked_gid(model, 1 if gid is None else gid)
    own = trees_of_group(opened, number)
    if not own:
        raise MadtreeError(f"{opened.tables.given} has no {model.kind.noun} of group {number}: it could not be trained")
    return own


def tree_of_group(model: Model, gid: int | None, sample_id: int | None) -> int:
    """The id of a tree by the number of its group, and by its own there; both from 1.

    Raises:
        MadtreeError: there is no such group, or no such tree of it.
    """
    group = _checked_gid(model, gid)
    members = model.numbering.members(group)
    if sample_id is None or not 1 <= sample_id <= members:
        raise MadtreeError(f"sample_id must be from 1 to {members}, not {'NULL' if sample_id is None else sample_id}")
    return model.numbering.tree_id(group, sample_id)


def _checked_gid(model: Model, gid: int | None) -> int:
    n_groups = model.summary.get("num_all_groups") or 1
    if not isinstance(n_groups, int) or gid is None or not 1 <= gid <= n_groups:
        raise MadtreeError(
            f"gid must be from 1 to {n_groups}, the number of a group of {model.name}, not "
            f"{'NULL' if gid is None else gid}"
        )
    return gid


def trees_to_walk(opened: OpenModel, tree_ids: Container[int] | None = None) -> Iterator[Tree]:
    """Some trees, or all, for who asks a few of their nodes, as a row does on its way. A group that failed has none.

    Raises:
        MadtreeError: as `each_tree`; where nodes are packed, only when one is asked for.
    """
    tables = opened.tables
    if not tables.is_packed or tables.has("_surrogates") or opened.model.categories:  # each of which all nodes tell of
        for tree in each_tree(opened):
            if tree.nodes and (tree_ids is None or tree.tree_id in tree_ids):
                yield tree
        return
    check_trees(opened)
    for tree_id, nodes in packed_trees_to_walk(opened, tree_ids):
        yield Tree(tree_id, nodes)


def _nodes_by_tree(
    opened: OpenModel, tree_id: int | None, *, competitors: bool
) -> Iterator[tuple[int, dict[int, Node]]]:
    host = opened.host
    surrogates = _InOrder(_surrogates(opened, tree_id) if opened.tables.has("_surrogates") else iter(()))
    others = _InOrder(_competitors(opened) if competitors else iter(()))
    read = packed_trees if opened.tables.is_packed else _listed_trees
    for tree, nodes in read(opened, tree_id):
        stand_ins, competing = surrogates.of(tree) or {}, others.of(tree) or {}
        for node_id in watched(host, {*stand_ins, *competing} & nodes.keys()):
            own, other = stand_ins.get(node_id, ()), competing.get(node_id, ())
            nodes[node_id] = replace(nodes[node_id], surrogates=tuple(own), competitors=tuple(other))
        inner = [node for node in watched(host, nodes.values()) if not node.is_leaf]
        # With all children of inner nodes there, as many nodes mean that each of the others has a parent.
        whole = 0 in nodes and all(node.left_id in nodes and node.right_id in nodes for node in watched(host, inner))
        if not whole or len(nodes) != 2 * len(inner) + 1:
            raise _not_whole(opened.tables, tree)
        yield tree, nodes


def _listed_trees(opened: OpenModel, tree_id: int | None) -> Iterator[tuple[int, dict[int, Node]]]:
    """As `packed_trees`, where each node is a row."""
    text = sql.nodes(opened.nodes, opened.model.has_class_leaves, tree_id)
    rows = opened.host.stream(text, _at_once(opened, opened.nodes.sql, _LISTS))
    for tree, of_tree in groupby(rows, key=lambda row: row.pop("tree_id")):
        nodes: dict[int, Node] = {}
        for row in of_tree:
            if row["node_id"] in nodes:
                raise _not_whole(opened.tables, tree)
            nodes[row["node_id"]] = Node(**_without_lists(row))
        yield int(tree), nodes


def _not_whole(tables: ModelTables, tree: int) -> MadtreeError:
    return tables.damaged(f"the nodes of tree {tree} are not a whole tree")


def _surrogates(opened: OpenModel, tree_id: int | None) -> Iterator[tuple[int, dict[int, list[Surrogate]]]]:
    """Of each tree by node, the best one first."""
    at_once = _at_once(opened, opened.tables.part("_surrogates"), _SIDES)
    yield from _by_node(opened.host.stream(sql.surrogates(*opened.tables.at, tree_id), at_once), Surrogate)


def _competitors(opened: OpenModel) -> Iterator[tuple[int, dict[int, list[Competitor]]]]:
    """Of each tree by node, the best one first."""
    at_once = _at_once(opened, opened.tables.part("_competitors"), _SIDES)
    yield from _by_node(opened.host.stream(sql.competitors(*opened.tables.at), at_once), Competitor)


def _at_once(opened: OpenModel, table: str, lists: Sequence[str]) -> int:
    """Rows to be fetched together: as few as hold some 10 ms of Python's time, however long their lists are; raises as
    `_rows_of_bytes`.
    """
    size = opened.host.query(sql.longest_list(table, lists))[0]
    by_elements = _ELEMENTS_AT_ONCE // max(int(size["longest"]), 1)
    return max(1, min(NODES_AT_ONCE, by_elements, _rows_of_bytes(opened.tables, size, "lists of categories")))


def _rows_of_bytes(tables: ModelTables, size: Row, what: str) -> int:
    """Rows that are not too large together, 1 at least; `size` tells of a column the `largest` of its values, and their
    `total`. As compressed as they are stored, they may be a hundredth of that.

    Raises:
        MadtreeError: all of them, which Python would hold, are too large.
    """
    if size["total"] > MOST_BYTES:
        raise MadtreeError(
            f"{tables.given} is too large to be read node by node: its {what} have {size['total']:,} bytes",
            hint="To score by it, nodes need not be read one by one.",
            sqlstate="54000",
        )
    return max(1, _BYTES_AT_ONCE // max(int(size["largest"]), 1))


def _by_node(rows: Iterator[Row], kind: Callable[..., T]) -> Iterator[tuple[int, dict[int, list[T]]]]:
    for tree, of_tree in groupby(rows, key=lambda row: row.pop("tree_id")):
        found: dict[int, list[T]] = {}
        for row in of_tree:
            found.setdefault(row.pop("node_id"), []).append(kind(**_without_lists(row)))
        yield int(tree), found


def _without_lists(row: Row) -> dict[str, Any]:
    values = dict(row)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    return values


def _seen_categories(
    tables: ModelTables, nodes: Iterable[Node], stored: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """`Tree.seen_categories`: what the summary names and, should it lack some, what the tree's own splits name.

    Raises:
        MadtreeError: that is more than a feature can have.
    """
    named: dict[str, set[str | None]] = {}
    for node in nodes:
        splits: tuple[Split, ...] = (node, *node.surrogates)
        for split in splits:
            of_feature = named.setdefault(str(split.feature), set())
            of_feature.update(split.left_levels or (), split.right_levels or ())
            if len(of_feature) > MAX_CATEGORIES + 1:  # with NULL
                raise tables.damaged("the nodes of a tree name too many categories of a feature")
    return {
        name: tuple(sorted({each for each in (*of_feature, *stored.get(name, ())) if each is not None}))
        for name, of_feature in named.items()
        if None in of_feature
    }


def group_objects(opened: OpenModel) -> dict[int, str]:
    """The values of a model's groups as texts of JSON objects, by their numbers, which are those of their trees where
    each has one; empty where the model is not grouped. They are read once: many rows of a result share the text.
    """
    model = opened.model
    if not model.grouping_columns:
        return {}
    table, number = opened.tables.part(model.kind.groups_in), model.kind.group_number
    statement = explain_sql.group_objects(table, number, opened.group_writers)
    return {row["number"]: row["group_values"] for row in watched(opened.host, listed(opened.host, statement))}
