"""Rows in the order of nodes: they stay so for the same problem, of which workers get a copy with each request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.at_hand.large_tree import Copies, LargeTree
from madtree.learn.counting import CountRequest
from madtree.learn.data import Block, finished, in_memory
from madtree.learn.problem import Problem, Sampled
from madtree.learn.route import Positions, Routing
from madtree.trees import Parameters
from tests.unit.learn.binned import problem_of, sample_rows

NOBODY = np.zeros(0, np.int64)  # waits


def test_rows_stay_in_order_for_as_long_as_the_problem_is_the_same() -> None:
    problem, block = problem_of(sample_rows(500, 2), 2, Parameters("gini", 3))
    provider = BlocksAtHand([block], 0)
    other = replace(problem, parameters=replace(problem.parameters, min_bucket=9))
    first, again, of_other = (finished(provider._in_order(each, lasting=True)) for each in (problem, problem, other))
    assert again is first
    assert of_other is not first


def test_whoever_has_no_rows_of_the_node_that_was_split_counts_none() -> None:
    """Of two trees one is split, and the rows here are all of the other one."""
    problem, block = problem_of(sample_rows(400, 2, n_trees=2), 2, Parameters("gini", 3), 2)
    assert block.tree is not None
    provider = BlocksAtHand([block.take(np.flatnonzero(block.tree == 1))], 0)
    begun = CountRequest("histograms", problem, Routing.leaves(0, 2), np.arange(2), 2, (0, 1), waiting=NOBODY)
    roots = finished(provider.count(begun))
    assert not roots[:, : begun.layout.widths[0]].any()
    assert roots.any()
    routing = Routing.leaves(0, 2)
    routing.add_leaves(2, 2)
    routing.child[0], routing.cut[0] = 2, 1
    slots = np.array([-1, -1, 0, 1])
    assert not finished(provider.count(replace(begun, routing=routing, slot_of_node=slots))).any()


def a_large_tree(n_rows: int, seed: int, n_bins: int = 100, n_classes: int = 2) -> tuple[Problem, Block, Routing]:
    """A problem whose rows are kept as those of a large tree, and seven levels of splits at random."""
    parameters = Parameters("gini" if n_classes else "mse", 9, n_bins=n_bins)
    problem, block = problem_of(sample_rows(n_rows, n_classes), n_classes, parameters)
    problem = replace(problem, tuning=replace(problem.tuning, large_tree=1))
    rng, routing = np.random.default_rng(seed), Routing.leaves(0, 1)
    ordered = np.flatnonzero(~problem.unordered)
    for level in range(7):
        first = len(routing.child)
        for node in np.flatnonzero(routing.child == np.arange(first))[-(2**level) :]:
            if level and rng.random() < 0.3:
                continue
            feature = int(rng.choice(ordered))
            routing.feature[node], routing.missing_right[node] = feature, rng.random() < 0.5
            routing.cut[node] = rng.integers(1, problem.bins.widths[feature])
            routing.child[node] = len(routing.child)
            routing.add_leaves(len(routing.child), 2)
    routing.deepest = routing.rounds = 7
    return problem, block, routing


def depths(routing: Routing) -> np.ndarray:
    """(n_nodes,) how many splits lie above each node."""
    depth = np.zeros(len(routing.child), np.int64)
    for node in np.flatnonzero(routing.child != np.arange(len(depth))):
        depth[routing.child[node] : routing.child[node] + 2] = depth[node] + 1
    return depth


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kept", [1.0, 0.6])
@pytest.mark.parametrize("n_bins", [100, 900], ids=["codes of one byte", "of two"])
def test_any_nodes_of_a_large_tree_may_be_asked_for_level_by_level(seed: int, kept: float, n_bins: int) -> None:
    """Some of each level, in one request or in several; what is counted is what is counted where rows are."""
    problem, block, routing = a_large_tree(3_000, seed, n_bins, 2 if seed % 4 < 2 else 0)
    assert bool(block.codes.layout.n_wide) == (n_bins > 255)
    problem = problem.with_replicas(Sampled(7, seed, kept, False))
    rng = np.random.default_rng(seed)
    provider = BlocksAtHand([block], 0)
    assert isinstance(finished(provider._in_order(problem, lasting=True)), LargeTree)
    depth = depths(routing)
    assert depth.max() > 3
    n_counted = 0
    for level in range(depth.max() + 1):
        if level in (2, 3) and seed % 2:
            continue  # the rows go down more than one level at once
        nodes = rng.permutation(np.flatnonzero((depth == level) & (rng.random(len(depth)) < 0.7)))
        for some in np.array_split(nodes, rng.integers(1, 4)):
            slots = np.full(len(depth), -1)
            slots[some] = np.arange(len(some))
            features = (int(rng.integers(0, 2)), len(problem.bins.widths))
            so_far = routing.ending(depth < level, level)
            request = CountRequest("histograms", problem, so_far, slots, len(some), features, waiting=NOBODY)
            found = finished(provider.count(request))
            expected = finished(BlocksAtHand([block], 0).count(replace(request, waiting=None)))
            assert np.array_equal(found, expected)
            n_counted += len(some)
    assert n_counted > 9


def test_few_rows_of_one_node_are_counted_by_its_own_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    """By those of all nodes that are asked for, a round would take time by the square of their number."""
    problem, block, routing = a_large_tree(3_000, 1)
    nodes = np.flatnonzero(depths(routing) == 5)
    slots = np.full(len(routing.child), -1)
    slots[nodes] = np.arange(len(nodes))
    n_slots: list[int] = []
    module = "madtree.learn.counting.rows_by_node.add_codes"
    monkeypatch.setattr(module, lambda _1, _2, _3, _4, touched, _5: n_slots.append(touched[1]))
    request = CountRequest("histograms", problem, routing, slots, len(nodes), (0, 2), waiting=NOBODY)
    finished(BlocksAtHand([block], 0).count(request))
    assert len(nodes) > 5
    assert set(n_slots) == {1}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("large_tree", [1, 10**9], ids=["large tree", "in the order of nodes"])
@pytest.mark.parametrize("stretch_rows", [100, 10**6])
def test_nodes_that_wait_may_be_asked_for_later(seed: int, large_tree: int, stretch_rows: int) -> None:
    """Growth that asks for some of the nodes that it may ask for, whatever their levels, and splits some of these."""
    problem, block, routing = a_large_tree(3_000, seed)
    tuning = replace(problem.tuning, large_tree=large_tree, stretch_rows=stretch_rows, node_rows=300)
    problem, rng, provider = replace(problem, tuning=tuning), np.random.default_rng(seed), BlocksAtHand([block], 0)
    is_inner = routing.child != np.arange(len(routing.child))
    split, candidates, n_waited = np.zeros(len(is_inner), np.bool_), np.array([0]), 0
    while len(candidates):
        asked = rng.permutation(candidates)[: rng.integers(1, 5)]
        slots = np.full(len(is_inner), -1)
        slots[asked] = np.arange(len(asked))
        so_far = routing.ending(split, 7)
        request = CountRequest("histograms", problem, so_far, slots, len(asked), (0, 2), waiting=candidates)
        found = finished(provider.count(request))
        assert np.array_equal(found, finished(BlocksAtHand([block], 0).count(replace(request, waiting=None))))
        split[asked[is_inner[asked]]] = True
        left = routing.child[asked[is_inner[asked]]]
        candidates = np.concatenate((np.setdiff1d(candidates, asked), left, left + 1))
        n_waited += len(candidates) - 2 * len(left)
    assert n_waited > 9


def test_a_node_that_large_trees_have_left_is_not_there_any_more() -> None:
    problem, block, routing = a_large_tree(400, 1)
    provider = BlocksAtHand([block], 0)
    slots = np.full(len(routing.child), -1)
    slots[1] = 0
    request = CountRequest("histograms", problem, routing, slots, 1, (0, 1), waiting=NOBODY)
    finished(provider.count(request))
    with pytest.raises(ValueError, match="left behind"):
        finished(provider.count(replace(request, slot_of_node=np.roll(slots, -1))))


@pytest.mark.parametrize("asked", [0, 2, 7, 8], ids=["was split", "was a leaf", "left child", "right child"])
@pytest.mark.parametrize("drawn", [None, np.zeros((1, 1), np.int64)], ids=["all", "drawn"])
def test_nodes_that_rows_have_left_are_not_there_any_more(asked: int, drawn: np.ndarray | None) -> None:
    """The rows go down to nodes 3 and 4, then to 5 and 6; nodes 7 and 8 are children of 2, which was a leaf by then."""
    problem, block = problem_of(sample_rows(400, 2), 2, Parameters("gini", 9))
    provider, routing = BlocksAtHand([block], 0), Routing.leaves(0, 1)

    def counted(nodes: list[int]) -> np.ndarray:
        slots = np.full(len(routing.child), -1)
        slots[nodes] = np.arange(len(nodes))
        of_each = drawn if drawn is None else drawn.repeat(len(nodes), axis=0)
        given = problem, routing, slots, len(nodes), (0, 1)
        return finished(provider.count(CountRequest("histograms", *given, waiting=NOBODY, drawn=of_each)))

    for cut, split in enumerate((0, 1, 3), 1):
        children = [len(routing.child), len(routing.child) + 1]
        routing.child[split], routing.cut[split], routing.missing_right[split] = children[0], 4 - cut, False
        routing.add_leaves(len(routing.child), 2)
        routing.deepest = routing.rounds = routing.rounds + 1
        assert all(counted([child]).any() for child in children)
    routing.child[2], routing.cut[2] = 7, 1
    routing.add_leaves(7, 2)
    with pytest.raises(ValueError, match="left behind"):
        counted([asked])


def test_few_rows_of_a_large_tree_are_copied() -> None:
    """Of seven levels that are asked for one by one, by the smaller sides, less than three times the rows; and these
    stay as they are.
    """
    problem, block, routing = a_large_tree(20_000, 3)
    provider = BlocksAtHand([block], 0)
    order = finished(provider._in_order(problem, lasting=True))
    assert isinstance(order, LargeTree)
    before = order._held[0].rows.codes.copy()
    depth, n_rows = depths(routing), 0
    parents = np.flatnonzero(routing.child != np.arange(len(depth)))
    for level in range(1, depth.max() + 1):
        so_far = routing.ending(depth < level, level)
        sizes = np.bincount(Positions(0).nodes((0, 0), block, so_far, 0, 1), minlength=len(depth))
        left = routing.child[parents[depth[parents] == level - 1]]
        smaller = np.where(sizes[left] <= sizes[left + 1], left, left + 1)
        slots = np.full(len(depth), -1)
        slots[smaller] = np.arange(len(left))
        request = CountRequest("histograms", problem, so_far, slots, len(left), (0, 1), waiting=NOBODY)
        n_rows += finished(provider.count(request)).sum()
    assert n_rows > 20_000
    assert provider._columns is not None
    assert np.array_equal(provider._columns.codes, before)
    assert sum(provider._copies._used) < 3 * 20_000


def test_memory_for_few_rows_does_not_stay_where_many_follow() -> None:
    copies, sizes = Copies(in_memory), []
    for n_rows in (400, 4_000, 2_500):
        problem, block, _ = a_large_tree(n_rows, 1)
        order = finished(BlocksAtHand([block], 0)._in_order(problem, lasting=True))
        assert isinstance(order, LargeTree)
        copies.clear(order._held[0].rows)
        copies.take(10)
        sizes.append([len(chunk) for chunk in copies._chunks])
    assert sizes == [[100], [1_000], [1_000]]
