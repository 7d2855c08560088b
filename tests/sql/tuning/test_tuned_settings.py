"""tree_tune: scores of settings and folds, by scikit-learn and by madtree's own trainings; and the best model."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.rows import dict_row
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from training import left_behind, read_model

N_FOLDS = 4
FEATURES = "a, b, c"


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    """3,000 rows, whose features have few values and whose outcomes are such that no two splits gain alike."""
    db.execute(
        """
        CREATE TABLE data AS
        SELECT id, (hashint4(id + 11) & 1023) % 13 AS a,
            (hashint4(id + 23) & 1023) % 11 AS b, (hashint4(id + 31) & 1023) % 17 AS c, (hashint4(id) & 3) AS f,
            1 + (hashint4(id + 77) & 1023) / 512.0::float8 AS w FROM generate_series(1, 3000) AS id;
        ALTER TABLE data ADD y boolean, ADD v float8, ADD q text;
        UPDATE data SET v = sin(a) + b * c / 40.0 + (hashint4(id + 5) & 1023) / 700.0;
        UPDATE data SET y = v > 2.5, q = CASE WHEN v < 2 THEN 'low' WHEN v < 3.5 THEN 'mid' ELSE 'high' END;
        ANALYZE data;
        """
    )
    return db


def rows(db: psycopg.Connection, query: str) -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(query).fetchall()


def tune(db: psycopg.Connection, dependent: str = "y", features: str = FEATURES, **more: Any) -> list[dict[str, Any]]:
    """The table of scores."""
    given = ", ".join(f"{name} => %s" for name in more)
    called = f"SELECT madtree.tree_tune('data', 's', 'id', '{dependent}', '{features}'{given and ', ' + given})"
    db.execute(called, list(more.values()))
    return rows(db, "SELECT * FROM s ORDER BY setting, fold")


def arrays(db: psycopg.Connection, outcome: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, outcomes and folds of all rows."""
    found = np.array(db.execute(f"SELECT a, b, c, {outcome}, f FROM data ORDER BY id").fetchall(), np.float64)
    return found[:, :3], found[:, 3], found[:, 4].astype(int)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("outcome", "metric", "scoring"),
    [
        ("y", "accuracy", "accuracy"),
        ("y", "balanced_accuracy", "balanced_accuracy"),
        ("y", "log_loss", "neg_log_loss"),
        ("y", "auc", "roc_auc"),
        ("v", "rmse", "neg_root_mean_squared_error"),
        ("v", "r2", "r2"),
    ],
)
def test_scores_are_those_of_scikit_learns_grid_search(
    data: psycopg.Connection, outcome: str, metric: str, scoring: str
) -> None:
    x, y, folds = arrays(data, "y::int" if outcome == "y" else "v")
    grid = {"max_depth": [2, 4, 6], "min_samples_leaf": [20, 60], "min_samples_split": [40, 150]}
    kind = DecisionTreeClassifier if outcome == "y" else DecisionTreeRegressor
    search = GridSearchCV(kind(random_state=0), grid, scoring=scoring, cv=PredefinedSplit(folds)).fit(x, y)
    found = tune(
        data,
        outcome,
        params="max_depth=2,4,6; min_bucket=20,60; min_split=40,150; cp=-1",
        metric=metric,
        fold_column="f",
    )
    assert len(found) == 12 * N_FOLDS
    expected: dict[tuple[int, ...], np.ndarray] = {}
    for place, each in enumerate(search.cv_results_["params"]):
        values = [search.cv_results_[f"split{fold}_test_score"][place] for fold in range(N_FOLDS)]
        key = each["max_depth"], each["min_samples_leaf"], each["min_samples_split"]
        expected[key] = np.array(values) * (-1 if scoring.startswith("neg_") else 1)
    for row in found:
        key = row["max_depth"], row["min_bucket"], row["min_split"]
        assert row["score"] == pytest.approx(expected[key][row["fold"] - 1], abs=1e-12), row
    means = {key: values.mean() for key, values in expected.items()}
    best = next(row for row in found if row["is_best"])
    chosen = means[best["max_depth"], best["min_bucket"], best["min_split"]]
    assert chosen == pytest.approx((min if scoring.startswith("neg_") else max)(means.values()), abs=1e-12)


