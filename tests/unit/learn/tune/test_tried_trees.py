"""Settings of trees that are tried: scikit-learn's scores, fold by fold; and no setting's depend on the others'."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    log_loss,
    mean_squared_error,
    r2_score,
    roc_auc_score,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from madtree.host import TemporaryPlace
from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.counting import CountRequest
from madtree.learn.data import finished
from madtree.learn.ensemble import TreeLearner
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import kept_rows
from madtree.learn.requests import SampleRequest
from madtree.learn.route import Routing
from madtree.learn.tune import Search, SearchLearner, Trial, TrialScores
from madtree.storage.blocks import BlockLimits, BlockStore
from madtree.trees import FeatureKind, Parameters

N_FOLDS = 4
GRID = [
    {"max_depth": depth, "min_split": split, "min_bucket": bucket, "min_impurity_decrease": least}
    for depth, split, bucket, least in product((0, 2, 5, 30), (2, 60), (8, 20), (0.0, 0.003))
]
LEAVES = [{"max_leaf_nodes": n, "min_split": 2, "max_depth": depth} for n in (2, 7, 30) for depth in (4, 30)]


def numbers(n_classes: int, seed: int, n_rows: int = 400) -> RawRows:
    """Features of 25 values. Weights are such that no two splits of different rows gain the same."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 25, (4, n_rows)).astype(float)
    y = 0.3 * x[0] + np.sin(x[1]) + (x[2] > 10) * 0.1 * x[3] + rng.normal(0, 0.5, n_rows)
    if n_classes:
        y = np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y).astype(float)
    fold = rng.integers(0, N_FOLDS, n_rows).astype(float)
    return RawRows(x, y, rng.gamma(2.0, size=n_rows), None, fold=fold)


def tried(rows: RawRows, n_classes: int, metric: str, settings: list[Parameters]) -> list[TrialScores]:
    found: list[TrialScores] = []
    search = Search([Trial(i, each) for i, each in enumerate(settings, 1)], metric, 0)
    parameters = replace(settings[0], n_folds=N_FOLDS)
    problem, block = prepare(rows, 1, n_classes, [FeatureKind.CONTINUOUS] * len(rows.features), parameters)
    learner = SearchLearner(search, [TreeLearner()], found.append)
    finished(learner.in_block(problem, block, np.ones(1, np.int64), lambda progress: None, None))
    return sorted(found, key=lambda each: each.trial)


def measured(metric: str, tree: Any, x: np.ndarray, y: np.ndarray, w: np.ndarray, labels: np.ndarray) -> float:
    if metric in ("log_loss", "auc"):
        shares = tree.predict_proba(x)
        if metric == "auc":
            return float(roc_auc_score(y, shares[:, 1], sample_weight=w))
        return float(log_loss(y, shares, sample_weight=w, labels=labels))
    measures: dict[str, Any] = {
        "accuracy": accuracy_score,
        "balanced_accuracy": balanced_accuracy_score,
        "rmse": mean_squared_error,
        "r2": r2_score,
    }
    found = float(measures[metric](y, tree.predict(x), sample_weight=w))
    return found**0.5 if metric == "rmse" else found


