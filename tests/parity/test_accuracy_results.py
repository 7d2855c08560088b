"""The committed results of the accuracy benchmark are what this version gives, on the smallest of its data sets."""

from __future__ import annotations

import psycopg
from accuracy import page
from accuracy.data_sets import data_sets
from accuracy.learners import N_FOLDS, SCHEMA, madtree_trees
from compare_accuracy import N_SPLITS, score


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
