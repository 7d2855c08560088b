"""What the leaves of regression trees add up to: squares about the means, or the deviance of counts from the rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Floats, Ints
from madtree.learn.grow import GrowingTrees
from madtree.learn.histogram import (
    LOGARITHMS,
    LOGARITHMS_AND_PRODUCTS,
    SQUARES,
    UP_TO_FOURTH,
    CountRequest,
    base_rates,
    join_powers,
    join_terms,
)
from madtree.learn.problem import Problem
from madtree.learn.requests import Program
from madtree.learn.split import variance_gain


@dataclass(frozen=True)
class KnownMoments:
    """Leaves whose rows are not the replica's.

    Attributes:
        nodes: (m,) their indices.
        moments: (3, m) as `moments_of_numbers` gives them; None of classes.
    """

    nodes: Ints
    moments: Floats | None = None


def moments_of_numbers(problem: Problem, growing: GrowingTrees, weight: Floats) -> Program[Floats]:
    """(3, n_nodes) weight, prediction less the centre, and risk of all nodes; `weight` (n_nodes,). Takes a pass."""
    if problem.of_counts:
        rates = shrunk_rates(problem, growing)
        return np.stack((weight, rates, (yield from _deviances(problem, growing, rates))))
    means = np.nan_to_num(problem.means(growing.sums, growing.tree))
    (about_means,) = yield from _powers(problem, growing, means, SQUARES)
    return np.stack((weight, means, _sums_of_squares(growing, about_means, weight, means)))


def shrunk_rates(problem: Problem, growing: GrowingTrees) -> Floats:
    """(n_nodes,) events per exposure, drawn to the rate of their tree's root as if the node had seen it for
    1 / shrink**2 events, the shape of a gamma prior with the coefficient of variation `shrink` (rpart, src/poisson.c).

    0 in a tree without events.
    """
    events, exposure = problem.events(growing.sums, growing.tree), problem.exposures(growing.sums, growing.tree)
    shrink = problem.parameters.shrink
    with np.errstate(divide="ignore", invalid="ignore"):  # a fold may have held out all rows of a group
        before = 0.0 if shrink == 0.0 else 1.0 / np.square(np.float64(shrink))
        root_rate = (events[: problem.n_trees] / exposure[: problem.n_trees])[growing.tree]
        rates = (events + before) / (exposure + (before / root_rate if before else 0.0))
    return np.where(root_rate > 0, np.nan_to_num(rates), 0.0)


def held_out_errors_of_numbers(
    problem: Problem, growing: GrowingTrees, held_out: Floats, moments: Floats
) -> Program[Floats]:
    """(2, n_nodes) weighted sums of the errors of each node's prediction on the held-out rows that reach it, and of
    their squares. An error is a squared distance, or a deviance.

    Args:
        held_out: (n_channels, n_nodes) sums of the held-out rows that end in each leaf.
        moments: as `moments_of_numbers` gives them.
    """
    if problem.of_counts:
        return (yield from _held_out_deviances(problem, growing, held_out, moments[1]))
    means = moments[1]
    distances = yield from _powers(problem, growing, means, UP_TO_FOURTH, held_out=True)
    sums = np.vstack((problem.weights(held_out, growing.tree), distances))
    for left, parents in pairs_upwards(growing):
        sums[:, parents] = 0.0
        for side in (left, left + 1):
            sums[:, parents] += _shifted(sums[:, side], means[side] - means[parents])
    return np.stack((sums[2], sums[4]))


def pairs_upwards(growing: GrowingTrees) -> list[tuple[Ints, Ints]]:
    """Left children and their parents, level by level, the deepest first."""
    pairs = []
    for depth in range(int(growing.depth.max()) - 1, -1, -1):
        parents = np.flatnonzero((growing.depth == depth) & (growing.feature >= 0))
        pairs.append((growing.routing.child[parents].astype(np.int64), parents))
    return pairs


def add_upwards(growing: GrowingTrees, sums: Floats) -> None:
    """Give all inner nodes the sums of their leaves; `sums` (n, n_nodes), in place."""
    for left, parents in pairs_upwards(growing):
        sums[:, parents] = sums[:, left] + sums[:, left + 1]


def _powers(
    problem: Problem, growing: GrowingTrees, means: Floats, powers: tuple[int, ...], *, held_out: bool = False
) -> Program[Floats]:
    """(n_powers, n_nodes) weighted sums of powers of the distance to `means` (n_nodes,), of the rows in each leaf.

    `held_out`: of the rows that each fold's tree is tested on, instead of those that it is grown on.
    """
    state = yield CountRequest("powers", problem, growing.routing, means=means, powers=powers, held_out=held_out)
    return join_powers(problem, powers, state, growing.tree)


def _terms(
    problem: Problem, growing: GrowingTrees, base: Floats, terms: tuple[int, ...], *, held_out: bool = False
) -> Program[Floats]:
    """(n_terms, n_nodes) sums that make the deviance, of the rows in each node; `base` (n_trees,) of the logarithms."""
    of_nodes = base[growing.tree]
    state = yield CountRequest("powers", problem, growing.routing, means=of_nodes, powers=terms, held_out=held_out)
    sums = join_terms(problem, terms, state, growing.tree, base)
    add_upwards(growing, sums)
    return sums


def _deviances(problem: Problem, growing: GrowingTrees, rates: Floats) -> Program[Floats]:
    """(n_nodes,) Poisson deviances of the nodes' rows at `rates`."""
    base = base_rates(problem, growing.sums[:, : problem.n_trees])
    (logarithms,) = yield from _terms(problem, growing, base, LOGARITHMS)
    events, exposure = problem.events(growing.sums, growing.tree), problem.exposures(growing.sums, growing.tree)
    return _deviance(logarithms, events, exposure, rates, base[growing.tree])


