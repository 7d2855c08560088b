"""MADlib's documented golf example: the same tree and the same predictions."""

from __future__ import annotations

import psycopg
import pytest
from datasets import facts, load_golf
from trees import read_nodes

GOLF = facts("golf_madlib")


@pytest.fixture
def golf(db: psycopg.Connection) -> psycopg.Connection:
    """The call of the documentation, but for n_bins."""
    load_golf(db)
    db.execute(
        "SELECT madtree.tree_train('golf', 'model', 'id', 'class', %s, NULL, 'gini', NULL, NULL, 5, 3, 1, 100)",
        [GOLF["features"]],
    )
    return db


def test_nodes_are_the_published_ones(golf: psycopg.Connection) -> None:
    (nodes,) = read_nodes(golf, "model").values()
    published = {node["id"]: node for node in GOLF["tree"]}
    temperatures = [value for (value,) in golf.execute("SELECT DISTINCT temperature FROM golf").fetchall()]

    assert sorted(nodes) == sorted(published)
    for number, node in published.items():
        assert nodes[number]["class_weights"] == node["counts"]
        if "leaf_prediction" in node:
            assert (nodes[number]["is_leaf"], nodes[number]["prediction"]) == (True, node["leaf_prediction"])
        elif " in " in node["split"]:
            split = f"{nodes[number]['feature']} in {{{','.join(nodes[number]['left_levels'])}}}"
            assert split == node["split"]
        else:
            feature, _, threshold = node["split"].partition(" <= ")
            assert nodes[number]["feature"] == feature
            # The published threshold is a value of the data; madtree's lies midway to the next one.
            assert float(threshold) <= nodes[number]["threshold"]
            assert sum(float(threshold) < value <= nodes[number]["threshold"] for value in temperatures) <= 1


def test_impurities_are_the_published_ones(golf: psycopg.Connection) -> None:
    (nodes,) = read_nodes(golf, "model").values()
    for number, row in nodes.items():
        assert row["impurity"] == pytest.approx(GOLF["impurity"].get(str(number), 0), abs=1e-6)


def test_predictions_are_the_published_ones(golf: psycopg.Connection) -> None:
    golf.execute("SELECT madtree.tree_predict('model', 'golf', 'scored')")

    scored = golf.execute("SELECT id, estimated_class FROM scored").fetchall()
    assert {str(number): label for number, label in scored} == GOLF["predictions"]


def test_summary_is_the_published_one(golf: psycopg.Connection) -> None:
    (summary,) = golf.execute("""
        SELECT to_jsonb(s) FROM (
            SELECT method, is_classification, id_col_name, list_of_features, dependent_varname, num_all_groups,
                num_failed_groups, total_rows_processed, total_rows_skipped, dependent_var_levels, dependent_var_type,
                input_cp, n_folds FROM model_summary) s
    """).fetchone()
    assert summary == {
        "method": "tree_train",
        "is_classification": True,
        "id_col_name": "id",
        "list_of_features": GOLF["features"],
        "dependent_varname": "class",
        "num_all_groups": 1,
        "num_failed_groups": 0,
        "total_rows_processed": 14,
        "total_rows_skipped": 0,
        "dependent_var_levels": GOLF["classes"],
        "dependent_var_type": "text",
        "input_cp": 0,
        "n_folds": 0,
    }
