"""The AdaBoost family: held against scikit-learn's AdaBoostClassifier, and against the published algorithms (Friedman,
Hastie and Tibshirani 2000, algorithms 1 to 3) with scikit-learn's trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from test_robust_losses import fitted

from madtree.learn.data import Array, Block, Floats, finished
from madtree.learn.ensemble import Boosting, boosting, train_boosted
from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import driven
from madtree.trees import BoostParameters, FeatureKind, Parameters
from tests.unit.learn.binned import at_hand, cut

STUMPS: dict[str, Any] = {"max_leaf_nodes": 2, "min_split": 2, "min_bucket": 1, "learning_rate": 1.0}


def example(n: int = 2_003) -> tuple[Floats, Floats, Floats]:
    """Features of at most 200 values, two classes that overlap, weights."""
    rng = np.random.default_rng(5)
    features = rng.integers(0, 200, (n, 5)).astype(float)
    x = features / 200
    score = 6 * (x[:, 0] - 0.5) * (x[:, 1] > 0.3) + 4 * np.square(x[:, 2]) - x[:, 3] + rng.normal(0, 1, n)
    return features, (score > 0.7).astype(float), rng.integers(1, 4, n) / 2


@pytest.mark.in_turn
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("leaves", "rate"), [(2, 1.0), (2, 0.5), (6, 1.0)])
def test_adaboost_is_scikit_learns(weighted: bool, leaves: int, rate: float) -> None:
    features, target, weight = example()
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    other = AdaBoostClassifier(tree, n_estimators=25, learning_rate=rate, random_state=0)
    other.fit(features, target, sample_weight=weight if weighted else None)
    given = {**STUMPS, "max_leaf_nodes": leaves, "learning_rate": rate}
    of_model = BoostParameters("exponential", 25, method="adaboost")
    scores, trees, said, _ = fitted(features, target, of_model, weight if weighted else None, **given)
    assert said.boosted.base.tolist() == [[0.0]]
    assert int(said.boosted.n_rounds[0]) == len(trees) == len(other.estimators_) == 25
    # Its weights are twice what trees add here, and its decision is twice their mean.
    decision = 4 * scores / other.estimator_weights_.sum()
    np.testing.assert_allclose(decision, other.decision_function(features), rtol=1e-9, atol=1e-12)


def by_hand(method: str, features: Floats, target: Floats, weight: Floats, n_rounds: int, **more: Any) -> Floats:
    """(n_rows,) scores of the algorithm, with scikit-learn's trees."""
    signed, scores = 2 * target - 1, np.zeros(len(target))
    for _ in range(n_rounds):
        if method == "real":
            now = weight * np.exp(-signed * scores)
            tree = DecisionTreeClassifier(random_state=0, **more).fit(features, target, sample_weight=now)
            share = np.clip(tree.predict_proba(features)[:, 1], np.finfo(float).eps, 1 - np.finfo(float).eps)
            scores = scores + np.log(share / (1 - share)) / 2
        elif method == "gentle":
            now = weight * np.exp(-signed * scores)
            scores = scores + DecisionTreeRegressor(random_state=0, **more).fit(features, signed, now).predict(features)
        else:  # LogitBoost: half the score is the paper's F
            share = 1 / (1 + np.exp(-scores))
            hessian = np.maximum(share * (1 - share), 1e-12)
            working = (target - share) / hessian
            tree = DecisionTreeRegressor(random_state=0, **more).fit(features, working, weight * hessian)
            scores = scores + tree.predict(features)
    return scores


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("method", "loss"), [("real", "exponential"), ("gentle", "exponential"), ("logitboost", "log_loss")]
)
@pytest.mark.parametrize(("leaves", "n_rounds"), [(2, 20), (5, 6)])
def test_the_others_are_the_published_algorithms(method: str, loss: str, leaves: int, n_rounds: int) -> None:
    features, target, weight = example()
    expected = by_hand(method, features, target, weight, n_rounds, max_leaf_nodes=leaves)
    of_model = BoostParameters(loss, n_rounds, method=method)
    found, *_ = fitted(features, target, of_model, weight, **{**STUMPS, "max_leaf_nodes": leaves})
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_a_tree_without_a_mistake_is_the_last() -> None:
    features, _, _ = example(400)
    target = (features[:, 1] > 90).astype(float)
    other = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=9, learning_rate=0.5)
    other.fit(features, target)
    of_model = BoostParameters("exponential", 9, method="adaboost")
    scores, trees, said, _ = fitted(features, target, of_model, **{**STUMPS, "learning_rate": 0.5})
    assert (len(other.estimators_), len(trees), int(said.boosted.n_rounds[0])) == (1, 1, 1)
    assert sorted(set(scores.tolist())) == [-0.5, 0.5]


def test_a_tree_that_is_as_good_as_chance_adds_nothing_and_ends_the_model() -> None:
    """No split helps: the first tree says what most rows are, and after it both classes weigh the same."""
    features, target = np.zeros((90, 1)), (np.arange(90) % 3 == 0).astype(float)
    of_model = BoostParameters("exponential", 9, method="adaboost")
    scores, trees, said, _ = fitted(features, target, of_model, **STUMPS)
    assert int(said.boosted.n_rounds[0]) == len(trees) == 1
    np.testing.assert_allclose(scores, -np.log(2) / 2)
    target = (np.arange(90) % 2).astype(float)
    scores, trees, said, _ = fitted(features, target, of_model, **STUMPS)
    assert int(said.boosted.n_rounds[0]) == len(trees) == 1
    assert set(scores.tolist()) == {0.0}


