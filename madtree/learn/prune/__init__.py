"""From a grown tree to a finished one: risk, impurity and prediction of each node, cost-complexity pruning, its
cross-validation, importance, and the trees as columns on their way to the model tables.
"""

from __future__ import annotations

from madtree.learn.prune.columns import (
    BoostedColumns,
    CategorySets,
    CompetitorColumns,
    CpColumns,
    NodeColumns,
    OutOfBagColumns,
    RoundColumns,
    SeenCategories,
    SplitColumns,
    SurrogateColumns,
    TreeColumns,
    TreeKeys,
)
from madtree.learn.prune.explained import FEWEST_ROWS
from madtree.learn.prune.outcome import Outcome, conclude, leaf_predictions
from madtree.learn.prune.packed import PackedNodes
from madtree.learn.prune.program import assign_folds, train_trees, training_at_hand
from madtree.learn.prune.pruning import prune, prune_at
from madtree.learn.prune.trained import TrainedTrees
