"""The Poisson deviance of counts, which predict rates."""

from __future__ import annotations

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria.criterion import Criterion
from madtree.learn.criteria.judging import Nodes, NodeValues, add_upwards
from madtree.learn.criteria.squares import OfNumbers, with_close_means
from madtree.learn.data import Array, Floats
from madtree.learn.leaf_sums import LOGARITHMS, LOGARITHMS_AND_PRODUCTS, base_rates, join_terms
from madtree.learn.problem import Problem
from madtree.learn.requests import Program

# Below this size the terms of the gain come from a series, whose next term is no longer seen in double precision.
_SMALL = 0.01
_N_TERMS = 10


def poisson_gain(left: Floats, right: Floats) -> Floats:
    """2 (D_l log(r_l / r) + D_r log(r_r / r)): the Poisson deviance removed by the split, at rates without a prior.

    D is the events, t the exposure, r = D / t the rate (rpart, src/poisson.c). With x = r_l / r - 1 on the left, and so
    on the right, this is 2 r times the sum of t ((1 + x) log(1 + x) - x) over both sides, and no term is negative.

    Args:
        left, right: (2, m) exposure and rate on either side; no side without exposure.
    """
    (left_exposure, left_rate), (right_exposure, right_rate) = left, right
    left_share = left_exposure / (left_exposure + right_exposure)
    right_share = right_exposure / (left_exposure + right_exposure)
    rate = left_share * left_rate + right_share * right_rate
    difference = np.divide(left_rate - right_rate, rate, out=np.zeros_like(rate), where=rate > 0)
    left_term = left_exposure * _excess(right_share * difference)
    right_term = right_exposure * _excess(-left_share * difference)
    gain: Floats = 2 * rate * (left_term + right_term)
    return gain


def _excess(x: Floats) -> Floats:
    """(1 + x) log(1 + x) - x of numbers from -1 on."""
    x = np.maximum(x, -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.where(x > -1, (1 + x) * np.log1p(x) - x, 1.0)
    series = np.zeros_like(x)
    for n in range(_N_TERMS, 1, -1):
        series = series * -x + 1 / (n * (n - 1))
    return np.where(np.abs(x) < _SMALL, series * x * x, plain)


class ByDeviance(OfNumbers):
    """Nodes of counts: of trees that are judged they predict the rate, drawn to the root's, and their risk is the
    deviance at that rate.
    """

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        return np.asarray(shrunk_rates(problem, nodes) + problem.centre[nodes.tree])

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        weight, rates = problem.weights(nodes.sums, nodes.tree), shrunk_rates(problem, nodes)
        base = base_rates(problem, nodes.sums[:, : problem.n_trees])
        (logarithms,) = yield from _terms(problem, nodes, base, LOGARITHMS)
        events, exposure = problem.events(nodes.sums, nodes.tree), problem.exposures(nodes.sums, nodes.tree)
        risk = _deviance(logarithms, events, exposure, rates, base[nodes.tree])
        with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
            return NodeValues(weight, risk / weight, risk, rates + problem.centre[nodes.tree], rates)

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        rates = values.mean
        assert rates is not None
        base = base_rates(problem, nodes.sums[:, : problem.n_trees])
        found = yield from _terms(problem, nodes, base, LOGARITHMS_AND_PRODUCTS, held_out=True)
        logarithms, cc, yy, tt, cy, ct, yt = found
        sums = held_out.copy()
        add_upwards(nodes, sums)
        events, exposure = problem.events(sums, nodes.tree), problem.exposures(sums, nodes.tree)
        total = _deviance(logarithms, events, exposure, rates, base[nodes.tree])
        with np.errstate(divide="ignore", invalid="ignore"):
            a, r = 1 + np.log(rates / base[nodes.tree]), rates
            squares = 4 * (cc + a * a * yy + r * r * tt - 2 * a * cy + 2 * r * ct - 2 * a * r * yt)
        # At a rate of 0, rows without events have no deviance, and others an infinite one.
        return total, np.where(rates > 0, squares, total)

    def fold_error(self, mean_error: Floats) -> Floats:
        return mean_error


def shrunk_rates(problem: Problem, nodes: Nodes) -> Floats:
    """(n_nodes,) events per exposure, drawn to the rate of their tree's root as if the node had seen it for
    1 / shrink**2 events, the shape of a gamma prior with the coefficient of variation `shrink` (rpart, src/poisson.c).

    0 in a tree without events.
    """
    events, exposure = problem.events(nodes.sums, nodes.tree), problem.exposures(nodes.sums, nodes.tree)
    shrink = problem.parameters.shrink
    with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
        before = 0.0 if shrink == 0.0 else 1.0 / np.square(np.float64(shrink))
        root_rate = (events[: problem.n_trees] / exposure[: problem.n_trees])[nodes.tree]
        rates = (events + before) / (exposure + (before / root_rate if before else 0.0))
    return np.where(root_rate > 0, np.nan_to_num(rates), 0.0)


def _terms(
    problem: Problem, nodes: Nodes, base: Floats, terms: tuple[int, ...], *, held_out: bool = False
) -> Program[Floats]:
    """(n_terms, n_nodes) sums that make the deviance, of the rows in each node; `base` (n_trees,) of the logarithms."""
    of_nodes = base[nodes.tree]
    state = yield CountRequest("powers", problem, nodes.routing, means=of_nodes, powers=terms, held_out=held_out)
    sums = join_terms(problem, terms, state, nodes.tree, base)
    add_upwards(nodes, sums)
    return sums


def _deviance(logarithms: Floats, events: Floats, exposure: Floats, rates: Floats, base: Floats) -> Floats:
    """(m,) of the sums of some rows; infinite where there are events and the rate is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        against = np.where(events > 0, events * (1 + np.log(rates / base)), 0.0)
    return np.maximum(2 * (logarithms - against + rates * exposure), 0.0)


POISSON = Criterion("poisson", poisson_gain, ByDeviance(), category_scores=Problem.means, for_problem=with_close_means)
