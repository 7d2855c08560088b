"""Extremely randomized trees: what is drawn, the trees against a search in plain Python, and that nothing depends on
how rows lie.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from shares import share

from madtree.learn.data import Block, keyed
from madtree.learn.ensemble import DrawnFeatures, RandomCuts, coins
from madtree.learn.histogram import HistogramLayout
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Bootstrap, Channels, Problem, SearchTuning, identities
from madtree.learn.split import OccupiedBins
from madtree.trees import FEW_ROWS, RANDOM, FeatureKind, ForestParameters, Parameters
from tests.unit.learn.binned import KINDS, cut
from tests.unit.learn.ensemble.test_forest import SETTINGS, as_growing, forest_of, forest_problem, members

SOME = ("weighted classes", "surrogates", "weighted numbers", "groups")
N = 60_000


def keys_of(n: int) -> Any:
    return keyed(1, 7, np.arange(n))


def bins_of(codes: Any, n_slots: int) -> OccupiedBins:
    """The same bins in each of some nodes, a row in each."""
    layout = HistogramLayout(Channels(2, 0, 0), np.array([20]), n_slots)
    slot = np.repeat(np.arange(n_slots), len(codes))
    every = np.tile(np.array(codes), n_slots)
    return OccupiedBins.of_bins(layout, np.zeros(len(slot), np.int64), slot, every, np.ones((2, len(slot))))


def cuts_of(n: int, values: Any) -> RandomCuts:
    """For `n` nodes of a tree whose only feature has a bin for each of these `values`."""
    rows = RawRows(np.array([values]), np.zeros(len(values)), None, None)
    problem, _ = prepare(rows, 1, 2, KINDS[:1], Parameters())
    return RandomCuts(problem, keys_of(n), np.zeros(n, np.int64))


@pytest.mark.parametrize("last", [1e3, 1e308, np.inf])
def test_cuts_are_drawn_evenly_between_a_node_s_first_and_last_value(last: float) -> None:
    values = np.array([-5.0, 0.0, 1.0, 2.0, 4.0, 8.0, last])
    picked = cuts_of(N, values).picked(bins_of([2, 3, 6], N), np.zeros(N, np.bool_))
    found = np.bincount(picked.cut, minlength=8)
    assert found[2:6] / N == pytest.approx(np.diff(values[1:6]) / 8, abs=5 / N**0.5)
    assert found.sum() == found[2:6].sum()
    # Behind the last bin that goes left.
    assert np.array_equal(picked.at, 3 * np.arange(N) + (picked.cut >= 3))
    farther = cuts_of(N, values).picked(bins_of([2, 3, 7], N), np.zeros(N, np.bool_))
    found = np.bincount(farther.cut, minlength=8)[2:7] / N
    expected = 1 / 5 if np.isinf(last) else np.diff(values[1:]) / last
    assert found == pytest.approx(expected, abs=5 / N**0.5)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_each_way_to_split_categories_in_two_is_drawn_as_often(n: int) -> None:
    segment, place = np.repeat(np.arange(N), n), np.tile(np.arange(n, dtype=np.uint32), N)
    ways = coins(keys_of(N), segment, place).reshape(N, n) @ (1 << np.arange(n))
    found = np.bincount(ways, minlength=2**n)
    assert found[0] == found[-1] == 0
    expected = N / (2**n - 2)
    # Chi square of up to 13 degrees of freedom: 45 is beyond one in twenty thousand.
    assert ((found[1:-1] - expected) ** 2 / expected).sum() < 45
    assert not coins(keys_of(5), np.arange(5), np.zeros(5, np.uint32)).any()


def test_categories_are_put_in_the_order_of_their_sides() -> None:
    occupied = bins_of([2, 5, 11], 50)
    picked = cuts_of(50, np.arange(20.0)).picked(occupied, np.ones(50, np.bool_))
    code = occupied.code.reshape(50, 3)
    assert (np.sort(code, axis=1) == [2, 5, 11]).all()
    sizes = picked.at - occupied.start + 1
    assert set(sizes.tolist()) == {1, 2}
    sides = {(tuple(own[:size]), tuple(own[size:])) for own, size in zip(code.tolist(), sizes.tolist(), strict=True)}
    assert len(sides) == 6


def test_a_tree_s_splits_are_the_best_of_those_that_are_drawn() -> None:
    """In exact fractions, by the rows of each node; the hashes, too, in plain Python."""
    parameters = Parameters(max_depth=7, min_split=2, min_bucket=2, cp=-1, n_bins=9, seed=3)
    rng = np.random.default_rng(2)
    features = np.stack((rng.normal(size=400), rng.integers(0, 7, 400), rng.integers(0, 6, 400))).astype(float)
    target = ((features[0] + features[2] / 3 > 1) ^ (rng.random(400) < 0.1)).astype(float)
    features[rng.random(features.shape) < 0.05] = np.nan
    kinds = (FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED)
    rows = RawRows(features, target, None, None, identity=identities(np.arange(400.0)))
    many = np.array([FEW_ROWS + 1])
    problem, block = prepare(rows, 1, 2, kinds, parameters, many, Bootstrap(3, 0, 1))
    grown, _ = forest_of(problem, [block], ForestParameters(4, 2, split_rule=RANDOM))
    nodes = grown.nodes
    left = np.split(nodes.left.indices, np.cumsum(nodes.left.sizes)[:-1])
    seen = {"ordered": 0, "unordered": 0, "gaps": 0}
    for member in range(4):
        of_node = {int(nodes.node_id[i]): int(i) for i in np.flatnonzero(nodes.key.member == member)}
        for node, split, gap in expected_splits(problem, block, target, member):
            at = of_node.pop(node)
            if split is None:
                assert nodes.feature[at] < 0
                continue
            feature, gain, goes_left = split
            assert nodes.feature[at] == feature
            assert nodes.improvement[at] == pytest.approx(float(gain), rel=1e-9)
            if kinds[feature] is FeatureKind.UNORDERED:
                seen["unordered"] += 1
                assert sorted((left[at] + 1).tolist()) == sorted(goes_left)
            else:
                seen["ordered"] += 1
                seen["gaps"] += gap
                known = ~np.isnan(features[feature])
                below = block.codes.column(feature)[known] <= max(goes_left)
                assert np.array_equal(features[feature][known] <= nodes.threshold[at], below)
        assert not of_node
    assert min(seen.values()) > 5


def expected_splits(problem: Problem, block: Block, target: Any, member: int) -> Iterator[tuple[int, Any, bool]]:
    """Each node of a member's tree: its id, the feature, gain and codes that go left (None for a leaf), and whether
    the cut lies at a bin that the node has no row of.
    """
    draws = DrawnFeatures(3, 0, 1, 3, 2)
    bins = problem.bins
    ends = [slice(int(start), int(start + size)) for start, size in zip(bins.offsets[0], bins.sizes[0], strict=True)]
    middles = [[low / 2 + high / 2 for low, high in zip(bins.lower[own], bins.upper[own], strict=True)] for own in ends]
    times = Bootstrap(3, 0, 4).multiplicity(block, member)
    todo = [(0, np.flatnonzero(times))]
    for node, own in todo:
        asked = as_growing(member, node)
        best: Any = None
        for some in (draws.drawn(asked, np.array([0]))[0], draws.others(asked, np.array([0]))[0]):
            if best is None and node < 2**7 - 1 and len(set(target[own].tolist())) > 1:
                for feature in some.tolist():
                    code = block.codes.column(feature)[own]
                    left = drawn_side(member, node, feature, sorted(set(code[code > 0].tolist())), middles[feature])
                    gain = gain_of(np.isin(code, left), code > 0, target[own], times[own])
                    if gain > 0 and (best is None or gain > best[1]):
                        best = (feature, gain, left)
        if best is None:
            yield node, None, False
            continue
        code = block.codes.column(best[0])[own]
        yield node, best, max(best[2]) not in code
        left = np.isin(code, best[2])
        right = (code > 0) & ~left
        majority = times[own][left].sum() >= times[own][right].sum()
        left |= (code == 0) & majority
        todo += [(2 * node + 1, own[left]), (2 * node + 2, own[~left])]


def gain_of(left: Any, known: Any, target: Any, times: Any) -> Fraction:
    """The gini gain among the rows whose value is known; 0 where a side has fewer than two rows."""
    sides = [[int(times[side & (target == k)].sum()) for k in (0, 1)] for side in (left, known & ~left)]
    if min(map(sum, sides)) < 2:
        return Fraction(0)
    whole = [a + b for a, b in zip(*sides, strict=True)]
    purity = [Fraction(sum(n * n for n in side), sum(side)) for side in (whole, *sides)]
    return purity[1] + purity[2] - purity[0]


def drawn_side(member: int, node: int, feature: int, codes: list[int], middles: list[float]) -> list[int]:
    """The codes that go left, of those that a node has; `middles` of all the feature's bins."""
    if len(codes) < 2:
        return []
    key = 6  # the purpose
    for word in (3, 0, member, node & 0xFFFFFFFF, node >> 32, feature):  # the seed's two words first
        key = lowbias32(key ^ word)
    if feature < 2:
        first, last = middles[codes[0] - 1], middles[codes[-1] - 1]
        point = first + lowbias32(key) / 2**32 * (last - first)
        return [code for code in range(codes[0], codes[-1]) if middles[code - 1] <= point]
    while True:
        key = lowbias32((key + 0x9E3779B9) & 0xFFFFFFFF)
        heads = [code for place, code in enumerate(codes) if lowbias32(key ^ place) >> 31]
        if 0 < len(heads) < len(codes):
            return heads


