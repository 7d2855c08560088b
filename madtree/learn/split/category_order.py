"""In which order the categories of an unordered feature are tried, node by node; and which splits of many categories
boosted trees may make.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, flat_nonzero, heads
from madtree.learn.problem import Problem

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
        weights: (K, n_categories) class weights of the categories present; 0 of one whose rows weigh next to nothing.

    Source: Coppersmith, Hong, Hosking, "Partitioning nominal attributes in decision trees", 1999: the component of the
    proportions' covariance, weighted by the categories' weights. The sign is chosen so that the last class with a part
    in the component weighs positively; the split found does not depend on it.
    """
    totals = weights.sum(axis=0)
    shares = weights / np.where(totals > 0, totals, 1.0)
    centred = shares - (weights.sum(axis=1) / (totals.sum() or 1.0))[:, None]
    if len(weights) <= len(totals):
        _, vectors = np.linalg.eigh((centred * totals) @ centred.T)
        direction = vectors[:, -1]
    else:
        # More classes than categories: the smaller of the two matrices of products has the same component in it.
        parts = centred * np.sqrt(totals)
        _, vectors = np.linalg.eigh(parts.T @ parts)
        direction = parts @ vectors[:, -1]
        direction /= np.linalg.norm(direction) or 1.0
    heavy = flat_nonzero(np.abs(direction) > 1e-9 * np.abs(direction).max())
    if len(heavy) and direction[heavy[-1]] < 0:
        direction = -direction
    scores: Array = direction @ shares
    # Categories with the same proportions must tie whatever the rounding.
    return np.asarray(np.round(scores, 12))


def with_rare_in_the_middle(code: Ints, score: Floats, segment: Ints, rare: Bools) -> Ints:
    """(n_bins,) the order of the bins of some segments: by their scores, but those that are rare behind the first half
    of the others. So they go with the larger part of these, whichever end is parted from it.

    Args:
        segment: (n_bins,) ascending.
    """
    order = np.lexsort((code, score, rare, segment))  # rare ones at the end
    if not rare.any():
        return order
    first = heads(segment)
    sizes = np.diff(first, append=len(segment))
    own = np.repeat(np.arange(len(first)), sizes)
    n_rare = np.add.reduceat(rare, first, dtype=np.int64)
    n_known = sizes - n_rare
    half = _half(n_known).take(own)
    place = np.arange(len(segment)) - first.take(own)
    place += np.where(rare[order], half - n_known.take(own), np.where(place < half, 0, n_rare.take(own)))
    found = np.empty_like(order)
    found[first.take(own) + place] = order
    return found


def _half(n_known: Ints) -> Ints:
    return (n_known + 1) // 2


def guarded_splits(problem: Problem, rows: Ints, start: Ints, stop: Ints, missing: Ints) -> Bools:
    """(n_bins,) behind which bins a split may lie: any of segments that are not meant. In the others LightGBM's guards
    hold against what single categories say by chance (`FeatureHistogram::FindBestThresholdCategoricalInner`; the
    penalty `cat_l2` is among `LeafTerms`): from either end of the order those up to `max_cat_threshold`, and up to half
    of them, are parted from all others; a candidate has at least `min_data_per_group` rows more than the one before it,
    and leaves as many. Rare categories, of fewer than `cat_smooth` rows, are no candidates; they stand in the middle.

    Args:
        rows: (n_bins,) of each bin.
        start, stop: (m,) from which bin to which each segment that is meant goes.
        missing: (m,) its rows without a value, which may be on either side, or alone on one.
    """
    allowed = np.ones(len(rows), np.bool_)
    if len(start) == 0:
        return allowed
    upto = np.concatenate(([0], np.cumsum(rows)))  # rows of the bins before each
    allowed[_spread(start, stop)] = False
    known = np.concatenate(([0], np.cumsum(~is_rare(problem, rows))))
    n_known = known[stop] - known[start]
    has_rare = n_known < stop - start
    half = _half(n_known)
    allowed[_from_the_first(problem, upto, start, stop, missing, half)] = True
    # From the last one: the same of all bins in reverse.
    n = len(rows)
    backwards = upto[-1] - upto[::-1]
    others = np.where(has_rare, n_known - half, half)
    of_all = ((n - stop)[::-1], (n - start)[::-1], missing[::-1], others[::-1])
    firsts = _from_the_first(problem, backwards, *of_all)
    allowed[n - 2 - firsts] = True
    fewest = np.minimum(missing, upto[stop] - upto[start])  # all of them from the rows without a value
    allowed[stop - 1] = fewest >= problem.parameters.min_data_per_group
    return allowed


def is_rare(problem: Problem, rows: Ints) -> Bools:
    """(n_bins,) which categories have too few rows, of a node, for a place of their own in the order."""
    return np.asarray(rows < problem.parameters.cat_smooth)


def _from_the_first(problem: Problem, upto: Ints, start: Ints, stop: Ints, missing: Ints, most_bins: Ints) -> Ints:
    """The bins behind which candidates lie that part some of the first bins of each segment from the others.

    `upto` (n_bins + 1,): rows of the bins before each; `most_bins` (m,): that may be parted.
    """
    parameters = problem.parameters
    group = max(parameters.min_data_per_group, 1)
    last = start + np.minimum(parameters.max_cat_threshold, most_bins) - 1
    last = np.minimum(last, stop - 2)  # one is left for the other side
    most = upto[stop] + missing - group
    wanted = upto[start] + max(group, parameters.min_bucket)
    found = [start[:0]]
    while len(last):
        at = np.searchsorted(upto, wanted) - 1
        fits = flat_nonzero((at <= last) & (upto.take(at + 1, mode="clip") <= most))
        at, last, most = at[fits], last[fits], most[fits]
        found.append(at)
        wanted = upto[at + 1] + group
    return np.concatenate(found)


def _spread(start: Ints, stop: Ints) -> Ints:
    """All places from each `start` (m,) to before each `stop`."""
    sizes = stop - start
    places: Ints = np.arange(sizes.sum()) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes)
    return places
