"""Where runs of equal values begin."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from madtree.learn.data import heads


@pytest.mark.parametrize("values", [[], [4], [4, 4], [0, 1, 1, 0, 0, 2], [-1, -1, 3]])
def test_each_run_has_one_head(values: list[int]) -> None:
    lengths = [len(list(run)) for _, run in groupby(values)]
    assert heads(np.array(values, np.int64)).tolist() == [sum(lengths[:i]) for i in range(len(lengths))]
