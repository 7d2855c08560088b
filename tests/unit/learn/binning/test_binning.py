"""Bins: midpoints, quantiles, ranks within trees, and codes that agree with thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madtree.learn.binning.bins import (
    Bins,
    bin_ends,
    distinct_values,
    merge_bins,
    midpoint,
    quantile_bins,
)
from madtree.learn.binning.encode import EdgeEncoder, KeyEncoder
from madtree.learn.binning.ranks import TreeRows, rank_within

any_float = st.floats(allow_nan=False)


@given(any_float, any_float)
def test_a_midpoint_separates_its_neighbours(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        middle = float(midpoint(np.array(low), np.array(high)))
        assert low <= middle < high


def test_midpoints_of_neighbouring_floats_are_the_lower_one() -> None:
    assert midpoint(np.array(1.0), np.nextafter(1.0, 2.0)) == 1.0
    assert midpoint(np.array(3.0), np.array(np.inf)) == 3.0
    assert midpoint(np.array(-np.inf), np.array(np.inf)) == -np.inf
    assert midpoint(np.array(1e308), np.array(1.5e308)) == pytest.approx(1.25e308)


def test_quantile_bins_share_the_rows_out_evenly() -> None:
    ends = bin_ends(np.arange(1000.0), np.ones(1000, np.int64), 10)
    assert ends.tolist() == list(range(99, 1000, 100))


def test_a_heavy_value_has_a_bin_of_its_own() -> None:
    counts = np.array([1, 1, 1, 900, 1, 1, 1, 1, 1, 1])
    ends = bin_ends(np.arange(10.0), counts, 4)
    assert 3 in ends
    assert ends[-1] == 9


def test_infinity_has_a_bin_of_its_own_however_rare() -> None:
    values, counts = np.append(np.arange(999.0), np.inf), np.ones(1000, np.int64)
    assert bin_ends(values, counts, 10).tolist() == [*range(99, 999, 100), 998, 999]
    bins = Bins.from_values(values, counts, 100, 10)
    assert (bins.lower[-1], bins.upper[-1], bins.edges[-1]) == (np.inf, np.inf, 998.0)


def test_few_values_keep_every_boundary() -> None:
    values = np.array([1.0, 2.0, 10.0])
    bins = Bins.from_values(values, np.array([5, 1, 1]), limit=3, n_bins=2)
    assert bins.edges.tolist() == [1.5, 6.0]


@pytest.mark.parametrize("shape", ["uniform", "normal", "rounded", "heavy", "with missing", "with zeros of both signs"])
@pytest.mark.parametrize("n_bins", [2, 7, 100])
def test_quantiles_of_many_values_are_those_of_the_sorted_ones(shape: str, n_bins: int) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=30_000) if shape != "uniform" else rng.random(30_000)
    if shape == "rounded":
        values = np.round(values, 3)
    elif shape == "heavy":
        values[::3] = 0.25
    elif shape == "with missing":
        values[::5] = np.nan
    elif shape == "with zeros of both signs":
        values[::7], values[3::7] = 0.0, -0.0
    found = quantile_bins(values, n_bins, n_bins)
    expected = Bins.from_values(*distinct_values(values), n_bins, n_bins)
    assert found is not None
    assert found.lower.tolist() == expected.lower.tolist()
    assert found.upper.tolist() == expected.upper.tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(0),
        np.full(10, np.nan),
        np.arange(50.0).repeat(100),
        np.array([0.0] * 9_000 + [1e300] * 2, np.float64),
        np.append(np.random.default_rng(0).random(1_000), np.inf),
        np.append(np.random.default_rng(0).random(1_000), 1e200),
    ],
    ids=["none", "all missing", "few distinct", "two", "infinite", "far away"],
)
def test_quantiles_of_uneven_values_are_left_to_sorting(values: np.ndarray) -> None:
    assert quantile_bins(values, 100, 100) is None


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([-1.0, 0.0, -0.0, 2.5, np.nan, np.inf])), min_size=1)
)
def test_ranks_are_dense_within_each_tree(rows: list[tuple[int, float]]) -> None:
    tree, values = np.array([t for t, _ in rows]), np.array([v for _, v in rows])
    ranks, distinct, counts, sizes = rank_within(values, TreeRows(tree, 3, len(values)))
    start = 0
    for t in range(3):
        mine = values[tree == t]
        expected, inverse, count = np.unique(mine[~np.isnan(mine)], return_inverse=True, return_counts=True)
        span = slice(start, start + int(sizes[t]))
        assert distinct[span].tolist() == expected.tolist()
        assert counts[span].tolist() == count.tolist()
        assert ranks[tree == t][~np.isnan(mine)].tolist() == (inverse + 1).tolist()
        assert not ranks[tree == t][np.isnan(mine)].any()
        start = span.stop


def test_only_crowded_trees_are_binned() -> None:
    tree = np.repeat([0, 1], [50, 8])
    values = np.concatenate((np.arange(50.0), np.arange(8.0)))
    ranked = rank_within(values, TreeRows(tree, 2, len(values)))
    codes, sizes, starts, ends = merge_bins(ranked, tree, limit=np.full(2, 10), n_bins=5)
    assert sizes.tolist() == [5, 8]
    assert codes[tree == 1].tolist() == list(range(1, 9))
    assert np.bincount(codes[tree == 0])[1:].tolist() == [10] * 5
    assert ends[:5].tolist() == [9, 19, 29, 39, 49]
    assert starts[5:].tolist() == ends[5:].tolist()


@pytest.mark.parametrize("name", ["uniform", "normal", "lognormal", "clumped", "integers", "single"])
def test_codes_agree_with_the_edges(name: str) -> None:
    rng = np.random.default_rng(0)
    values = {
        "uniform": rng.random(20_000),
        "normal": rng.normal(size=20_000),
        "lognormal": np.exp(4 * rng.normal(size=20_000)),
        "clumped": np.where(rng.random(20_000) < 0.99, rng.normal(0, 1e-9, 20_000), rng.normal(0, 1e9, 20_000)),
        "integers": rng.integers(-40, 40, 20_000).astype(np.float64),
        "single": np.full(20_000, 3.0),
    }[name]
    distinct, counts = distinct_values(values)
    edges = Bins.from_values(distinct, counts, 100, 100).edges
    probes = np.concatenate(
        [
            values,
            edges,
            np.nextafter(edges, np.inf),
            np.nextafter(edges, -np.inf),
            [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e300],
        ]
    )
    expected = np.where(np.isnan(probes), 0, (probes[:, None] > edges[None, :]).sum(axis=1) + 1)
    for quantiles in (True, False):
        assert EdgeEncoder(edges, np.uint8, quantiles=quantiles).codes(probes).tolist() == expected.tolist()


def test_infinite_edges_are_searched() -> None:
    edges = np.array([-np.inf, 0.0, 5.0])
    assert EdgeEncoder(edges, np.uint8).codes(np.array([-np.inf, -1.0, 0.0, 6.0, np.inf, np.nan])).tolist() == [
        1,
        2,
        2,
        4,
        4,
        0,
    ]


def test_unknown_keys_are_missing() -> None:
    encoder = KeyEncoder(np.array([5.0, -3.0, 9.0]), np.uint16)
    assert encoder.codes(np.array([9.0, 5.0, 4.0, np.nan, -3.0, 1e9])).tolist() == [3, 1, 0, 0, 2, 0]
    with_null = KeyEncoder(np.array([5.0, -3.0, np.nan]), np.uint16)
    assert with_null.codes(np.array([5.0, 4.0, np.nan, -3.0])).tolist() == [1, 0, 3, 2]
    assert KeyEncoder(np.zeros(0), np.uint8).codes(np.array([1.0])).tolist() == [0]


@pytest.mark.parametrize("n_edges", [1, 5, 300, 3_000, 30_000])
@pytest.mark.parametrize("kind", ["even", "random", "heavy tails"])
def test_codes_by_many_edges_are_those_of_a_search(n_edges: int, kind: str) -> None:
    rng = np.random.default_rng(n_edges)
    spread = {
        "even": np.arange(n_edges) / 3,
        "random": rng.random(n_edges),
        "heavy tails": rng.normal(size=n_edges) ** 5,
    }
    edges = np.unique(spread[kind])
    probes = np.concatenate([np.nextafter(edges, np.inf), edges, np.nextafter(edges, -np.inf), [np.inf, -np.inf, 0.1]])
    for quantiles in (True, False):
        encoder = EdgeEncoder(edges, np.uint16, quantiles=quantiles)
        assert np.array_equal(encoder.codes(probes), np.searchsorted(edges, probes) + 1)
    keys = rng.permutation(edges)
    assert np.array_equal(KeyEncoder(keys, np.uint16).codes(keys), np.arange(len(keys)) + 1)
    assert not KeyEncoder(keys, np.uint16).codes(np.setdiff1d(probes, edges)).any()
