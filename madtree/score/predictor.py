"""A model that predicts rows which are at hand as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from madtree.host import Host
from madtree.learn.data import Floats, Ints, finished
from madtree.model import UsableModel, kept, output_columns
from madtree.model.arrays import ModelArrays, read_arrays
from madtree.records import dataclass
from madtree.score.additive import SumScale
from madtree.score.block_plan import build_plan
from madtree.score.block_scorer import score_rows
from madtree.score.kinds import SCORING
from madtree.score.outcomes import Outcomes, ScoredLeaves
from madtree.score.routed_rows import count_type, numbers_in
from madtree.sqltext.condition import QUALIFIED
from madtree.trees import Joining


@dataclass(frozen=True)
class PredictedNumbers:
    """Which of a model's predictions are asked for.

    Attributes:
        type_: one that is numbers; or of classes of single trees response, which is 1 of the class that is predicted.
        classes: positions of the classes; none of a model of numbers.
    """

    type_: str
    classes: Sequence[int]


@dataclass(frozen=True)
class Predictor:
    """Predicts rows that are at hand.

    Attributes:
        used: the features that trees ask, by their places in the model.
    """

    used: Ints
    _plan: bytes
    _read: Callable[[bytes], Floats]

    @classmethod
    def of(cls, opened: UsableModel, choice: PredictedNumbers) -> Predictor:
        """Kept for the next call."""
        what = "predictions", choice.type_, *choice.classes
        return kept(opened, what, lambda: cls.made(opened, choice), lambda made: len(made._plan))

    @classmethod
    def made(cls, opened: UsableModel, choice: PredictedNumbers) -> Predictor:
        """For this call alone."""
        arrays, of_node, read = _scored_trees(opened, choice)
        grouped = bool(opened.model.grouping_columns)
        return cls(arrays.used, build_plan(arrays.trees, of_node, grouped=grouped, between=opened.host.let_in), read)

    def predicted(self, host: Host, numbers: Floats) -> Floats:
        """(n, n_outputs) of rows (n, n_numbers): the group, the features that are used, the offset; NaN where a row has
        no tree.
        """
        return self._read(finished(score_rows(self._plan, numbers), host.let_in))


def _scored_trees(opened: UsableModel, choice: PredictedNumbers) -> tuple[ModelArrays, Any, Callable[[bytes], Floats]]:
    """The trees, the outcomes of their nodes (`Outcomes.of_node`), and how the scorer's bytes are read: as (n_rows,
    n_outputs).
    """
    model = opened.model
    if model.kind.joining is Joining.NONE:
        arrays = read_arrays(opened)
        if choice.classes and choice.type_ == "response":
            numbers_of_leaves = np.equal.outer(arrays.nodes["prediction"], np.add(choice.classes, 1)).astype(np.float64)
        else:
            scale = SumScale(opened, choice.type_, choice.classes)
            numbers_of_leaves = SCORING[model.kind].numbers(scale, arrays).values
        by_leaf = np.concatenate((np.full((1, numbers_of_leaves.shape[1]), np.nan), numbers_of_leaves))
        of_node = np.arange(1, len(by_leaf))
        size = Outcomes.of_tree(of_node, []).row_bytes
        return arrays, of_node, lambda encoded: by_leaf.take(np.frombuffer(encoded, f"<u{size}"), axis=0)
    by_shares = choice.type_ in SCORING[model.kind].by_shares
    arrays = read_arrays(opened, ["class_weights"] if by_shares else [])
    outputs = output_columns(model, choice.type_, QUALIFIED, "none")
    scored = ScoredLeaves(opened, choice.type_, arrays.nodes, outputs)
    of_rows = SCORING[model.kind].outcomes(scored).of_node
    assert not isinstance(of_rows, np.ndarray)
    members, classes = model.n_members, list(choice.classes)

    def votes(encoded: bytes) -> Floats:
        counts = np.frombuffer(encoded, count_type(members)).reshape(-1, len(model.classes))[:, classes]
        return np.where(counts <= members, counts / members, np.nan)

    def numbers(encoded: bytes) -> Floats:
        if choice.type_ != "raw" or not classes:
            return numbers_in(encoded, len(model.classes) if classes else 1)[:, classes or [0]]
        scores = numbers_in(encoded, model.n_scores)
        if model.n_scores > 1:
            return scores[:, classes]
        return scores if classes[0] == len(model.classes) - 1 else -scores

    return arrays, of_rows, votes if of_rows.what == "votes" else numbers
