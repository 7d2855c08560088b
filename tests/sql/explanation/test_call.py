"""tree_call: the statement that it writes trains the same model."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import MAKE
from forest_data import rows
from training import read_model

CALLS = {
    "defaults": "tree_train('t', 'm', 'id', 'y', 'a, b, c')",
    "names": """tree_train('"T, it''s"', 'm', 'id', 'y > 2 AS "Is ""more"', '*', 'late, k, n, later',
    grouping_cols => '"Group"')""",
    "pruned": "tree_train('t', 'm', 'id', 'late', 'a, b, c', grouping_cols => 'g, b > 3 AS h', weights => 'w', "
    "split_criterion => 'entropy', max_depth => 7, min_bucket => 3, seed => 7, n_bins => 20, max_competitors => 2, "
    "surrogate_params => 'max_surrogates=2, surrogate_style=1', pruning_params => 'cp=0.001, n_folds=3, rule=1se', "
    "class_params => 'class_weight=1:3', feature_costs => 'a=2', max_leaf_nodes => 9, min_impurity_decrease => 0.0001)",
    "folds": "tree_train('t', 'm', 'id', 'n', 'a, b, c', classification => false, "
    "pruning_params => 'fold_col=fold', surrogate_params => 'null_as_category=true')",
    "counts": "tree_train('t', 'm', 'id', 'n', 'a, b, c', split_criterion => 'poisson', exposure => 'w + 1', "
    "shrink => 0.5, pruning_params => 'cp=-1')",
    "classes": "tree_train('t', 'm', 'id', 'n % 3', 'a, b', "
    "class_params => 'prior=0.2:0.3:0.5, loss=0 1 2 1 0 1 3 1 0')",
    "forest": "forest_train('t', 'm', 'id', 'k', 'a, b, c', num_trees => 4, num_random_features => 2, "
    "importance => false, max_tree_depth => 4, num_splits => 15, null_handling_params => 'max_surrogates=1', "
    "sample_ratio => 0.8, split_rule => 'random', sampling => 'without_replacement')",
    "forest with tables": "forest_train('t', 'm', 'id', 'y', 'a, b, c', num_trees => 3, importance => false, "
    "max_tree_depth => 3, oob_predictions => true, intervals => true)",
    "boosted": "boost_train('t', 'm', 'id', 'y', 'a, b, c', num_trees => 6, loss => 'huber', learning_rate => 0.3, "
    "max_leaf_nodes => 5, min_bucket => 8, boost_params => 'quantile=0.7, subsample=0.8, feature_fraction=0.7, "
    "l2_regularization=1, cat_l2=3', validation_params => 'fold_col=later, n_iter_no_change=2', "
    "interaction_constraints => '[a, b], [c]')",
    "method": "boost_train('t', 'm', 'id', 'late', 'a, b, c', num_trees => 6, max_depth => 2, "
    "boost_params => 'method=adaboost, min_data_per_group=5', validation_params => 'table=u, tol=0.01')",
    "ordered": "boost_train('t', 'm', 'id', 'y', 'a, b, c', num_trees => 3, "
    "boost_params => 'category_encoding=ordered, prior_weight=3')",
    "offsets": "boost_train('t', 'm', 'id', 'late', 'a, b', num_trees => 3, offsets => 'w - 2.5', weights => 'w')",
    "monotone": "boost_train('t', 'm', 'id', 'late', 'a, b', num_trees => 3, monotone => 'b=+1', "
    "class_params => 'class_weight=balanced', correct_prior => true)",
}


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute(
        "ALTER TABLE t ADD later boolean, ADD fold int; UPDATE t SET later = id % 5 = 0, fold = id % 3; "
        "CREATE TABLE u AS SELECT * FROM t WHERE later; "
        """CREATE TABLE "T, it's" AS SELECT t.*, g AS "Group" FROM t; ALTER TABLE "T, it's" DROP g"""
    )


def model(db: psycopg.Connection) -> dict[str, Any]:
    found = read_model(db, "m")
    if db.execute("SELECT to_regclass('m_packed') IS NOT NULL").fetchone() == (True,):
        found["_packed"] = rows(db, "SELECT * FROM m_packed ORDER BY tree_id")
    for suffix in ("_oob", "_outcomes"):
        if db.execute("SELECT to_regclass(%s) IS NOT NULL", [f"m{suffix}"]).fetchone() == (True,):
            found[suffix] = rows(db, f"SELECT m::text FROM m{suffix} AS m ORDER BY 1")
    for summary in found.get("_summary", []):
        summary.pop("trained_at", None)
    return found


def written(db: psycopg.Connection, name: str = "m") -> str:
    return str(db.execute("SELECT madtree.tree_call(%s)", [name]).fetchone()[0])  # type: ignore[index]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("call", CALLS)
def test_it_makes_the_same_model(db: psycopg.Connection, call: str) -> None:
    db.execute(f"SELECT madtree.{CALLS[call]}")  # type: ignore[arg-type]
    expected, statement = model(db), written(db)
    db.execute("SELECT madtree.tree_drop('m')")
    db.execute(statement)  # type: ignore[arg-type]
    assert model(db) == expected
    assert written(db) == statement


def test_it_has_no_more_than_was_given(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{CALLS['defaults']}")  # type: ignore[arg-type]
    assert written(db) == (
        "SELECT madtree.tree_train('t', 'm', 'id', 'y', 'a, b, c',\n    split_criterion => 'mse', min_split => 20, "
        "min_bucket => 6, min_impurity_decrease => 0.0, classification => false);"
    )


def test_a_pruned_model_and_a_cut_one(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('t', 'whole', 'id', 'y', 'a, b, c', pruning_params => 'cp=-1')")
    db.execute("SELECT madtree.tree_prune('whole', 'm', 0.01)")
    db.execute("SELECT madtree.boost_train('t', 'long', 'id', 'y', 'a, b, c', num_trees => 4)")
    db.execute("SELECT madtree.boost_cut('long', 'n', 2)")
    pruned = written(db)
    assert "'m'" in pruned
    assert "pruning_params => 'cp=0.01'" in pruned
    assert "num_trees => 2" in written(db, "n")


@pytest.mark.parametrize("column", ["seed", "n_bins", "input_cp"])
def test_a_summary_that_somebody_has_changed_is_refused(db: psycopg.Connection, column: str) -> None:
    db.execute(f"SELECT madtree.{CALLS['defaults']}")  # type: ignore[arg-type]
    made = f"ALTER TABLE m_summary ALTER {column} TYPE text USING '0''); DROP TABLE t; --'"
    db.execute(made)  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match="madtree: ") as error:
        written(db)
    assert "Traceback" not in str(error.value)


def test_a_text_does_not_get_out_of_its_quotes(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{CALLS['defaults']}")  # type: ignore[arg-type]
    db.execute("UPDATE m_summary SET list_of_features = 'a''); DROP TABLE t; --'")
    assert "'a''); DROP TABLE t; --'" in written(db)
