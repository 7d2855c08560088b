"""Boosted models without the server: on frames, as scikit-learn's and as LightGBM's; all as boost_predict says."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from shares import share
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline

import madtree
from madtree.client.calls import CallError
from madtree.client.lightgbm_text import lightgbm_text

PLAIN, MIXED = ["length", "Width", "wide", "short"], ["length", "colour", "day", "wide", "short"]
SOME = {"num_trees": 9, "max_leaf_nodes": 5, "min_bucket": 4}
STOPPED = {**SOME, "num_trees": 80, "learning_rate": 0.5, "validation_params": {"fraction": 0.3, "n_iter_no_change": 2}}
LOSSES = {
    "kind": "log_loss",
    "wild": "exponential",
    "sort": "exponential",
    "price": "squared_error",
    "sales": "poisson",
    "rent": "gamma",
}
OF_CLASSES = ("kind", "wild", "sort")
BY_VOTES: dict[str, Any] = {"sort": {"boost_params": {"method": "adaboost"}}}


@pytest.fixture(autouse=True)
def _rows(client: madtree.Client, flowers: None) -> None:
    """Numbers of single precision; thresholds that are one number in it; dates; categories that training lacks."""
    client.query(
        "ALTER TABLE flowers ADD wide float8, ADD day date, ADD short real, ADD sales int, "
        "ADD rent float8, ADD part int, ADD sort text"
    )
    client.query(
        "UPDATE flowers SET wide = 1e9 + id % 17 * 1e-3, day = date '2024-02-27' + (id % 5)::int, "
        "price = price + length(coalesce(colour, '')) * 20 + id * 7 % 31, "
        "short = (id * 7 % 31) / 10.0, sales = price::int / 9 * (id % 4) + length(coalesce(colour, '')), part = id % 2"
    )
    client.query("UPDATE flowers SET rent = 1 + price, sort = kind")
    client.query("CREATE TABLE new AS SELECT * FROM flowers")
    client.query(
        "INSERT INTO new (id, length, colour, day, wide, short, part) SELECT 1000 + i, i / 10.0, "
        "CASE WHEN i % 2 = 0 THEN 'unseen' END, NULL, CASE WHEN i % 3 > 0 THEN 1e9 + i * 1e-4 END, i / 10.0, i % 2 "
        "FROM generate_series(1, 60) AS i"
    )


@pytest.fixture
def _lightgbm() -> None:
    """Skips where there is no LightGBM, or it lacks its library of threads."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"LightGBM cannot be imported: {error}")


def scored(client: madtree.Client, type_: str, **more: Any) -> list[Any]:
    client.query("DROP TABLE IF EXISTS scored")
    client.boosted("b").predict("new", "scored", type_, **more)
    values = [list(row)[1:] for row in client.query("SELECT * FROM scored ORDER BY id")]
    return [row[0] if len(row) == 1 else row for row in values]


def frame_of(client: madtree.Client, features: list[str], where: str = "true") -> Any:
    columns = ", ".join(f'"{name}"' for name in features)
    return client.query(f"SELECT {columns} FROM new WHERE {where} ORDER BY id").to_pandas()


