"""The problem: what there is to learn from once bins, grids and trees are known; and how rows become its blocks."""

from __future__ import annotations

from madtree.learn.problem.bootstrap import MOST_MEMBERS, Bootstrap, identities
from madtree.learn.problem.channels import Channels, over_classes, weights_by_class
from madtree.learn.problem.folds import FoldHashes
from madtree.learn.problem.parameters import parameters_of
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import Folds, LeftOut, Replicas, kept_rows, roots, rows_of_trees
from madtree.learn.problem.rounding import Rounding
from madtree.learn.problem.sampled import Sampled, held_out_rows
from madtree.learn.problem.tuning import SearchTuning
