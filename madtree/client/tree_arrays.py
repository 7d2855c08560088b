"""Trees as arrays on the client's side: what scikit-learn's structures are made of, and the trees of an ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

import numpy as np
import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import Format

from madtree.client.calls import raising_refusals
from madtree.client.frames import Array
from madtree.client.walked_trees import WalkedTrees
from madtree.model import OpenModel, probabilities, trees_of_gid
from madtree.model.arrays import ADJUSTED_AGREEMENT, ModelArrays, keys_of_texts, read_arrays, read_leaf_outcomes
from madtree.trees import Feature, Model, Node, Tree

_READ = ("n_rows", "weight", "impurity", "improvement", "class_weights", ADJUSTED_AGREEMENT)


@dataclass(frozen=True)
class NodeArrays:
    """Nodes of one tree or of several, by place.

    Attributes:
        left, right: (n_nodes,) places of the children, -1 for a leaf.
        feature: (n_nodes,) place among the model's features, -1 for a leaf; threshold: NaN where there is none.
        weight: (n_nodes,) that impurity is about, `Node.weight_by_class`.
        prediction: (n_nodes,) the mean, or the place of the class.
        values: (n_nodes, n_classes) shares of the classes, or (n_nodes, 1) numbers.
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
    def of(cls, model: Model, nodes: Sequence[Node], walked: WalkedTrees) -> NodeArrays:
        """Those of nodes by place."""
        place = {feature.name: at for at, feature in enumerate(model.features)}
        classes = {label: at for at, label in enumerate(model.classes)}
        predicted = [classes[str(n.prediction)] if model.has_class_leaves else float(n.prediction or 0) for n in nodes]
        prediction = np.array(predicted, np.float64)
        return cls(
            walked.trees.node_id.take(walked.order),
            walked.place_and_depth[1].take(walked.order),
            *walked.children(),
            np.array([-1 if node.is_leaf else place[str(node.feature)] for node in nodes], np.int64),
            np.array([np.nan if node.threshold is None else node.threshold for node in nodes], np.float64),
            np.array([bool(node.majority_left) for node in nodes], np.bool_),
            np.array([node.n_rows for node in nodes], np.int64),
            np.array([node.weight_by_class for node in nodes], np.float64),
            np.array([node.impurity for node in nodes], np.float64),
            np.array([node.improvement or 0.0 for node in nodes], np.float64),
            prediction,
            class_shares(model, nodes) if model.has_class_leaves else prediction[:, None],
        )

    @classmethod
    def read(cls, model: Model, arrays: ModelArrays, walked: WalkedTrees) -> NodeArrays:
        """Those of trees that were read as arrays."""
        own = {name: column.take(walked.order, axis=0) for name, column in arrays.nodes.items()}
        improvement = np.where(own["feature"] > 0, own["improvement"], 0.0)
        if not model.has_class_leaves:
            weight, values = own["weight" if model.has_weighted_nodes else "n_rows"], own["prediction"][:, None]
        elif model.weighted:
            rows = own["class_weights"].tolist()
            weight, values = np.array([*map(fsum, rows)]), np.array([*map(probabilities, rows)])
        else:  # whole numbers, whose sums are exact
            weight = own["class_weights"].sum(axis=1, dtype=np.float64)
            values = own["class_weights"] / weight[:, None]
        return cls(
            own["node_id"],
            walked.place_and_depth[1].take(walked.order),
            *walked.children(),
            own["feature"].astype(np.int64) - 1,
            own["threshold"],
            own["majority_left"],
            own["n_rows"].astype(np.int64),
            weight.astype(np.float64),
            own["impurity"],
            improvement,
            own["prediction"].astype(np.float64) - model.has_class_leaves,
            values,
        )

    def of_tree(self, first: int, end: int) -> NodeArrays:
        """One tree of several, from one place to another, with its own places."""
        columns = {name: getattr(self, name)[first:end] for name in self.__dataclass_fields__}
        for name in ("left", "right"):
            columns[name] = np.where(columns[name] >= 0, columns[name] - first, -1)
        return NodeArrays(**columns)