def test_the_model_is_the_best_settings(data: psycopg.Connection) -> None:
    found = tune(data, params="max_depth=1,5; cp=0.001", weights="w")
    (best,) = {(row["setting"], row["max_depth"], row["cp"]) for row in found if row["is_best"]}
    assert best == (2, 5, 0.001)
    data.execute(
        "SELECT madtree.tree_train('data', 'm', 'id', 'y', %s, max_depth => 5, pruning_params => 'cp=0.001', "
        "weights => 'w')",
        [FEATURES],
    )
    assert read_model(data, "s_model") == read_model(data, "m")
    assert {row["fold"] for row in found} == {1, 2, 3, 4, 5}
    assert all(row["share"] == 1 and row["seconds"] > 0 for row in found)


def by_hand(db: psycopg.Connection, training: str, predict: str, told: str) -> list[float]:
    """The scores of the first fold and the last, each by a model of the rows of all other ones."""
    scores = []
    for fold in (0, N_FOLDS - 1):
        db.execute(f"CREATE VIEW taught AS SELECT * FROM data WHERE f <> {fold}")
        db.execute(f"CREATE VIEW tested AS SELECT * FROM data WHERE f = {fold}")
        db.execute(f"SELECT madtree.{training}")
        db.execute(f"SELECT madtree.{predict}")
        ((score,),) = db.execute(f"SELECT {told} FROM p JOIN data USING (id)").fetchall()
        scores.append(float(score))
        db.execute("DROP TABLE p; SELECT tree_drop('m'); DROP VIEW taught, tested")
    return scores


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("outcome", "metric", "more", "type_", "told"),
    [
        ("y", "accuracy", "", "response", "avg((y = estimated_y)::int)"),
        (
            "y",
            "log_loss",
            "",
            "prob",
            "avg(-ln(CASE WHEN y THEN estimated_prob_true ELSE estimated_prob_false END))",
        ),
        ("q", "accuracy", "", "response", "avg((q = estimated_q)::int)"),
        ("v", "rmse", "", "response", "sqrt(avg((v - estimated_v) ^ 2))"),
        (
            "a",
            "poisson_deviance",
            "poisson",
            "response",
            "avg(2 * (a * ln(CASE WHEN a > 0 THEN a / estimated_a ELSE 1 END) - a + estimated_a))",
        ),
    ],
)
def test_boosted_settings(
    data: psycopg.Connection, outcome: str, metric: str, more: str, type_: str, told: str
) -> None:
    features = "b, c" if outcome == "a" else FEATURES
    given = f"; loss={more}" if more else ""
    few, many = (1, 3) if outcome == "q" else (2, 5)  # of three classes each round is as many trees
    params = f"num_trees={few},{many}; learning_rate=0.3,0.5; max_leaf_nodes=5{given}"
    found = tune(data, outcome, features, method="boost", params=params, metric=metric, fold_column="f")
    for n_trees, rate in ((few, 0.3), (many, 0.5)):
        loss = f", loss => '{more}'" if more else ""
        trained = (
            f"boost_train('taught', 'm', 'id', '{outcome}', '{features}', num_trees => {n_trees}, "
            f"learning_rate => {rate}, max_leaf_nodes => 5{loss})"
        )
        expected = by_hand(data, trained, f"boost_predict('m', 'tested', 'p', '{type_}')", told)
        own = [row for row in found if (row["num_trees"], row["learning_rate"]) == (n_trees, rate)]
        assert [row["fold"] for row in own] == [1, 2, 3, 4]
        assert [own[0]["score"], own[-1]["score"]] == pytest.approx(expected, rel=1e-6)


