"""Predictions of type 'conformal': intervals and sets of classes, by the quantiles that `conformal_train` has kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.host import watching
from madtree.learn.data import Floats, Ints
from madtree.model import CONFORMAL, UsableModel, class_errors, output_columns
from madtree.model.arrays import ModelArrays, class_weights, kept_quantiles
from madtree.records import dataclass
from madtree.score.conformal import conformal_type
from madtree.score.kinds import SCORING
from madtree.score.outcomes import Outcomes, ScoredLeaves, check_shares
from madtree.score.score_by_blocks import RowOutput
from madtree.sqltext.array_text import joined
from madtree.sqltext.condition import QUALIFIED, typed_literal
from madtree.sqltext.outcome_numbers import pick
from madtree.sqltext.predict import TREE, Output, Scan, class_array, number_array
from madtree.sqltext.quote import float_literal, literal, operator, spelled_out
from madtree.trees import Joining, Node

_FLOAT = "pg_catalog.float8"


@dataclass(frozen=True)
class ConformalSets:
    """What is predicted by a model's quantiles.

    Attributes:
        quantiles: (n_groups,) of each group, by its number from 1; one where the model is not grouped.
    """

    opened: UsableModel
    quantiles: Floats

    @classmethod
    def kept(cls, opened: UsableModel, level: float) -> ConformalSets:
        """By the quantiles of that level; raises MadtreeError as `kept_quantiles`."""
        return cls(opened, kept_quantiles(opened, level))

    def outputs(self, taken: str) -> list[Output]:
        """The columns, whose values are those of a single tree's leaves; `taken` as of `output_columns`."""
        columns = output_columns(self.opened.model, CONFORMAL, QUALIFIED, taken)
        if self.opened.model.is_classification:
            return [replace(columns[0], in_tree=watching(self.opened.host, self._set_of_leaf))]
        number, *ends = columns
        of_leaf = (watching(self.opened.host, partial(self._end, sign)) for sign in (-1, 1))
        return [number, *(replace(end, in_tree=value) for end, value in zip(ends, of_leaf, strict=True))]

    @property
    def row_output(self) -> RowOutput:
        """What blocks are asked for."""
        kind, of_classes = self.opened.model.kind, self.opened.model.is_classification
        if kind.joining is Joining.NONE:
            return RowOutput([], self._by_leaf)
        columns = ["class_weights"] if of_classes and not kind.says_numbers else []
        shown = _group if self.opened.model.grouping_columns else None
        return RowOutput(columns, self._classes_by_shares if of_classes else self._ends_by_numbers, shown)

    def _quantiles_of(self, tree_id: Ints) -> Floats:
        """(n,) of single trees by their ids; raises MadtreeError where the model has no such group."""
        place = tree_id - 1 if self.opened.model.grouping_columns else np.zeros_like(tree_id)
        if len(place) and int(place.max()) >= len(self.quantiles):
            raise self.opened.tables.damaged("it has trees of more groups than its summary says")
        return self.quantiles.take(place)

    def _quantile_of(self, tree_id: int) -> float:
        return float(self._quantiles_of(np.array([tree_id]))[0])

    def _end(self, sign: int, tree_id: int, leaf: Node) -> str:
        return QUALIFIED.number(float(leaf.prediction or 0) + sign * self._quantile_of(tree_id))

    def _set_of_leaf(self, tree_id: int, leaf: Node) -> str:
        most, type_ = self._quantile_of(tree_id), self.opened.model.dependent_type
        errors = zip(self.opened.model.classes, class_errors(leaf.class_weights or ()), strict=True)
        return f"{class_array([label for label, error in errors if error <= most], type_)}::{type_}[]"

    def _by_leaf(self, arrays: ModelArrays) -> Outcomes:
        """By the leaf that a row ends in, which has a position from 1 among all."""
        model, nodes = self.opened.model, arrays.nodes
        is_leaf = nodes["feature"] == 0
        of_node = np.where(is_leaf, np.cumsum(is_leaf), 0)
        most = self._quantiles_of(nodes["tree_id"][is_leaf].astype(np.int64))
        if not model.is_classification:
            number = nodes["prediction"][is_leaf]
            ends = (number, number - most, number + most)
            return Outcomes.of_tree(of_node, [pick(number_array(each.tolist())) for each in ends])
        check_shares(model, int(is_leaf.sum()))
        weights = class_weights(self.opened, len(is_leaf))[is_leaf]
        # The sum in order, as in `class_errors`.
        belongs = 1 - weights / weights.cumsum(axis=1)[:, -1:] <= most[:, None]
        conditions = [
            pick(f"{literal(joined(['tf'[not each] for each in own.tolist()]))}::pg_catalog.bool[]")
            for own in belongs.T
        ]
        return Outcomes.of_tree(of_node, [self._set_of(conditions, "scored.outcome OPERATOR(pg_catalog.>) 0")])

    def _ends_by_numbers(self, arrays: ModelArrays) -> Outcomes:
        """By the number that a row comes to."""
        outcomes = self._outcomes_of_type(arrays, "response", 1)
        (number,) = outcomes.expressions
        ends = (f"({number}) {operator(sign)} {self._quantile}" for sign in "-+")
        return replace(outcomes, expressions=[number, *ends])

    def _classes_by_shares(self, arrays: ModelArrays) -> Outcomes:
        """By the probabilities of all classes that a row comes to."""
        outcomes = self._outcomes_of_type(arrays, conformal_type(self.opened.model), len(self.opened.model.classes))
        shares, quantile = outcomes.expressions, self._quantile
        error = spelled_out("1::pg_catalog.float8 `-` ({share})")
        conditions = [f"({error.format(share=share)}) {operator('<=')} {quantile}" for share in shares]
        return replace(outcomes, expressions=[self._set_of(conditions, f"({shares[0]}) IS NOT NULL")])

    def _outcomes_of_type(self, arrays: ModelArrays, type_: str, n: int) -> Outcomes:
        """What rows come to by another type of prediction, as so many numbers."""
        outputs = [Output(f"number_{k}", _FLOAT, lambda _: "NULL") for k in range(n)]
        leaves = ScoredLeaves(self.opened, type_, arrays.nodes, outputs)
        return SCORING[self.opened.model.kind].outcomes(leaves)

    def _set_of(self, conditions: Sequence[str], known: str) -> str:
        """SQL of the classes of which these are true, where `known` is."""
        type_, classes = self.opened.model.dependent_type, self.opened.model.classes
        each = (
            f"CASE WHEN {condition} THEN {typed_literal(label, type_)} END"
            for condition, label in zip(conditions, classes, strict=True)
        )
        return f"CASE WHEN {known} THEN pg_catalog.array_remove(ARRAY[{', '.join(each)}]::{type_}[], NULL) END"

    @property
    def _quantile(self) -> str:
        """A row's quantile as SQL."""
        if not self.opened.model.grouping_columns:
            return float_literal(float(self.quantiles[0]))
        return pick(number_array(self.quantiles.tolist()), "scored.shown[2]::pg_catalog.int4")


def _group(_: Scan) -> list[str]:
    """What rows bring beside their numbers: the number of their group, as text."""
    return [f"madtree_model.{TREE}::pg_catalog.text"]
