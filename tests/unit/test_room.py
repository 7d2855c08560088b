"""Room for the rows of a forest: in memory, in a mapped file, and the same room again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.host import TemporaryPlace
from madtree.learn.data import Array, finished
from madtree.learn.ensemble import Forest, train_forest
from madtree.learn.histogram import BlocksAtHand, driven
from madtree.learn.problem import SearchTuning
from madtree.learn.prune import TrainedTrees
from madtree.storage.room import room_of
from madtree.trees import ForestParameters, Parameters
from tests.unit.learn.ensemble.test_forest import forest_problem

ANYWHERE = TemporaryPlace(None, None)


def test_what_is_too_large_for_the_memory_that_is_left_lies_in_a_file() -> None:
    room = room_of(ANYWHERE, 1000)
    found = [room(n_bytes) for n_bytes in (600, 1001, 600, 400, 1)]
    assert [len(array) for array in found] == [600, 1001, 600, 400, 1]
    assert [array.base is None for array in found] == [True, False, False, True, False]
    large = found[1]
    assert large.flags.writeable
    large[:] = 7
    assert large.sum() == 7007


def test_a_file_counts_as_long_as_it_is_there() -> None:
    room = room_of(TemporaryPlace(None, 5000), 0)
    first = room(3000)
    with pytest.raises(MadtreeError, match="temp_file_limit"):
        room(3000)
    del first
    assert len(room(3000)) == 3000


@pytest.mark.parametrize(("n_classes", "criterion"), [(2, "gini"), (0, "mse")])
def test_forests_are_the_same_wherever_their_rows_lie(n_classes: int, criterion: str) -> None:
    parameters = Parameters(criterion, min_split=4, min_bucket=2, cp=-1, n_bins=20)
    problem, block, _ = forest_problem(900, n_classes, parameters, weighted=True)
    forest = Forest.of(replace(problem, tuning=SearchTuning(wave_rows=1)), ForestParameters(9, 2), np.arange(1))

    def grown(room: Callable[[int], Array]) -> bytes:
        waves: list[TrainedTrees] = []
        at_hand = BlocksAtHand(list(block.pieces(250)), 2**20, room=room)
        finished(driven(train_forest(forest, waves.append), at_hand))
        return TrainedTrees.join(waves).dump()

    asked: list[int] = []

    def counting(n_bytes: int) -> Array:
        asked.append(n_bytes)
        return room_of(ANYWHERE, 0)(n_bytes)

    assert grown(counting) == grown(room_of(ANYWHERE, 2**30))
    # The votes', targets', and what an error is computed by; and the first wave's, with four limbs at most. They serve
    # the waves that come after it.
    assert len(asked) <= 1 + 2 + 8 + 2 * (1 + 4)