def test_boosted_settings_have_log_losses_as_scikit_learn_measures_them(data: psycopg.Connection) -> None:
    found = tune(data, method="boost", params="num_trees=3; max_leaf_nodes=4", fold_column="f", weights="w")
    for fold in range(N_FOLDS):
        data.execute(f"CREATE VIEW taught AS SELECT * FROM data WHERE f <> {fold}")
        data.execute(
            "SELECT madtree.boost_train('taught', 'm', 'id', 'y', %s, num_trees => 3, max_leaf_nodes => 4, "
            "weights => 'w', replace => true)",
            [FEATURES],
        )
        data.execute("SELECT madtree.boost_predict('m', 'data', 'p', 'prob')")
        told = data.execute(f"SELECT y, estimated_prob_true, w FROM p JOIN data USING (id) WHERE f = {fold}").fetchall()
        y, p, w = np.array(told, np.float64).T
        assert found[fold]["score"] == pytest.approx(log_loss(y, p, sample_weight=w), rel=1e-6)
        data.execute("DROP TABLE p; DROP VIEW taught")


@pytest.mark.in_turn
@pytest.mark.parametrize("method", ["tree", "forest", "boost"])
@pytest.mark.parametrize("outcome", ["y", "v"])
def test_a_setting_alone_has_the_same_scores(data: psycopg.Connection, method: str, outcome: str) -> None:
    deepest = {"tree": "max_depth=2,6", "forest": "num_trees=2,5; max_tree_depth=4", "boost": "num_trees=2,5"}[method]
    together = tune(data, outcome, method=method, params=deepest)
    for row in together:
        name, value = next((name, row[name]) for name in ("max_depth", "num_trees") if name in row)
        rest = "".join(f"; {each}" for each in deepest.split("; ")[1:])
        if row["fold"] == 1:
            alone = tune(data, outcome, method=method, params=f"{name}={value}{rest}", replace=True)
        assert row["score"] == pytest.approx(alone[row["fold"] - 1]["score"], rel=1e-12)


def test_forests_are_scored_by_rows_that_none_of_their_trees_has_seen(data: psycopg.Connection) -> None:
    """With all rows and features for each tree, it is a forest of one tree, many times over."""
    same = "num_trees=1,3; num_random_features=3; sampling=none; max_tree_depth=5; min_bucket=20"
    found = tune(data, method="forest", params=same, fold_column="f")
    single = tune(data, params="max_depth=5; min_bucket=20; min_split=2; cp=-1", fold_column="f", replace=True)
    expected = [row["score"] for row in single]
    assert [row["score"] for row in found] == pytest.approx([*expected, *expected], abs=1e-12)


@pytest.mark.parametrize("method", ["tree", "boost"])
def test_strategies_agree(data: psycopg.Connection, method: str) -> None:
    params = {"tree": "max_depth=3,5; min_bucket=5,20", "boost": "num_trees=2,4"}[method]
    scores = {}
    for strategy in ("memory", "workers", *(("aggregate",) if method == "tree" else ())):
        found = tune(data, method=method, params=params, strategy=strategy, replace=True, parallel_workers=1)
        scores[strategy] = [row["score"] for row in found]
    assert len({tuple(each) for each in scores.values()}) == 1


def test_halving_ends_with_the_best_on_all_rows(data: psycopg.Connection) -> None:
    found = tune(data, params="max_depth=1,2,3,4,5,6; min_bucket=5,50", search="halving")
    shares = {row["setting"]: row["share"] for row in found}
    assert sorted(shares.values()) == [1 / 3] * 8 + [1.0] * 4
    (best,) = {row["setting"] for row in found if row["is_best"]}
    assert shares[best] == 1
    every = tune(data, params="max_depth=1,2,3,4,5,6; min_bucket=5,50", replace=True)
    full = {(row["setting"], row["fold"]): row["score"] for row in every}
    assert all(row["score"] == full[row["setting"], row["fold"]] for row in found if row["share"] == 1)


def test_the_column_of_the_folds_is_no_feature(data: psycopg.Connection) -> None:
    data.execute("ALTER TABLE data DROP v, DROP w, DROP q")
    tune(data, features="*", fold_column="f")
    assert rows(data, "SELECT features FROM s_model_summary") == [{"features": ["a", "b", "c"]}]