def of_many(
    features: Floats, target: Array, n_rounds: int, weight: Floats | None = None, **given: Any
) -> tuple[Floats, int, Floats]:
    """(K, n_rows) the scores of AdaBoost's rows of K classes, the rounds of the model, and (K, n_rows) what the rows'
    leaves in the first round say.
    """
    n_classes = len(np.unique(target))
    parameters = Parameters("gini", 60, cp=-1.0, n_bins=255, **{**STUMPS, **given})
    raw = RawRows(features.T.copy(), target.astype(float), weight, None)
    problem, block = prepare(raw, 1, n_classes, [FeatureKind.CONTINUOUS] * features.shape[1], parameters)
    found = []
    for rounds in (n_rounds, 1):
        trees: list[TrainedTrees] = []
        provider = at_hand(cut(block, np.arange(len(target)), 3))
        of_model = Boosting(problem, BoostParameters("exponential", rounds, method="adaboost"), np.array([1]))
        said = finished(driven(train_boosted(of_model, trees.append, rows_at_hand=True), provider))
        scores = Block.join([placed.block for placed in provider._blocks]).scores
        assert scores is not None
        assert len(trees) == said.boosted.n_rounds[0] * n_classes
        found.append((scores[-n_classes:], int(said.boosted.n_rounds[0])))
    return found[0][0], found[0][1], found[1][0]


@pytest.mark.one_in(3)
@pytest.mark.in_turn
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_classes", "n_rows", "leaves", "rate"),
    [(3, 2_003, 2, 1.0), (3, 2_003, 6, 1.0), (5, 2_003, 2, 0.5), (5, 2_003, 6, 1.0), (4, 4_103, 6, 1.0)],
)
def test_adaboost_of_many_classes_is_scikit_learns(
    n_classes: int, n_rows: int, weighted: bool, leaves: int, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boosting, "ORDERED_ROWS", 4_096)
    features, _, weight = example(n_rows)
    rng = np.random.default_rng(9)
    x = features / 200
    score = 3 * x[:, 0] * (x[:, 1] > 0.3) + 2 * np.square(x[:, 2]) - x[:, 3] + rng.normal(0, 0.4, len(x))
    target = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    other = AdaBoostClassifier(tree, n_estimators=12, learning_rate=rate, random_state=0)
    other.fit(features, target, sample_weight=weight if weighted else None)
    given = {"max_leaf_nodes": leaves, "learning_rate": rate}
    scores, n_rounds, first = of_many(features, target, 12, weight if weighted else None, **given)
    assert n_rounds == len(other.estimators_) == 12
    # A vote for a class is 1 there and -1 / (K - 1) for each other one, which is K / (K - 1) of what it is here.
    decision = n_classes / (n_classes - 1) * scores / other.estimator_weights_.sum()
    np.testing.assert_allclose(decision.T, other.decision_function(features), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(first.max(axis=0), other.estimator_weights_[0] * (1 - 1 / n_classes), rtol=1e-9)
    np.testing.assert_allclose(scores.sum(axis=0), 0.0, atol=1e-12)


def test_of_many_classes_a_tree_without_a_mistake_is_the_last_and_one_by_chance_adds_nothing() -> None:
    features, _, _ = example(400)
    target = np.digitize(features[:, 1], [60, 140])
    other = AdaBoostClassifier(DecisionTreeClassifier(max_leaf_nodes=3), n_estimators=9, learning_rate=0.5)
    other.fit(features, target)
    scores, n_rounds, _ = of_many(features, target, 9, max_leaf_nodes=3, learning_rate=0.5)
    assert (len(other.estimators_), n_rounds) == (1, 1)
    np.testing.assert_allclose(scores.T * 1.5, other.decision_function(features), rtol=1e-12)
    scores, n_rounds, _ = of_many(np.zeros((90, 1)), np.arange(90) % 3, 9)
    assert n_rounds == 1
    assert set(scores.ravel().tolist()) == {0.0}


def samme_by_hand(features: Floats, target: Array, n_rounds: int, **more: Any) -> Floats:
    """(K, n_rows) the scores of SAMME's rows (Zhu, Zou, Rosset and Hastie 2009), with scikit-learn's trees."""
    classes = np.arange(len(np.unique(target)))
    scores, weight = np.zeros((len(classes), len(target))), np.ones(len(target))
    for _ in range(n_rounds):
        said = DecisionTreeClassifier(random_state=0, **more).fit(features, target, weight).predict(features)
        error = np.average(said != target, weights=weight)
        say = np.log((1 - error) / error) + np.log(len(classes) - 1)
        scores += say * ((said == classes[:, None]) - 1 / len(classes))
        weight = weight * np.exp(say * (said != target))
    return scores


@pytest.mark.parametrize(("leaves", "n_rounds"), [(2, 25), (3, 25), (6, 25)])
def test_rows_without_a_value_go_to_the_side_that_gains_more(leaves: int, n_rounds: int) -> None:
    """scikit-learn's trees try both sides, too, and to part rows without a value from all others."""
    features, _, _ = example()
    rng = np.random.default_rng(9)
    x = features / 200
    score = 3 * x[:, 0] * (x[:, 1] > 0.3) + 2 * np.square(x[:, 2]) - x[:, 3] + rng.normal(0, 0.4, len(x))
    target = np.searchsorted(np.quantile(score, [0.25, 0.5, 0.75]), score)
    features[rng.random(features.shape) < 0.1 + 0.2 * (target == 1)[:, None]] = np.nan
    scores, _, _ = of_many(features, target, n_rounds, max_leaf_nodes=leaves)
    expected = samme_by_hand(features, target, n_rounds, max_leaf_nodes=leaves)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-10)
