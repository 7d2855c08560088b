"""Tuning: settings of a model are tried by cross-validation, over rows that are packed once."""

from __future__ import annotations

from madtree.learn.tune.learner import SearchLearner
from madtree.learn.tune.trials import Search, Trial, TrialScores, ranked
