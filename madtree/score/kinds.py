"""How each kind of model is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from madtree.model.arrays import ModelArrays
from madtree.records import dataclass
from madtree.score.additive import LeafNumbers, SumScale, numbers_of_tree
from madtree.score.boosted_outcomes import numbers_of_boosted, outcomes_of_boosted
from madtree.score.forest_outcomes import numbers_of_forest, outcomes_of_forest
from madtree.score.number_columns import EVALUATED
from madtree.score.outcomes import Outcomes, ScoredLeaves, outcomes_of_tree
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind


@dataclass(frozen=True)
class KindScoring:
    """What a kind does in its own way where rows are scored.

    Attributes:
        outcomes: what rows come to, by blocks.
        numbers: what leaves say where rows are explained.
        by_shares: types of prediction that need each leaf's shares of the classes.
    """

    outcomes: Callable[[ScoredLeaves], Outcomes]
    numbers: Callable[[SumScale, ModelArrays], LeafNumbers]
    by_shares: tuple[str, ...] = ()


SCORING: Mapping[ModelKind, KindScoring] = {
    TREE: KindScoring(outcomes_of_tree, numbers_of_tree),
    FOREST: KindScoring(outcomes_of_forest, numbers_of_forest, by_shares=("prob_mean", EVALUATED)),
    BOOSTED: KindScoring(outcomes_of_boosted, numbers_of_boosted),
}
