"""Orders in which the levels of an unordered feature are tried, node by node."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from madtree.learn.data.types import Array, Bools, Floats

EXHAUSTIVE_LEVELS = 10  # with three or more classes all subsets of up to so many levels are tried


@lru_cache(maxsize=EXHAUSTIVE_LEVELS + 1)
def subsets(n_levels: int) -> Bools:
    """All ways (2**(n - 1) - 1, n_levels) to part levels in two; True goes left, the last level stays right.

    In the order of the reflected Gray code, as rpart tries them, so that ties fall alike.
    """
    code = np.arange(1, 2 ** (n_levels - 1))
    gray = code ^ (code >> 1)
    return np.asarray(gray[:, None] >> np.arange(n_levels) & 1, np.bool_)


def principal_scores(weights: Floats) -> Floats:
    """Scores (n_levels,) of levels along the first principal component of their class-proportion vectors.

    Args:
        weights: (K, n_levels) class weights of the levels present.

    Source: Coppersmith, Hong, Hosking, "Partitioning nominal attributes in decision trees", 1999: the component of the
    proportions' covariance, weighted by the levels' weights. The sign is chosen so that the last class with a part in
    the component weighs positively; the split found does not depend on it.
    """
    level_weights = weights.sum(axis=0)
    shares = weights / level_weights
    centred = shares - (weights.sum(axis=1) / level_weights.sum())[:, None]
    covariance = (centred * level_weights) @ centred.T
    _, vectors = np.linalg.eigh(covariance)
    direction = vectors[:, -1]
    heavy = np.flatnonzero(np.abs(direction) > 1e-9 * np.abs(direction).max())
    if direction[heavy[-1]] < 0:
        direction = -direction
    scores: Array = direction @ shares
    # Levels with the same proportions must tie whatever the rounding.
    return np.asarray(np.round(scores, 12))
