"""The order by several keys, held against numpy's own."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from madtree.learn.data import order_by_hashes, stable_order


@pytest.mark.parametrize("n", [0, 1, 2, 3000])
@pytest.mark.parametrize("largest", [0, 1, 40, 2**16, 2**32 - 1])
def test_rows_of_equal_keys_stay_as_they_come(n: int, largest: int) -> None:
    rng = np.random.default_rng(n)
    keys = [rng.integers(0, most, n, dtype=np.uint32, endpoint=True) for most in (largest, 5, largest)]
    keys.append(keys[0] << np.uint32(16))
    for some in (keys[:1], keys[:2], keys, keys[::-1], keys[3:]):
        assert stable_order(*some).tolist() == np.lexsort(some[::-1]).tolist()


@pytest.mark.parametrize("n", [0, 1, 64, 5000])
@pytest.mark.parametrize("n_groups", [1, 2, 40])
@pytest.mark.parametrize("alike", [0, 1, 20])
def test_rows_that_are_parted_come_in_the_same_order(
    n: int, n_groups: int, alike: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where hashes are not spread evenly, and groups are of very different sizes."""
    module = import_module("madtree.learn.data.hashes")
    monkeypatch.setattr(module, "_FEW_ROWS", 0)
    monkeypatch.setattr(module, "_PART_ROWS", 64)
    rng = np.random.default_rng(n)
    hashes = rng.integers(0, 2**32 - 1, n, dtype=np.uint32, endpoint=True)
    if alike:
        hashes[::alike] = 2**32 - 1
        hashes[1::alike] = 0
    group = np.minimum(rng.geometric(0.2, n) - 1, n_groups - 1).astype(np.uint32)
    order = np.zeros(n, np.uint32)
    order_by_hashes(order, hashes, None if n_groups == 1 else group)
    assert order.tolist() == np.lexsort((hashes, group)).tolist()


def test_the_largest_hash_of_a_single_last_row_belongs_to_the_last_part() -> None:
    """Its place is so close to the end that it is rounded to that."""
    n = 2**22
    hashes, group, order = (
        np.arange(n, dtype=np.uint32) << np.uint32(10),
        np.zeros(n, np.uint32),
        np.zeros(n, np.uint32),
    )
    hashes[7], group[7] = 2**32 - 1, 1
    order_by_hashes(order, hashes, group)
    assert np.array_equal(order, [*range(7), *range(8, n), 7])
