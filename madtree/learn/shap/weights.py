"""How much a leaf's value counts in the contributions of the features that its way asks.

A row fulfils some of the k conditions of a leaf's way. With m 1 for a condition that it fulfils, else 0, and z the
condition's share of the cover, the leaf's value times

    (m_j - z_j) * sum over sets S of the others: |S|! (k - |S| - 1)! / k! * product of m_i in S, of z_i not in S

is added to the contribution of the feature of condition j (Lundberg et al. 2020, "From local explanations to global
understanding with explainable AI for trees", Nature Machine Intelligence 2). Since the factor of a set is the integral
of t^|S| (1 - t)^(k - |S| - 1) over t from 0 to 1, the sum is that of the product over the others of
z_i (1 - t) + m_i t, a polynomial of degree k - 1: exact by ceil(k / 2) points, and no term is negative, so none
cancels another.

The interaction of two features is, times (m_i - z_i) (m_j - z_j), the sum over sets S of the others of |S|! (k - |S| -
2)! / (k - 1)! times the same products (the Shapley interaction index, as Lundberg et al. have it, too): the integral of
the product over the others, of degree k - 2.

Of patterns and of rows the same operations are made in the same order, so what they say has the same bits.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations
from math import cos, pi

import numpy as np

from madtree.learn.data import Bools, Floats

_DIGITS = 40
_STEPS = 6  # of Newton's method, from 3 digits on: each doubles their number


def n_terms(n_features: int, *, with_pairs: bool) -> int:
    """Of so many features, and of each two of them."""
    return n_features + n_features * (n_features - 1) // 2 * with_pairs


def weights_of_patterns(share: Floats) -> Floats:
    """(n_leaves, k, 2 ** k) of all that rows may fulfil: bit j of a pattern is condition j.

    That this depends on the pattern alone is Yang 2021, "Fast TreeSHAP: Accelerating SHAP value computation for trees".

    Args:
        share: (n_leaves, k) of the conditions.
    """
    n_leaves, k = share.shape
    found = np.zeros((n_leaves, k, 1 << k))
    unmet = np.zeros((n_leaves, 1 << k))
    for t, weight in points_and_weights(-(-k // 2)):
        product = _product_of_patterns(share, t, weight)
        unmet += _lost(t) * product
        for j in range(k):
            mine, own = halves(found[:, j], j)[:, :, 1], halves(product, j)[:, :, 1]
            of_condition = share[:, j, None, None]
            mine += _gained(of_condition, _factors(of_condition, t)) * own
    for j in range(k):  # of all conditions that a row does not fulfil it is the same
        halves(found[:, j], j)[:, :, 0] = halves(unmet, j)[:, :, 0]
    return found


def weights_of_rows(share: Floats, met: Bools) -> Floats:
    """(n_leaves, k, n_rows) of some rows.

    Args:
        share: (n_leaves, k) of the conditions.
        met: (n_leaves, k, n_rows) whether the rows fulfil them.
    """
    # Condition by condition: what numpy goes through at once is long then, also of one row.
    share, met = share.T[:, :, None].copy(), met.transpose(1, 0, 2).copy()
    found, unmet = np.zeros(met.shape), np.zeros(met.shape[1:])
    for t, weight in points_and_weights(-(-len(met) // 2)):
        factors = _factors(share, t)
        product = _product_of_rows(factors[0], met, t, weight)
        unmet += _lost(t) * product
        found += _gained(share, factors) * product
    return np.asarray(np.where(met, found, unmet).transpose(1, 0, 2))


def pair_weights_of_patterns(share: Floats) -> Floats:
    """As `weights_of_patterns`, (n_leaves, k (k - 1) / 2, 2 ** k) of two conditions each, in order of the first one.

    That is half of the interaction of their features, as each of both has it.
    """
    n_leaves, k = share.shape
    found = np.zeros((n_leaves, k * (k - 1) // 2, 1 << k))
    for t, weight in points_and_weights(k // 2):
        half = 0.5 * _product_of_patterns(share, t, weight)
        changed = []
        for j in range(k):
            changed.append(np.full((n_leaves, 1 << k), _lost(t)))
            of_condition = share[:, j, None, None]
            halves(changed[j], j)[:, :, 1] = _gained(of_condition, _factors(of_condition, t))
        for number, (i, j) in enumerate(combinations(range(k), 2)):
            found[:, number] += changed[i] * changed[j] * half
    return found


def pair_weights_of_rows(share: Floats, met: Bools) -> Floats:
    """As `weights_of_rows`, (n_leaves, k (k - 1) / 2, n_rows) of two conditions each."""
    n_leaves, k, n_rows = met.shape
    found = np.zeros((n_leaves, k * (k - 1) // 2, n_rows))
    share, met = share.T[:, :, None], met.transpose(1, 0, 2)
    for t, weight in points_and_weights(k // 2):
        factors = _factors(share, t)
        half = 0.5 * _product_of_rows(factors[0], met, t, weight)
        changed = np.where(met, _gained(share, factors), _lost(t))
        for number, (i, j) in enumerate(combinations(range(k), 2)):
            found[:, number] += changed[i] * changed[j] * half
    return found


def _product_of_patterns(share: Floats, t: float, weight: float) -> Floats:
    """(n_leaves, 2 ** k) the product over all conditions, times a weight."""
    product = np.full((len(share), 1), weight)
    for j in range(share.shape[1]):
        lacks, has = _factors(share[:, j, None], t)
        product = np.concatenate((product * lacks, product * has), axis=1)
    return product


def _product_of_rows(lacks: Floats, met: Bools, t: float, weight: float) -> Floats:
    """As `_product_of_patterns`, (n_leaves, n_rows): along the first axis numpy, too, multiplies in order.

    Args:
        lacks: (k, n_leaves, 1), see `_factors`; `met`: (k, n_leaves, n_rows).
    """
    factors = met * t
    factors += lacks
    return np.asarray(np.multiply.reduce(factors, axis=0, initial=weight))


def halves(of_patterns: Floats, bit: int) -> Floats:
    """(n_leaves, ..., 2, 2 ** bit) the patterns (n_leaves, 2 ** k) without and with a bit."""
    return of_patterns.reshape(len(of_patterns), -1, 2, 1 << bit)  # a view: one axis is cut, and none joined


def _factors(share: Floats, t: float) -> tuple[Floats, Floats]:
    """What a condition is in the product: of a row that does not fulfil it, and of one that does."""
    lacks: Floats = share * (1 - t)
    return lacks, lacks + t


def _gained(share: Floats, factors: tuple[Floats, Floats]) -> Floats:
    """m - z, divided by the factor that the product has too much, where m is 1."""
    return np.asarray((1 - share) / factors[1])


def _lost(t: float) -> float:
    """That where m is 0: -z / (z (1 - t)), whatever z is."""
    return -1 / (1 - t)


@cache
def points_and_weights(n: int) -> tuple[tuple[float, float], ...]:
    """`n` points in (0, 1), each with its weight: Gauss-Legendre quadrature, exact for polynomials of degree 2n - 1.

    They are found in decimal arithmetic and rounded once, so they have the same bits on every machine, which numpy's
    own, from eigenvalues, need not. Newton's method for the zeros of Legendre's polynomial (Abramowitz and Stegun 1964,
    25.4.29 and 25.4.30).
    """
    with localcontext() as context:
        context.prec = _DIGITS
        found = []
        for number in range(1, n + 1):
            x = Decimal(cos(pi * (number - 0.25) / (n + 0.5)))
            for _ in range(_STEPS):
                value, slope = _legendre(n, x)
                x -= value / slope
            slope = _legendre(n, x)[1]
            found.append((float((1 + x) / 2), float(1 / ((1 - x * x) * slope * slope))))
        return tuple(found)


def _legendre(n: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """Legendre's polynomial of degree `n` >= 1 at `x`, and its derivative."""
    before, value = Decimal(1), x
    for degree in range(2, n + 1):
        before, value = value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree
    return value, n * (x * value - before) / (x * x - 1)
