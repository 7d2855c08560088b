"""scikit-learn's parameters: the same trees where madtree has them, the equivalent where it has not."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import madtree
from madtree.client.calls import CallError

KINDS = {
    True: (madtree.DecisionTreeClassifier, DecisionTreeClassifier, load_breast_cancer(return_X_y=True)),
    False: (madtree.DecisionTreeRegressor, DecisionTreeRegressor, load_diabetes(return_X_y=True)),
}


def both(client: madtree.Client, is_classifier: bool, **parameters: Any) -> tuple[Any, Any]:
    """madtree's tree and scikit-learn's, with every boundary as a candidate."""
    ours, theirs, (X, y) = KINDS[is_classifier]
    fitted = ours(client, n_bins=0, **{"max_depth": None, **parameters}).fit(X, y)
    return fitted, theirs(random_state=0, **parameters).fit(X, y)


# Alike to the last leaf but for features that split alike, of which each takes another one.
@pytest.mark.parametrize(
    ("is_classifier", "parameters"),
    [
        (True, {}),
        (True, {"criterion": "log_loss"}),
        (True, {"class_weight": {0: 3, 1: 1}, "min_samples_split": 0.1}),
        (True, {"min_samples_leaf": 0.05, "ccp_alpha": 0.005}),
        (False, {"max_depth": 4}),
        (False, {"criterion": "poisson", "max_depth": 5, "min_impurity_decrease": 0.05, "min_samples_leaf": 3}),
        (False, {"max_depth": 6, "ccp_alpha": 50.0, "min_samples_leaf": 3}),
    ],
)
def test_the_same_parameters_give_the_same_tree(
    client: madtree.Client, is_classifier: bool, parameters: dict[str, Any]
) -> None:
    X, _ = KINDS[is_classifier][2]
    ours, theirs = both(client, is_classifier, **parameters)
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 3
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    leaves = ours.apply(X)
    path = ours.decision_path(X)
    assert path.shape == (len(X), len(ours.node_ids_))
    assert path[np.arange(len(X)), leaves].min() == 1
    assert path.sum() == sum(int(number + 1).bit_length() for number in ours.node_ids_[leaves])
    assert ours.get_params()["ccp_alpha"] == parameters.get("ccp_alpha", 0)


def test_the_pruning_path_is_scikit_learns(client: madtree.Client) -> None:
    for is_classifier in (True, False):
        X, y = KINDS[is_classifier][2]
        ours, theirs = (tree.cost_complexity_pruning_path(X, y) for tree in both(client, is_classifier, max_depth=4))
        assert len(ours.ccp_alphas) > 4
        np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-10)
        np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=1e-10)
        some = clone(KINDS[is_classifier][0](client, n_bins=0, max_depth=4, ccp_alpha=float(ours.ccp_alphas[-2])))
        some.fit(X, y)
        assert 1 < some.get_n_leaves() < 16
        assert some.feature_importances_.sum() == pytest.approx(1)
        again = pickle.loads(pickle.dumps(some))
        assert again.predict(X).tolist() == some.predict(X).tolist()
        assert some.set_params(ccp_alpha=float(ours.ccp_alphas[-1])).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("parameters", "message", "hint"),
    [
        ({"splitter": "random"}, "splitter='random' is not supported", "splitter='best'"),
        ({"max_features": "sqrt"}, "max_features='sqrt' is not supported", "list_of_features"),
        ({"monotonic_cst": [1]}, "monotonic_cst=[1] is not supported", "no monotonic constraints"),
        ({"criterion": "absolute_error"}, "criterion: trees of madtree's are not grown by abs", "squared_error"),
        ({"criterion": "ginny"}, "criterion must be one of entropy, ", ""),
        ({"ccp_alpha": -1}, "ccp_alpha must be a number of at least 0, not -1", ""),
        ({"ccp_alpha": 0.1, "model": "kept"}, "ccp_alpha prunes the tree in the estimator", "Use cp"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf must be an integer of at least 1, or a share", ""),
        ({"min_samples_split": 1}, "min_samples_split must be an integer of at least 2, or a share", ""),
        ({"class_weight": "even"}, "class_weight", ""),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_equivalent(
    client: madtree.Client, parameters: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(ValueError, match=r"(?s).*") as caught:
        madtree.DecisionTreeClassifier(client, **parameters).fit([[0.0], [1.0]], [0, 1])
    assert message in str(caught.value)
    assert hint in str(getattr(caught.value, "hint", ""))


def test_only_what_was_set_reaches_the_server(client: madtree.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that servers of other versions, which lack an argument, still train the trees that do not need it."""
    asked: list[set[str]] = []
    call = client.call

    def heard(function: str, /, *arguments: Any, **named: Any) -> Any:
        asked.append({name for name, value in named.items() if value is not None})
        return call(function, *arguments, **named)

    monkeypatch.setattr(client, "call", heard)
    X, y = KINDS[True][2]
    madtree.DecisionTreeClassifier(client, max_features=X.shape[1], random_state=np.random.RandomState(3)).fit(X, y)
    assert {"seed", "min_split", "min_bucket"} <= asked[0]
    assert not {"max_leaf_nodes", "min_impurity_decrease", "weights"} & asked[0]


