"""The distinct values of a feature, gathered range by range."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.ingest import bin_finder as edges


@pytest.mark.parametrize("looked_up", [10, 10**6])
def test_values_are_gathered_whether_looked_up_or_searched(looked_up: int) -> None:
    rng = np.random.default_rng(0)
    parts = [rng.integers(-200, 300, 400) / 4 for _ in range(8)]
    for part in parts:
        part[::7], part[1] = np.nan, -0.0
    parts[3][2], parts[5][2] = np.inf, -np.inf
    known = edges._Known(np.unique(parts[0][~np.isnan(parts[0])] + 0.0), looked_up)
    for part in parts[1:]:
        known.add(part)
    every = np.concatenate(parts)
    expected = np.unique(every[~np.isnan(every)] + 0.0)
    assert len(known) == len(expected)
    assert known.values().tobytes() == expected.tobytes()
