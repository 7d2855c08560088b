"""How each kind of model is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from madtree.model.arrays import ModelArrays
from madtree.records import dataclass
from madtree.score.additive import LeafNumbers, SumScale, numbers_of_tree
from madtree.score.boosted_outcomes import numbers_of_boosted, outcomes_of_boosted
from madtree.score.forest_outcomes import numbers_of_forest, outcomes_of_forest
from madtree.score.number_columns import EVALUATED, question_to_all_trees
from madtree.score.outcomes import Outcomes, ScoredLeaves, outcomes_of_tree, question_to_tree
from madtree.sqltext.predict import Output
from madtree.trees import BOOSTED, FOREST, TREE, Model, ModelKind


@dataclass(frozen=True)
class KindScoring:
    """What a kind does in its own way where rows are scored.

    Attributes:
        outcomes: what rows come to, by blocks.
        question: by the model and a name that is taken: the type of prediction that evaluation asks of the block
            scorer, and its columns by their names in `sqltext.cells.Question`.
        is_prediction: whether that is the prediction itself, and not the leaf that says it.
        by_shares: types of prediction that need each leaf's shares of the classes.
        numbers: what leaves say where rows are explained.
    """

    outcomes: Callable[[ScoredLeaves], Outcomes]
    question: Callable[[Model, str], tuple[str, dict[str, Output]]]
    numbers: Callable[[SumScale, ModelArrays], LeafNumbers]
    is_prediction: bool
    by_shares: tuple[str, ...] = ()


SCORING: Mapping[ModelKind, KindScoring] = {
    TREE: KindScoring(outcomes_of_tree, question_to_tree, numbers_of_tree, is_prediction=False),
    FOREST: KindScoring(
        outcomes_of_forest,
        question_to_all_trees,
        numbers_of_forest,
        is_prediction=True,
        by_shares=("prob_mean", EVALUATED),
    ),
    BOOSTED: KindScoring(outcomes_of_boosted, question_to_all_trees, numbers_of_boosted, is_prediction=True),
}
