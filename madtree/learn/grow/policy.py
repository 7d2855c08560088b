"""Growth policies: which of the nodes that may be split are split next.

Growth is counted in rounds, not in levels: a shallow leaf may be split after a deep one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from madtree.learn.data import Ints
from madtree.learn.grow.growing import GrowingTrees


class GrowthPolicy(Protocol):
    """Chooses the frontier of each round."""

    def choose(self, growing: GrowingTrees, candidates: Ints) -> Ints:
        """Some of `candidates` (n,), nodes that are leaves and may be split, ascending; none ends the growth."""
        ...


class LevelWise:
    """All nodes that may be split, at once: a pass over the rows for each level."""

    def choose(self, growing: GrowingTrees, candidates: Ints) -> Ints:
        return np.sort(candidates)
