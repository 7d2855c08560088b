"""Where the rows of a forest lie: in memory, in a mapped file, and in the same bytes again."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.host import TemporaryPlace
from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Array, ReusingAllocator, finished
from madtree.learn.ensemble import Forest, train_forest
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Bootstrap, SearchTuning, identities
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import driven
from madtree.storage.blocks import ALLOCATED_SHARE, allocator_of
from madtree.trees import FeatureKind, ForestParameters, Parameters
from tests.unit.learn.ensemble.test_forest import forest_problem

ANYWHERE = TemporaryPlace(None, None)


def test_what_is_too_large_for_the_memory_that_is_left_lies_in_a_file() -> None:
    """And so does what takes more than half of it."""
    allocator = allocator_of(ANYWHERE, 1000)
    found = [allocator(n_bytes) for n_bytes in (500, 501, 400, 101, 100, 1)]
    assert [len(array) for array in found] == [500, 501, 400, 101, 100, 1]
    assert [array.base is None for array in found] == [True, False, True, False, True, False]
    large = found[1]
    assert large.flags.writeable
    large[:] = 7
    assert large.sum() == 7 * 501


@pytest.mark.parametrize("n_bytes", [2**20 - 1, 2**20, 5 * 2**20 + 1])
def test_memory_in_large_pages_can_be_written_to_its_end(n_bytes: int) -> None:
    found = allocator_of(TemporaryPlace(None, 0), 2**24)(n_bytes)
    found[:] = 7
    assert len(found) == n_bytes
    assert found.sum() == 7 * n_bytes


def test_the_rows_of_a_whole_wave_lie_in_memory_by_the_usual_budget() -> None:
    """They are held twice, in records of 16 bytes where a row has 14 features at most."""
    allocator = allocator_of(
        TemporaryPlace(None, 0), Parameters().memory_bytes // ALLOCATED_SHARE
    )  # files would be an error
    assert [len(allocator(16 * SearchTuning().wave_rows)) for _ in range(2)] == [2**24, 2**24]


def test_a_file_counts_as_long_as_it_is_there() -> None:
    allocator = allocator_of(TemporaryPlace(None, 5000), 0)
    first = allocator(3000)
    with pytest.raises(MadtreeError, match="temp_file_limit"):
        allocator(3000)
    del first
    assert len(allocator(3000)) == 3000


@pytest.mark.parametrize(("n_classes", "criterion"), [(2, "gini"), (0, "mse")])
def test_forests_are_the_same_wherever_their_rows_lie(n_classes: int, criterion: str) -> None:
    parameters = Parameters(criterion, min_split=4, min_bucket=2, cp=-1, n_bins=20)
    problem, block, _ = forest_problem(900, n_classes, parameters, weighted=True)
    of_forest = ForestParameters(9, 2, n_permutations=1)
    forest = Forest.of(replace(problem, tuning=SearchTuning(wave_rows=1)), of_forest, np.arange(1))

    def grown(allocator: Callable[[int], Array]) -> bytes:
        waves: list[TrainedTrees] = []
        at_hand = BlocksAtHand(list(block.pieces(250)), 2**20, allocator=allocator)
        said = finished(driven(train_forest(forest, waves.append), at_hand))
        assert said.importance is not None
        return TrainedTrees.join(waves).dump() + said.importance.tobytes()

    asked: list[int] = []

    def counting(n_bytes: int) -> Array:
        asked.append(n_bytes)
        found = allocator_of(ANYWHERE, 0)(n_bytes)
        found[:] = 0xFF
        return found

    assert grown(counting) == grown(allocator_of(ANYWHERE, 2**30))
    # The votes', targets', and what an error is computed by; and the first wave's, with four limbs at most. They serve
    # the waves that come after it, and the rows that are out of bag.
    assert len(asked) <= 1 + 2 + 8 + 2 * (1 + 4)


def test_the_same_bytes_are_given_again_in_parts() -> None:
    asked: list[int] = []

    def counting(n_bytes: int) -> Array:
        asked.append(n_bytes)
        return np.zeros(n_bytes, np.uint8)

    allocator = ReusingAllocator(counting)
    for first, second in ((10, 100), (60, 40), (101, 7)):
        allocator.take_back()
        one, other = allocator(first), allocator(second)
        assert (len(one), len(other)) == (first, second)
        one[:], other[:] = 1, 2
        assert one.sum() == first
    # An array that is too small gives way to a larger one.
    allocator.take_back()
    assert len(allocator(105)) == 105
    assert len(allocator(16)) == 16
    assert asked == [16, 104, 112]


@pytest.mark.parametrize(("n_classes", "criterion"), [(2, "gini"), (0, "mse")])
def test_importance_takes_little_memory_of_a_process(n_classes: int, criterion: str) -> None:
    n_rows, features = 300_000, np.random.default_rng(0).random((4, 300_000))
    target = (features[0] > features[1]).astype(float)
    rows = RawRows(features, target, None, None, identity=identities(np.arange(float(n_rows))))
    parameters = Parameters(criterion, max_depth=3, cp=-1, n_bins=20)
    problem, block = prepare(rows, 1, n_classes, [FeatureKind.CONTINUOUS] * 4, parameters, replicas=Bootstrap(0, 0, 1))

    def peak(n_permutations: int) -> int:
        of_forest = ForestParameters(2, 2, n_permutations=n_permutations)
        forest = Forest.of(problem, of_forest, np.arange(1))
        at_hand = BlocksAtHand(list(block.pieces(2**16)), 2**20, block, allocator_of(ANYWHERE, 0))
        tracemalloc.start()
        finished(driven(train_forest(forest, lambda trees: None), at_hand))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1) < peak(0) + 20 * n_rows
