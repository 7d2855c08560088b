"""Ensembles: boosted trees; and random forests, what is drawn for their trees, how these are grown together, and what
out-of-bag rows say of them.
"""

from __future__ import annotations

from madtree.learn.ensemble.boosted_model import Boosting
from madtree.learn.ensemble.boosting import BoostedRows, train_boosted
from madtree.learn.ensemble.drawn_features import DrawnFeatures, drawn
from madtree.learn.ensemble.drawn_splits import DrawnSplits
from madtree.learn.ensemble.forest import (
    Forest,
    Wave,
    bootstrap,
    train_forest,
    wave_counts,
    wave_nodes,
)
from madtree.learn.ensemble.learners import (
    BoostLearner,
    Deliver,
    ForestLearner,
    Held,
    Learner,
    ReportProgress,
    TreeLearner,
    ensemble_of,
    learner_of,
)
from madtree.learn.ensemble.out_of_bag import OutOfBag, Tally
from madtree.learn.ensemble.random_cuts import RandomCuts, coins