@pytest.mark.usefixtures("flowers")
def test_a_table_and_its_copy_take_the_same_class_weights_and_shares(client: madtree.Client) -> None:
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    features = ["length", "Width", "colour"]
    for of_class, of_row in (("balanced", None), ({0: 0.5, 2: 4}, "weight")):
        estimator = madtree.DecisionTreeClassifier(
            client, list_of_features=features, class_weight=of_class, min_samples_leaf=0.01, min_samples_split=0.07
        )
        in_place = clone(estimator).fit("flowers", "kind", of_row)
        copied = clone(estimator).fit(frame[features], frame["kind"], None if of_row is None else frame[of_row])
        assert in_place.get_n_leaves() == copied.get_n_leaves() > 4
        np.testing.assert_allclose(in_place.predict_proba("flowers"), copied.predict_proba(frame[features]))
        named = clone(estimator).fit("flowers", "kind AS sort", of_row)
        np.testing.assert_array_equal(named.predict("flowers"), in_place.predict("flowers"))
        assert named.score("flowers", "kind AS sort") == in_place.score("flowers", "kind")
        assert min(node.n_rows for node in in_place.model_.trees[0].leaves()) >= 3


def test_equal_numbers_are_one_class_to_their_weights(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE twice AS SELECT g AS id, g % 5 AS x, CASE WHEN g % 3 = 0 THEN round(1, g % 2) ELSE 2 END AS y, "
        "CASE WHEN g % 3 = 0 THEN 1 ELSE 2 END AS i, g % 3 <> 0 AS b FROM generate_series(1, 60) AS g"
    )
    for y in ("y", "y::float8", "i"):
        for of_class, share in (("balanced", 0.5), ({1.0: 4, 2: 1}, 2 / 3), ({"1.000": 4}, 2 / 3)):
            tree = madtree.DecisionTreeClassifier(client, list_of_features="x", max_depth=0, class_weight=of_class)
            assert tree.fit("twice", y).predict_proba("twice")[0, 0] == pytest.approx(share)
    for of_class in ({False: 4, True: 1}, {0: 4, 1: 1}, {"f": 4}):  # to Python false is 0
        tree = madtree.DecisionTreeClassifier(client, list_of_features="x", max_depth=0, class_weight=of_class)
        assert tree.fit("twice", "b").predict_proba("twice")[0, 0] == pytest.approx(2 / 3)


