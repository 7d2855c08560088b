"""R's rpart on mtcars: frame, splits, complexities and predictions. The oracle must pass as well as madtree."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import oracle
import psycopg
import pytest
from datasets import DATA, facts, load_mtcars
from trees import read_nodes

RPART = facts("mtcars_rpart")
FEATURES = ("vs", "cyl", "disp", "qsec", "wt")


def by_prediction(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Nodes in an order that is the same whichever side is called left; no two of this tree predict the same."""
    return sorted(rows, key=lambda row: row["prediction"])


def expected() -> list[dict[str, Any]]:
    frame = []
    for node in RPART["frame"]:
        gain = None if node["improvement"] is None else pytest.approx(node["improvement"] * node["risk"], rel=1e-9)
        frame.append(
            {
                "feature": node["feature"],
                "threshold": None if node["threshold"] is None else pytest.approx(node["threshold"], rel=1e-12),
                "n_rows": node["n_rows"],
                "risk": pytest.approx(node["risk"], rel=1e-9),
                "prediction": node["prediction"],
                "complexity": pytest.approx(node["complexity"], abs=1e-9),
                "improvement": gain,
            }
        )
    return by_prediction(frame)


def test_oracle_equals_rpart() -> None:
    with (DATA / "mtcars.csv").open(newline="", encoding="utf-8") as file:
        cars = list(csv.DictReader(file))
    columns = [oracle.Column(np.array([float(car[name]) for car in cars])) for name in FEATURES]
    rules = oracle.Rules("mse", 0, max_depth=30, min_split=8, min_bucket=3)
    mpg = np.array([float(car["mpg"]) for car in cars])
    nodes = oracle.prune(oracle.grow(columns, mpg, np.ones(len(cars)), rules))

    frame = [
        {
            "feature": FEATURES[node.split.feature] if node.split else None,
            "threshold": node.split.threshold if node.split else None,
            "n_rows": node.n_rows,
            "risk": node.risk,
            "prediction": pytest.approx(node.totals[1] / node.totals[0]),
            "complexity": node.complexity,
            "improvement": node.split.gain if node.split else None,
        }
        for node in sorted(nodes.values(), key=lambda node: node.totals[1] / node.totals[0])
    ]
    assert frame == expected()


@pytest.fixture
def mtcars(db: psycopg.Connection) -> psycopg.Connection:
    load_mtcars(db)
    db.execute(
        "SELECT madtree.tree_train('mtcars', 'model', 'id', 'mpg', %s, split_criterion => 'mse', max_depth => 30,"
        " min_split => 8, min_bucket => 3, n_bins => 0, pruning_params => 'cp=0')",
        [RPART["features"]],
    )
    return db


def test_nodes_equal_rparts_frame(mtcars: psycopg.Connection) -> None:
    (nodes,) = read_nodes(mtcars, "model").values()

    frame = [
        {name: row[name] for name in ("feature", "threshold", "n_rows", "risk", "complexity", "improvement")}
        | {"prediction": pytest.approx(row["prediction"])}
        for row in by_prediction(list(nodes.values()))
    ]
    assert frame == expected()


def test_predictions_equal_rparts(mtcars: psycopg.Connection) -> None:
    mtcars.execute("SELECT madtree.tree_predict('model', 'mtcars', 'scored')")

    scored = mtcars.execute("SELECT estimated_mpg FROM scored ORDER BY id").fetchall()
    assert [value for (value,) in scored] == pytest.approx(RPART["predictions"])
