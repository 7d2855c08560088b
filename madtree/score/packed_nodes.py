"""The nodes of a forest, read from `<output>_packed`, checked, and taken apart by numpy.

Anybody may write bytes into a table of their own. What is read here has been found to be nodes of trees: of known
features and classes, with numbers where numbers are needed, and with categories that are there. That the nodes are
whole trees is found by who puts them together (`score.block_plan`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Array, Bools, Floats, Ints, sent_ints
from madtree.model import ModelTables
from madtree.score.named_categories import NamedCategories
from madtree.sqltext import packed_nodes as sql
from madtree.trees import MAX_DEPTH_LIMIT, Kind, Model, record_fields

CHUNK_BYTES = 8 * 2**20  # of nodes read at once, but for a larger tree
_INT = "pg_catalog.int4"
_LARGEST = 1e300  # as in sqltext/check.py: weights add up to less than the largest float8


def read_packed(host: Host, tables: ModelTables, model: Model, with_shares: bool) -> dict[str, Array]:
    """Fields of all nodes in order of tree and id, (n_nodes,) each, and their `tree_id`.

    `feature` and the `prediction` of a class are positions from 1; `majority_left` is bool, false for leaves.
    `class_weights` (n_nodes, K) are there if `with_shares`.

    Raises:
        MadtreeError: the bytes are not those of nodes.
    """
    record = _record(model)
    wanted = ["node_id", "feature", "majority_left", "prediction", "categories", "n_left", "n_right", "threshold"]
    wanted += ["class_weights"] * with_shares
    fields = [(name, record.fields[name][0].newbyteorder("=")) for name in wanted if record.fields]
    parts = [np.zeros(0, fields)]
    trees = [np.zeros(0, np.int64)]
    for tree_ids, sizes, data in _chunks(host, tables):
        if (sizes % record.itemsize).any() or not (sizes > 0).all() or len(data) != sizes.sum():
            raise _damaged(tables, "the nodes of a tree are cut off, or of another length than they were")
        nodes = np.frombuffer(data, record)
        tree = np.repeat(tree_ids, sizes // record.itemsize)
        _check(tables, model, tree, nodes)
        own = np.zeros(len(nodes), fields)
        for name, _ in fields:
            own[name] = nodes[name]
        parts.append(own)
        trees.append(tree)
    joined = np.concatenate(parts)
    columns = {name: np.ascontiguousarray(joined[name]) for name in wanted}
    columns["majority_left"] = columns["majority_left"] == 1
    return {"tree_id": np.concatenate(trees), **columns}


def node_categories(host: Host, tables: ModelTables, model: Model, nodes: Mapping[str, Array]) -> NamedCategories:
    """The categories of all nodes, which `read_packed` has read.

    Raises:
        MadtreeError: a node names categories that its tree does not have, or that no boolean can be.
    """
    row = host.query(sql.category_keys(tables.schema, tables.name))[0]
    tree_ids, sizes, hashes, truths = (sent_ints(row[column]) for column in ("tree_id", "size", "hash", "truth"))
    null: Bools = sent_ints(row["is_null"]) == 1
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
        raise _damaged(tables, "a node names categories that its tree does not have")
    counts = n_left + n_right
    first = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum())) - np.repeat(first, counts)
    at = np.repeat((ends - sizes)[place] + start, counts) + within
    feature = np.repeat(nodes["feature"][split].astype(np.int64), counts)
    is_boolean = np.array([False, *(f.type == "boolean" for f in model.features)])[feature]
    is_null = null[at]
    if (is_boolean & ~is_null & (truths[at] < 0)).any():
        raise _damaged(tables, "a node has categories that are no booleans")
    return NamedCategories(
        split=np.repeat(split, counts),
        feature=feature,
        key=np.where(is_boolean, truths[at], hashes[at]).astype(np.int64),
        is_null=is_null,
        goes_left=within < np.repeat(n_left, counts),
    )


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
        raise _damaged(tables, "it has surrogates of a node that is not there")
    return found


def _record(model: Model) -> np.dtype:
    fields = [(name, f">{kind}") for name, kind in record_fields(model.is_classification)]
    return np.dtype([*fields, ("class_weights", ">f8", (len(model.classes),))])


def _chunks(host: Host, tables: ModelTables) -> Iterator[tuple[Ints, Ints, bytes]]:
    """Some trees' ids, in order, the bytes of their nodes, and these bytes."""
    row = host.query(sql.packed_sizes(tables.schema, tables.name))[0]
    tree_ids, sizes = sent_ints(row["tree_id"]), sent_ints(row["size"])
    if (sizes < 0).any():
        raise _damaged(tables, "a tree has no nodes")
    statement = sql.packed_between(tables.schema, tables.name)
    chunk = np.cumsum(sizes) // CHUNK_BYTES
    starts = np.flatnonzero(np.append(True, np.diff(chunk) > 0)) if len(chunk) else np.zeros(0, np.int64)
    for first, end in zip(starts.tolist(), [*starts[1:].tolist(), len(tree_ids)], strict=False):
        between = [int(tree_ids[first]), int(tree_ids[end - 1])]
        data = host.query(statement, [_INT, _INT], between)[0]["nodes"]
        yield tree_ids[first:end], sizes[first:end], bytes(data or b"")


def _check(tables: ModelTables, model: Model, tree: Ints, nodes: Array) -> None:
    """Refuse nodes that training never writes; `tree` (n,) is the id of each one's tree."""
    is_unordered = np.array([False, *(f.kind is Kind.UNORDERED for f in model.features)])
    feature, node_id = nodes["feature"].astype(np.int64), nodes["node_id"].astype(np.int64)
    inner, categories = feature > 0, nodes["categories"].astype(np.int64)
    no_feature = (feature < 0) | (feature > len(model.features))
    by_category = is_unordered[np.where(no_feature, 0, feature)]
    same_tree = np.diff(tree) == 0
    faults: list[tuple[Bools, str]] = [
        ((node_id < 0) | (node_id >= 2 ** (MAX_DEPTH_LIMIT + 1)), "has a number that no node has"),
        (np.append(False, same_tree & (np.diff(node_id) <= 0)), "is not in the order of the nodes' numbers"),
        (no_feature, "asks what is no feature of the model"),
        (inner & (nodes["majority_left"].view(np.uint8) > 1), "has no majority"),
        (inner & ~by_category & np.isnan(nodes["threshold"]), "has no threshold"),
        (by_category & ~np.isnan(nodes["threshold"]), "has a threshold besides its categories"),
        (by_category != (categories >= 0), "has no lists of categories, or has them and does not ask for any"),
        ((nodes["n_left"] < 0) | (nodes["n_right"] < 0), "has lists of categories that end before they begin"),
    ]
    prediction = nodes["prediction"]
    if model.is_classification:
        weights: Floats = nodes["class_weights"]
        fits: Bools = np.all((weights >= 0) & (weights <= _LARGEST), axis=1)
        fits &= np.any(weights > 0, axis=1)
        faults.append(((prediction < 1) | (prediction > len(model.classes)), "predicts no class of the model"))
        faults.append((~fits, "has no weight for each class"))
    else:
        faults.append((np.isnan(np.asarray(prediction, np.float64)), "predicts no number"))
    for is_faulty, what in faults:
        if is_faulty.any():
            at = int(np.argmax(is_faulty))
            raise _damaged(tables, f"node {node_id[at]} of tree {tree[at]} {what}")


def _damaged(tables: ModelTables, what: str) -> MadtreeError:
    return MadtreeError(f"{tables.given} is damaged: {what}", hint="Train the model again, or restore its tables.")