@dataclass(frozen=True)
class EnsembleArrays:
    """The trees of one group of an ensemble.

    Attributes:
        nodes: of all trees.
        roots: (n_trees + 1,) the place where each tree begins, and where the last one ends.
        used: the features that splits and surrogates ask.
        walked: rows go down them.
        importance: (n_trees, n_features) gains by feature, surrogates by their adjusted agreement.
        outcomes: (n_nodes,) by place those that leaves keep, where they were asked for; else None.
    """

    nodes: NodeArrays
    used: tuple[Feature, ...]
    walked: WalkedTrees
    importance: Array
    outcomes: Array | None = None

    @classmethod
    def read(cls, opened: OpenModel, gid: int | None = None, *, outcomes: bool = False) -> EnsembleArrays:
        """Read from the model's tables; of a grouped model those of the group `gid`, from 1; `outcomes`, if wanted.

        Raises:
            MadtreeError: as `trees_of_gid`, or the tables are damaged.
        """
        model = opened.model
        ids = trees_of_gid(opened, gid)
        arrays = read_arrays(opened, _READ, (ids[0], ids[-1]))
        if len(arrays.trees.roots) != len(ids):
            raise opened.tables.damaged("some of its trees have no nodes")
        used = [model.features[at] for at in arrays.used]
        keys = keys_of_texts(opened) if any(arrays.trees.is_category) else {}
        names = [feature.name for feature in used]
        walked = WalkedTrees(arrays.trees, names, keys, model.n_members, model.numbering.counts)
        nodes = NodeArrays.read(model, arrays, walked)
        agreement = np.zeros(0) if arrays.agreement is None else arrays.agreement
        found = cls._of(model, nodes, walked, agreement)
        if not outcomes:
            return found
        return replace(found, outcomes=read_leaf_outcomes(opened, arrays.nodes, of_group=True).take(walked.order))

    @classmethod
    def of(cls, model: Model, trees: Sequence[Tree]) -> EnsembleArrays:
        """Of plain values. Raises ValueError if a tree has no nodes: its group could not be trained."""
        walked = WalkedTrees.of(trees, of_members=True)
        nodes = [tree.nodes[node_id] for tree in trees for node_id in sorted(tree.nodes)]
        agreement = [surrogate.adjusted_agreement for node in nodes for surrogate in node.surrogates]
        by_place = [nodes[at] for at in walked.order.tolist()]
        return cls._of(model, NodeArrays.of(model, by_place, walked), walked, np.array(agreement, np.float64))

    @classmethod
    def _of(cls, model: Model, nodes: NodeArrays, walked: WalkedTrees, agreement: Array) -> EnsembleArrays:
        """`agreement`: (n_surrogates,) adjusted ones."""
        names = {feature.name: at for at, feature in enumerate(model.features)}
        of_model = np.array([names[name] for name in walked.features], np.int64)
        splits, n_trees, n_features = walked.trees.splits, len(walked.trees.roots), len(model.features)
        asks = np.flatnonzero(splits.feature >= 0)
        place = walked.place.take(splits.node.take(asks))
        share = np.concatenate((np.ones(len(walked.place)), agreement)).take(asks)
        in_order = np.argsort(place, kind="stable")  # in which gains are added up
        number = np.searchsorted(walked.place.take(walked.trees.roots), place, side="right") - 1
        cell = number * n_features + of_model.take(splits.feature.take(asks))
        gains = nodes.improvement.take(place) * share
        gained = np.bincount(cell.take(in_order), gains.take(in_order), n_trees * n_features)
        used = tuple(model.features[at] for at in sorted(of_model.tolist()))
        return cls(nodes, used, walked, gained.reshape(n_trees, n_features))

    @property
    def n_trees(self) -> int:
        return len(self.walked.trees.roots)

    @cached_property
    def roots(self) -> Array:
        return np.append(self.walked.place.take(self.walked.trees.roots), len(self.walked.place))

    @property
    def is_plain(self) -> bool:
        """Whether each node asks one number only."""
        return self.walked.trees.by_thresholds_alone

    def tree(self, number: int) -> NodeArrays:
        """One tree, with places of its own."""
        return self.nodes.of_tree(int(self.roots[number]), int(self.roots[number + 1]))

    def apply(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows, n_trees) the place in `nodes` of the leaf that each row ends in; `values` as `feature_values`."""
        return self.walked.leaves(values, n_rows)


def class_shares(model: Model, nodes: Sequence[Node]) -> Array:
    """(n_nodes, n_classes) probabilities as tree_predict has them."""
    rows = [probabilities(node.class_weights or ()) for node in nodes]
    return np.array(rows, np.float64).reshape(len(nodes), len(model.classes))


def class_values(model: Model) -> Array:
    """The classes as scikit-learn has them: bool, int64 or str; in the dependent's SQL order."""
    if model.dependent_type == "boolean":
        return np.array([label == "true" for label in model.classes])
    if model.dependent_type in ("smallint", "integer", "bigint"):
        return np.array([int(label) for label in model.classes], np.int64)
    return np.array(model.classes)


def predicted_classes(model: Model, winners: Array) -> Array:
    """(n_rows,) what psycopg reads from a column of predictions, dates as dates, by the numbers of their classes.

    Raises:
        CallError: Python has no value for the class of a row, as for an infinite date.
    """
    classes, type_ = class_values(model), psycopg.adapters.types.get(model.dependent_type)
    if type_ is not None and classes.dtype.kind == "U":
        load = Transformer().get_loader(type_.oid, Format.TEXT).load
        with raising_refusals():
            values = {number: load(model.classes[number].encode()) for number in np.unique(winners).tolist()}
        if any(value != model.classes[number] for number, value in values.items()):
            classes = classes.astype(object)
            for number, value in values.items():
                classes[number] = value
    return np.asarray(classes[winners])


def mean_values(trees: EnsembleArrays, leaves: Array) -> Array:
    """(n_rows, n_values) of the trees; added up in their order, as the database does.

    Args:
        leaves: (n_rows, n_trees) as `EnsembleArrays.apply` has them.
    """
    total = np.zeros((len(leaves), trees.nodes.values.shape[1]))
    for number in range(trees.n_trees):
        total += trees.nodes.values[leaves[:, number]]
    return total / trees.n_trees


def votes(trees: EnsembleArrays, leaves: Array) -> Array:
    """(n_rows, n_classes) how many trees say each class; arguments as of `mean_values`."""
    counted = np.zeros((len(leaves), trees.nodes.values.shape[1]), np.int64)
    rows = np.arange(len(leaves))
    for number in range(trees.n_trees):
        counted[rows, trees.nodes.prediction[leaves[:, number]].astype(np.int64)] += 1
    return counted
