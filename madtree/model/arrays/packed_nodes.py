"""The nodes of an ensemble, read from `<output>_packed`, checked, and taken apart by numpy.

Anybody may write bytes into a table of their own. What is read here has been found to be nodes of trees: of known
features and classes, with numbers where numbers are needed, and with categories that are there. That the nodes are
whole trees is found by who puts them together (`learn.walk.FlatTrees`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Bools, Ints, heads, sent_ints
from madtree.learn.walk import SplitCategories
from madtree.model import ModelTables, OpenModel, check_categories
from madtree.sqltext import packed_nodes as sql
from madtree.sqltext.query import Binary
from madtree.trees import MAX_DEPTH_LIMIT, MOST_NAMED, FeatureKind, Model

CHUNK_BYTES = 8 * 2**20  # of nodes read at once, but for a larger tree
CHUNK_CATEGORIES = 2**20  # that are read at once, but for those of one tree
_INT = "pg_catalog.int4"
_OTHERS = frozenset(("n_rows", "improvement", "impurity", "complexity", "weight", "risk", "class_weights"))
_LARGEST = 1e300  # as in sqltext/check.py: weights add up to less than the largest float8


def read_packed(
    opened: OpenModel, others: Collection[str], tree_range: tuple[int, int] | None = None
) -> dict[str, Array]:
    """Fields of all nodes in order of tree and id, (n_nodes,) each, and their `tree_id`.

    `feature` and the `prediction` of a class are positions from 1; `majority_left` is bool, false for leaves. What a
    model without unordered features has no fields for is not there. `class_weights` are (n_nodes, K).

    Args:
        others: of the fields that are not needed to walk down the trees, those that are wanted.
        tree_range: of the first and the last tree that are wanted; None for all.

    Raises:
        MadtreeError: the bytes are not those of nodes.
    """
    tables = opened.tables
    row = opened.host.query(Binary(sql.packed_sizes(*tables.at)))[0]
    tree_ids, sizes = sent_ints(row["tree_id"]), sent_ints(row["size"])
    if tree_range is not None:
        wanted = np.flatnonzero((tree_ids >= tree_range[0]) & (tree_ids <= tree_range[1]))
        tree_ids, sizes = tree_ids[wanted], sizes[wanted]
    if (sizes < 0).any():
        raise tables.damaged("a tree has no nodes")
    record = np.dtype(opened.model.node_layout.big_endian)
    n_nodes, rest = np.divmod(sizes, record.itemsize)
    if rest.any() or not (sizes > 0).all():
        raise _cut_off(tables)
    names = [name for name in record.names or () if name not in _OTHERS or name in others]
    total = int(n_nodes.sum())
    nodes = {name: np.empty((total, *record[name].shape), record[name].base.newbyteorder("=")) for name in names}
    nodes |= {"tree_id": np.repeat(tree_ids, n_nodes), "majority_left": np.empty(total, np.bool_)}
    first = 0
    for data, n_bytes in _chunks(opened, tree_ids, sizes):
        if len(data) != n_bytes:
            raise _cut_off(tables)
        records = np.frombuffer(data, record)
        part = {name: column[first : first + len(records)] for name, column in nodes.items()}
        for name in names:
            part[name][:] = records[name]
        np.greater(part["feature"], 0, out=part["majority_left"])
        np.abs(part["feature"], out=part["feature"])
        _check(tables, opened.model, part, records["class_weights"])
        first += len(records)
    return nodes


def node_categories(opened: OpenModel, nodes: Mapping[str, Array]) -> SplitCategories:
    """The categories of all nodes, which `read_packed` has read; features by their positions in the model, from 1.

    Raises:
        MadtreeError: a node names categories that its tree does not have, or that no boolean can be.
    """
    tables = opened.tables
    row = opened.host.query(Binary(sql.category_sizes(*tables.at)))[0]
    tree_ids, sizes = sent_ints(row["tree_id"]), sent_ints(row["size"])
    check_categories(tables, int(sizes.sum(dtype=np.int64)))
    hashes, truths, null = _category_keys(opened, tree_ids, sizes)
    ends = np.cumsum(sizes)
    split: Ints = np.flatnonzero(nodes["categories"] >= 0)
    place = np.searchsorted(tree_ids, nodes["tree_id"][split])
    there = place < len(tree_ids)
    place = np.where(there, place, 0)
    n_left, n_right = (nodes[name][split].astype(np.int64) for name in ("n_left", "n_right"))
    start = nodes["categories"][split].astype(np.int64)
    if len(split) and not (
        ends[-1:].tolist() == [len(hashes)]
        and there.all()
        and np.array_equal(tree_ids[place], nodes["tree_id"][split])
        and (start + n_left + n_right <= sizes[place]).all()
    ):
        raise tables.damaged("a node names categories that its tree does not have")
    counts = n_left + n_right
    if counts.sum() > max(len(hashes), MOST_NAMED):
        raise tables.damaged("its nodes name more categories than its trees have")
    first = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum())) - np.repeat(first, counts)
    at = np.repeat((ends - sizes)[place] + start, counts) + within
    feature = np.repeat(nodes["feature"][split].astype(np.int64), counts)
    is_boolean = np.array([False, *(f.type == "boolean" for f in opened.model.features)])[feature]
    is_null = null[at]
    if (is_boolean & ~is_null & (truths[at] < 0)).any():
        raise tables.damaged("a node has categories that are no booleans")
    return SplitCategories(
        split=np.repeat(split, counts),
        feature=feature,
        key=np.where(is_boolean, truths[at], hashes[at]).astype(np.int64),
        is_null=is_null,
        goes_left=within < np.repeat(n_left, counts),
    )


def _category_keys(opened: OpenModel, tree_ids: Ints, sizes: Ints) -> tuple[Ints, Ints, Bools]:
    """(n,) `hash`, `truth` and `is_null` of the categories of all trees, as `sql.category_keys` has them."""
    statement = sql.category_keys(*opened.tables.at)
    found: list[list[Array]] = [[np.zeros(0, np.int64)] for _ in range(3)]
    for first, end in _stretches(np.cumsum(sizes) // CHUNK_CATEGORIES):
        row = opened.host.query(Binary(statement), [_INT, _INT], [int(tree_ids[first]), int(tree_ids[end - 1])])[0]
        for parts, column in zip(found, ("hash", "truth", "is_null"), strict=True):
            parts.append(sent_ints(row[column]))
        opened.host.let_in()
    hashes, truths, null = map(np.concatenate, found)
    return hashes, truths, null == 1


def _stretches(chunk: Ints) -> Iterator[tuple[int, int]]:
    """The first tree of each chunk, and the one behind its last, of the numbers of the trees' chunks, ascending."""
    return pairwise([*heads(chunk).tolist(), len(chunk)])


