"""Contributions against Shapley's formula, summed over all subsets by a reader of the JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import factorial
from typing import Any

import psycopg
import pytest
from forest_data import rows
from json_tree import Document, probabilities, way_at

MAKE = """
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TABLE t AS SELECT n AS id, CASE WHEN n % 13 > 0 THEN sin(n * 7.1) END AS x,
    CASE WHEN n % 7 > 0 THEN 'c' || n * 13 % 5 END AS c, nullif(n * 53 % 17, 3) AS i,
    ('{small,medium,large}'::size[])[1 + n / 3 % 3] AS e, n % 4 + 0.5 AS w, NULL::float8 AS v, NULL::text AS k
FROM generate_series(1, 300) AS n;
UPDATE t SET v = coalesce(x, 0.3) * 3 + coalesce(i, 8) / 4.0 + (c = 'c2')::int + (e = 'large')::int;
UPDATE t SET v = sin(id), k = CASE WHEN id % 2 = 0 THEN 'b' ELSE 'c' END WHERE v IS NULL;
UPDATE t SET k = CASE WHEN v > 4 THEN 'a' WHEN i < 6 THEN 'b' ELSE 'c' END WHERE k IS NULL;
CREATE TABLE test AS SELECT * FROM t WHERE id % 40 = 1;
INSERT INTO test (id, x, c, i, e) VALUES (901, NULL, NULL, NULL, NULL), (902, 1, 'new', 4, 'small');
"""
FEATURES = ("x", "c", "i", "e")
SIZES = {"small": 1.0, "medium": 2.0, "large": 3.0}
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "classes, surrogates": ("tree", "k", {"weights": "w", "surrogate_params": "max_surrogates=2"}),
    "numbers": ("tree", "v", {"max_depth": 4}),
    "NULL as a category": ("tree", "v", {"surrogate_params": "null_as_category=true", "weights": "w"}),
    "forest of numbers": ("forest", "v", {"num_trees": 2, "max_tree_depth": 5, "weights": "w", "importance": False}),
    "forest of classes": ("forest", "k", {"num_trees": 3, "max_tree_depth": 4, "importance": False}),
    "boosted": ("boost", "v", {"num_trees": 3, "max_leaf_nodes": 6, "weights": "w"}),
}


class Explaining:
    """One document, one row, and one class or none."""

    def __init__(self, document: Document, row: Mapping[str, Any], class_: str | None, kind: str) -> None:
        self._document, self._class, self._kind = document, class_, kind
        numbers = {name: row[name] for name in ("x", "i")}
        self._row = {**numbers, "c": row["c"], "e": row["e"] and SIZES[row["e"]]}
        if document["features"][2]["encoding"] == "level":  # integers are categories where NULL is one
            self._row |= {"i": None if row["i"] is None else str(row["i"]), "e": row["e"]}

    def said(self, tree: Document, node: Document, known: set[str]) -> float:
        """What a tree is expected to say if only the features `known` are."""
        if "split" not in node:
            if self._class is None:
                return float(node["prediction"])
            if self._kind == "forest":
                return float(node["prediction"] == self._class)
            return probabilities(node)[self._document["classes"].index(self._class)]
        children = {way: tree["nodes"][node[way]] for way in ("left", "right")}
        if self._document["features"][node["split"]["feature"]]["name"] in known:
            return self.said(tree, children[way_at(self._document, tree, node, self._row)], known)
        cover = "n_rows" if self._kind == "boost" else "weight"
        total = sum(child[cover] for child in children.values())
        return sum(child[cover] / total * self.said(tree, child, known) for child in children.values())

    def together(self, known: set[str]) -> float:
        trees = self._document["trees"]
        said = sum(self.said(tree, tree["nodes"][0], known) for tree in trees)
        return said / len(trees) if self._kind == "forest" else said

    def contribution(self, name: str) -> float:
        others, n = [other for other in FEATURES if other != name], len(FEATURES)
        return sum(
            factorial(size) * factorial(n - size - 1) / factorial(n)
            * (self.together({*known, name}) - self.together({*known}))
            for size in range(n) for known in combinations(others, size)
        )  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_contributions_are_shapley_values(db: psycopg.Connection, name: str) -> None:
    kind, dependent, more = MODELS[name]
    db.execute(MAKE)
    names = "".join(f", {key} => %s" for key in more)
    db.execute(
        f"SELECT madtree.{kind}_train('t', 'm', 'id', %s, 'x, c, i, e'{names})",  # type: ignore[arg-type]
        [dependent, *more.values()],
    )
    document = db.execute("SELECT madtree.tree_to_json('m')").fetchone()[0]  # type: ignore[index]
    db.execute("SELECT madtree.tree_shap('m', 'test', 'why')")
    test = {row["id"]: row for row in rows(db, "SELECT * FROM test")}
    asked = 0
    for row in rows(db, "SELECT * FROM why"):
        explaining = Explaining(document, test[row["id"]], row.get("class"), kind)
        for feature in FEATURES:
            assert row[feature] == pytest.approx(explaining.contribution(feature), abs=1e-9)
            asked += row[feature] != 0
        if kind != "boost":  # which has a score to begin with: tests/client/test_shap_elsewhere.py
            assert row["expected"] == pytest.approx(explaining.together(set()), abs=1e-9)
    assert asked >= 20