def _deviance(logarithms: Floats, events: Floats, exposure: Floats, rates: Floats, base: Floats) -> Floats:
    """(m,) of the sums of some rows; infinite where there are events and the rate is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        against = np.where(events > 0, events * (1 + np.log(rates / base)), 0.0)
    return np.maximum(2 * (logarithms - against + rates * exposure), 0.0)


def _held_out_deviances(problem: Problem, growing: GrowingTrees, held_out: Floats, rates: Floats) -> Program[Floats]:
    base = base_rates(problem, growing.sums[:, : problem.n_trees])
    found = yield from _terms(problem, growing, base, LOGARITHMS_AND_PRODUCTS, held_out=True)
    logarithms, cc, yy, tt, cy, ct, yt = found
    sums = held_out.copy()
    add_upwards(growing, sums)
    events, exposure = problem.events(sums, growing.tree), problem.exposures(sums, growing.tree)
    total = _deviance(logarithms, events, exposure, rates, base[growing.tree])
    with np.errstate(divide="ignore", invalid="ignore"):
        a, r = 1 + np.log(rates / base[growing.tree]), rates
        squares = 4 * (cc + a * a * yy + r * r * tt - 2 * a * cy + 2 * r * ct - 2 * a * r * yt)
    # At a rate of 0, rows without events have no deviance, and others an infinite one.
    return np.stack((total, np.where(rates > 0, squares, total)))


def _sums_of_squares(growing: GrowingTrees, leaf_squares: Floats, weight: Floats, means: Floats) -> Floats:
    """(n_nodes,) sums of squares about the node's mean: within the children, and between them.

    All terms are positive, so nothing cancels: S = S_l + S_r + W_l W_r / W * (m_l - m_r)**2.
    """
    squares: Floats = leaf_squares.copy()
    for left, parents in pairs_upwards(growing):
        right = left + 1
        between = variance_gain(weight[left], means[left], weight[right], means[right])
        squares[parents] = squares[left] + squares[right] + between
    return squares


def _shifted(moments: Floats, shift: Floats) -> Floats:
    """Moments 0 to 4 (5, m) of values that are each larger by `shift` (m,), by the binomial theorem."""
    m0, m1, m2, m3, m4 = moments
    s = shift
    return np.stack(
        [
            m0,
            m1 + s * m0,
            m2 + s * (2 * m1 + s * m0),
            m3 + s * (3 * m2 + s * (3 * m1 + s * m0)),
            m4 + s * (4 * m3 + s * (6 * m2 + s * (4 * m1 + s * m0))),
        ]
    )
