"""The order by several keys, held against numpy's own."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.data import stable_order


@pytest.mark.parametrize("n", [0, 1, 2, 3000])
@pytest.mark.parametrize("largest", [0, 1, 40, 2**16, 2**32 - 1])
def test_rows_of_equal_keys_stay_as_they_come(n: int, largest: int) -> None:
    rng = np.random.default_rng(n)
    keys = [rng.integers(0, most, n, dtype=np.uint32, endpoint=True) for most in (largest, 5, largest)]
    keys.append(keys[0] << np.uint32(16))
    for some in (keys[:1], keys[:2], keys, keys[::-1], keys[3:]):
        assert stable_order(*some).tolist() == np.lexsort(some[::-1]).tolist()