def node_places(tables: ModelTables, nodes: Mapping[str, Array], tree_id: Ints, node_id: Ints) -> Ints:
    """(n,) positions of nodes that are given by tree and id, in ascending order, among all.

    Raises:
        MadtreeError: one of them is not there.
    """
    n_nodes = len(nodes["node_id"])
    trees, ids = np.append(nodes["tree_id"], tree_id), np.append(nodes["node_id"], node_id)
    is_asked = np.arange(len(ids)) >= n_nodes
    order = np.lexsort((is_asked, ids, trees))
    before: Ints = np.cumsum(~is_asked[order]) - 1
    place = np.zeros(len(ids), np.int64)
    place[order] = before
    found = place[n_nodes:]
    if len(found) and not (
        found.min() >= 0
        and np.array_equal(nodes["tree_id"][found], tree_id)
        and np.array_equal(nodes["node_id"][found], node_id)
    ):
        raise tables.damaged("it has surrogates of a node that is not there")
    return found


def _chunks(opened: OpenModel, tree_ids: Ints, sizes: Ints) -> Iterator[tuple[bytes, int]]:
    """The nodes of some trees after the other, as bytes, and how many bytes they ought to have."""
    statement = sql.packed_between(*opened.tables.at)
    for first, end in _stretches(np.cumsum(sizes) // CHUNK_BYTES):
        between = [int(tree_ids[first]), int(tree_ids[end - 1])]
        data = opened.host.query(Binary(statement), [_INT, _INT], between)[0]["nodes"]
        yield bytes(data or b""), int(sizes[first:end].sum())


def _check(tables: ModelTables, model: Model, nodes: Mapping[str, Array], class_weights: Array) -> None:
    """Refuse nodes that training never writes.

    Args:
        nodes: columns (n,) of trees one after the other.
        class_weights: (n, K).
    """
    feature, node_id, tree, threshold = (nodes[name] for name in ("feature", "node_id", "tree_id", "threshold"))
    inner, has_threshold = feature > 0, ~np.isnan(threshold)
    # The least integer is its own absolute value.
    no_feature = (feature < 0) | (feature > len(model.features))
    faults: list[tuple[Bools, str]] = [
        ((node_id < 0) | (node_id >= 2 ** (MAX_DEPTH_LIMIT + 1)), "has a number that no node has"),
        (_not_ascending(tree, node_id), "is not in the order of the nodes' numbers"),
        (no_feature, "asks what is no feature of the model"),
    ]
    if "categories" in nodes:
        is_unordered = np.array([False, *(f.kind is FeatureKind.UNORDERED for f in model.features)])
        by_category = is_unordered.take(feature, mode="clip")
        faults += [
            (inner & ~by_category & ~has_threshold, "has no threshold"),
            (by_category & has_threshold, "has a threshold besides its categories"),
            (
                by_category != (nodes["categories"] >= 0),
                "has no lists of categories, or has them and does not ask for any",
            ),
            ((nodes["n_left"] < 0) | (nodes["n_right"] < 0), "has lists of categories that end before they begin"),
        ]
    else:
        faults.append((inner & ~has_threshold, "has no threshold"))
    unfit = {name: np.isnan(nodes[name]) for name in ("weight", "impurity") if name in nodes}
    faults += [(is_nan, f"has an unfit {name}") for name, is_nan in unfit.items()]
    if "weight" in nodes:
        faults.append((nodes["weight"] < 0, "has a negative weight"))
    if "improvement" in nodes:
        faults.append((inner & np.isnan(nodes["improvement"]), "has an unfit improvement"))
    prediction = nodes["prediction"]
    if model.has_class_leaves:
        faults.append(((prediction < 1) | (prediction > len(model.classes)), "predicts no class of the model"))
        faults.append((_unfit(class_weights), "has no weight for each class"))
    else:
        faults.append((np.isnan(prediction), "predicts no number"))
    for is_faulty, what in faults:
        if is_faulty.any():
            at = int(np.argmax(is_faulty))
            raise tables.damaged(f"node {node_id[at]} of tree {tree[at]} {what}")


def _not_ascending(tree: Ints, node_id: Ints) -> Bools:
    """(n,) whether a node comes behind one of its tree with the same id or a larger one."""
    found = np.zeros(len(tree), np.bool_)
    found[1:] = (tree[1:] == tree[:-1]) & (node_id[1:] <= node_id[:-1])
    return found


def _unfit(class_weights: Array) -> Bools:
    """(n,) whether the weights (n, K) of the classes are none, or all of them 0."""
    none = np.zeros(len(class_weights), np.bool_)
    unfit, some = none, none
    for weight in class_weights.T:
        own = weight.astype(np.float64)
        unfit = unfit | ~((own >= 0) & (own <= _LARGEST))
        some = some | (own > 0)
    return unfit | ~some


def _cut_off(tables: ModelTables) -> MadtreeError:
    return tables.damaged("the nodes of a tree are cut off, or of another length than they were")
