"""The nodes, splits and categories of a model's trees as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, sent_floats, sent_ints
from madtree.learn.walk import FlatSplits, FlatTrees
from madtree.model import OpenModel, check_rows
from madtree.model.arrays.categories import seen_categories, split_categories
from madtree.model.arrays.packed_nodes import node_places, read_packed
from madtree.records import dataclass
from madtree.sqltext import sent_models as sql
from madtree.trees import FeatureKind

ADJUSTED_AGREEMENT = "adjusted_agreement"
_TEXTS = "pg_catalog.text[]"


@dataclass(frozen=True)
class ModelArrays:
    """Trees of a model.

    Attributes:
        nodes: columns of all nodes in order of tree and id, (n_nodes,) each: `tree_id`, `node_id`, `feature` by its
            position in the model from 1, 0 of a leaf, `prediction`, of a class its position from 1; and those that were
            asked for.
        trees: the same nodes, to be walked down.
        used: (n_used,) the trees' features, those that some split asks for, by their positions in the model from 0.
        agreement: (n_surrogates,) adjusted ones of the surrogates, if they were asked for.
    """

    nodes: dict[str, Array]
    trees: FlatTrees
    used: Ints
    agreement: Floats | None = None


def read_arrays(
    opened: OpenModel, others: Collection[str] = (), tree_range: tuple[int, int] | None = None
) -> ModelArrays:
    """Read a model's trees.

    Args:
        others: columns of packed nodes beyond those that a walk needs; and `ADJUSTED_AGREEMENT`, of surrogates.
        tree_range: of an ensemble the first and the last tree that are wanted; None for all.

    Raises:
        MadtreeError: the tables hold what training never writes, or nodes that are not those of whole trees.
    """
    host = opened.host
    check_rows(opened, nodes=not opened.tables.is_packed)
    nodes = read_packed(opened, others, tree_range) if opened.tables.is_packed else _rows_of_nodes(opened)
    host.let_in()  # a numpy pass over many nodes looks for no cancels
    n_nodes = len(nodes["node_id"])
    feature = nodes["feature"].astype(np.int64)
    splits = FlatSplits(np.arange(n_nodes), feature, nodes["threshold"], np.ones(n_nodes, np.bool_))
    host.let_in()
    kept, agreement = np.ones(n_nodes, np.bool_), None  # which of the splits in the tables are of these trees
    if opened.tables.has("_surrogates"):
        surrogates, wanted, agreement = _surrogates(opened, nodes, others, tree_range)
        splits, kept = splits.extended_by(surrogates), np.concatenate((kept, wanted))
    host.let_in()
    used = np.flatnonzero(np.bincount(splits.feature, minlength=1)[1:])
    # Of the model's features (from 1; 0 is a leaf) to those of the trees (from 0; -1 is a leaf).
    renumbered = np.full(len(opened.model.features) + 1, -1, np.int64)
    renumbered[used + 1] = np.arange(len(used))
    is_category = [opened.model.features[position].kind is FeatureKind.UNORDERED for position in used]
    named = seen = None
    if any(is_category):  # looking for categories takes longer than reading all nodes
        named = split_categories(opened, nodes).of_splits(kept, np.cumsum(kept) - 1)
        named, seen = replace(named, feature=renumbered[named.feature]), seen_categories(host, opened.model)
        seen = replace(seen, feature=renumbered[seen.feature])
        host.let_in()
    splits = replace(splits, feature=renumbered[splits.feature])
    tree_id, node_id, majority_left = (nodes[name] for name in ("tree_id", "node_id", "majority_left"))
    host.let_in()
    trees = FlatTrees.of(tree_id, node_id, majority_left, splits, is_category, named, seen, host.let_in)
    return ModelArrays(nodes, trees, used, agreement)


def class_weights(opened: OpenModel, n_nodes: int) -> Floats:
    """(n_nodes, K) of all nodes that are rows, in order of tree and id.

    Raises:
        MadtreeError: they are not that many.
    """
    values = sent_floats(opened.host.query(sql.weight_numbers(*opened.tables.at))[0]["weights"])
    if len(values) != n_nodes * len(opened.model.classes):
        raise opened.tables.damaged("not each of its nodes has a weight for each class")
    return values.reshape(-1, len(opened.model.classes))


def node_weights(opened: OpenModel, n_nodes: int) -> Floats:
    """(n_nodes,) the weight of the training rows of all nodes that are rows, in order of tree and id.

    Raises:
        MadtreeError: they are not that many.
    """
    values = sent_floats(opened.host.query(sql.cover_numbers(*opened.tables.at))[0]["weights"])
    if len(values) != n_nodes:
        raise opened.tables.damaged("not each of its nodes has a weight")
    return values


def _rows_of_nodes(opened: OpenModel) -> dict[str, Array]:
    """Columns of all nodes that are rows, in order of tree and id; NaN for no threshold, false for no majority."""
    model = opened.model
    prediction = "class" if model.has_class_leaves else "number"
    row = opened.host.query(
        sql.node_numbers(*opened.tables.at, prediction, opened.tables.prediction_writer),
        [_TEXTS, _TEXTS],
        [model.feature_names, list(model.classes)],
    )[0]
    whole = ["tree_id", "node_id", "feature", "majority_left"] + ["prediction"] * model.has_class_leaves
    nodes: dict[str, Array] = {
        column: sent_ints(data) if column in whole else sent_floats(data) for column, data in row.items()
    }
    nodes["majority_left"] = nodes["majority_left"] == 1
    return nodes


def _surrogates(
    opened: OpenModel, nodes: Mapping[str, Array], others: Collection[str], tree_range: tuple[int, int] | None
) -> tuple[FlatSplits, Bools, Floats | None]:
    """The surrogates of nodes; of all in the tables (n,) whether they are among these; and their adjusted agreement."""
    with_agreement = ADJUSTED_AGREEMENT in others
    statement = sql.surrogate_numbers(*opened.tables.at, with_agreement=with_agreement)
    row = opened.host.query(statement, [_TEXTS], [opened.model.feature_names])[0]
    tree_id = sent_ints(row["tree_id"])
    wanted: Bools = np.ones(len(tree_id), np.bool_)
    if tree_range is not None:
        wanted = (tree_id >= tree_range[0]) & (tree_id <= tree_range[1])
    splits = FlatSplits(
        node_places(opened.tables, nodes, tree_id[wanted], sent_ints(row["node_id"])[wanted]),
        sent_ints(row["feature"])[wanted],
        sent_floats(row["threshold"])[wanted],
        sent_ints(row["low_goes_left"])[wanted] == 1,
    )
    return splits, wanted, sent_floats(row[ADJUSTED_AGREEMENT])[wanted] if with_agreement else None


@dataclass(frozen=True)
class RefreshedGroups:
    """What rows say of the groups of a boosted model.

    Attributes:
        number: (n_groups,) of those to which rows have come.
        base: (n_groups, n_scores) the scores before any tree.
        threshold: (n_groups,) by which the loss is told; NaN where it has none.
        n_rows: (n_groups,) that have come.
    """

    number: Ints
    base: Floats
    threshold: Floats
    n_rows: Ints

    @classmethod
    def none(cls) -> RefreshedGroups:
        """Of models whose groups say nothing."""
        whole, number = np.zeros(0, np.int64), np.zeros(0)
        return cls(whole, np.zeros((0, 1)), number, whole)


@dataclass(frozen=True)
class RefreshedNodes:
    """What rows say in all nodes of a model, (n_nodes,) each, in order of tree and id.

    Attributes:
        total: rows that have come to the model.
        n_rows, weight: that have come to each node.
        prediction: of classes the position of one, from 1; nothing where no row has come.
        class_weights: (n_nodes, K); None of trees that say numbers.
    """

    total: int
    tree_id: Ints
    node_id: Ints
    n_rows: Ints
    weight: Floats
    prediction: Floats
    class_weights: Floats | None
    groups: RefreshedGroups
