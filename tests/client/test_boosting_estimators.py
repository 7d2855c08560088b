"""The estimators of boosted trees: scikit-learn's own checks, and the same models and answers on tables and frames."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest
from estimator_checks import check
from shares import ALL, share
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import madtree

FEATURES = ["length", "Width", "colour", "wild"]
KINDS = {
    True: (madtree.GradientBoostingClassifier, HistGradientBoostingClassifier),
    False: (madtree.GradientBoostingRegressor, HistGradientBoostingRegressor),
}


class _FewRounds:
    """One of scikit-learn's checks sets 1,000 rounds, which take longer than all others together."""

    def set_params(self, **params: Any) -> Any:
        if str(params.get("max_iter")) == "1000" and not ALL:
            params["max_iter"] = 20
        return super().set_params(**params)  # type: ignore[misc]


class Classifier(_FewRounds, madtree.GradientBoostingClassifier):
    pass


class Regressor(_FewRounds, madtree.GradientBoostingRegressor):
    pass


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("kind", "parameters"),
    share(
        [
            (Classifier, {"min_samples_leaf": 5}),
            (Classifier, {}),
            (Regressor, {}),
            (Regressor, {"min_samples_leaf": 5}),
        ],
        2,
    ),
)
def test_scikit_learns_checks_pass_but_for_those_that_are_listed(
    client: madtree.Client, kind: Any, parameters: dict[str, Any]
) -> None:
    estimator = kind(client, max_iter=5, learning_rate=0.4, **parameters)
    check(estimator, 2 + (kind is Classifier))


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize(
    ("y", "more"),
    [
        ("kind", {}),
        ("wild", {"loss": "exponential"}),
        ("price", {"early_stopping": True, "validation_fraction": 0.2, "subsample": 0.7}),
        ("price", {"loss": "poisson", "early_stopping": True, "validation_fraction": 60, "n_iter_no_change": 3}),
    ],
    ids=str,
)
def test_a_table_and_its_copy_give_the_same_model_and_the_same_answers(
    client: madtree.Client, y: str, more: dict[str, Any]
) -> None:
    ours, _ = KINDS[y != "price"]
    features = FEATURES[:3]
    estimator = ours(client, max_iter=12, list_of_features=features, min_samples_leaf=8, **more)
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    X = frame[features]

    in_place = clone(estimator).fit("flowers", y, "weight")
    copied = clone(estimator).fit(X.set_axis(range(1, 301)), frame[y], frame["weight"])
    # Rows are drawn by the ids, which count from 1 in the table and from 0 in a copy.
    client.query("CREATE TABLE numbered AS SELECT *, id - 1 AS place FROM flowers")
    alike = clone(estimator).set_params(id_col_name="place").fit("numbered", y, "weight")

    assert alike.feature_importances_.tolist() == copied.feature_importances_.tolist()
    assert alike.train_score_.tolist() == copied.train_score_.tolist()
    assert alike.validation_score_.tolist() == copied.validation_score_.tolist()
    assert len(copied.validation_score_) == (len(copied.train_score_) if "early_stopping" in more else 0)
    assert alike.n_iter_ == copied.n_iter_ >= 2
    assert in_place.feature_importances_.sum() == pytest.approx(1)
    assert in_place.feature_names_in_.tolist() == copied.feature_names_in_.tolist() == features
    for fitted in (in_place, copied):
        np.testing.assert_array_equal(fitted.predict("flowers"), fitted.predict(X))
        expected = fitted.score(X, frame[y], frame["weight"])
        assert fitted.score("flowers", y, "weight") == pytest.approx(expected, rel=1e-12)
        *_, last = fitted.staged_predict("flowers")
        np.testing.assert_array_equal(last, fitted.predict(X))
        if y != "price":
            stages = list(fitted.staged_predict_proba(X))
            assert len(stages) == fitted.n_iter_
            np.testing.assert_array_equal(stages[-1], fitted.predict_proba("flowers"))
            assert fitted.predict_proba(X).sum(axis=1) == pytest.approx(1)
            *_, last = fitted.staged_decision_function("flowers")
            np.testing.assert_array_equal(last, fitted.decision_function(X))
    assert list(client.query("SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()")) == []
    again = pickle.loads(pickle.dumps(copied))
    np.testing.assert_array_equal(again.predict(X), copied.predict(X))


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_diabetes])
def test_it_is_as_good_as_scikit_learns(client: madtree.Client, load: Any) -> None:
    """On rounded values, of which there are as many bins: the same trees, but for gradients of single precision."""
    X, y = load(return_X_y=True)
    X = np.round(X / X.std(axis=0) * 10)
    ours, theirs = KINDS[load is not load_diabetes]
    mine = ours(client, max_iter=10).fit(X, y)
    other = theirs(max_iter=10, early_stopping=False).fit(X, y)
    assert mine.n_iter_ == other.n_iter_ == 10
    method = "predict" if load is load_diabetes else "decision_function"
    np.testing.assert_allclose(getattr(mine, method)(X), getattr(other, method)(X), rtol=1e-3, atol=1e-4)
    stages = zip(mine.staged_predict(X), other.staged_predict(X), strict=True)
    assert all(np.mean(np.abs(a - b) > 1e-3 * np.abs(b).max()) < 0.01 for a, b in stages)
    assert mine.score(X, y) == pytest.approx(other.score(X, y), abs=0.01)


