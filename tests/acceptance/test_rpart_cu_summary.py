"""R's rpart on cu.summary: an ordered factor as an enum, unordered factors, rows that miss the target or a feature.

The data are under the GPL, so they are not in this repository: they are read from a folder beside it, if there is one.
No split of this tree is on a feature that any row misses, so it is the same with surrogates and without.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from trees import read_nodes

FACTS = Path(__file__).parents[3] / "shared" / "acceptance" / "rpart_cu_summary_surrogates.json"
COLUMNS = ("Price", "Country", "Reliability", "Mileage", "Type")

pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason="cu.summary is GPL data, kept outside of this repository")


@pytest.fixture
def rpart() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    return content


@pytest.fixture
def cars(db: psycopg.Connection, rpart: dict[str, Any]) -> psycopg.Connection:
    db.execute("""
        CREATE TYPE reliability AS ENUM ('Much worse', 'worse', 'average', 'better', 'Much better');
        CREATE TABLE cars (
            id int, "Price" float8, "Country" text, "Reliability" reliability, "Mileage" float8, "Type" text)
    """)
    with db.cursor().copy("COPY cars FROM STDIN") as copy:
        for number, row in enumerate(rpart["rows"]):
            copy.write_row([number, *(row[name] for name in COLUMNS)])
    db.execute("""
        SELECT madtree.tree_train('cars', 'model', 'id', '"Mileage"', '"Price", "Country", "Reliability", "Type"',
            split_criterion => 'mse', min_split => 20, min_bucket => 7, n_bins => 0, pruning_params => 'cp=0.01')
    """)
    return db


def test_nodes_equal_rparts_frame(cars: psycopg.Connection, rpart: dict[str, Any]) -> None:
    (nodes,) = read_nodes(cars, "model").values()
    found = [
        (
            (row["feature"] or "<leaf>").strip('"'),
            row["n_rows"],
            pytest.approx(row["risk"]),
            pytest.approx(row["prediction"]),
            pytest.approx(row["complexity"], abs=1e-9),
        )
        for row in sorted(nodes.values(), key=lambda row: row["prediction"])
    ]
    frame = sorted(rpart["frame"], key=lambda node: float(node["yval"]))
    assert found == [(n["var"], n["n"], float(n["dev"]), float(n["yval"]), float(n["complexity"])) for n in frame]


def test_thresholds_and_levels_equal_rparts(cars: psycopg.Connection) -> None:
    (nodes,) = read_nodes(cars, "model").values()
    thresholds = [row["threshold"] for row in nodes.values() if row["feature"] == '"Price"']
    levels = [{*row["left_levels"]} for row in nodes.values() if row["feature"] == '"Type"']
    assert sorted(thresholds) == [9446.5, 11484.5]
    assert levels == [{"Large", "Medium", "Van"}, {"Large", "Van"}]


def test_rows_without_the_target_are_skipped_and_the_others_scored_alike(
    cars: psycopg.Connection, rpart: dict[str, Any]
) -> None:
    assert cars.execute("SELECT total_rows_processed, total_rows_skipped FROM model_summary").fetchone() == (60, 57)
    cars.execute("SELECT madtree.tree_predict('model', 'cars', 'scored')")
    scored = cars.execute("""
        SELECT "estimated_Mileage" FROM scored JOIN cars USING (id) WHERE "Mileage" IS NOT NULL ORDER BY id
    """).fetchall()
    assert [value for (value,) in scored] == pytest.approx(rpart["predictions"])