def test_scores_replace_scores_alone(data: psycopg.Connection) -> None:
    tune(data, params="max_depth=1,2")
    with pytest.raises(psycopg.Error, match="exists already"):
        tune(data)
    data.execute("SELECT madtree.tree_drop('s_model')")
    with pytest.raises(psycopg.Error, match=r"output_table_name: .* exists already") as refused:
        tune(data)
    assert "a table of scores of settings, call with replace => true" in str(refused.value.diag.message_hint)
    assert len(tune(data, replace=True)) == 5
    data.execute("DROP TABLE s; CREATE TABLE s (setting int)")
    with pytest.raises(psycopg.Error, match="replaces tables of scores of settings only"):
        tune(data, replace=True)


def test_a_metric_that_no_fold_has(data: psycopg.Connection) -> None:
    data.execute("UPDATE data SET f = y::int")
    with pytest.raises(psycopg.Error, match="metric auc is not known of any fold"):
        tune(data, metric="auc", fold_column="f")
    assert tune(data, metric="accuracy", fold_column="f")


def test_fewer_rows_than_folds(data: psycopg.Connection) -> None:
    data.execute("DELETE FROM data WHERE id > 4")
    with pytest.raises(psycopg.Error, match="n_folds: 5 folds take as many rows, and data has 4 usable rows") as caught:
        tune(data)
    assert caught.value.diag.message_hint == "Ask for fewer folds."
    data.execute("UPDATE data SET f = 1")
    with pytest.raises(psycopg.Error, match="fold_column: f has 1 distinct value; there must be 2 to"):
        tune(data, fold_column="f")
    with pytest.raises(psycopg.Error, match="fold_column must be the name of a column of data, not an expression"):
        tune(data, fold_column="f % 3")


@pytest.mark.parametrize("method", ["tree", "forest", "boost"])
def test_a_cancel_leaves_nothing(data: psycopg.Connection, method: str) -> None:
    data.execute("CREATE TABLE large AS SELECT i AS id, sin(i) > 0 AS y, sin(i * 3.1) AS a, cos(i * 7.3) AS b "
                 "FROM generate_series(1, 60000) AS i; ANALYZE large")  # fmt: skip
    before = left_behind(data)
    params = {"tree": "min_bucket=1,2,3,4,5,6,7,8; min_split=2; max_depth=30"}.get(method, "num_trees=500")
    took: list[float] = []

    def cancel() -> None:
        time.sleep(0.6)
        took.append(time.monotonic())
        data.cancel_safe()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        data.execute("SELECT madtree.tree_tune('large', 's', 'id', 'y', 'a, b', %s, %s)", [method, params])
    ended = time.monotonic()
    canceller.join()
    assert ended - took[0] < 1.0  # 0.2 s on a machine that has nothing else to do
    assert left_behind(data) == before


def test_progress_is_told(data: psycopg.Connection) -> None:
    said: list[str] = []
    data.add_notice_handler(lambda diagnostic: said.append(str(diagnostic.message_primary)))
    tune(data, params="max_depth=2,3; min_bucket=5,9", verbose=True)
    assert [line.split(":")[0] for line in said if line.startswith("setting")] == ["setting 2 of 4", "setting 4 of 4"]


def test_encodings_of_all_rows_are_not_tried(data: psycopg.Connection) -> None:
    data.execute("ALTER TABLE data ADD k text; UPDATE data SET k = 'k' || a")
    with pytest.raises(psycopg.Error, match="category_encoding=ordered is not tried") as caught:
        tune(data, "y", "b, k", method="boost", params="category_encoding=ordered")
    assert "train the best with it" in str(caught.value.diag.message_hint)


def test_scores_are_no_model(data: psycopg.Connection) -> None:
    tune(data, params="max_depth=2, 3")
    with pytest.raises(psycopg.Error, match="model: s is not a madtree model") as caught:
        data.execute("SELECT madtree.tree_drop('s')")
    hint = "It has the scores of a madtree.tree_tune call, whose model is s_model; DROP TABLE s removes it."
    assert caught.value.diag.message_hint == hint
    data.execute("DROP TABLE s; SELECT madtree.tree_drop('s_model')")
