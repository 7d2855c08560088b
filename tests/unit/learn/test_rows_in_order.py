"""Rows in the order of nodes: they stay so for the same problem, of which workers get a copy with each request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.counting import CountRequest
from madtree.learn.data import finished
from madtree.learn.route import Routing
from madtree.trees import Parameters
from tests.unit.learn.binned import problem_of, sample_rows


def test_rows_stay_in_order_for_as_long_as_the_problem_is_the_same() -> None:
    problem, block = problem_of(sample_rows(500, 2), 2, Parameters("gini", 3))
    provider = BlocksAtHand([block], 0)
    other = replace(problem, parameters=replace(problem.parameters, min_bucket=9))
    first, again, of_other = (finished(provider._in_order(each, lasting=True)) for each in (problem, problem, other))
    assert again is first
    assert of_other is not first


def test_whoever_has_no_rows_of_the_node_that_was_split_counts_none() -> None:
    """Of two trees one is split, and the rows here are all of the other one."""
    problem, block = problem_of(sample_rows(400, 2, n_trees=2), 2, Parameters("gini", 3), 2)
    assert block.tree is not None
    provider = BlocksAtHand([block.take(np.flatnonzero(block.tree == 1))], 0)
    n_features = len(problem.bins.widths)
    begun = CountRequest("histograms", problem, Routing.leaves(0, 2), np.arange(2), 2, (0, n_features), in_order=True)
    roots = finished(provider.count(begun))
    assert not roots[:, : begun.layout.widths[0]].any()
    assert roots.any()
    routing = Routing.leaves(0, 2)
    routing.append(Routing.leaves(2, 2))
    routing.child[0], routing.cut[0] = 2, 1
    slots = np.array([-1, -1, 0, 1])
    assert not finished(provider.count(replace(begun, routing=routing, slot_of_node=slots))).any()
