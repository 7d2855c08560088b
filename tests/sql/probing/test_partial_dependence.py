"""partial_dependence, held against predictions of tables in which the values have been set."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from shares import share

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

FEATURES = 'x, c, "Odd name", i, e, late'
MAKE = """
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TABLE t AS SELECT n AS id, CASE WHEN n % 10 < 7 THEN 'A' ELSE 'B' END AS g,
    CASE WHEN n % 13 > 0 THEN sin(n * 7.1) END AS x, CASE WHEN n % 17 > 0 THEN 'c' || n * 13 % 4 END AS c,
    cos(n * 3.7) AS "Odd name", nullif(n * 53 % 17, 3) AS i, ('{small,medium,large}'::size[])[1 + n / 3 % 3] AS e,
    n % 7 < 3 AS late, n % 4 + 0.5 AS w
FROM generate_series(1, 500) AS n;
ALTER TABLE t ADD v float8, ADD k text, ADD two boolean, ADD n int;
UPDATE t SET v = coalesce(x, 0.3) * 3 + "Odd name" * coalesce(i, 8) / 4.0 + (c = 'c2')::int + (e = 'large')::int + 100;
UPDATE t SET k = 'class ' || width_bucket(v, 98, 104, 3), two = v > 101, n = greatest(v - 99, 0)::int;
CREATE TABLE test AS SELECT * FROM t WHERE id % 3 = 0;
INSERT INTO test (id, g, x, c) VALUES (901, 'A', NULL, 'new'), (902, 'C', 1, 'c1'), (903, NULL, 0, 'c1');
"""
BOOST = {"num_trees": 6, "max_leaf_nodes": 8, "min_bucket": 3}
FOREST = {"num_trees": 7, "importance": False, "max_tree_depth": 6}
# Function, dependent, more arguments, type of the predictions, and the columns' names by class.
MODELS: dict[str, tuple[str, str, dict[str, Any], str, str]] = {
    "tree of classes": ("tree", "k", {}, "prob", "estimated_prob_{}"),
    "tree of two classes, groups": ("tree", "two", {"grouping_cols": "g", "weights": "w"}, "prob", "estimated_prob_{}"),
    "tree of numbers, surrogates": ("tree", "v", {"surrogate_params": "max_surrogates=2"}, "response", "estimated_v"),
    "forest of classes": ("forest", "k", FOREST, "prob", "estimated_prob_{}"),
    "forest of mean shares, groups": (
        "forest", "two", {**FOREST, "grouping_cols": "g"}, "prob_mean", "estimated_prob_{}",
    ),
    "forest of numbers": ("forest", "v", FOREST, "response", "estimated_v"),
    "boosted numbers": ("boost", "v", BOOST, "response", "estimated_v"),
    "boosted classes": ("boost", "k", BOOST, "prob", "estimated_prob_{}"),
    "two boosted classes, groups": ("boost", "two", {**BOOST, "grouping_cols": "g"}, "raw", "raw_two"),
    "boosted counts": ("boost", "n", {**BOOST, "loss": "poisson"}, "response", "estimated_n"),
}  # fmt: skip
SPLIT = ("x", '"Odd name"')
SETS = {"x": "float8", "c": "text", '"Odd name"': "float8", "i": "int", "e": "size", "late": "boolean"}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def train(db: psycopg.Connection, kind: str, dependent: str, more: dict[str, Any], features: str = FEATURES) -> None:
    names = "".join(f", {name} => %s" for name in more)
    db.execute(
        f"SELECT madtree.{kind}_train('t', 'm', 'id', %s, %s{names})",  # type: ignore[arg-type]
        [dependent, features, *more.values()],
    )


def dependence(db: psycopg.Connection, features: str, source: str = "test", **more: Any) -> list[dict[str, Any]]:
    names = "".join(f", {name} => %s" for name in more)
    query = f"SELECT * FROM madtree.partial_dependence('m', %s, %s{names})"
    return rows(db, query, source, features, *more.values())


def predicted(db: psycopg.Connection, kind: str, type_: str, values: dict[str, str]) -> list[dict[str, Any]]:
    """The predictions of `test` where some features have other values."""
    db.execute("DROP TABLE IF EXISTS scored; DROP TABLE IF EXISTS changed; CREATE TABLE changed AS SELECT * FROM test")
    for feature, value in values.items():
        db.execute(f"UPDATE changed SET {feature} = %s::{SETS[feature]}", [value])  # type: ignore[arg-type]
    db.execute(f"SELECT madtree.{kind}_predict('m', 'changed', 'scored', %s)", [type_])  # type: ignore[arg-type]
    return rows(db, "SELECT * FROM scored")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("turn", "name"), list(enumerate(MODELS)))
def test_averages_are_those_of_predictions(db: psycopg.Connection, turn: int, name: str) -> None:
    kind, dependent, more, type_, column = MODELS[name]
    train(db, kind, dependent, more)
    for feature in share([*SETS], 2, turn):
        found = dependence(db, feature, type=type_, grid_size=6)
        assert [row["id"] for row in found] == [None] * len(found)
        classes = {row["class"] for row in found}
        assert len(classes) == (len(rows(db, "SELECT DISTINCT k FROM t WHERE k > ''")) if dependent == "k" else 1)
        values = [*dict.fromkeys(row["value"] for row in found)]
        assert 2 <= len(values) <= 6
        for value in values[:: 2 if kind == "tree" else 5]:
            wanted = predicted(db, kind, type_, {feature: value})
            for row in (row for row in found if row["value"] == value):
                own = column.format(row["class"])
                known = [each[own] for each in wanted if each[own] is not None]
                assert row["n"] == len(known)
                assert abs(row["estimated"] - np.mean(known)) < 1e-12 * max(1, abs(row["estimated"]))


def test_null_is_the_default(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 3})
    assert dependence(db, "i", **dict.fromkeys(("grid_size", "max_rows", "ice"))) == dependence(db, "i")


def test_pairs_of_values_are_set_together(db: psycopg.Connection) -> None:
    train(db, "forest", "v", FOREST)
    found = dependence(db, 'c, "Odd name"', grid_size=5)
    assert len(found) == 5 * 5  # c0 to c3, and the one that is new
    assert {row["number"] for row in found} == {None}
    row = next(each for each in found if each["value"] == "c2" and each["number_2"] > 0)
    wanted = predicted(db, "forest", "response", {"c": "c2", '"Odd name"': row["value_2"]})
    assert abs(row["estimated"] - np.mean([each["estimated_v"] for each in wanted])) < 1e-12


@pytest.mark.parametrize("name", ["tree of classes", "two boosted classes, groups"])
def test_ice_tells_of_each_row(db: psycopg.Connection, name: str) -> None:
    kind, dependent, more, type_, column = MODELS[name]
    train(db, kind, dependent, more)
    found = dependence(db, "i", type=type_, ice=True, grid_size=3)
    value = found[-1]["value"]
    wanted = {str(row["id"]): row for row in predicted(db, kind, type_, {"i": value})}
    said = [row for row in found if row["value"] == value]
    assert {row["id"] for row in said} == {id_ for id_, row in wanted.items() if None not in row.values()}
    for row in said:
        assert abs(row["estimated"] - wanted[row["id"]][column.format(row["class"])]) < 1e-12
        assert row["n"] == 1


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["tree of numbers, surrogates", "boosted classes"])
@pytest.mark.parametrize("feature", ["x", "i", '"Odd name"'])
def test_accumulated_effects_are_sums_of_differences(db: psycopg.Connection, name: str, feature: str) -> None:
    """By what each row's own curve says at the ends of the step that it is in."""
    kind, dependent, more, type_, _ = MODELS[name]
    train(db, kind, dependent, more)
    found = dependence(db, feature, type=type_, accumulated=True, grid_size=7)
    own = {row["id"]: row["v"] for row in rows(db, f"SELECT id::text, {feature}::float8 AS v FROM test")}
    own = {id_: value for id_, value in own.items() if value is not None}
    said: dict[str, dict[str, dict[str, Any]]] = {}  # by value, then by id
    for class_ in {row["class"] for row in found}:
        steps = [row for row in found if row["class"] == class_]
        ends = [row["number"] for row in steps]
        assert (ends[0], ends[-1]) == (min(own.values()), max(own.values()))
        assert len({*ends} - {*own.values()}) == 0
        effects, counts = [0.0], [0]
        for low, high in pairwise(ends):
            inside = [id_ for id_, value in own.items() if low < value <= high or value == low == ends[0]]
            texts = [str(int(end)) if feature == "i" else repr(end) for end in (low, high)]
            for text in {*texts} - {*said}:
                said[text] = {str(row["id"]): row for row in predicted(db, kind, type_, {feature: text})}
            before, after = (said[text] for text in texts)
            column = "estimated_v" if class_ is None else f"estimated_prob_{class_}"
            effects.append(effects[-1] + np.mean([after[id_][column] - before[id_][column] for id_ in inside]))
            counts.append(len(inside))
        middle = (np.array(effects[1:]) + np.array(effects[:-1])) / 2
        effects = np.array(effects) - (middle * counts[1:]).sum() / sum(counts)
        assert [row["n"] for row in steps] == counts
        np.testing.assert_allclose([row["estimated"] for row in steps], effects, rtol=0, atol=1e-11)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "dependent"), [("tree", "v"), ("tree", "two"), ("forest", "v"), ("boost", "v")])
