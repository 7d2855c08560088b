"""The committed results of the accuracy benchmark are what this version gives, on the smallest of its data sets."""

from __future__ import annotations

import psycopg
import pytest
from accuracy import forest_page, page
from accuracy.comparison import N_SPLITS
from accuracy.data_sets import data_sets
from accuracy.forests import KINDS, Kind, madtree_forests
from accuracy.learners import N_FOLDS, SCHEMA, madtree_trees
from compare_accuracy import score
from forest_accuracy import error


def test_iris_has_the_scores_and_leaves_that_the_page_shows(db: psycopg.Connection) -> None:
    iris = next(data_sets())
    assert iris.name == "iris"
    splits = [iris.folds(seed, N_FOLDS) for seed in range(2)]
    try:
        found = madtree_trees(db, iris, splits)
    finally:
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    truth, shown = iris.target.to_numpy(), page.read()["sets"]["iris"]["trees"]
    assert len(shown["madtree"]["scores"]) == N_SPLITS
    for learner, outcomes in found.items():
        pairs = zip(splits, outcomes, strict=True)
        scores = [round(score(truth[folds == 0], outcome.predicted), 6) for folds, outcome in pairs]
        assert scores == shown[learner]["scores"][:2]
        assert [outcome.leaves for outcome in outcomes] == shown[learner]["leaves"][:2]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_iris_has_the_errors_of_forests_that_the_page_shows(db: psycopg.Connection, kind: Kind) -> None:
    iris = next(data_sets())
    splits = [iris.folds(seed, N_FOLDS) for seed in range(2)]
    try:
        found = madtree_forests(db, iris, splits, kind)["madtree"]
    finally:
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    truth, shown = iris.target.to_numpy(), forest_page.read()["sets"]["iris"]["errors"][kind.name]["madtree"]
    errors = [round(error(truth[folds == 0], said), 6) for folds, said in zip(splits, found, strict=True)]
    assert errors == shown[:2]
