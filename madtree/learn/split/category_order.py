"""In which order the categories of an unordered feature are tried, node by node."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from madtree.learn.data import Array, Bools, Floats

EXHAUSTIVE_CATEGORIES = 10  # with three or more classes all subsets of up to so many categories are tried


@lru_cache(maxsize=EXHAUSTIVE_CATEGORIES + 1)
def subsets(n_categories: int) -> Bools:
    """All ways (2**(n - 1) - 1, n_categories) to split categories in two; True goes left, the last one stays right.

    In the order of the reflected Gray code, as rpart tries them, so that ties are broken in the same way.
    """
    code = np.arange(1, 2 ** (n_categories - 1))
    gray = code ^ (code >> 1)
    return np.asarray(gray[:, None] >> np.arange(n_categories) & 1, np.bool_)


def principal_scores(weights: Floats) -> Floats:
    """Scores (n_categories,) along the first principal component of the categories' class proportions.

    Args:
        weights: (K, n_categories) class weights of the categories present.

    Source: Coppersmith, Hong, Hosking, "Partitioning nominal attributes in decision trees", 1999: the component of the
    proportions' covariance, weighted by the categories' weights. The sign is chosen so that the last class with a part
    in the component weighs positively; the split found does not depend on it.
    """
    totals = weights.sum(axis=0)
    shares = weights / totals
    centred = shares - (weights.sum(axis=1) / totals.sum())[:, None]
    if len(weights) <= len(totals):
        _, vectors = np.linalg.eigh((centred * totals) @ centred.T)
        direction = vectors[:, -1]
    else:
        # More classes than categories: the smaller of the two matrices of products has the same component in it.
        parts = centred * np.sqrt(totals)
        _, vectors = np.linalg.eigh(parts.T @ parts)
        direction = parts @ vectors[:, -1]
        direction /= np.linalg.norm(direction) or 1.0
    heavy = np.flatnonzero(np.abs(direction) > 1e-9 * np.abs(direction).max())
    if len(heavy) and direction[heavy[-1]] < 0:
        direction = -direction
    scores: Array = direction @ shares
    # Categories with the same proportions must tie whatever the rounding.
    return np.asarray(np.round(scores, 12))
