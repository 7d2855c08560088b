"""Growing trees: which nodes are searched next, what has to be counted for that, and the nodes of trees that grow."""

from __future__ import annotations

from madtree.learn.grow.grow import gains_enough, grow, may_split, policy_of
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.policy import GrowthPolicy, inner_nodes
from madtree.learn.grow.split_finder import FeatureMask, Finder, SplitFinder
