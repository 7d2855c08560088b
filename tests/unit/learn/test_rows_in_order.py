"""Rows in the order of nodes: they stay so for the same problem, of which workers get a copy with each request."""

from __future__ import annotations

from dataclasses import replace

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import codec, finished
from madtree.learn.problem import Problem
from madtree.trees import Parameters
from tests.unit.learn.binned import problem_of, sample_rows


def test_a_copy_of_the_problem_finds_the_rows_in_order() -> None:
    problem, block = problem_of(sample_rows(500, 2), 2, Parameters("gini", 3))
    provider = BlocksAtHand([block], 0)
    copy = Problem.from_values(codec.load(codec.dump(problem.to_values())))
    other = replace(problem, parameters=replace(problem.parameters, min_bucket=9))
    of_first, of_copy, of_other = (finished(provider._in_order(each, lasting=True)) for each in (problem, copy, other))
    assert copy is not problem
    assert of_copy is of_first
    assert of_other is not of_first