def of_sklearn(estimator: Any, rows: Any) -> tuple[Any, Any]:
    """The estimator of boosted trees, by itself or at the end of a pipeline, and what it is given of the rows."""
    if isinstance(estimator, Pipeline):
        return estimator[-1], estimator[:-1].transform(rows)
    return estimator, rows


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("y", "features"), [(y, features) for turn, y in enumerate(LOSSES) for features in share([PLAIN, MIXED], 2, turn)]
)
def test_it_predicts_what_the_database_predicts(client: madtree.Client, features: list[str], y: str) -> None:
    model = client.boost_train(
        "flowers", "b", "id", y, features, loss=LOSSES[y], classification=y in OF_CLASSES, **SOME, **BY_VOTES.get(y, {})
    )
    rows = frame_of(client, features)
    n_rounds = model.groups[0].n_rounds

    assert model.predict(rows).tolist() == scored(client, "response")
    assert model.predict(rows, type="raw").tolist() == scored(client, "raw")
    assert model.predict(rows, num_trees=3).tolist() == scored(client, "response", num_trees=3)
    stages = list(model.staged_predict(rows, "raw"))
    assert len(stages) == n_rounds == 9
    assert stages[2].tolist() == scored(client, "raw", num_trees=3)

    estimator = model.to_sklearn()
    bare, X = of_sklearn(estimator, rows)
    assert isinstance(estimator, Pipeline) == (features == MIXED)
    assert estimator.predict(rows).tolist() == scored(client, "response")
    assert list(bare.staged_predict(X))[2].tolist() == scored(client, "response", num_trees=3)
    assert bare.n_iter_ == n_rounds
    if y in OF_CLASSES:
        assert model.predict(rows, type="prob").tolist() == scored(client, "prob")
        assert estimator.predict_proba(rows).tolist() == scored(client, "prob")
        assert estimator.decision_function(rows).tolist() == scored(client, "raw")
        assert list(bare.staged_predict_proba(X))[-1].tolist() == scored(client, "prob")
    again = pickle.loads(pickle.dumps(estimator))
    assert again.predict(rows).tolist() == estimator.predict(rows).tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("features", [PLAIN, MIXED], ids=["numbers", "mixed"])
@pytest.mark.parametrize("y", ["kind", "price"])
def test_the_trees_are_scikit_learns_own(client: madtree.Client, features: list[str], y: str) -> None:
    """Its own walk down them, not madtree's, comes to the same."""
    kind = HistGradientBoostingClassifier if y == "kind" else HistGradientBoostingRegressor
    model = client.boost_train("flowers", "b", "id", y, features, **SOME)
    estimator, rows = model.to_sklearn(), frame_of(client, features)
    bare, X = of_sklearn(estimator, rows.astype({"short": np.float32}))
    assert isinstance(bare, kind)
    theirs = kind._raw_predict(bare, X)
    raw = np.array(scored(client, "raw")).reshape(theirs.shape)
    np.testing.assert_allclose(theirs, raw, rtol=1e-12)
    for own, own_of_sklearn in ((bare.predict, kind.predict), *_probabilities(bare, kind)):
        np.testing.assert_allclose(own(X), own_of_sklearn(bare, X), rtol=1e-12)


def _probabilities(bare: Any, kind: Any) -> list[tuple[Any, Any]]:
    return [(bare.predict_proba, kind.predict_proba)] if hasattr(kind, "predict_proba") else []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("y", LOSSES)
@pytest.mark.usefixtures("_lightgbm")
def test_lightgbm_predicts_the_same(client: madtree.Client, y: str) -> None:
    model = client.boost_train(
        "flowers", "b", "id", y, PLAIN, loss=LOSSES[y], classification=y in OF_CLASSES, **SOME, **BY_VOTES.get(y, {})
    )
    booster, rows = model.to_lightgbm(), frame_of(client, PLAIN).astype({"short": np.float32}).astype(np.float64)
    X = rows.to_numpy()
    np.testing.assert_allclose(booster.predict(X, raw_score=True), scored(client, "raw"), rtol=1e-12, atol=1e-13)
    expected = np.array(scored(client, "prob" if y in OF_CLASSES else "response"))
    found = booster.predict(X)
    np.testing.assert_allclose(found, expected[:, 1] if y == "wild" else expected, rtol=1e-12)
    first = booster.predict(X, raw_score=True, num_iteration=2)
    np.testing.assert_allclose(first, scored(client, "raw", num_trees=2), rtol=1e-12, atol=1e-13)
    assert booster.feature_name() == PLAIN
    assert booster.num_trees() == 9 * (3 if y in ("kind", "sort") else 1)


@pytest.mark.usefixtures("_lightgbm")
def test_trees_of_one_leaf_and_names_that_lightgbm_cannot_have(client: madtree.Client) -> None:
    client.query(
        'CREATE TABLE flat AS SELECT g AS id, 1.5::float8 AS y, g AS "a b", g AS "a_b" FROM generate_series(1, 90) g'
    )
    model = client.boost_train("flat", "b", "id", "y", ["a b", "a_b"], num_trees=2)
    booster = model.to_lightgbm()
    assert booster.feature_name() == ["a_b", "a_b_1"]
    assert booster.predict(np.zeros((3, 2))).tolist() == [1.5] * 3