def test_scikit_learns_parameters_reach_the_server(client: madtree.Client) -> None:
    X, y = load_breast_cancer(return_X_y=True)

    def trained(**parameters: Any) -> dict[str, Any]:
        estimator = madtree.GradientBoostingClassifier(client, max_iter=2, model="kept", replace=True, **parameters)
        estimator.fit(X, y)
        return client.boosted("kept").summary

    given: dict[str, Any] = {"learning_rate": 0.3, "max_leaf_nodes": 7, "max_depth": 4, "l2_regularization": 2.0}
    more = {"min_gain": 0.01, "subsample": 0.9, "feature_fraction": 0.5, "cat_smooth": 3.0}
    more |= {"cat_l2": 1.0, "max_cat_threshold": 7, "min_data_per_group": 9, "category_encoding": "none"}
    summary = trained(**given, **more)
    assert {name: summary[name] for name in (given | more)} == given | more
    assert (summary["num_trees"], summary["validation_fraction"], summary["loss"]) == (2, 0, "log_loss")
    summary = trained(max_bins=63, min_samples_leaf=0.1, random_state=5, loss="exponential", early_stopping=True)
    assert (summary["n_bins"], summary["min_bucket"], summary["seed"]) == (63, 57, 5)
    assert (summary["loss"], summary["validation_fraction"]) == ("exponential", 0.1)
    summary = trained(monotonic_cst=[1, -1] + [0] * 28, interaction_cst=[{0, 1}, [2]])
    assert summary["monotone"] == '"x0"=+1, "x1"=-1'
    assert summary["interaction_constraints"] == '["x0", "x1"], ["x2"]'
    summary = trained(monotonic_cst={"x3": 1}, interaction_cst="no_interactions")
    assert summary["monotone"] == '"x3"=+1'
    assert summary["interaction_constraints"].startswith('["x0"], ["x1"], ')
    whole = trained(max_leaf_nodes=None, max_depth=3)
    assert max(row.n_leaves for row in client.boosted("kept").trees) <= 8 < whole["max_leaf_nodes"]


@pytest.mark.parametrize(("rows", "stops"), [(10_000, False), (10_001, True)])
def test_rows_are_held_out_by_themselves_where_there_are_many(client: madtree.Client, rows: int, stops: bool) -> None:
    x = np.arange(rows, dtype=np.float64)
    fitted = madtree.GradientBoostingRegressor(client, max_iter=2).fit(x[:, None], x % 100)
    assert (len(fitted.validation_score_) > 0) == stops


