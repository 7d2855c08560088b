"""A boosted model of one group on the client's side: the scores of a frame's rows, to the bit those of the database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from madtree.client.calls import CallError
from madtree.client.frames import Array
from madtree.client.tree_arrays import EnsembleArrays, predicted_classes
from madtree.learn.data import finished
from madtree.learn.walk import Route
from madtree.model import OpenModel, base_scores, check_no_offsets, isotonic_functions
from madtree.model.arrays import IsotonicArrays, expected, likeliest, masses, shares
from madtree.trees import Link, Model


@dataclass(frozen=True)
class BoostedArrays:
    """The trees of one group, and what they are added to.

    Attributes:
        trees: of each round as many as there are scores.
        base: (n_scores,) the scores to begin with.
        link: from scores to what is predicted.
        n_classes: of the model; 0 where it predicts numbers.
        isotonic: of a calibrated model where these are the link, else None.
    """

    trees: EnsembleArrays
    base: Array
    link: Link
    n_classes: int
    isotonic: IsotonicArrays | None = None

    @classmethod
    def read(cls, opened: OpenModel, gid: int | None = None) -> BoostedArrays:
        """Read from the model's tables; arguments and errors as for `EnsembleArrays.read`, and a MadtreeError where
        rows have offsets.
        """
        check_no_offsets(opened.model, "which the rows of a frame do not tell", "Score a table: boost_predict.")
        trees = EnsembleArrays.read(opened, gid)
        place = 0 if gid is None else gid - 1
        base = np.array(base_scores(opened)[place])
        n_classes = len(opened.model.classes)
        functions = isotonic_functions(opened)
        isotonic = IsotonicArrays.of([functions[place]]) if functions else None
        return cls(trees, base, opened.model.loss.link_of(n_classes), n_classes, isotonic)

    @property
    def n_scores(self) -> int:
        """Of a row, and so trees of a round."""
        return len(self.base)

    @property
    def n_rounds(self) -> int:
        return self.trees.n_trees // self.n_scores

    @property
    def leaf_values(self) -> Array:
        """(n_nodes,) by place what each node adds to a score."""
        return self.trees.nodes.prediction

    def scores(self, values: Mapping[str, Array], n_rows: int, n_rounds: int | None = None) -> Array:
        """(n_rows, n_scores) after so many rounds, by default all.

        Args:
            values: as `feature_values`.
        """
        found = np.tile(self.base, (n_rows, 1))
        for rows, route in self.trees.walked.routes(values, n_rows):
            for number in range(self.n_rounds if n_rounds is None else min(n_rounds, self.n_rounds)):
                self._add(number, route, found[rows])
        return found

    def staged_scores(self, values: Mapping[str, Array], n_rows: int) -> Iterator[Array]:
        """(n_rows, n_scores) after each round; `values` as of `scores`."""
        found = np.tile(self.base, (n_rows, 1))
        routes = list(self.trees.walked.routes(values, n_rows))
        for number in range(self.n_rounds):
            for rows, route in routes:
                self._add(number, route, found[rows])
            yield found.copy()

    def responses(self, scores: Array) -> Array:
        """(n_rows, n_classes) probabilities, or (n_rows, 1) numbers, by scores (n_rows, n_scores)."""
        return shares(self._masses(scores)) if self.n_classes else expected(scores, self.link)

    def likeliest(self, scores: Array) -> Array:
        """(n_rows,) the places of the most probable classes, by scores (n_rows, n_scores)."""
        return likeliest(scores, self._masses(scores), self.link)

    def answer(self, model: Model, type_: str, scores: Array, others: tuple[str, ...] = ()) -> Array:
        """What `boost_predict` says by scores (n_rows, n_scores), by the type of prediction, but for leaves; `others`
        may be asked for elsewhere.

        Raises:
            CallError: the model has no predictions of this type.
        """
        types = model.kind.class_types if model.is_classification else model.kind.number_types
        if type_ not in types or type_ == "leaf":
            known = ", ".join([*(name for name in types if name != "leaf"), *others])
            raise CallError(f"type must be one of {known} for a frame, not {type_!r}")
        if type_ == "raw":
            return scores[:, 0] if self.n_scores == 1 else scores
        if type_ == "prob":
            return self.responses(scores)
        if model.is_classification:
            return predicted_classes(model, self.likeliest(scores))
        return self.responses(scores)[:, 0]

    def _masses(self, scores: Array) -> Array:
        if self.isotonic is None:
            return masses(scores, self.link, self.n_classes)
        return self.isotonic.masses(scores, np.zeros(len(scores), np.int64))

    def _add(self, number: int, route: Route, scores: Array) -> None:
        """Add a round to the scores (n_rows, n_scores) of some rows: in the order of the trees, as the database does.
        """  # fmt: skip
        walked = self.trees.walked
        for at in range(self.n_scores):
            root = int(walked.trees.roots[number * self.n_scores + at])
            place = walked.place.take(finished(route.leaves(root)))
            scores[:, at] += self.leaf_values.take(place)
