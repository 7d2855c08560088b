"""When gains are equal, and how far below the best a candidate split must be to be dropped unseen.

`screen`, `coarse` and `shortlist` drop candidates by a rough form of the gain, or by a bound for it. All use the same
limit, and it changes no choice:

1. A rough gain differs from the gain by rounding only: by less than half of `rounding` times the node's weight. A bound
   is too low by no more. So every dropped candidate's gain is below (1 - MARGIN) times the largest one, and the
   candidate with the largest is kept.
2. The choice goes through the features in order. A later split replaces an earlier one only where its gain is larger by
   more than TIE, relatively, so what is chosen in the end is within a tie of the largest gain. A dropped candidate can
   matter to that only through a chain of features, each within a tie of the one before, from below the margin up to the
   largest gain. Such a chain takes MARGIN / TIE features. With so many features nothing is dropped.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.criteria import criterion_of
from madtree.learn.data import Floats
from madtree.learn.problem import Problem

TIE = 1e-10  # gains that differ by less, relatively, are equal (semantics, section 3)
MARGIN = 1e-4  # relative; what is below the best gain by more is dropped
SINGLE = 1e-5  # relative; no rough gain in single precision is less exact


def may_drop(problem: Problem) -> bool:
    """Whether there are few enough features, only the best of which is wanted, and gains, of rows whose values are
    known, are compared as they are.
    """
    few = len(problem.unordered) < MARGIN / TIE
    return few and problem.parameters.wants_best_alone and not criterion_of(problem).finds_missing_side


def rounding(n_classes: int) -> float:
    """What rounding may make of a gain, which is a sum over classes of terms none of which is above the node's weight,
    as a share of that weight: generously.
    """
    return 64.0 * (n_classes + 100) * float(np.finfo(np.float64).eps)


def least_gain(best: Floats, weight: Floats, error: float) -> Floats:
    """(n_slots,) the rough gain below which candidates are dropped.

    Args:
        best: (n_slots,) largest gain that is known to be reached, exactly or by a rough gain; not negative.
        weight: (n_slots,) largest weight of the rows that any of the candidates divides.
        error: `rounding` of the rough gains, 0 where they are exact.

    What single precision adds is relative: rough gains are sums, products and quotients of numbers that are not
    negative, the first of which are whole numbers and exact.
    """
    return best * (1 - MARGIN - SINGLE) - error * weight
