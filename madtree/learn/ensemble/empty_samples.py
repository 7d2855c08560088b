"""Trees for which no row was drawn, as it happens with few rows, or where few of them are kept.

Such a tree is a leaf of all rows of its group. It takes no part in what out-of-bag rows say, since it has seen them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria import KnownNodes, criterion_of
from madtree.learn.data import Ints, flat_nonzero
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Problem, roots
from madtree.learn.requests import Program
from madtree.learn.waves import HeldOut


def take_all_rows(problem: Problem, wave: Problem, growing: GrowingTrees) -> Program[KnownNodes]:
    """Give the empty trees of a wave the sums of all rows of their groups, and say what their roots are worth.

    Args:
        problem: without replicas, of which `wave` has some.
    """
    empty = flat_nonzero(growing.n_rows[: wave.n_trees] == 0)
    if len(empty):
        whole = GrowingTrees(problem.n_trees, problem.channels.count)
        every = np.arange(problem.n_trees)
        sums = yield CountRequest("totals", problem, whole.routing, whole.slots(every), len(every))
        growing.sums[:, empty] = sums[:, empty % wave.n_groups]
        growing.n_rows[empty] = problem.row_counts(growing.sums[:, empty])
        judging = criterion_of(problem).judging
        if judging.needs_rows:
            whole.sums[:, every] = sums
            values = yield from judging.values(problem, whole)
            return KnownNodes(empty, values.of(empty % wave.n_groups))
    return KnownNodes(empty)


def without_trees(held_out: HeldOut, trees: Ints, replica: int, n_groups: int) -> HeldOut:
    """The rows that a replica is tested on, but for those of some trees."""
    if len(trees) == 0:
        return held_out
    assert held_out.block is not None
    rows = flat_nonzero(~np.isin(roots(held_out.block, replica, n_groups), trees))
    return replace(
        held_out, place=held_out.place.take(rows), block=held_out.block.take(rows), node=held_out.node.take(rows)
    )
