"""What is drawn for the trees of an ensemble: rows and features, by hashes that spread well."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.data import Block, CodeLayout, codec
from madtree.learn.ensemble import DrawnFeatures, drawn
from madtree.learn.grow import GrowingTrees
from madtree.learn.problem import Bootstrap, identities
from madtree.trees import SAMPLINGS

N = 200_000


def block_of(numbers: Any) -> Block:
    codes = CodeLayout.for_widths(np.array([2])).empty(len(numbers))
    return Block(codes, np.zeros(len(numbers), np.uint8), identity=identities(np.asarray(numbers, np.float64)))


@pytest.mark.parametrize("numbers", [np.arange(N), np.arange(N) * 4096.0, 2.0**32 - 1 - np.arange(N)])
def test_multiplicities_are_poisson_and_trees_independent(numbers: np.ndarray) -> None:
    block = block_of(numbers)
    bags = Bootstrap(seed=7, first=0, count=6)
    found = np.stack([bags.multiplicity(block, r) for r in range(6)]).astype(float)
    for k in range(5):
        expected = math.exp(-1) / math.factorial(k)
        assert (found == k).mean(axis=1) == pytest.approx(expected, abs=5 * math.sqrt(expected / N))
    off_diagonal = np.corrcoef(found)[~np.eye(6, dtype=bool)]
    assert np.abs(off_diagonal).max() < 5 / math.sqrt(N)
    for r in range(6):
        assert np.array_equal(bags.held_out(block, r), np.flatnonzero(found[r] == 0))
        assert np.corrcoef(found[r][:-1], found[r][1:])[0, 1] == pytest.approx(0, abs=5 / math.sqrt(N))


@pytest.mark.parametrize("sampling", [way for way in SAMPLINGS if way != "none"])
@pytest.mark.parametrize("kept", [1.0, 0.3])
def test_a_draw_depends_on_seed_tree_and_row_alone(sampling: str, kept: float) -> None:
    block, order = block_of(np.arange(N)), np.random.default_rng(1).permutation(N)
    bags = Bootstrap(-5, 3, 4, sampling, kept)
    shuffled, later = block_of(order), replace(bags, first=5, count=1)
    assert np.array_equal(bags.multiplicity(block, 2)[order], bags.multiplicity(shuffled, 2))
    assert np.array_equal(bags.multiplicity(block, 2), later.multiplicity(block, 0))
    assert not np.array_equal(bags.multiplicity(block, 2), replace(bags, seed=-4).multiplicity(block, 2))
    count = bags.multiplicity(block, 2)
    out = bags.held_out(block, 2)
    assert not count[out].any()
    in_bag = 1 - math.exp(-1)
    assert (count > 0).mean() == pytest.approx(kept * in_bag, abs=0.006)
    assert len(out) / N == pytest.approx(kept * (1 - in_bag), abs=0.006)
    if sampling == "without_replacement":
        assert count.max() == 1
    assert (bags.upper_bound(np.array([3])) >= 3 * int(count.max())).all()


@pytest.mark.parametrize("kept", [1.0, 0.3])
def test_without_sampling_all_rows_in_reach_count_once_and_none_is_out_of_bag(kept: float) -> None:
    block, bags = block_of(np.arange(N)), Bootstrap(5, 0, 2, "none", kept)
    count = bags.multiplicity(block, 1)
    assert count.max() == 1
    assert count.mean() == pytest.approx(kept, abs=0.006)
    assert len(bags.held_out(block, 1)) == 0


def test_what_travels_is_the_same_bootstrap_or_refused() -> None:
    bags = Bootstrap(2**63 - 1, 17, 4, "without_replacement", 0.25)
    values = codec.load(codec.dump({"replicas": bags.to_value()}))["replicas"]
    assert Bootstrap.from_values(values) == bags
    for name, wrong in (("seed", 2**63), ("first", -1), ("count", 0), ("sampling", "else"), ("kept", 1.5)):
        with pytest.raises(MadtreeError, match=name):
            Bootstrap.from_values({**values, name: wrong})


@pytest.mark.parametrize(("n", "m"), [(10, 3), (5, 5), (7, 1), (300, 17)])
def test_every_set_of_features_is_drawn_as_often(n: int, m: int) -> None:
    found = drawn(np.arange(60_000, dtype=np.uint32), n, m)
    assert found.shape == (60_000, m)
    assert (np.diff(found, axis=1) > 0).all()
    share = np.bincount(found.ravel(), minlength=n) / len(found)
    assert share == pytest.approx(m / n, abs=5 * math.sqrt(m / n / len(found)))
    if n == 10:
        sets = np.unique(found @ np.array([1, 16, 256]), return_counts=True)[1]
        assert len(sets) == math.comb(10, 3)
        expected = len(found) / len(sets)
        # Chi square of 119 degrees of freedom: 200 is beyond one in a hundred thousand.
        assert ((sets - expected) ** 2 / expected).sum() < 200


def test_features_are_tried_in_one_order_that_begins_with_those_drawn() -> None:
    n_nodes, n, m = 500, 8, 3
    nodes = np.arange(n_nodes)
    growing = cast(
        GrowingTrees,
        SimpleNamespace(tree=(nodes % 4).astype(np.int32), node_id=nodes.astype(np.int64) << 40),
    )
    draws = DrawnFeatures(seed=3, first=0, n_groups=2, n=n, m=m)
    first, then = draws.drawn(growing, nodes), draws.others(growing, nodes)
    assert (np.diff(first, axis=1) > 0).all()
    order = np.concatenate((first, then), axis=1)
    assert (np.sort(order, axis=1) == np.arange(n)).all()
    # The groups of a replica draw alike; replicas and nodes do not.
    other = cast(GrowingTrees, SimpleNamespace(tree=growing.tree ^ 1, node_id=growing.node_id))
    assert np.array_equal(draws.drawn(other, nodes), first)
    assert np.array_equal(draws.others(other, nodes), then)
    assert len(np.unique(order, axis=0)) > 300
    later = replace(draws, first=1)
    back = cast(GrowingTrees, SimpleNamespace(tree=growing.tree % 2, node_id=growing.node_id))
    front = cast(GrowingTrees, SimpleNamespace(tree=growing.tree % 2 + 2, node_id=growing.node_id))
    assert np.array_equal(later.others(back, nodes), draws.others(front, nodes))
