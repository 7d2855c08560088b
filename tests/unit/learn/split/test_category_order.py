"""Orders and subsets of categories."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from madtree.learn.criteria.classes import misclassification_gain
from madtree.learn.criteria.entropy import entropy_gain
from madtree.learn.criteria.gini import gini_gain
from madtree.learn.criteria.squares import variance_gain
from madtree.learn.split.category_order import principal_scores, subsets


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_subsets_are_all_partitions_once(n: int) -> None:
    found = subsets(n)
    assert found.shape == (2 ** (n - 1) - 1, n)
    assert not found[:, -1].any()
    assert len({tuple(row) for row in found.tolist()}) == len(found)
    assert (found.sum(axis=1) >= 1).all()


def test_neighbouring_subsets_differ_in_one_category() -> None:
    assert (np.abs(np.diff(subsets(6).astype(int), axis=0)).sum(axis=1) == 1).all()


def test_the_principal_component_orders_categories_that_lie_on_a_line() -> None:
    mix = np.linspace(0.1, 0.9, 15)
    weights = np.vstack([mix * 0.3, (1 - mix) * 0.6, mix * 0.7 + (1 - mix) * 0.4]) * np.arange(10, 25)
    scores = principal_scores(weights)
    assert (np.diff(scores) > 0).all() or (np.diff(scores) < 0).all()


def test_categories_with_equal_proportions_have_equal_scores() -> None:
    weights = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [3.0, 6.0, 5.0]])
    scores = principal_scores(weights)
    assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize("n_classes", [3, 30])
def test_categories_without_weight_have_scores_and_leave_others_theirs(n_classes: int) -> None:
    weights = np.random.default_rng(5).integers(0, 9, (n_classes, 12)).astype(float)
    scores = principal_scores(np.insert(weights, 4, 0.0, axis=1))
    assert scores[4] == 0
    assert np.allclose(np.delete(scores, 4), principal_scores(weights), atol=1e-9)
    assert not principal_scores(np.zeros((n_classes, 12))).any()


def plain_gain(impurity, left, right):
    total = left + right
    return total.sum() * impurity(total) - left.sum() * impurity(left) - right.sum() * impurity(right)


def gini(w):
    return 1 - ((w / w.sum()) ** 2).sum()


def entropy(w):
    p = w[w > 0] / w.sum()
    return -(p * np.log2(p)).sum()


def errors(w):
    return 1 - w.max() / w.sum()


@pytest.mark.parametrize(
    ("gain", "impurity"), [(gini_gain, gini), (entropy_gain, entropy), (misclassification_gain, errors)]
)
def test_gains_are_the_decrease_of_impurity(gain, impurity) -> None:
    sides = [np.array(side, float) for side in itertools.product([0, 1, 5], repeat=3) if sum(side)]
    for left, right in itertools.product(sides, repeat=2):
        assert gain(left[:, None], right[:, None])[0] == pytest.approx(plain_gain(impurity, left, right), abs=1e-12)


def test_sides_that_look_alike_gain_nothing() -> None:
    for k in range(1, 200):
        left, right = np.array([[1.0 * k], [2.0 * k]]), np.array([[7.0], [14.0]])
        assert gini_gain(left, right)[0] == 0
        assert entropy_gain(left, right)[0] == 0
        assert misclassification_gain(left, right)[0] == 0


def test_variance_gain_is_the_sum_of_squares_removed() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=7), rng.normal(2, 1, size=11)
    both = np.concatenate((left, right))

    def squares(y):
        return ((y - y.mean()) ** 2).sum()

    gain = variance_gain(np.array([7.0]), left.mean(keepdims=True), np.array([11.0]), right.mean(keepdims=True))
    assert gain[0] == pytest.approx(squares(both) - squares(left) - squares(right))


def test_of_many_classes_the_component_is_the_same_and_takes_little_memory() -> None:
    """As scores by numpy's singular values; a matrix of all pairs of classes would take 32 MB, and seconds."""
    weights = np.floor(np.random.default_rng(3).gamma(0.3, 4, (2000, 12)))
    shares = weights / weights.sum(axis=0)
    centred = shares - (weights.sum(axis=1) / weights.sum())[:, None]
    left, _, _ = np.linalg.svd(centred * np.sqrt(weights.sum(axis=0)), full_matrices=False)
    expected = left[:, 0] @ shares
    tracemalloc.start()
    scores = principal_scores(weights)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 2**20
    assert min(np.abs(scores - expected).max(), np.abs(scores + expected).max()) < 1e-9


def test_categories_alike_in_many_classes_tie() -> None:
    assert len(set(principal_scores(np.outer(np.arange(40) % 7, [1.0, 2, 3, 4])).tolist())) == 1
