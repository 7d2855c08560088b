"""A model's trees as flat arrays, what a forest of them says, and which rows it has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from madtree.learn.data import Bools, Floats, Ints

if TYPE_CHECKING:
    from madtree.learn.problem import Bootstrap

ALL_TREES = -1


@dataclass(frozen=True)
class FlatNodes:
    """All nodes by tree, then by id; (n_nodes,) each.

    Attributes:
        tree_id, node_id: of the node.
        majority_left: whether the left child is the majority's; anything for a leaf.
        outcome: what to return for a row that ends in the node: a position from 1.
    """

    tree_id: Ints
    node_id: Ints
    majority_left: Bools
    outcome: Ints


@dataclass(frozen=True)
class FlatSplits:
    """What is asked, of the nodes and then of the surrogates; (n_splits,) each.

    Attributes:
        node: position of the node; those of the surrogates do not fall.
        feature: position of the feature; -1 for a leaf.
        threshold: NaN where the feature is unordered or the node a leaf.
        low_goes_left: whether values up to the threshold go left.
    """

    node: Ints
    feature: Ints
    threshold: Floats
    low_goes_left: Bools


@dataclass(frozen=True)
class SplitCategories:
    """The categories that splits on unordered features name; (n_entries,) each.

    Attributes:
        split: position of the split.
        feature: position of its feature.
        key: of the category.
        is_null: the category is NULL, and `key` means nothing.
        goes_left: where the split sends it.
    """

    split: Ints
    feature: Ints
    key: Ints
    is_null: Bools
    goes_left: Bools


@dataclass(frozen=True)
class SeenCategories:
    """Categories seen in training, of features for which NULL is a category; (n_seen,) each.

    Attributes:
        feature: position of the feature.
        tree_id: of the tree, or `ALL_TREES`.
        key: of the category.
    """

    feature: Ints
    tree_id: Ints
    key: Ints


@dataclass(frozen=True)
class Drawn:
    """Which rows the trees of a forest have seen.

    Attributes:
        samples: that they were grown on.
        is_tested: (n_trees,) false of a tree for which no row was drawn: it has seen all.
        identity: SQL of the number that tells rows apart in samples.
    """

    samples: Bootstrap
    is_tested: Bools
    identity: str


@dataclass(frozen=True)
class FlatForest:
    """What the trees of a forest say.

    Attributes:
        members: trees of each group, whose ids follow each other.
        what: one of `score.forest_scorer.WHATS`.
        n_classes: 0 for numbers.
        values: (n_nodes, n_values) what each node as a leaf says; whole numbers, but for means and judged.
        drawn: the rows that the trees were grown on, for what is said out of bag; else None.
    """

    members: int
    what: str
    n_classes: int
    values: Floats
    drawn: Drawn | None = None