def scikit_learns(rows: RawRows, metric: str, given: Parameters, **more: Any) -> list[float]:
    """The score of each fold, by a tree of the other ones."""
    criterion = {"mse": "squared_error"}.get(given.criterion, given.criterion)
    kind = DecisionTreeRegressor if given.criterion == "mse" else DecisionTreeClassifier
    x, y, w, fold = np.asarray(rows.features).T, rows.target, rows.weight, rows.fold
    assert fold is not None
    assert w is not None
    scores = []
    for number in range(N_FOLDS):
        own, tested = fold != number, fold == number
        if given.max_depth == 0:
            more = {**more, "min_samples_split": len(y) + 1}
        else:
            more = {**more, "min_samples_split": given.min_split, "max_depth": given.max_depth}
        tree = kind(
            criterion=criterion,
            min_samples_leaf=given.min_bucket,
            min_impurity_decrease=given.min_impurity_decrease,
            max_leaf_nodes=given.max_leaf_nodes,
            random_state=0,
            **more,
        ).fit(x[own], y[own], w[own])
        scores.append(measured(metric, tree, x[tested], y[tested], w[tested], np.unique(y)))
    return scores


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("criterion", "n_classes", "metric"),
    [
        ("gini", 2, "accuracy"),
        ("gini", 2, "auc"),
        ("entropy", 3, "accuracy"),
        ("gini", 3, "balanced_accuracy"),
        ("entropy", 3, "log_loss"),
        ("mse", 0, "rmse"),
        ("mse", 0, "r2"),
    ],
)
@pytest.mark.parametrize("grid", [GRID, LEAVES], ids=["limits", "leaves"])
def test_scores_are_scikit_learns(criterion: str, n_classes: int, metric: str, grid: list[dict[str, Any]]) -> None:
    rows = numbers(n_classes, 5)
    settings = [Parameters(criterion, cp=-1.0, **{"min_bucket": 3, **each}) for each in grid]
    found = tried(rows, n_classes, metric, settings)
    assert [each.trial for each in found] == list(range(1, len(grid) + 1))
    for each, given in zip(found, settings, strict=True):
        assert each.scores == pytest.approx(scikit_learns(rows, metric, given), abs=1e-12), given


@pytest.mark.parametrize(
    ("criterion", "n_classes", "metric"),
    [("gini", 3, "log_loss"), ("mse", 0, "rmse"), ("poisson", 0, "poisson_deviance")],
)
def test_a_setting_alone_has_the_same_scores(criterion: str, n_classes: int, metric: str) -> None:
    rows = numbers(n_classes, 7)
    if criterion == "poisson":
        rows = replace(rows, target=np.floor(np.abs(rows.target)))
    asked = product((1, 4, 9), (2, 30), (1, 6), (-1.0, 0.0, 0.01), (None, 6))
    settings = [
        Parameters(criterion, depth, split, bucket, cp=cp, max_leaf_nodes=leaves)
        for depth, split, bucket, cp, leaves in asked
    ]
    together = tried(rows, n_classes, metric, settings)
    for each, given in zip(together, settings, strict=True):
        (alone,) = tried(rows, n_classes, metric, [given])
        assert each.scores == pytest.approx(alone.scores, abs=1e-12), given
    assert len({each.scores.tobytes() for each in together}) > len(settings) / 4


@pytest.mark.parametrize("part", ["none", "some"])
def test_a_provider_goes_on_with_a_part_of_its_rows(part: str) -> None:
    """As if the others had not been there; also where no row is left."""
    rows = replace(numbers(0, 3), identity=np.arange(400, dtype=np.uint32) * np.uint32(7_919))
    problem, block = prepare(rows, 1, 0, [FeatureKind.CONTINUOUS] * 4, Parameters("mse", n_folds=N_FOLDS))
    asked = SampleRequest(0.3 if part == "some" else 1e-12, 5)
    kept = np.flatnonzero(kept_rows(rows.identity, asked.share, asked.seed))
    assert 90 < len(kept) < 150 if part == "some" else not len(kept)
    store = BlockStore(problem, BlockLimits(100, 2**30, 2**20), TemporaryPlace(None, None))
    for piece in block.pieces(90):
        store.add(piece)
    store.finish()
    whole, few = BlocksAtHand([block], 2**20), BlocksAtHand([block.take(kept)], 2**20)
    routing = Routing.leaves(0, 1)
    for waiting in (None, np.zeros(0, np.int64)):
        count = CountRequest(
            "histograms", problem, routing, np.zeros(1, np.int32), 1, (0, 4), n_rows=400, waiting=waiting
        )
        expected = finished(few.answer(count))
        for provider in (whole, store):
            every = finished(provider.answer(count))
            finished(provider.answer(asked))
            assert finished(provider.answer(count)).tolist() == expected.tolist()
            finished(provider.answer(SampleRequest(1.0, 5)))
            assert finished(provider.answer(count)).tolist() == every.tolist()
