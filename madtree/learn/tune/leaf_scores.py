"""The metrics of held-out rows, from what is summed of them in each leaf."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats, Ints

# As far as scikit-learn keeps probabilities from 0 and 1.
_LEAST = float(np.finfo(np.float64).eps)


def class_score(metric: str, held_out: Floats, predicted: Ints, shares: Floats) -> float:
    """Of classes.

    Args:
        held_out: (K, n_leaves) weights of the held-out rows of each class.
        predicted: (n_leaves,) class that each leaf predicts.
        shares: (K, n_leaves) that it gives each class.
    """
    total = held_out.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric == "log_loss":
            return float(-(held_out * np.log(np.clip(shares, _LEAST, 1 - _LEAST))).sum() / total)
        if metric == "auc":
            return _area(held_out, shares[1])
        hit = held_out[predicted, np.arange(len(predicted))]
        if metric == "accuracy":
            return float(hit.sum() / total)
        of_classes = held_out.sum(axis=1)
        found = np.bincount(predicted, hit, len(held_out)) / of_classes
        return float(found[of_classes > 0].mean())


def _area(held_out: Floats, share: Floats) -> float:
    """Under the ROC curve of the second class: the probability that a row of it is given more than one of the first,
    ties counting half.
    """
    values, place = np.unique(share, return_inverse=True)
    first, second = (np.bincount(place, of_class, len(values)) for of_class in held_out)
    below = np.cumsum(first) - first / 2
    return float((second * below).sum() / (first.sum() * second.sum()))


def number_score(metric: str, moments: Floats, predicted: Floats) -> float:
    """Of numbers.

    Args:
        moments: (3, n_leaves) weights of the held-out rows, and weighted sums of their distances to what the leaf
            predicts and of the squares of these.
        predicted: (n_leaves,) less a number that is the same for all.
    """
    weight, distance, squares = moments[:, moments[0] > 0]
    predicted = predicted[moments[0] > 0]
    total = weight.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric == "rmse":
            return float(np.sqrt(squares.sum() / total))
        mean = (weight * predicted + distance).sum() / total
        within = np.maximum(squares - np.square(distance) / weight, 0.0)
        spread = (within + weight * np.square(predicted - mean + distance / weight)).sum()
        return float(1 - squares.sum() / spread) if spread > 0 else float("nan")