def test_scikit_learn_says_the_same(db: psycopg.Connection, kind: str, dependent: str) -> None:
    """By the brute method, of models in its own classes, on the grid that it makes itself."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.inspection import partial_dependence

    db.execute("UPDATE t SET x = coalesce(x, 2); CREATE TABLE whole AS SELECT * FROM t")
    train(db, kind, dependent, {}, 'x, "Odd name"')
    data = np.array([[row["x"], row["Odd name"]] for row in rows(db, "SELECT * FROM whole ORDER BY id")])
    is_class = dependent == "two"

    class Ours(ClassifierMixin if is_class else RegressorMixin, BaseEstimator):  # type: ignore[misc]
        classes_ = np.array([False, True])

        def fit(self, X: Any, y: Any = None) -> Any:
            self.fitted_ = True
            return self

        def _said(self, X: np.ndarray) -> np.ndarray:
            db.execute('DROP TABLE IF EXISTS asked, said; CREATE TABLE asked (id int, x float8, "Odd name" float8)')
            with db.cursor().copy("COPY asked FROM STDIN") as copy:
                for number, row in enumerate(X.tolist()):
                    copy.write_row([number, *row])
            type_ = "prob" if is_class else "response"
            db.execute(f"SELECT madtree.{kind}_predict('m', 'asked', 'said', %s)", [type_])  # type: ignore[arg-type]
            return np.array(db.execute("SELECT * FROM said ORDER BY id").fetchall(), np.float64)[:, 1:]

        def predict(self, X: np.ndarray) -> np.ndarray:
            return self._said(X)[:, 0]

        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return self._said(X)

    wanted = partial_dependence(Ours().fit(data), data, [0], grid_resolution=9, method="brute")
    found = dependence(db, "x", "whole", grid_size=9)
    np.testing.assert_allclose([row["number"] for row in found], wanted["grid_values"][0], rtol=0, atol=1e-12)
    np.testing.assert_allclose([row["estimated"] for row in found], wanted["average"][0], rtol=0, atol=1e-12)


def test_the_same_bytes_in_whatever_order_and_by_the_client(db: psycopg.Connection) -> None:
    train(db, "boost", "v", BOOST)
    db.execute("CREATE VIEW shuffled AS SELECT * FROM t ORDER BY md5(id::text || 'x')")
    found = dependence(db, "x", "t", max_rows=100)
    assert found[0]["n"] == 100
    assert dependence(db, "x", "shuffled", max_rows=100) == found
    with db.transaction():
        answer = call(PsycopgHost(db), "partial_dependence", ("m", "t", "x"), {"max_rows": 100})
    assert answer.rows == [[*row.values()] for row in found]


def test_a_feature_that_no_tree_asks_changes_nothing(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 1}, 'x, "Odd name", late')
    assert len({row["estimated"] for row in dependence(db, "late")}) == 1
    asked = {feature: len({row["estimated"] for row in dependence(db, feature, accumulated=True)}) for feature in SPLIT}
    assert sorted(asked.values()) == [1, 2]
