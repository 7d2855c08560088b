"""Growth by gradients and hessians of few bits (`learn.problem.rounding`), where a tree has many rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.data import Grid, flat_nonzero
from madtree.learn.ensemble.leaf_values import GrownLeaves
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Problem, Rounding
from madtree.learn.requests import Program

PRECISE_ROWS = 100_000  # of a tree, up to which gradients are not rounded


def of_few_bits(problem: Problem, member: int) -> Problem:
    """The problem by whose sums the splits of that tree are found. Gradients and hessians must not be larger than it
    says.
    """
    many = problem.rows > PRECISE_ROWS
    if not many.any():
        return problem
    target, weight = problem.target_grid, problem.weight_grid
    assert target is not None
    assert weight is not None
    coarse = []
    for before, largest, bits in (
        (target, problem.largest_target, Rounding.GRADIENT_BITS),
        (weight, problem.largest_weight, Rounding.HESSIAN_BITS),
    ):
        mantissa, exponent = np.frexp(largest)
        exponents = np.where(many, exponent - (mantissa == 0.5) - bits, before.exponents[:, 0])
        coarse.append(Grid(exponents.astype(np.int32)[:, None]))
    rounding = Rounding(problem.parameters.seed, member, target, weight, bool(many.all()))
    return replace(problem, target_grid=coarse[0], weight_grid=coarse[1], rounding=rounding)


def count_finely(problem: Problem, growing: GrowingTrees, grown: GrownLeaves) -> Program[None]:
    """Take the sums of all nodes anew, but of those below leaves, by the problem's gradients as they are."""
    slots = growing.slots(grown.leaves)[grown.above]
    n_leaves = len(grown.leaves)
    sums = np.zeros_like(growing.sums)
    sums[:, grown.leaves] = yield CountRequest(
        "limbs", problem, grown.way, slots, n_leaves, n_rows=int(problem.rows.sum())
    )
    rows = slice(0, problem.channels.n_counts)
    sums[rows, grown.leaves] = growing.sums[rows, grown.leaves]
    for node in flat_nonzero(grown.inner)[::-1].tolist():  # a node comes before its children
        left = growing.routing.child[node]
        sums[:, node] = sums[:, left] + sums[:, left + 1]
    growing.sums = sums
