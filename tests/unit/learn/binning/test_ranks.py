"""Ranks of values within many trees of more than a few rows, which integers put in order where they can."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.binning import TreeRows, rank_within

INF = np.inf
RNG = np.random.default_rng(7)
SIZES = (1, 2, 31, 33, 64, 100, 100, 129, 700, 5000)

VALUES = {
    "uniform": lambda n: RNG.random(n),
    "some missing": lambda n: np.where(RNG.random(n) < 0.2, np.nan, RNG.random(n)),
    "all missing": lambda n: np.full(n, np.nan),
    "one value": lambda n: np.full(n, 3.5),
    "one value or none": lambda n: RNG.choice([3.5, np.nan], n),
    "few values": lambda n: RNG.integers(-3, 3, n).astype(float),
    "zeros of both signs": lambda n: RNG.choice([0.0, -0.0, 1.0, np.nan], n),
    "infinite or missing": lambda n: RNG.choice([INF, np.nan], n),
    "both infinities": lambda n: RNG.choice([-INF, INF, 1.0, 2.0, np.nan], n),
    "close together, and far away": lambda n: np.append(1 + 1e-15 * RNG.integers(0, 50, n - 1), 1e9),
    "largest numbers": lambda n: RNG.choice([-1.7e308, 1.7e308, 3.0, 4.0, np.nan], n),
    "smallest numbers": lambda n: RNG.choice([5e-324, 1e-323, 0.0, -5e-324, np.nan], n),
    "heavy tails": lambda n: RNG.standard_cauchy(n) ** 5,
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("in_order", [True, False], ids=["trees in order", "trees mixed"])
def test_ranks_within_large_trees(kind: str, in_order: bool) -> None:
    tree = np.repeat(np.arange(len(SIZES)), SIZES)
    if not in_order:
        tree = RNG.permutation(tree)
    values = np.empty(len(tree))
    for t, size in enumerate(SIZES):
        values[tree == t] = VALUES[kind](size)
    ranks, distinct, counts, sizes = rank_within(values, TreeRows(tree, len(SIZES), len(tree)))
    start = 0
    for t in range(len(SIZES)):
        mine = values[tree == t]
        there = ~np.isnan(mine)
        expected, inverse, count = np.unique(mine[there], return_inverse=True, return_counts=True)
        span = slice(start, start + int(sizes[t]))
        assert distinct[span].tolist() == expected.tolist()
        assert counts[span].tolist() == count.tolist()
        assert ranks[tree == t][there].tolist() == (inverse + 1).tolist()
        assert not ranks[tree == t][~there].any()
        start = span.stop
    assert start == len(distinct) == len(counts)


@pytest.mark.parametrize("kind", VALUES)
def test_equal_values_stay_as_they_stand(kind: str) -> None:
    tree, values = np.repeat([0, 1], [500, 100]), VALUES[kind](600)
    order, ordered = TreeRows(tree, 2, len(tree)).order(values)
    expected = np.concatenate((np.argsort(values[:500], kind="stable"), 500 + np.argsort(values[500:], kind="stable")))
    assert order.tolist() == expected.tolist()
    assert np.array_equal(ordered, values[expected], equal_nan=True)
