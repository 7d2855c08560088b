"""Transition, merge, final: any cut of the rows gives the same state, and inexact sums are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from madtree.learn.columns.columns import block_columns
from madtree.learn.counting.count_request import CountRequest, What
from madtree.learn.counting.frontier import frontier_values
from madtree.learn.counting.transition import PlacedBlock, final, merge, transition
from madtree.learn.data import codec, finished
from madtree.learn.data.block import Block
from madtree.learn.data.types import Array
from madtree.learn.histogram import Histograms
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import Folds
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.route.positions import Positions
from madtree.learn.route.routing import Routing
from madtree.learn.route.stored_nodes import NewSplits
from madtree.storage.aggregate_functions import moved_nodes, node_statistics_transition
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import at_hand, cut, problem_of, sample_rows, train_by

COUNTS = -1  # in place of a number of classes
WHATS: tuple[What, ...] = ("histograms", "sides", "totals", "powers")


def _request(what: What, n_classes: int, *, n_folds: int = 0, held_out: bool = False) -> tuple[CountRequest, Block]:
    """A request for some nodes of trees that have been grown, and the block with all of their rows."""
    criterion = {0: "mse", COUNTS: "poisson"}.get(n_classes, "gini")
    parameters = Parameters(criterion, 4, min_split=10, min_bucket=4, n_folds=n_folds, max_surrogates=1)
    rows = sample_rows(2_000, max(n_classes, 0), weighted=True)
    if n_classes == COUNTS:
        rows = replace(rows, target=np.round(rows.target.clip(0)), exposure=rows.weight)
    problem, block = problem_of(rows, max(n_classes, 0), parameters)
    if n_folds:
        problem = problem.with_replicas(Folds(n_folds))
    growing = _grown(problem, block)
    slots = np.where(np.arange(growing.n_nodes) % 3 == 0, np.arange(growing.n_nodes) // 3, -1).astype(np.int32)
    n_slots = int(slots.max()) + 1
    means = np.linspace(-1, 1, growing.n_nodes) if criterion != "poisson" else np.full(growing.n_nodes, 0.5)
    return CountRequest(
        what, problem, growing.routing, slots, n_slots, (1, 5), means, (1, 2) if what == "powers" else (), held_out
    ), block


def _after_a_journey(request: CountRequest) -> CountRequest:
    told = {**request.problem.counting_values(), **request.to_values()}
    return CountRequest.from_values(codec.load(codec.dump(told)))


def _grown(problem: Problem, block: Block):  # type: ignore[no-untyped-def]
    from madtree.learn.data import finished
    from madtree.learn.grow.grow import grow
    from madtree.learn.requests.provider import driven

    return finished(driven(grow(problem, rows_at_hand=True), at_hand([block])))


def _state(request: CountRequest, block: Block) -> Array:
    return transition(None, [PlacedBlock(0, block, Positions(2**20))], request)


def _cases() -> list[tuple[What, int, int, bool]]:
    cases = []
    for what in WHATS:
        for n_classes in (3, 0, COUNTS):
            if what == "powers" and n_classes > 0:
                continue
            cases.append((what, n_classes, 0, False))
            cases.append((what, n_classes, 3, False))
            if what in ("totals", "powers"):
                cases.append((what, n_classes, 3, True))
    return cases


each_case = pytest.mark.parametrize(("what", "n_classes", "n_folds", "held_out"), _cases())


@pytest.mark.one_in(3)
@each_case
def test_merge_is_associative_and_commutative_and_a_cut_block_gives_the_same_state(
    what: What, n_classes: int, n_folds: int, held_out: bool
) -> None:
    request, block = _request(what, n_classes, n_folds=n_folds, held_out=held_out)
    whole = _state(request, block)
    assert whole.any()
    parts = cut(block, np.random.default_rng(0).permutation(block.codes.n_rows), 5)
    a, b, c, d, e = (_state(request, part) for part in parts)
    left = reduce(merge, [a, b, c, d, e])
    right = merge(merge(e, merge(c, b)), merge(d, a))
    assert final(left).tobytes() == final(right).tobytes() == whole.tobytes()


@pytest.mark.parametrize("n_folds", [0, 3])
@pytest.mark.parametrize("n_classes", [COUNTS, 0])
def test_limbs_are_totals_without_rows(n_classes: int, n_folds: int) -> None:
    request, block = _request("totals", n_classes, n_folds=n_folds)
    totals, n_counts = _state(request, block), request.channels.n_counts
    request = replace(request, what="limbs")
    sums = _state(request, block)
    assert not sums[:n_counts].any()
    assert sums[n_counts:].any()
    assert sums[n_counts:].tobytes() == totals[n_counts:].tobytes()
    few_rows = cut(block, np.arange(block.codes.n_rows), 50)
    assert reduce(merge, [_state(request, part) for part in few_rows]).tobytes() == sums.tobytes()


@pytest.mark.one_in(3)
@each_case
def test_blocks_that_are_counted_one_after_the_other_or_together_give_the_same_state(
    what: What, n_classes: int, n_folds: int, held_out: bool
) -> None:
    request, block = _request(what, n_classes, n_folds=n_folds, held_out=held_out)
    positions = Positions(2**20)
    blocks = [PlacedBlock(i, part, positions) for i, part in enumerate(cut(block, np.arange(block.codes.n_rows), 4))]
    one_by_one = None
    for placed in blocks:
        one_by_one = transition(one_by_one, [placed], request)
    assert one_by_one is not None
    assert transition(None, blocks, request).tobytes() == one_by_one.tobytes() == _state(request, block).tobytes()


@pytest.mark.one_in(3)
@each_case
def test_a_request_is_the_same_after_a_journey(what: What, n_classes: int, n_folds: int, held_out: bool) -> None:
    request, block = _request(what, n_classes, n_folds=n_folds, held_out=held_out)
    back = _after_a_journey(request)
    assert _state(back, block).tobytes() == _state(request, block).tobytes()


@pytest.mark.one_in(3)
@each_case
def test_nodes_that_are_kept_beside_a_block_give_the_same_state(
    what: What, n_classes: int, n_folds: int, held_out: bool
) -> None:
    """A request that tells of the nodes to be counted alone, and rows that were moved on in turns by new splits."""
    request, block = _request(what, n_classes, n_folds=n_folds, held_out=held_out)
    problem, routing = request.problem, request.routing
    columns, n_rows = block_columns(block), block.codes.n_rows
    nodes, n_nodes = None, problem.n_trees
    for rounds in range(routing.rounds):
        grown = _after(routing, rounds + 1, problem.n_trees)
        splits = NewSplits.since(grown, rounds, n_nodes, problem.bins.widths, from_roots=rounds == 0)
        n_nodes = len(grown.child)
        plan = codec.dump({**problem.counting_values(), **splits.to_values()})
        nodes = finished(moved_nodes(plan, n_rows, columns, nodes))
    at_once = NewSplits.since(routing, 0, problem.n_trees, problem.bins.widths, from_roots=True)
    plan = codec.dump({**problem.counting_values(), **at_once.to_values()})
    assert finished(moved_nodes(plan, n_rows, columns, None)) == nodes
    sent = codec.dump(frontier_values(request))
    state = bytes(finished(node_statistics_transition(None, n_rows, columns, nodes, sent)))
    assert state[8:] == _state(request, block).tobytes()


@pytest.mark.parametrize("gathered_below", [0.0, 1.0])
@pytest.mark.parametrize("n_classes", [3, 0])
def test_features_that_are_drawn_are_counted_as_all_are(n_classes: int, gathered_below: float) -> None:
    """Wherever nodes are kept, and however rows are cut into blocks."""
    request, block = _request("histograms", n_classes, n_folds=2)
    problem = replace(request.problem, tuning=SearchTuning(gathered_below=gathered_below))
    n_features = len(problem.bins.widths)
    every = replace(request, problem=problem, features=(0, n_features))
    drawn = np.random.default_rng(2).integers(0, n_features, (request.n_slots, 2))
    request = replace(every, features=(0, 0), drawn=drawn)
    state, expected = _state(request, block), _state(every, block)
    for place, slot in np.ndindex(2, request.n_slots):
        of_feature = Histograms(every.layout, expected).feature(int(drawn[slot, place]))[:, slot]
        found = Histograms(request.layout, state).feature(place)[:, slot]
        width = of_feature.shape[1]
        assert np.array_equal(found[:, :width], of_feature)
        assert not found[:, width:].any()
    parts = cut(block, np.random.default_rng(0).permutation(block.codes.n_rows), 3)
    assert reduce(merge, [_state(request, part) for part in parts]).tobytes() == state.tobytes()
    columns, n_rows = block_columns(block), block.codes.n_rows
    splits = NewSplits.since(request.routing, 0, problem.n_trees, problem.bins.widths, from_roots=True)
    nodes = finished(
        moved_nodes(codec.dump({**problem.counting_values(), **splits.to_values()}), n_rows, columns, None)
    )
    sent = codec.dump(frontier_values(request))
    assert bytes(finished(node_statistics_transition(None, n_rows, columns, nodes, sent)))[8:] == state.tobytes()


def _after(routing: Routing, rounds: int, n_trees: int) -> Routing:
    """As `routing` was after its first rounds of growth, level by level."""
    depth = np.zeros(len(routing.child), np.int64)
    inner = np.flatnonzero(routing.child != np.arange(len(routing.child)))
    for node in inner:
        depth[routing.child[node] : routing.child[node] + 2] = depth[node] + 1
    n_nodes = int(np.count_nonzero(depth <= rounds))
    child = np.where(depth[:n_nodes] < rounds, routing.child[:n_nodes], np.arange(n_nodes)).astype(np.int32)
    deepest = int(depth[:n_nodes].max())
    return replace(routing, child=child, rounds=rounds, deepest=deepest)


def test_a_request_for_few_nodes_is_short_however_many_there_are() -> None:
    request, _ = _request("histograms", 3)
    n_nodes = request.problem.n_trees + 20_000
    slots = np.full(n_nodes, -1, np.int32)
    slots[-2:] = 0, 1
    few = replace(request, routing=Routing.leaves(0, n_nodes), slot_of_node=slots, n_slots=2)
    assert len(codec.dump(few.to_values())) > 300_000
    assert len(codec.dump(frontier_values(few))) < 4_000


def test_tuning_does_not_travel() -> None:
    request, _ = _request("histograms", 3)
    request = replace(request, problem=replace(request.problem, tuning=SearchTuning(gathered_below=0.0)))
    back = _after_a_journey(request)
    assert back.problem.tuning == SearchTuning()


def test_positions_that_find_no_room_are_worked_out_anew() -> None:
    request, block = _request("histograms", 3, n_folds=2)
    states = []
    for limit in (0, 3_000, 2**20):
        placed = PlacedBlock(0, block, Positions(limit))
        states += [transition(None, [placed], request).tobytes() for _ in range(2)]
    assert len(set(states)) == 1


def test_no_rows_are_the_neutral_state() -> None:
    request, block = _request("histograms", 3)
    nothing = _state(request, cut(block, np.arange(0), 1)[0])
    assert not nothing.any()
    whole = _state(request, block)
    assert merge(nothing, whole).tobytes() == whole.tobytes()


def test_sums_beyond_the_exact_range_are_refused() -> None:
    with pytest.raises(OverflowError, match="changed while it was being read"):
        merge(np.array([2.0**53]), np.array([2.0]))
    with pytest.raises(OverflowError, match="changed while it was being read"):
        final(np.array([-(2.0**54)]))


def test_folds_are_multiplicities() -> None:
    """Of the rows of a fold its own replica counts none, and is tested on just these."""
    problem, block = problem_of(sample_rows(300, 2), 2, Parameters(n_folds=3))
    folds = Folds(3)
    assert folds.multiplicity(block, 0) is None
    for replica in (1, 2, 3):
        multiplicity = folds.multiplicity(block, replica)
        assert multiplicity is not None
        assert set(np.flatnonzero(multiplicity == 0)) == set(folds.held_out(block, replica))
    assert train_by(problem, at_hand([block])).cp_tables


def test_features_that_are_drawn_are_counted_after_a_journey() -> None:
    """By rows at hand as well, which have not seen the levels above: they follow at once."""
    request, block = _request("histograms", 3)
    n_features = len(request.problem.bins.widths)
    depth = np.zeros(len(request.routing.child), np.int64)
    for node in np.flatnonzero(request.routing.child != np.arange(len(depth))):
        depth[request.routing.child[node] :][:2] = depth[node] + 1
    nodes = np.flatnonzero(depth == depth.max())
    assert depth.max() > 2
    slots = np.full(len(depth), -1, np.int32)
    slots[nodes] = np.arange(len(nodes))
    drawn = np.random.default_rng(2).integers(0, n_features, (len(nodes), 2))
    request = replace(request, features=(0, 0), slot_of_node=slots, n_slots=len(nodes), drawn=drawn)
    back = _after_a_journey(request)
    assert back.drawn is not None
    expected = _state(request, block).tobytes()
    assert _state(back, block).tobytes() == expected
    assert finished(at_hand(cut(block, np.arange(block.codes.n_rows), 3)).answer(back)).tobytes() == expected
