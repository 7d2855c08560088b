"""What the nodes of a forest's tree say is true of the rows that come to them, and is what a single tree's say."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import psycopg
import pytest
from forest_data import CLASSES, MAKE_BOTH, grow_bare, rows
from shares import share


def reached(nodes: list[dict[str, Any]], values: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """Of each node the rows that come to it, or to one below."""
    by_id = {node["node_id"]: node for node in nodes}
    found = defaultdict(list)
    for row in values:
        at = 0
        while True:
            found[at].append(row)
            node = by_id[at]
            if node["is_leaf"]:
                break
            value = row[node["feature"]]
            if value is None:
                left = node["majority_left"]
            elif node["left_levels"] is None:
                left = value <= node["threshold"]
            else:
                left = value in node["left_levels"]
                assert left or value in node["right_levels"]
            at = 2 * at + 1 + (not left)
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dependent", ["c", "v"])
@pytest.mark.parametrize("weights", [None, "1 + id % 3"])
@pytest.mark.parametrize("features", ["x, y, h", "x, y, k, h"])
def test_each_node_tells_of_the_rows_that_reach_it(
    db: psycopg.Connection, dependent: str, weights: str | None, features: str
) -> None:
    db.execute(MAKE_BOTH)
    grow_bare(db, "f", dependent, features, num_trees=2, sampling="none", weights=weights)
    db.execute(f"CREATE TABLE weighted AS SELECT *, ({weights or 1})::float8 AS w FROM t")  # type: ignore[arg-type]
    values = rows(db, "SELECT * FROM weighted")
    for tree in (1, 2):
        nodes = rows(db, "SELECT * FROM f_nodes WHERE tree_id = %s", tree)
        here = reached(nodes, values)
        assert sorted(here) == sorted(node["node_id"] for node in nodes)
        for node in nodes:
            own = here[node["node_id"]]
            weight = sum(row["w"] for row in own)
            assert (node["n_rows"], node["weight"]) == (len(own), weight)
            if dependent == "c":
                by_class = [sum(row["w"] for row in own if row["c"] == name) for name in CLASSES]
                assert (node["class_weights"], node["risk"]) == (by_class, weight - max(by_class))
                assert node["prediction"] == CLASSES[by_class.index(max(by_class))]
                gini = 1 - sum((each / weight) ** 2 for each in by_class)
                assert node["impurity"] == pytest.approx(gini, abs=1e-12)
            else:
                assert node["class_weights"] is None
                mean = sum(row["w"] * row["v"] for row in own) / weight
                squares = sum(row["w"] * (row["v"] - mean) ** 2 for row in own)
                assert (node["prediction"], node["risk"]) == pytest.approx((mean, squares), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("dependent", "criterion", "weights", "features"),
    [
        (dependent, criterion, weights, features)
        for turn, (dependent, criterion, weights) in enumerate(
            (*dependent, weights)
            for number, dependent in enumerate(
                (
                    ("c", "gini"),
                    ("c", "entropy"),
                    ("c", "gain_ratio"),
                    ("c", "misclassification"),
                    ("v", "mse"),
                    ("z", "poisson"),
                )
            )
            for weights in share((None, "1 + id % 3", "0.1 * (1 + id % 7)"), 2, number)
        )
        for features in share(("x, y, h", "x, y, k, h"), 2, turn // 2)
    ],
)
def test_a_tree_of_all_rows_and_features_is_a_single_tree(
    db: psycopg.Connection, dependent: str, criterion: str, weights: str | None, features: str
) -> None:
    """To the bit. A forest's nodes are packed, and a single tree's are rows of their own."""
    db.execute(MAKE_BOTH)
    alike = {"split_criterion": criterion, "weights": weights, "min_split": 6, "min_bucket": 2}
    n_features = features.count(",") + 1
    grow_bare(db, "f", dependent, features, num_trees=1, sampling="none", num_random_features=n_features, **alike)
    names = "".join(f", {name} => %({name})s" for name in alike)
    db.execute(
        f"SELECT madtree.tree_train('t', 'm', 'id', %(dependent)s, %(features)s, pruning_params => 'cp=-1', "  # type: ignore[arg-type]
        f"max_depth => 60{names})",
        {"dependent": dependent, "features": features, **alike},
    )
    found, expected = (rows(db, f"SELECT * FROM {model}_nodes ORDER BY node_id") for model in ("f", "m"))
    assert len(found) > 20
    assert found == expected
