"""Where runs of equal values begin."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from madtree.learn.data import Runs, heads


@pytest.mark.parametrize("values", [[], [4], [4, 4], [0, 1, 1, 0, 0, 2], [-1, -1, 3]])
def test_each_run_has_one_head(values: list[int]) -> None:
    lengths = [len(list(run)) for _, run in groupby(values)]
    assert heads(np.array(values, np.int64)).tolist() == [sum(lengths[:i]) for i in range(len(lengths))]


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
@pytest.mark.parametrize("step", [0, 16])
def test_each_row_has_the_value_of_its_run(kind: type, step: int) -> None:
    rng = np.random.default_rng(step)
    sizes = rng.integers(0, 4, 200)  # some have no rows, the first among them
    sizes[0] = 0
    values = rng.integers(0, 256, 200).astype(kind)
    expected = (np.repeat(values, sizes).astype(np.int64) + step * np.arange(sizes.sum())).astype(kind)
    found = Runs(sizes).spread(values, step)
    assert found.dtype == kind
    assert found.tolist() == expected.tolist()


def test_no_rows_have_no_values() -> None:
    assert Runs(np.zeros(3, np.int64)).spread(np.arange(3)).tolist() == []
