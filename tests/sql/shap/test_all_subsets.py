"""Contributions against Shapley's formula, summed over all subsets by a reader of the JSON document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial
from typing import Any

import psycopg
import pytest
from forest_data import rows
from json_tree import Document, probabilities, way_at
from shares import share

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
        return self._index((name,))

    def interaction(self, first: str, second: str) -> float:
        """What both contribute together, beyond what each does."""
        return self._index((first, second))

    def _index(self, names: tuple[str, ...]) -> float:
        others = [other for other in FEATURES if other not in names]
        n = len(others)
        return sum(
            factorial(size) * factorial(n - size) / factorial(n + 1) * self._gain(names, {*known})
            for size in range(n + 1) for known in combinations(others, size)
        )  # fmt: skip

    def _gain(self, names: tuple[str, ...], known: set[str]) -> float:
        if not names:
            return self.together(known)
        return self._gain(names[1:], {*known, names[0]}) - self._gain(names[1:], known)


class AgainstOthers(Explaining):
    """Where a feature is not known, the row goes the ways of others, one after the other, at the splits by it."""

    def __init__(
        self,
        document: Document,
        row: Mapping[str, Any],
        class_: str | None,
        kind: str,
        others: Sequence[Mapping[str, Any]],
    ) -> None:
        super().__init__(document, row, class_, kind)
        self._said: dict[frozenset[str], float] = {}
        self._others = [Explaining(document, other, class_, kind)._row for other in others]

    def together(self, known: set[str]) -> float:
        if (key := frozenset(known)) not in self._said:
            trees, n = self._document["trees"], len(self._others)
            said = sum(self._said_with(tree, other, known) for tree in trees for other in self._others)
            self._said[key] = said / n / (len(trees) if self._kind == "forest" else 1)
        return self._said[key]

    def _said_with(self, tree: Document, other: Mapping[str, Any], known: set[str]) -> float:
        node = tree["nodes"][0]
        while "split" in node:
            name = self._document["features"][node["split"]["feature"]]["name"]
            row = self._row if name in known else other
            node = tree["nodes"][node[way_at(self._document, tree, node, row)]]
        return self.said(tree, node, set())


def trained(db: psycopg.Connection, name: str) -> tuple[Document, str]:
    """The document of a model, and its kind."""
    kind, dependent, more = MODELS[name]
    db.execute(MAKE)
    names = "".join(f", {key} => %s" for key in more)
    db.execute(
        f"SELECT madtree.{kind}_train('t', 'm', 'id', %s, 'x, c, i, e'{names})",  # type: ignore[arg-type]
        [dependent, *more.values()],
    )
    return db.execute("SELECT madtree.tree_to_json('m')").fetchone()[0], kind  # type: ignore[index]


@pytest.mark.parametrize("name", share([*MODELS], 2))
def test_contributions_are_shapley_values(db: psycopg.Connection, name: str) -> None:
    document, kind = trained(db, name)
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
    asked = 0
    db.execute("SELECT madtree.tree_shap('m', 'test', 'pairs', interactions => true, features => 'i, x, c')")
    for row in rows(db, "SELECT * FROM pairs"):
        explaining = Explaining(document, test[row["id"]], row.get("class"), kind)
        of_pairs = {pair: explaining.interaction(*pair) for pair in combinations(FEATURES, 2)}
        for pair, value in of_pairs.items():
            if "e" not in pair:
                assert row[":".join(pair)] == pytest.approx(value, abs=1e-9)
                asked += value != 0
        for feature in ("x", "c", "i"):
            own = sum(value for pair, value in of_pairs.items() if feature in pair)
            assert row[feature] == pytest.approx(explaining.contribution(feature) - own / 2, abs=1e-9)
        assert "e" not in row
    assert asked >= 10


@pytest.mark.parametrize("name", share([*MODELS], 2, 1))
def test_contributions_against_a_background_are_shapley_values(db: psycopg.Connection, name: str) -> None:
    """Of which rows one has no value, and one a category that is unknown."""
    document, kind = trained(db, name)
    others = "SELECT * FROM test WHERE id > 200"
    db.execute(f"CREATE VIEW others AS {others}; SELECT madtree.tree_shap('m', 'test', 'why', background => 'others')")
    test = {row["id"]: row for row in rows(db, "SELECT * FROM test")}
    its = rows(db, others)
    assert len(its) >= 4
    asked = 0
    for row in rows(db, "SELECT * FROM why"):
        explaining = AgainstOthers(document, test[row["id"]], row.get("class"), kind, its)
        for feature in FEATURES:
            assert row[feature] == pytest.approx(explaining.contribution(feature), abs=1e-9)
            asked += row[feature] != 0
        if kind != "boost":
            assert row["expected"] == pytest.approx(explaining.together(set()), abs=1e-9)
    assert asked >= 8
    db.execute("SELECT madtree.tree_shap('m', 'test', 'pairs', interactions => true, background => 'others')")
    asked = 0
    for row in rows(db, "SELECT * FROM pairs"):
        explaining = AgainstOthers(document, test[row["id"]], row.get("class"), kind, its)
        of_pairs = {pair: explaining.interaction(*pair) for pair in combinations(FEATURES, 2)}
        for pair, value in of_pairs.items():
            assert row[":".join(pair)] == pytest.approx(value, abs=1e-9)
            asked += value != 0
        for feature in FEATURES:
            own = sum(value for pair, value in of_pairs.items() if feature in pair)
            assert row[feature] == pytest.approx(explaining.contribution(feature) - own / 2, abs=1e-9)
    assert asked >= 8