@pytest.mark.usefixtures("flowers")
def test_a_weight_of_what_is_no_class_is_refused_where_a_class_has_none(client: madtree.Client) -> None:
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    given = madtree.DecisionTreeClassifier(client, list_of_features=["length"], class_weight={0: 1, 1: 2, 7: 4})
    with pytest.raises(ValueError, match="class_weight: '7' is no class of kind; no weight has 2"):
        given.fit("flowers", "kind")
    with pytest.raises(ValueError, match=r"The classes, \[2\], are not in class_weight"):  # scikit-learn's
        given.fit(frame[["length"]], frame["kind"])
    for weights in ({0: 1, 1: 2}, {0: 1, 1: 2, 2: 3, 7: 4}):
        given.set_params(class_weight=weights).fit("flowers", "kind")


def test_a_table_without_a_key_is_learned_and_scored_as_it_lies(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE loose AS SELECT g AS x, g % 7 AS z, g > 50 AS big FROM generate_series(100, 1, -1) AS g; "
        "CREATE VIEW seen AS SELECT * FROM loose; CREATE TABLE parts (x int, z int, big boolean) PARTITION BY LIST (z);"
        "CREATE TABLE part PARTITION OF parts DEFAULT; INSERT INTO parts SELECT * FROM loose"
    )
    for table in ("loose", "seen", "parts"):
        fitted = madtree.DecisionTreeClassifier(client).fit(table, "big")
        assert fitted.feature_names_in_.tolist() == ["x", "z"]
        assert fitted.predict(table).tolist() == [True] * 50 + [False] * 50
        assert fitted.score(table, "big") == 1
        regressor = madtree.DecisionTreeRegressor(client, list_of_features="x").fit(table, "(z * 2)::float8")
        assert regressor.feature_names_in_.tolist() == ["x"]
        assert regressor.score(table, "z * 2") > 0.3
    assert client.query("SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()") == client.query(
        "SELECT relname FROM pg_class WHERE false"
    )


