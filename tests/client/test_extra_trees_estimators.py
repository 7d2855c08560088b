"""The estimators of extremely randomized trees: scikit-learn's checks, what reaches the server, how good they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from estimator_checks import check
from shares import share
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.model_selection import cross_val_score

import madtree

KINDS = {
    True: (madtree.ExtraTreesClassifier, ExtraTreesClassifier, load_breast_cancer),
    False: (madtree.ExtraTreesRegressor, ExtraTreesRegressor, load_diabetes),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_classifier", share([True, False], 2, 1))
def test_scikit_learns_checks_pass_but_for_those_that_are_listed(client: madtree.Client, is_classifier: bool) -> None:
    estimator = KINDS[is_classifier][0](client, n_estimators=3)
    check(estimator, 1 + is_classifier)


@pytest.mark.parametrize("is_classifier", [True, False])
def test_they_are_about_as_good_as_scikit_learns(client: madtree.Client, is_classifier: bool) -> None:
    ours, theirs, load = KINDS[is_classifier]
    X, y = load(return_X_y=True)
    scores = [
        cross_val_score(each, X, y, cv=2).mean()
        for each in (ours(client, n_estimators=30, min_samples_leaf=3), theirs(30, min_samples_leaf=3, random_state=0))
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.05)


def test_each_tree_learns_from_all_rows_unless_samples_are_asked_for(client: madtree.Client) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4))
    y = X[:, 0] > 0

    def trained(**more: Any) -> tuple[Any, dict[str, Any]]:
        fitted = madtree.ExtraTreesClassifier(client, n_estimators=3, model="kept", replace=True, **more).fit(X, y)
        return fitted, client.forest("kept").summary

    fitted, summary = trained()
    assert (summary["split_rule"], summary["sampling"]) == ("random", "none")
    assert fitted._trees.nodes.n_rows[fitted._trees.roots[:-1]].tolist() == [120] * 3
    assert fitted.predict(X).tolist() == y.tolist()
    np.testing.assert_array_equal(fitted.to_sklearn().predict_proba(X), fitted.predict_proba(X))
    fitted, summary = trained(bootstrap=True, oob_score=True)
    assert (summary["split_rule"], summary["sampling"]) == ("random", "poisson")
    assert 0.5 < fitted.oob_score_ <= 1
    with pytest.raises(ValueError, match="oob_score needs rows that are out of bag"):
        trained(oob_score=True)
