"""Rows that are drawn for leaves, and quantiles of what leaves keep, held against plain loops and numpy."""

from __future__ import annotations

import numpy as np
import pytest
from test_forged_bytes import forest_plan, images_of

from madtree.learn.data import finished, keyed, mixed
from madtree.model.arrays import quantiles
from madtree.score import block_scorer
from madtree.score.block_scorer import score_block
from madtree.score.leaf_draws import lower_all
from madtree.score.member_scorer import LEAF_OUTCOMES

N_ROWS = 600


def leaf_of(tree: int, row: np.ndarray) -> int:
    """The leaf of the trees of `forest_plan`: node k asks feature k % 2 of the row for k / 8."""
    first = 7 * tree
    node = 0
    while node < 3:
        at = first + node
        value = row[at % 2]
        left = (at % 3 == 0) if np.isnan(value) else value <= at / 8
        node = 2 * node + 1 + (not left)
    return first + node


@pytest.mark.one_in(2)
@pytest.mark.parametrize("counted", [block_scorer.COUNTED_BYTES, 2000, 1])
@pytest.mark.parametrize("ids", ["own", "few", "one"])
@pytest.mark.parametrize("n_groups", [1, 2])  # of two groups, rows have weights
def test_the_row_of_the_least_key_is_drawn(
    n_groups: int, ids: str, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_scorer, "COUNTED_BYTES", counted)
    plan, _ = forest_plan(LEAF_OUTCOMES, n_groups)
    rng = np.random.default_rng(3)
    features = rng.choice([np.nan, 0, 0.5, 1, 2], (N_ROWS, 2))
    outcomes = np.where(rng.random(N_ROWS) < 0.1, np.nan, np.sort(rng.normal(size=N_ROWS)))
    weights = rng.choice([0.0, 1.0, 1e-310, 1e300, np.nan, -1.0, np.inf], N_ROWS, p=[0.1, 0.4, 0.1, 0.1, 0.1, 0.1, 0.1])
    identity = {"own": np.arange(N_ROWS), "few": np.arange(N_ROWS) % 5, "one": np.zeros(N_ROWS)}[ids].astype(float)
    group = rng.integers(1, n_groups + 2, N_ROWS) if n_groups > 1 else np.ones(N_ROWS, int)  # the last one is unknown
    numbers = np.column_stack([*([group.astype(float)] * (n_groups > 1)), features, outcomes, weights, identity])
    least, found = np.full(14 * n_groups, np.inf), np.full(14 * n_groups, np.inf)
    for part in np.array_split(numbers, 3):
        lower_all(least, found, finished(score_block(plan, images_of(part))))

    expected: dict[int, tuple[float, float]] = {}
    for member in range(2):
        hashes = mixed(mixed(identity.astype(np.uint32)) ^ keyed(3, 1, np.array([member]))[0])
        for i in range(N_ROWS):
            fit = np.isfinite(outcomes[i]) and np.isfinite(weights[i]) and weights[i] > 0
            if not fit or group[i] > n_groups:
                continue
            leaf = leaf_of(2 * (group[i] - 1) + member, features[i])
            share = (float(hashes[i]) + 0.5) / 2**32
            with np.errstate(over="ignore"):
                weighted = min(-np.log1p(-share) / weights[i], np.finfo(float).max)
            key = (float(weighted) if n_groups > 1 else share, float(outcomes[i]))
            expected[leaf] = min(expected.get(leaf, (np.inf, np.inf)), key)
    assert {int(leaf): float(found[leaf]) for leaf in np.flatnonzero(found < np.inf)} == {
        leaf: outcome for leaf, (_, outcome) in expected.items()
    }


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
def test_quantiles_are_numpys(n: int) -> None:
    rng = np.random.default_rng(n)
    for level in (1e-9, 0.01, 0.5, 0.8, 0.9, 0.99, 1 - 1e-12):
        pool = np.concatenate([rng.normal(size=50), rng.integers(0, 3, 50), 1e300 * rng.random(5)])
        numbers = rng.choice(pool, (7, n))
        wanted = (1 - level) / 2, 1 - (1 - level) / 2
        expected = np.quantile(numbers, wanted, axis=1, method="linear")
        assert np.array_equal(quantiles(numbers.copy(), wanted), expected)