@pytest.mark.parametrize(
    ("parameters", "message", "hint"),
    [
        ({"max_iter": 0}, "max_iter must be an integer of at least 1, not 0", ""),
        ({"early_stopping": "yes"}, "early_stopping must be 'auto', True or False, not 'yes'", ""),
        ({"early_stopping": True, "validation_fraction": None}, "validation_fraction must be", "early_stopping=False"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be", ""),
        ({"early_stopping": True, "n_iter_no_change": 0}, "n_iter_no_change must be an integer of at least 1", ""),
        ({"loss": "squared_error"}, "loss", ""),
        ({"learning_rate": 0.0}, "learning_rate", ""),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has 2 values, and there are 1 features", ""),
        ({"monotonic_cst": [2]}, "monotonic_cst must be made of 1, -1 and 0, not 2", ""),
        ({"interaction_cst": [[1]]}, "interaction_cst must be groups of names or of numbers below 1, not 1", ""),
    ],
)
def test_what_cannot_be_done_is_said(
    client: madtree.Client, parameters: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(ValueError, match=r"(?s).*") as caught:
        madtree.GradientBoostingClassifier(client, **parameters).fit([[0.0], [1.0]], [0, 1])
    assert message in str(caught.value)
    assert hint in str(getattr(caught.value, "hint", ""))


def test_rows_without_a_key_are_told_apart_by_their_places(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE loose AS SELECT g AS x, g % 7 AS z, g > 100 AS big FROM generate_series(200, 1, -1) AS g; "
        "CREATE VIEW seen AS SELECT * FROM loose"
    )
    estimator = madtree.GradientBoostingClassifier(client, max_iter=5, early_stopping=True)
    fitted = estimator.fit("loose", "big")
    assert fitted.predict("loose")[[0, 199]].tolist() == [True, False]
    assert len(fitted.validation_score_) > 1
    with pytest.raises(ValueError, match="id_col_name must name a column that tells the rows of seen apart"):
        clone(fitted).fit("seen", "big")
    assert clone(fitted).set_params(early_stopping=False).fit("seen", "big").score("seen", "big") == 1


def test_a_named_model_stays_in_the_database(client: madtree.Client) -> None:
    X, y = np.arange(60.0)[:, None], np.repeat(["b", "a", "c"], 20)
    estimator = madtree.GradientBoostingClassifier(client, max_iter=5, min_samples_leaf=3, model="kept").fit(X, y)
    assert estimator.classes_.tolist() == ["a", "b", "c"]
    client.query("CREATE TABLE new AS SELECT i AS id, i::float8 AS x0 FROM generate_series(0, 59) AS i")
    for type_, ours in (("prob", estimator.predict_proba(X)), ("raw", estimator.decision_function(X))):
        client.boosted("kept").predict("new", "scored", type_, replace=True)
        scored = [list(row)[1:] for row in client.query("SELECT * FROM scored ORDER BY 1")]
        assert ours.tolist() == scored
    with pytest.raises(madtree.MadtreeError, match="exists already"):
        estimator.fit(X, y)


def test_a_class_without_weight_is_known_and_never_predicted(client: madtree.Client) -> None:
    X, y = np.arange(90.0)[:, None], np.repeat([0, 1, 2], 30)
    some = madtree.GradientBoostingClassifier(client, max_iter=3, min_samples_leaf=2)
    two = clone(some).fit(X, y, y != 1)
    assert two.classes_.tolist() == [0, 1, 2]
    assert two.predict_proba(X)[:, 1].tolist() == [0.0] * 90
    decisions = two.decision_function(X)
    assert np.isneginf(decisions[:, 1]).all()
    assert two.classes_[decisions.argmax(axis=1)].tolist() == two.predict(X).tolist()
    one = clone(some).fit(X[:60], y[:60], y[:60])
    assert one.decision_function(X).tolist() == [np.inf] * 90
    assert one.predict(X).tolist() == [1] * 90


def test_categories_are_encoded_if_that_is_wanted(client: madtree.Client) -> None:
    rng = np.random.default_rng(3)
    place = rng.integers(0, 60, 900)
    frame = pd.DataFrame({"x": rng.normal(size=900), "place": [f"p{number}" for number in place]})
    frame.loc[::13, "place"] = None
    y = np.sin(place * 2.1) * 2 + frame["x"]
    options: dict[str, Any] = {"category_encoding": "ordered", "prior_weight": 2.0}
    estimator = madtree.GradientBoostingRegressor(client, max_iter=30, model="kept", replace=True, **options)
    estimator.fit(frame, y)
    summary = client.boosted("kept").summary
    assert {name: summary[name] for name in options} == options
    new = pd.concat([frame, pd.DataFrame({"x": [0.5], "place": ["unheard of"]})], ignore_index=True)
    assert estimator.predict(new).tolist() == client.boosted("kept").predict(new).tolist()
    assert estimator.score(frame, y) > 0.9
