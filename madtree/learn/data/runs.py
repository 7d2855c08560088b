"""Runs of equal values next to each other."""

from __future__ import annotations

import numpy as np

from madtree.learn.data.types import Array, Ints


def heads(values: Array) -> Ints:
    """(n_runs,) where each run of equal `values` (m,) begins; `np.diff` takes several times as long."""
    begins = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)
