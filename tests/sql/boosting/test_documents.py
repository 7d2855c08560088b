"""Boosted models as PMML: read by another reader, they say what boost_predict says."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import psycopg
import pytest
from boosted_data import HALF, MAKE, boost, score
from forest_data import rows
from pmml_tree import PMML, Evaluator

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("y", {}),
    "numbers of groups": ("y", {"grouping_cols": "g", **HALF, "num_trees": 12}),
    "two classes": ("late", {"weights": "w"}),
    "two classes of groups": ("late", {"grouping_cols": "g"}),
    "exponential": ("late", {"loss": "exponential"}),
    "five classes": ("k", {}),
    "five classes of groups": ("k", {"grouping_cols": "g"}),
    "five classes by votes": ("k", {"boost_params": "method=adaboost"}),
    "poisson": ("n", {"loss": "poisson"}),
    "a single class": ("one", {}),
}
ORDER = {
    "PMML": ["Header", "DataDictionary", "MiningModel"],
    "TreeModel": ["MiningSchema", "Output", "LocalTransformations", "Node"],
    "MiningModel": ["MiningSchema", "Output", "Targets", "Segmentation"],
    "RegressionModel": ["MiningSchema", "RegressionTable"],
    "Segment": ["True", "SimplePredicate", "TreeModel", "MiningModel", "RegressionModel"],
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("training", TRAININGS)
def test_an_evaluator_predicts_the_same(db: psycopg.Connection, training: str) -> None:
    target, more = TRAININGS[training]
    db.execute(MAKE)
    db.execute("ALTER TABLE t ADD one text; UPDATE t SET one = 'always'; ALTER TABLE t ADD score int DEFAULT 3")
    boost(db, target, **more)
    db.execute("INSERT INTO t (id, g, a, b, c) VALUES (1001, 0, 5, NULL, 'unheard of'), (1002, 99, 1, 1, 'c1')")
    text = str(db.execute("SELECT madtree.tree_to_pmml('m')").fetchone()[0])  # type: ignore[index]
    evaluator = Evaluator(text)
    classes = rows(db, "SELECT dependent_var_levels AS l FROM m_summary")[0]["l"]
    given = rows(db, "SELECT * FROM t ORDER BY id")
    shares = score(db, "prob") if classes else [{}] * len(given)
    for row, found, share in zip(given, score(db, "response"), shares, strict=True):
        answer = evaluator.said(row | {"g": None if row["g"] is None else str(row["g"])})
        expected = found[f"estimated_{target}"]
        if expected is None:
            assert answer is None
            continue
        assert answer is not None
        if classes:
            assert answer[0] == str(expected).lower()
            for label in classes:
                assert answer[1][label] == pytest.approx(share[f"estimated_prob_{label}"], rel=1e-12, abs=1e-14)
        else:
            assert answer[0] == pytest.approx(expected, rel=1e-12, abs=1e-14)
    root = ElementTree.fromstring(text)
    for element in root.iter():
        children = [child.tag.removeprefix(PMML) for child in element]
        if expected := ORDER.get(element.tag.removeprefix(PMML)):
            assert [expected.index(child) for child in children] == sorted(expected.index(child) for child in children)


def test_base_scores_have_all_of_their_digits(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    boost(db, "k", grouping_cols="g")
    text = str(db.execute("SELECT madtree.tree_to_pmml('m')").fetchone()[0])  # type: ignore[index]
    told = [float(target.get("rescaleConstant", "")) for target in ElementTree.fromstring(text).iter(f"{PMML}Target")]
    groups = rows(db, "SELECT base_score FROM m_group ORDER BY gid")
    assert told == [base for group in groups for base in group["base_score"]]


def test_scores_are_told_apart_from_features(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t RENAME a TO score")
    db.execute("SELECT madtree.boost_train('t', 'm', 'id', 'late', 'score, b', num_trees => 2)")
    text = str(db.execute("SELECT madtree.tree_to_pmml('m')").fetchone()[0])  # type: ignore[index]
    assert '<OutputField name="madtree score"' in text
    found = Evaluator(text).said(rows(db, "SELECT * FROM t WHERE id = 7")[0])
    (expected,) = [row for row in score(db, "prob") if row["id"] == 7]
    assert found is not None
    assert found[1]["true"] == pytest.approx(expected["estimated_prob_true"], rel=1e-12)


def test_one_tree_is_a_tree_model(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    boost(db, "k")
    evaluator = Evaluator(str(db.execute("SELECT madtree.tree_to_pmml('m', 7)").fetchone()[0]))  # type: ignore[index]
    case = db.execute("SELECT madtree.tree_sql('m', tree_id => 7)").fetchone()[0]  # type: ignore[index]
    for row in rows(db, f"SELECT *, {case} AS added FROM t WHERE id < 100 ORDER BY id"):
        assert evaluator.said(row) == (row["added"], {})