def lowbias32(z: int) -> int:
    z ^= z >> 16
    z = z * 0x7FEB352D & 0xFFFFFFFF
    z ^= z >> 15
    z = z * 0x846CA68B & 0xFFFFFFFF
    return z ^ z >> 16


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("sampling", ["poisson", "none"])
def test_nothing_depends_on_how_rows_lie_or_are_counted(name: str, sampling: str) -> None:
    n_classes, parameters, weighted, n_groups = SETTINGS[name]
    problem, block, _ = forest_problem(500, n_classes, parameters, weighted=weighted, n_trees=n_groups)
    forest = ForestParameters(5, 2, sampling, n_permutations=1, split_rule=RANDOM)
    grown, said = forest_of(problem, [block], forest)
    best, _ = forest_of(problem, [block], replace(forest, split_rule="best"))
    assert members(best) != members(grown)
    order = np.random.default_rng(5).permutation(block.codes.n_rows)
    tunings = (
        SearchTuning(wave_rows=1, node_rows=20, piece_rows=7, counted_cells=0),
        SearchTuning(bins_per_row=1e9, node_rows=1),
        SearchTuning(bins_per_row=1e-9, chunk_values=1, counted_cells=0),
    )
    for tuning in share(tunings, 2, SOME.index(name) // 2 + (sampling == "none")):
        again, said_too = forest_of(replace(problem, tuning=tuning), cut(block, order, 4), forest)
        assert members(again) == members(grown)
        assert said_too.error.tobytes() == said.error.tobytes()
    assert np.isnan(said.error).all() == (sampling == "none")
    assert said.importance is not None
    assert np.isnan(said.importance).all() == (sampling == "none")


def test_a_group_s_forest_is_that_of_its_rows_alone() -> None:
    n_classes, parameters, _, n_groups = SETTINGS["groups"]
    problem, block, rows = forest_problem(800, n_classes, parameters, n_trees=n_groups)
    forest = ForestParameters(4, 2, split_rule=RANDOM)
    together = members(forest_of(problem, [block], forest)[0])
    assert rows.tree is not None
    for group in range(n_groups):
        own = rows.select(rows.tree == group)
        prepared = partial(prepare, replace(own, tree=None), 1, n_classes, KINDS, parameters)
        alone, mine = prepared(np.array([FEW_ROWS + 1]), Bootstrap(1, 0, 1))
        found = members(forest_of(alone, [mine], forest)[0])
        assert all(found[0, member] == together[group, member] for member in range(4))
