"""What a plan says where rows are explained: shares of cover, what leaves say on a grid, and which terms are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations
from math import frexp
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import WIDE_LIMIT, Floats, Ints, Values, narrowest, require
from madtree.learn.shap import GRID, CoveredTrees, Explained, n_terms, shares_of_cover
from madtree.learn.walk import FlatTrees, Walk
from madtree.records import dataclass
from madtree.score.additive import LeafNumbers
from madtree.score.shap_background import checked_background

MOST_TERMS = 2**20  # of a row: of all outputs, those of the features and those that are kept


Term = tuple[int, ...]  # places of features in the model: one, or two in their order


@dataclass(frozen=True)
class Terms:
    """What is told of a row and an output: what each feature contributes, or what each does alone, and each two
    together beyond that.

    Attributes:
        features: places of those that are told of, in their order.
        with_pairs: whether each two of them are told of, too.
    """

    features: Sequence[int]
    with_pairs: bool = False

    @cached_property
    def all_terms(self) -> list[Term]:
        """The features, and then the pairs of them."""
        return _terms(self.features, with_pairs=self.with_pairs)

    def places(self, used: Ints) -> Ints:
        """Of the terms of trees that ask some features (n_used,), of places in the model, where they are among those
        that are told; -1 of the others.
        """
        number = {term: place for place, term in enumerate(self.all_terms)}
        of_trees = _terms(used.tolist(), with_pairs=self.with_pairs)
        return np.array([number.get(term, -1) for term in of_trees], np.int64)


def _terms(features: Sequence[int], *, with_pairs: bool) -> list[Term]:
    alone: list[Term] = [(place,) for place in features]
    return [*alone, *combinations(features, 2)] if with_pairs else alone


@dataclass(frozen=True)
class ShapValues:
    """What the leaves say, ready to be explained.

    Attributes:
        share: (n_nodes,) of the cover, see `learn.shap.shares_of_cover`.
        values: (n_nodes, n_values) of a leaf, in units of the grid, less what is expected of its tree.
        unit: of the grid, a power of two.
        expected: (n_groups, n_outputs) what the trees of each group that has some say on average.
        first_output: (n_trees,) which output the first value of a tree counts for; -1 of trees that are not asked.
        top: so many terms of a row are kept, the greatest ones; 0 for all.
        places: (n_terms,) of the trees' terms among those that are told, from 0; -1 of others.
        n_places: terms that are told.
        with_pairs: whether there are terms of each two features.
        background: (n_rows, n_numbers) rows that stand for what is not known, as they are scored; None without.
    """

    share: Floats
    values: Floats
    unit: float
    expected: Floats
    first_output: Ints
    top: int
    places: Ints
    n_places: int
    with_pairs: bool = False
    background: Floats | None = None

    def to_values(self) -> dict[str, Any]:
        """As named values, for `codec.dump`."""
        return {
            "share": self.share,
            "values": self.values,
            "first_output": narrowest(self.first_output + 1),
            "n_outputs": self.expected.shape[1],
            "top": self.top,
            "places": narrowest(self.places + 1),
            "n_places": self.n_places,
            "with_pairs": self.with_pairs,
            **({} if self.background is None else {"background": self.background}),
        }


def explained_values(
    trees: FlatTrees, said: LeafNumbers, between: Callable[[], None] = lambda: None
) -> tuple[Floats, Floats, float, Floats]:
    """The shares of cover (n_nodes,), the values (n_nodes, n_values) on the grid, its unit, and what is expected of
    each group (n_groups, n_outputs).

    Raises:
        MadtreeError: there is no tree; nodes have no rows, or a negative number; or what leaves say is not finite.
    """
    if not len(trees.roots):
        raise MadtreeError("the model has no tree, by which predictions could be explained")
    cover, values, first_output = said.cover, said.values, said.first_output
    if not (np.isfinite(cover).all() and (cover >= 0).all()):
        raise MadtreeError("the model is damaged: some of its nodes have no number of rows of training")
    feature = np.maximum(trees.splits.feature[: len(trees.child)], 0)
    covered = CoveredTrees(trees.child, trees.roots, feature, shares_of_cover(trees.child, cover))
    if not np.isfinite(values[covered.is_leaf]).all():
        raise MadtreeError("the model is damaged: what some of its leaves say is no finite number")
    of_trees = covered.expected(values, between)
    expected = said.base.astype(np.float64)
    counted = np.flatnonzero(first_output >= 0)
    for value in range(values.shape[1]):
        np.add.at(expected, (said.groups[counted], first_output[counted] + value), of_trees[counted, value])
    beyond = np.where(covered.is_leaf[:, None], values - of_trees.take(covered.tree, axis=0), 0.0)
    between()
    greatest = np.maximum.reduceat(np.abs(beyond), trees.roots, axis=0).max(axis=1)
    # The smallest power of two that all trees of a group together do not reach.
    total = float(np.bincount(said.groups, greatest).max())
    unit = 2.0 ** max(frexp(total)[1] - frexp(GRID)[1] + 1, -1000)
    return covered.share, beyond / unit, unit, expected


def checked_shap(given: Values, walk: Walk, members: int) -> dict[str, Any]:
    """What `ShapValues.to_values` says of the trees of a walk. Raises MadtreeError where it is none of theirs."""
    n_nodes, n_trees, n_features = len(walk.child), len(walk.roots), len(walk.is_category)
    values, share = given.floats("values", (n_nodes, None)), given.floats("share", (n_nodes,))
    n_values = values.shape[1]
    n_outputs = given.integer("n_outputs", n_values, WIDE_LIMIT)
    first_output = given.ints("first_output", (n_trees,), 0, n_outputs - n_values + 1) - 1
    require(n_outputs == max(n_values, int(first_output.max(initial=0)) + n_values), "n_outputs", "of the trees")
    require(bool(((share >= 0) & (share <= 1)).all()), "share", "from 0 to 1")
    require(bool((np.abs(values) <= GRID).all()), "values", "on the grid")
    feature = given.ints("feature", (None,), 0, max(n_features - 1, 0))[:n_nodes]
    n_places, with_pairs = given.integer("n_places", 0, MOST_TERMS), given.boolean("with_pairs")
    top = given.integer("top", 0, n_places)
    of_trees = n_terms(n_features, with_pairs=with_pairs)
    require(n_outputs * (of_trees + top) <= MOST_TERMS, "n_outputs", f"of {MOST_TERMS} terms of a row at most")
    places = given.ints("places", (of_trees,), 0, n_places) - 1
    kept = np.flatnonzero(places >= 0)
    require(len(np.unique(places[kept])) == len(kept), "places", "different")
    background = checked_background(given, walk, members) if "background" in given else None
    trees = CoveredTrees(walk.child, walk.roots, feature, share)
    return {
        "what": "shap",
        "explained": Explained(trees, values, first_output, n_outputs, n_features, background, with_pairs),
        "top": top,
        "kept": kept,
        "places": places[kept],
        "n_places": n_places,
    }
