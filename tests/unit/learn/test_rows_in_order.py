"""Rows in the order of nodes: they stay so for the same problem, of which workers get a copy with each request."""

from __future__ import annotations

from dataclasses import replace

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import finished
from madtree.trees import Parameters
from tests.unit.learn.binned import problem_of, sample_rows


def test_rows_stay_in_order_for_as_long_as_the_problem_is_the_same() -> None:
    problem, block = problem_of(sample_rows(500, 2), 2, Parameters("gini", 3))
    provider = BlocksAtHand([block], 0)
    other = replace(problem, parameters=replace(problem.parameters, min_bucket=9))
    first, again, of_other = (finished(provider._in_order(each, lasting=True)) for each in (problem, problem, other))
    assert again is first
    assert of_other is not first