class WhoFits(madtree.DecisionTreeRegressor):
    """Keeps the server's process that a fit has worked with."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WhoFits:
        super().fit(X, y, sample_weight)
        self.session_ = self.connection.query("SELECT pg_backend_pid()")[0][0]
        return self


def test_a_child_process_has_one_session_for_all_its_fits(url: str) -> None:
    import joblib

    def fit(estimator: Any, X: Any, y: Any) -> tuple[int, int]:
        return os.getpid(), estimator.fit(X, y).session_

    X, y = load_diabetes(return_X_y=True)
    with madtree.connect(url) as client, joblib.parallel_config(backend="loky"):
        work = [joblib.delayed(fit)(WhoFits(client, max_depth=depth), X, y) for depth in range(1, 7)]
        used = set(joblib.Parallel(n_jobs=2)(work))
    assert len(used) == len({process for process, _ in used}) == len({session for _, session in used}) <= 2


@pytest.mark.parametrize("kind", [madtree.DecisionTreeClassifier, madtree.RandomForestRegressor])
def test_no_target_is_scikit_learns_error(client: madtree.Client, kind: Any) -> None:
    X, _, few = [[0.0], [1.0]], None, {"n_estimators": 2} if kind is madtree.RandomForestRegressor else {}
    message = f"This {kind.__name__} estimator requires y to be passed, but the target y is None"
    fitted = kind(client, **few).fit(X, [0, 1])
    for data in (X, {"x": [0.0, 1.0]}, "no_table"):
        for method in (kind(client).fit, fitted.score):
            with pytest.raises(ValueError, match=message):
                method(data, None)


def test_options_of_tree_train(client: madtree.Client) -> None:
    client.query(
        "CREATE TABLE claims AS SELECT i AS id, i * 7919 % 100 AS age, i * 7919 % 100 / 50 AS region, 1 + i % 3 AS "
        "years, i % 4 AS fold, (1 + i % 3) * (i * 7919 % 100 / 30) AS events, i * 31 % 7 < 2 AS rare "
        "FROM generate_series(1, 600) AS i"
    )
    named: dict[str, Any] = {"id_col_name": "id", "list_of_features": "age, region", "max_depth": 3}
    rates = madtree.DecisionTreeRegressor(
        client, criterion="poisson", exposure="years", model="rates", max_competitors=1, **named
    ).fit("claims", "events")
    assert rates.predict([[10, 0], [95, 1]]) == pytest.approx([0, 3])
    assert rates.score("claims", "events::float8 / years", "years") > 0.9
    assert len(client.model("rates").competitors) > 0
    assert client.model("rates").summary["exposure"] == "years"
    shrunk = clone(rates).set_params(shrink=1, model=None).fit("claims", "events")
    assert 0 < shrunk.predict([[10, 0]])[0] < 0.5
    prior = madtree.DecisionTreeClassifier(client, class_params={"prior": [0.1, 0.9]}, **{**named, "max_depth": 0})
    assert prior.fit("claims", "rare").predict([[10, 0]]).tolist() == [True]
    assert prior.set_params(class_params=None).fit("claims", "rare").predict([[10, 0]]).tolist() == [False]
    folded = madtree.DecisionTreeClassifier(client, fold_col="fold", cp=0.0, model="folded", **named)
    folded.fit("claims", "rare")
    client.query(
        "SELECT tree_train('claims', 'same', 'id', 'rare', 'age, region', max_depth => 3, min_split => 2, "
        "min_bucket => 1, pruning_params => 'fold_col=fold')"
    )
    assert list(client.model("folded").cv) == list(client.model("same").cv)
    for option in ({"fold_col": "fold"}, {"criterion": "poisson", "exposure": "years"}):
        with pytest.raises(ValueError, match="is about a column of a table"):
            madtree.DecisionTreeRegressor(client, **option).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_a_grid_search_shares_its_work_out_with_a_client(url: str, backend: str) -> None:
    """Each child opens a connection of its own; the parent's goes on."""
    import joblib

    X, y = load_diabetes(return_X_y=True)
    with madtree.connect(url) as client, joblib.parallel_config(backend=backend):
        search = GridSearchCV(madtree.DecisionTreeRegressor(client), {"max_depth": [1, 3]}, cv=2, n_jobs=2).fit(X, y)
        assert search.best_params_ == {"max_depth": 3}
        assert search.best_estimator_.connection is client
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_fitted_tree_draws_itself(client: madtree.Client, tmp_path: Path) -> None:
    X, y = KINDS[True][2]
    estimator = madtree.DecisionTreeClassifier(client, max_depth=3)
    assert "DecisionTreeClassifier" in estimator._repr_html_()
    assert "<svg" not in estimator._repr_html_().partition("DecisionTreeClassifier")[0]
    estimator.fit(X, y)
    page = estimator._repr_mimebundle_()["text/html"]
    assert 'style="max-width: 100%; height: auto"' in page
    assert page == estimator._repr_html_()
    assert estimator.plot(max_depth=1).svg == estimator.to_svg(max_depth=1)
    assert estimator.plot().save(tmp_path / "tree.svg").read_text() == estimator.to_svg()
    assert "Drawn down to depth 1" in estimator.plot(max_depth=1)._repr_svg_()


@pytest.mark.usefixtures("flowers")
def test_a_notebook_chooses_the_group(client: madtree.Client) -> None:
    model = client.tree_train("flowers", "m", "id", "kind", ["length"], grouping_cols=["colour", "wild"])
    page = model._repr_html_()
    assert page.count("<svg") == page.count("<summary>colour = ") == len(model.trees) == 6
    assert page.count(" open>") == 1
    assert model.plot(group={"wild": True, "colour": "red"}).svg == model.to_svg(
        next(row.tree_id for row in model.trees if (row.colour, row.wild) == ("red", True))
    )
    with pytest.raises(CallError, match="m has no group") as caught:
        model.plot(group={"wild": True, "colour": "pink"})
    assert "blue, false" in str(caught.value.hint)
    with pytest.raises(CallError, match="group must be a value for each of colour, wild"):
        model.to_svg(group={"colour": "red"})
