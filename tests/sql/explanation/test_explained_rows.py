"""Rules, paths and documents say the same of every row as tree_predict: all types, NULLs, unseen levels, groups."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import json_tree
import psycopg
import pytest
from feature_rows import UNORDERED, all_features, candidates, levels, make_data, observed
from make_model import Sketch, Value, random_tree, write_model
from pmml_tree import Evaluator, probabilities
from psycopg.errors import InvalidParameterValue

from madtree.sqltext.relation import Column
from madtree.trees import Feature

PATHS = 40  # rows whose path is asked for
FAILED = ("b", 2)  # the group that has no tree


@dataclass(frozen=True)
class Case:
    """A model `m`, and its leaf of each row of the table `rows` as tree_predict has it; None for an unknown group."""

    features: list[Feature]
    classes: list[str]
    rows: list[dict[str, Value]]
    groups: list[tuple[str | None, int | None]]
    leaves: list[int | None]


@pytest.fixture(
    params=[
        (0, ["no", "yes"], 0, False, False),
        (1, ["no", "may be", "yes"], 3, False, False),
        (2, [], 2, True, False),
        (3, ["a", "b"], 0, True, False),
        (4, ["a", "b", "c"], 2, False, True),
        (5, [], 2, True, True),
    ],
    ids=["plain", "surrogates", "null levels, surrogates", "null levels", "groups", "groups, null levels"],
)
def case(db: psycopg.Connection, schema: str, request: pytest.FixtureRequest) -> Case:
    seed, classes, max_surrogates, null_levels, grouped = request.param
    rng = random.Random(seed)
    make_data(db, schema, rng)
    features = all_features(schema)
    rows = observed(db, features)
    pools = levels(features)
    # Some levels that occur are unknown to the model, so that rows have unseen ones.
    known = {name: rng.sample(pool, max(2, len(pool) - 2)) for name, pool in pools.items()}
    choice = {name: [*pool, None] for name, pool in known.items()} if null_levels else known
    trees = [
        random_tree(rng, features, 7, candidates(rows, features), choice, classes, max_surrogates=max_surrogates)
        for _ in range(3 if grouped else 1)
    ]
    grouping = {}
    if grouped:
        trees.insert(1, {})  # a group that failed
        columns = [Column("g1", "g1", "text"), Column("g2", "g2", "integer")]
        grouping = {"grouping": columns, "groups": [("a", 1), FAILED, ("it's", 2), ("b", 1)]}
    write_model(
        db, schema, "m", Sketch(features, trees, classes=classes, levels=choice if null_levels else None, **grouping)
    )
    db.execute("SELECT madtree.tree_predict('m', 'rows', 'scored', 'leaf')")
    leaves = [leaf for (leaf,) in db.execute("SELECT node_id FROM scored ORDER BY id").fetchall()]
    groups = db.execute("SELECT g1, g2 FROM rows ORDER BY id").fetchall() if grouped else [()] * len(rows)
    assert len({leaf for leaf in leaves if leaf is not None}) > 5
    return Case(features, classes, rows, groups, leaves)


@pytest.mark.one_in(3)
def test_predicates_select_each_leafs_rows(db: psycopg.Connection, case: Case) -> None:
    found: dict[int, list[int]] = {}
    for node_id, predicate in db.execute("SELECT node_id, predicate FROM madtree.tree_rules('m')").fetchall():
        for (row,) in db.execute(f"SELECT id FROM rows WHERE {predicate}").fetchall():
            found.setdefault(row, []).append(node_id)
    assert [found.get(row) for row in range(len(case.leaves))] == [
        None if leaf is None else [leaf] for leaf in case.leaves
    ]


@pytest.mark.one_in(3)
def test_paths_end_in_the_leaf_and_say_why(db: psycopg.Connection, case: Case) -> None:
    reasons: Counter[str] = Counter()
    for row in range(PATHS):
        query = "SELECT node_id, branch, reason, feature, value, explanation FROM madtree.tree_path('m', 'rows', %s)"
        if case.leaves[row] is None:
            why = "no tree could be trained for" if case.groups[row] == FAILED else "of a group that m does not know"
            with pytest.raises(InvalidParameterValue, match=why):
                db.execute(query, [str(row)])
            continue
        steps = db.execute(query, [str(row)]).fetchall()
        assert steps[-1][:3] == (case.leaves[row], None, "leaf")
        for (node_id, branch, reason, feature, value, explanation), following in pairwise(steps):
            assert following[0] == 2 * node_id + (1 if branch == "left" else 2)
            compared = case.rows[row][feature]
            is_number = not isinstance(compared, str)
            missing = compared is None or (is_number and math.isnan(float(compared)))
            assert (value is None) == (compared is None)
            if reason == "split" and missing:
                assert "NULL" in explanation
            elif reason != "split" and is_number:
                assert missing
                assert "is missing" in explanation
            reasons[reason] += 1
    assert reasons["split"] > PATHS / 4
    assert reasons["majority"] > 0
    has_surrogates = db.execute("SELECT to_regclass('m_surrogates') IS NOT NULL").fetchone()[0]
    assert (reasons["surrogate"] > 0) == has_surrogates


@pytest.mark.one_in(3)
def test_the_json_document_predicts_the_same(db: psycopg.Connection, case: Case) -> None:
    # As text: what psycopg would make of json is not what is tested.
    document = json.loads(db.execute("SELECT madtree.tree_to_json('m')::text").fetchone()[0])
    for row, leaf, group in zip(case.rows, case.leaves, case.groups, strict=True):
        tree = json_tree.find_tree(document, [None if value is None else str(value) for value in group])
        assert (None if tree is None else json_tree.find_leaf(document, tree, row)["node_id"]) == leaf


@pytest.mark.one_in(3)
def test_the_pmml_document_predicts_the_same(db: psycopg.Connection, case: Case) -> None:
    evaluator = Evaluator(db.execute("SELECT madtree.tree_to_pmml('m')").fetchone()[0])
    stored = {
        (tree, node): (weights, prediction)
        for tree, node, weights, prediction in db.execute(
            "SELECT tree_id, node_id, class_weights, prediction FROM m_nodes"
        ).fetchall()
    }
    groups = {("a", 1): 0, ("it's", 2): 2, ("b", 1): 3}
    for row, leaf, group in zip(case.rows, case.leaves, case.groups, strict=True):
        values = {feature.name: pmml_value(feature, row[feature.name]) for feature in case.features}
        if group:
            values |= {"g1": group[0], "g2": group[1]}
        found = evaluator.leaf(values)
        assert (None if found is None else int(found.get("id"))) == leaf
        if found is not None:
            weights, prediction = stored[groups.get(group, 0), leaf]
            if case.classes:
                assert found.get("score") == prediction
                assert probabilities(found) == [weight / sum(weights) for weight in weights]
            else:
                assert float(found.get("score")) == prediction


def pmml_value(feature: Feature, value: Value) -> Value | bool:
    """A feature's value in the type that the document's data dictionary has for it."""
    if value is None or (feature.kind is not UNORDERED and math.isnan(float(value))):
        return None
    if feature.labels:
        return feature.labels[int(value) - 1]
    return value == "true" if feature.type == "boolean" else value


def test_a_path_shows_as_many_digits_as_tell_a_value_from_the_threshold(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE close AS SELECT g AS id, g > 5 AS y, 42.35 + g * 1e-9::float8 AS f, 42.35 + g * 1e-9 AS n,"
        " (0.3::real + g * 3e-8)::real AS r, g * interval '1 us' AS i FROM generate_series(1, 10) AS g"
    )

    def told(feature: str, row: int) -> str:
        step = "SELECT condition, explanation FROM madtree.tree_path('m', 'close', %s) WHERE step = 1"
        return " / ".join(db.execute(step, [str(row)]).fetchone() or ())

    def train(feature: str) -> None:
        db.execute("SELECT madtree.tree_train('close', 'm', 'id', 'y', %s, min_split => 2, replace => true)", [feature])

    train("f")
    assert told("f", 5) == "f <= 42.35000001 / f = 42.350000005, so f <= 42.35000001"
    assert told("f", 6) == "f <= 42.35 / f = 42.350000006, so f > 42.35"
    train("n")
    assert told("n", 5) == "n <= 42.35000001 / n = 42.350000005, so n <= 42.35000001"
    train("i")
    assert told("i", 5) == "i <= 00:00:00.000005 / i = 00:00:00.000005, so i <= 00:00:00.000005"
    assert told("i", 6) == "i <= 00:00:00.000005 / i = 00:00:00.000006, so i > 00:00:00.000005"
    train("r")
    for row in range(1, 11):
        condition, _, explanation = told("r", row).partition(" / ")
        value, sign, threshold = re.fullmatch(r"r = (\S+), so r (<=|>) (\S+)", explanation).groups()  # type: ignore[union-attr]
        assert (float(value) <= float(threshold)) == (sign == "<=") == (row <= 5), explanation
        assert condition == f"r <= {threshold}"
    # 0.3 as a real is a little more than the shortest decimal says: the value as it is compared tells the side.
    db.execute("UPDATE m_nodes SET threshold = 0.30000001 WHERE node_id = 0; UPDATE close SET r = 0.3 WHERE id = 1")
    assert told("r", 1).endswith("/ r = 0.30000001192092896, so r > 0.3")
