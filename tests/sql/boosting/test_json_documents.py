"""Boosted models as JSON: what docs/json.md says of them is enough to predict what boost_predict does."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import psycopg
import pytest
from boosted_data import MAKE, boost, score
from forest_data import rows
from json_tree import Document, find_leaf
from referencing import Registry, Resource

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA, TREE = (json.loads((DOCS / f"madtree-{kind}-1.schema.json").read_text()) for kind in ("boosted", "tree"))
MODELS: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "numbers": ("y", {"boost_params": "subsample=0.6"}, None),
    "quantile": ("y", {"loss": "quantile"}, None),
    "counts": ("n", {"loss": "poisson", "grouping_cols": "g"}, None),
    "two classes": ("late", {}, None),
    "exponential": ("late", {"loss": "exponential", "weights": "w"}, None),
    "classes of groups": ("k", {"grouping_cols": "g"}, None),
    "classes": ("k", {}, None),
    "classes by votes": ("k", {"boost_params": "method=adaboost"}, None),
    "offsets": ("late", {"offsets": "b / 4"}, None),
    "two classes, isotonic": ("late", {}, "isotonic"),
    "two classes, sigmoid": ("late", {"grouping_cols": "g"}, "sigmoid"),
    "classes, isotonic": ("k", {}, "isotonic"),
    "classes, sigmoid": ("k", {}, "sigmoid"),
}


def scores_of(document: Document, row: dict[str, Any], n_scores: int) -> list[float] | None:
    own = [] if not document["grouping"] else [None if row["g"] is None else str(row["g"])]
    group = next((group for group in document["groups"] if group["group"] == own), None)
    if group is None or not group["success"]:
        return None
    scores = list(group["base_score"])
    for tree in document["trees"]:
        if tree["group"] == own:
            place = 0 if n_scores == 1 else document["classes"].index(tree["class"])
            scores[place] += find_leaf(document, tree, row)["prediction"]
    if document["offsets"]:
        scores[0] += row["b"] / 4
    return scores


def shares_of(document: Document, group: Document, scores: Sequence[float]) -> list[float]:
    loss, points = document["parameters"]["loss"], group.get("calibration")
    if loss == "isotonic":
        functions = [points] if len(scores) == 1 else points
        each = [float(np.interp(x, *zip(*own, strict=True))) for x, own in zip(scores, functions, strict=True)]
    elif len(scores) == 1 or loss == "sigmoid":
        each = [1 / (1 + math.exp(-x * (2 if loss == "exponential" else 1))) for x in scores]
    else:
        each = [math.exp(x) for x in scores]
    if len(each) == 1:
        return [1 - each[0], each[0]]
    return [value / sum(each) if sum(each) else 1 / len(each) for value in each]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_a_reader_of_the_document_predicts_the_same(db: psycopg.Connection, name: str) -> None:
    outcome, more, method = MODELS[name]
    db.execute(MAKE)
    boost(db, outcome, "first", **{"num_trees": 4, **more})
    db.execute(f"SELECT madtree.calibrate('first', 't', 'm', '{method}')" if method else "SELECT 1")  # type: ignore[arg-type]
    model = "m" if method else "first"
    document = json.loads(db.execute("SELECT madtree.tree_to_json(%s)::text", [model]).fetchone()[0])  # type: ignore[index]
    registry = Registry().with_resource(TREE["$id"], Resource.from_contents(TREE))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA, registry=registry).validate(document)
    n_classes = len(document["classes"])
    n_scores = n_classes if n_classes > 2 else 1
    kept = rows(db, f"SELECT t.round, t.class FROM {model} AS t ORDER BY t.tree_id")
    assert [(tree["round"], tree["class"]) for tree in document["trees"]] == [(r["round"], r["class"]) for r in kept]
    db.execute("INSERT INTO t (id, g, a, b, c) VALUES (1001, 0, 5, NULL, 'unheard of'), (1002, 99, 1, 1, 'c1')")
    db.execute("UPDATE t SET b = 2 WHERE b IS NULL AND id > 1000")
    raw, said = score(db, "raw", model), score(db, "response", model)
    shares = score(db, "prob", model) if n_classes else []
    given = rows(db, "SELECT id, g, a::float8 AS a, b, c FROM t ORDER BY id")
    for place, row in enumerate(given):
        if row["id"] <= 900 and place % 3:  # a row in three comes to all leaves; the others say nothing new
            continue
        found = scores_of(document, row, n_scores)
        told = [value for column, value in raw[place].items() if column.startswith("raw_")]
        if found is None:
            assert set(told) == {None}
            continue
        assert told == pytest.approx(found, rel=1e-12, abs=1e-12)
        answer = said[place][f"estimated_{outcome}"]
        if not n_classes:
            is_log = document["parameters"]["loss"] == "poisson"
            assert answer == pytest.approx(math.exp(found[0]) if is_log else found[0], rel=1e-12)
            continue
        own = [] if not document["grouping"] else [str(row["g"])]
        group = next(group for group in document["groups"] if group["group"] == own)
        expected = shares_of(document, group, found)
        of_row = [shares[place][f"estimated_prob_{label}"] for label in document["classes"]]
        assert of_row == pytest.approx(expected, rel=1e-12, abs=1e-12)
        label = document["classes"][int(np.argmax(of_row))]
        assert (str(answer).lower() if outcome == "late" else answer) == label
