"""What the scores of boosted models come to."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats, portable
from madtree.trees import Link


def expected(scores: Floats, link: Link) -> Floats:
    """(n_rows, 1) the number that a score says."""
    return portable.exp(scores) if link is Link.LOG else scores


def probabilities(scores: Floats, link: Link, n_classes: int) -> Floats:
    """(n_rows, n_classes) of the classes, from scores (n_rows, n_scores)."""
    if link is Link.SOFTMAX:
        powers = portable.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    score = scores[:, 0] * (2 if link is Link.HALF_LOGIT else 1)
    both = 1 / (1 + portable.exp(score)), 1 / (1 + portable.exp(-score))
    return np.stack(both, axis=1)[:, :n_classes]
