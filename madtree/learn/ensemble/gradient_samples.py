"""Which rows a boosted tree is grown on, by the size of their gradients; where rows are, `learn.columns` draws them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.data import N_SIZES, Array, Floats, Ints, least_sizes
from madtree.learn.problem import Problem, Sampled
from madtree.learn.requests import Program, ReplaceRequest, SumsRequest
from madtree.trees import BoostParameters


def most_times(parameters: BoostParameters) -> float:
    """What a row counts for at most."""
    return 1 / parameters.other_rate if parameters.draws_by_gradient else 1.0


def sample_by_gradient(problem: Problem, parameters: BoostParameters, number: int, member: int) -> Program[Problem]:
    """The problem of the tree `member` of round `number` (from 0), on whose sample it is grown.

    The first rounds are grown on all rows, as in LightGBM, since gradients say little there: 1 / learning rate of them.
    """
    if not parameters.draws_by_gradient or number < int(1 / problem.parameters.learning_rate):
        return problem
    assert problem.target_grid is not None
    exponents = problem.target_grid.exponents[:, 0]
    top = (np.frexp(problem.largest_target)[1] - exponents).astype(np.int64)
    counts: Array = yield SumsRequest("gradient_sizes", {"top": top}, problem)
    least, share = _chosen(counts, parameters)
    seed = problem.parameters.seed
    values = {"top": top, "least": least, "share": share, "seed": seed, "tree": member}
    yield ReplaceRequest("gradient_sample", values, problem)
    below = np.ldexp(least_sizes(top, least), exponents)
    return replace(
        problem,
        replicas=Sampled(seed, number, 1.0, True),
        largest_target=np.maximum(problem.largest_target, below / share),
        largest_weight=problem.largest_weight / share,
    )


def _chosen(counts: Array, parameters: BoostParameters) -> tuple[Ints, Floats]:
    """Of each group the first bin all rows of which are kept, so that these are `top_rate` of all at least; and the
    share of the others that is drawn, so that these are `other_rate` of all. `counts` (G, N_SIZES).
    """
    from_bin_on = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    n_rows = from_bin_on[:, 0]
    enough = from_bin_on >= parameters.top_rate * n_rows[:, None]
    least: Ints = N_SIZES - 1 - enough[:, ::-1].argmax(axis=1)
    others = n_rows - from_bin_on[np.arange(len(counts)), least]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(others > 0, np.minimum(parameters.other_rate * n_rows / others, 1.0), 1.0)
    return least, share
