"""The orchestrator of a training: from a checked request through its stages to a model's tables."""

from __future__ import annotations

from madtree.learn.tune import TrialScores
from madtree.train.activity import Activity
from madtree.train.search import search
from madtree.train.train import kind_of, train
from madtree.train.trained import Trained, line_of