def test_what_lightgbm_cannot_hold_is_refused(client: madtree.Client) -> None:
    mixed = client.boost_train("flowers", "b", "id", "kind", MIXED, **SOME)
    with pytest.raises(CallError, match=r"LightGBM cannot hold the splits of b by .*colour \(text\)") as caught:
        lightgbm_text(*mixed._arrays(None))
    assert caught.value.hint == "to_sklearn takes all features."
    client.query("CREATE TABLE one AS SELECT *, 'only' AS word FROM flowers")
    one = client.boost_train("one", "b", "id", "word", PLAIN, replace=True, **SOME)
    with pytest.raises(CallError, match="knows one class only"):
        lightgbm_text(*one._arrays(None))
    assert one.to_sklearn().predict_proba(frame_of(client, PLAIN)).ravel().tolist() == scored(client, "prob")


@pytest.mark.parametrize("y", ["kind", "price"])
def test_each_group_is_a_model_of_its_own(client: madtree.Client, y: str) -> None:
    model = client.boost_train("flowers", "b", "id", y, MIXED, grouping_cols="part", **STOPPED)
    assert len({row.n_rounds for row in model.groups}) == 2
    expected = scored(client, "raw")
    parts = client.query("SELECT part FROM new ORDER BY id").column("part")
    assert model.predict(frame_of(client, MIXED), gid=2).shape == (360,)
    for gid in (1, 2):
        own = [value for value, part in zip(expected, parts, strict=True) if part == gid - 1]
        rows = frame_of(client, MIXED, f"part = {gid - 1}")
        assert model.predict(rows, type="raw", gid=gid).tolist() == own
        bare, X = of_sklearn(model.to_sklearn(gid), rows)
        assert bare._raw_predict(X).squeeze().tolist() == own
    for call in (model.to_sklearn, lambda: model.predict(rows)):
        with pytest.raises(madtree.MadtreeError, match="b has a boosted model for each of 2 groups"):
            call()


def test_what_cannot_be_done_is_said(client: madtree.Client) -> None:
    model = client.boost_train("flowers", "b", "id", "price", PLAIN, **SOME)
    rows = frame_of(client, PLAIN)
    for type_ in ("prob", "leaf", "odds"):
        with pytest.raises(CallError, match=f"type must be one of response, raw, conformal for a frame, not '{type_}'"):
            model.predict(rows, type=type_)
    for given, said in (
        (0, "at least 1, not 0"),
        (2.5, "a whole number, not 2.5"),
        (10, "at most 9, the rounds of b, not 10"),
    ):
        with pytest.raises(madtree.CallError, match=f"madtree: num_trees must be {said}"):
            model.predict(rows, num_trees=given)
    with pytest.raises(madtree.CallError, match="madtree: num_trees must be at most 9, the rounds of b, not 10"):
        model.predict("flowers", "scored_by_more", num_trees=10)
    with pytest.raises(CallError, match="output_table must be the name of the table"):
        model.predict("new")
    with pytest.raises(ValueError, match="X lacks columns that the model needs: 'length'"):
        model.predict(rows[PLAIN[1:]])
    with pytest.raises(ValueError, match=r"b is a boosted model: BoostedModel.to_sklearn takes it as a whole"):
        madtree.to_sklearn(model.read())
    one = madtree.to_sklearn(model.tree(1))
    assert len(one.predict(rows)) == len(rows)
    client.tree_train("flowers", "single", "id", "kind", "length")
    with pytest.raises(madtree.MadtreeError, match="single is no boosted model"):
        client.boosted("single").to_sklearn()


@pytest.mark.usefixtures("_lightgbm")
def test_estimators_hand_their_models_on(client: madtree.Client) -> None:
    X, y = np.arange(200.0).reshape(100, 2) % 17, np.arange(100) % 3
    fitted = madtree.GradientBoostingClassifier(client, max_iter=4, min_samples_leaf=3).fit(X, y)
    np.testing.assert_array_equal(fitted.to_sklearn().predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_allclose(fitted.to_lightgbm().predict(X), fitted.predict_proba(X), rtol=1e-12)
