"""What the leaves of a model say on a scale on which all trees together are a sum, as explanations need it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import watched
from madtree.learn.data import Floats, Ints
from madtree.model import UsableModel, probabilities
from madtree.model.arrays import ModelArrays, class_weights, node_weights
from madtree.records import dataclass


@dataclass(frozen=True)
class SumScale:
    """On which a model's predictions are explained.

    Attributes:
        type_: of prediction, one of the kind's `class_sums` or `number_sums`.
        classes: positions of the classes that are asked for; none of a model of numbers.
    """

    opened: UsableModel
    type_: str
    classes: Sequence[int]

    @property
    def n_outputs(self) -> int:
        """Numbers that are explained of each row."""
        return max(len(self.classes), 1)


@dataclass(frozen=True)
class LeafNumbers:
    """What leaves say.

    Attributes:
        values: (n_nodes, n_values) what each node as a leaf adds to the outputs, from the first one of its tree on.
        cover: (n_nodes,) the rows of training that came to each node, or their weight.
        first_output: (n_trees,) the place of that output; -1 of trees that say nothing of what is scale.
        groups: (n_trees,) position of each tree's group, among those that have trees.
        base: (n_groups, n_outputs) what is said before any tree.
    """

    values: Floats
    cover: Floats
    first_output: Ints
    groups: Ints
    base: Floats


def numbers_of_tree(scale: SumScale, arrays: ModelArrays) -> LeafNumbers:
    """A tree says its leaf's shares of the classes, or its mean. Nodes are covered by the weight of their rows."""
    n_nodes = len(arrays.nodes["node_id"])
    if scale.classes:
        weights = class_weights(scale.opened, n_nodes)
        shares = np.empty_like(weights)
        for node, own in enumerate(watched(scale.opened.host, weights)):
            shares[node] = probabilities(own.tolist())
        values = shares[:, list(scale.classes)]
    else:
        values = arrays.nodes["prediction"].astype(np.float64)[:, None]
    return alike(scale, arrays, values, node_weights(scale.opened, n_nodes))


def alike(scale: SumScale, arrays: ModelArrays, values: Floats, cover: Floats) -> LeafNumbers:
    """Where each tree says something of all that is scale."""
    group, numbers = groups_of_trees(scale, arrays)
    nothing = np.zeros((len(numbers), scale.n_outputs))
    return LeafNumbers(values, cover, np.zeros(len(group), np.int64), group, nothing)


def groups_of_trees(scale: SumScale, arrays: ModelArrays) -> tuple[Ints, Ints]:
    """(n_trees,) position of each tree's group; (n_groups,) the numbers of the groups, from 1."""
    numbering, trees = scale.opened.model.numbering, arrays.trees
    of_trees = trees.group_of_nodes(numbering.most, numbering.counts).take(trees.roots)
    numbers, group = np.unique(of_trees, return_inverse=True)
    return group.ravel(), numbers
