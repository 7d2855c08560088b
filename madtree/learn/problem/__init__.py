"""The problem: what there is to learn from once bins, grids and trees are known; and how rows become its blocks."""

from __future__ import annotations

from madtree.learn.problem.bootstrap import Bootstrap, identities
from madtree.learn.problem.channels import Channels, over_classes
from madtree.learn.problem.parameters import forest_parameters_of, parameters_of
from madtree.learn.problem.problem import Problem, weights_by_class
from madtree.learn.problem.replicas import Folds, Replicas, folds_of_rows, roots, rows_of_trees
from madtree.learn.problem.tuning import SearchTuning

__all__ = [
    "Bootstrap",
    "Channels",
    "Folds",
    "Problem",
    "Replicas",
    "SearchTuning",
    "folds_of_rows",
    "forest_parameters_of",
    "identities",
    "over_classes",
    "parameters_of",
    "roots",
    "rows_of_trees",
    "weights_by_class",
]
