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
        row = nodes[number]
        assert row["class_weights"] == node["counts"]
        if "leaf_prediction" in node:
            assert (row["is_leaf"], row["prediction"]) == (True, node["leaf_prediction"])
        elif " in " in node["split"]:
            feature, _, levels = node["split"].partition(" in ")
            assert row["feature"] == feature
            assert f"{{{','.join(row['left_levels'])}}}" == levels
        else:
            feature, _, threshold = node["split"].partition(" <= ")
            assert row["feature"] == feature
            # The published threshold is a value of the data; madtree's lies midway to the next one of the node.
            assert float(threshold) in temperatures
            assert float(threshold) <= row["threshold"]


def test_thresholds_lie_in_the_published_gaps(golf: psycopg.Connection) -> None:
    """No row of the node has a temperature between the published threshold and madtree's."""
    (nodes,) = read_nodes(golf, "model").values()
    published = {node["id"]: node for node in GOLF["tree"]}
    golf.execute("SELECT madtree.tree_predict('model', 'golf', 'leaves', 'leaf')")
    rows = golf.execute("SELECT node_id, temperature FROM leaves JOIN golf USING (id)").fetchall()

    for number, node in published.items():
        _, _, threshold = node.get("split", "").partition(" <= ")
        if threshold:
            inside = [value for leaf, value in rows if number in path(leaf)]
            assert len(inside) == nodes[number]["n_rows"]
            assert [v for v in inside if float(threshold) < v <= nodes[number]["threshold"]] == []


def path(leaf: int) -> set[int]:
    """The ids from the root to a node."""
    nodes = {leaf}
    while leaf:
        leaf = (leaf - 1) // 2
        nodes.add(leaf)
    return nodes


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
