"""Forests as JSON and PMML: read by other readers, they say what forest_predict says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import json_tree
import jsonschema
import psycopg
import pytest
from forest_data import CLASSES, MAKE_BOTH, grow_bare, rows, score
from pmml_tree import Evaluator
from psycopg.errors import InvalidParameterValue
from referencing import Registry, Resource

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA, TREE_SCHEMA = (json.loads((DOCS / f"madtree-{kind}-1.schema.json").read_text()) for kind in ("forest", "tree"))
# The classes of even numbers of trees are tied now and then.
FORESTS: dict[str, dict[str, Any]] = {
    "classes": {"dependent": "c", "num_trees": 4, "null_handling_params": "max_surrogates=2", "max_tree_depth": 4},
    "classes of groups": {
        "dependent": "c",
        "num_trees": 4,
        "grouping_cols": "g",
        "null_handling_params": "null_as_category=true",
        "sample_ratio": 0.1,
    },
    "numbers": {"dependent": "v", "num_trees": 5, "null_handling_params": "null_as_category=true"},
    "numbers of groups": {"dependent": "v", "num_trees": 3, "grouping_cols": "g"},
}


@pytest.fixture(scope="module", params=list(FORESTS))
def forest(shared_db: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[str]:
    """A forest `f` of a table `t`, and rows to score in `test`, which tests read only."""
    shared_db.execute(MAKE_BOTH)
    shared_db.execute("INSERT INTO t (id, g, c, v) VALUES (700, 9, NULL, NULL)")
    grow_bare(shared_db, "f", **FORESTS[request.param])
    yield request.param
    shared_db.execute("SELECT madtree.tree_drop('f'); DROP TABLE t, test")


@pytest.fixture(autouse=True)
def _on_the_path(db: psycopg.Connection, schema: str, shared_schema: str) -> None:
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")  # type: ignore[arg-type]


def group_of(forest: str, row: Mapping[str, Any]) -> list[str | None]:
    return [None if row["g"] is None else str(row["g"])] if "groups" in forest else []


@pytest.mark.one_in(2)
def test_another_reader_of_the_json_document_predicts_the_same(db: psycopg.Connection, forest: str) -> None:
    document = json.loads(db.execute("SELECT madtree.tree_to_json('f')::text").fetchone()[0])  # type: ignore[index]
    registry = Registry().with_resource(TREE_SCHEMA["$id"], Resource.from_contents(TREE_SCHEMA))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA, registry=registry).validate(document)
    n = FORESTS[forest]["num_trees"]
    assert document["parameters"]["num_trees"] == n
    told = [(group["gid"], group["group"], group["n_trees"]) for group in document["groups"]]
    if "groups" in forest:
        assert told == [(1, ["0"], n), (2, ["1"], n), (3, ["2"], n), (4, ["9"], 0)]
    else:
        assert told == [(1, [], n)]
    dependent = FORESTS[forest]["dependent"]
    said = score(db, "f", "response", "test")
    for row, found in zip(rows(db, "SELECT * FROM test ORDER BY id"), said, strict=True):
        trees = [tree for tree in document["trees"] if tree["group"] == group_of(forest, row)]
        each = [json_tree.find_leaf(document, tree, row)["prediction"] for tree in trees]
        if not each:
            assert found[f"estimated_{dependent}"] is None
        elif dependent == "c":
            assert found["estimated_c"] == max(CLASSES, key=each.count)
        else:
            assert found["estimated_v"] == reduce(add, each) / n  # in order: Python 3.12's sum adds otherwise


@pytest.mark.one_in(2)
def test_an_evaluator_of_pmml_predicts_the_same(db: psycopg.Connection, forest: str) -> None:
    text = db.execute("SELECT madtree.tree_to_pmml('f')").fetchone()[0]  # type: ignore[index]
    evaluator = Evaluator(text)
    dependent = FORESTS[forest]["dependent"]
    votes = {row["id"]: row for row in score(db, "f", "prob", "test")} if dependent == "c" else {}
    ties = 0
    said = score(db, "f", "response", "test")
    for row, found in zip(rows(db, "SELECT * FROM test ORDER BY id"), said, strict=True):
        given = row | {"g": None if row["g"] is None else str(row["g"])}
        answer = evaluator.said(given)
        assert (None if answer is None else answer[0]) == found[f"estimated_{dependent}"]
        if answer is not None and votes:
            shares = [votes[row["id"]][f"estimated_prob_{label}"] for label in CLASSES]
            assert [answer[1].get(label, 0.0) for label in CLASSES] == shares
            ties += shares.count(max(shares)) > 1
    assert ties > 0 or not votes


@pytest.mark.one_in(2)
def test_one_tree_is_a_document_of_its_own(db: psycopg.Connection, forest: str) -> None:
    tree = 6 if "groups" in forest else 2
    document = json.loads(db.execute("SELECT madtree.tree_to_json('f', %s)::text", [tree]).fetchone()[0])  # type: ignore[index]
    jsonschema.validate(document, TREE_SCHEMA)
    (told,) = document["trees"]
    assert told["tree_id"] == tree
    evaluator = Evaluator(db.execute("SELECT madtree.tree_to_pmml('f', %s)", [tree]).fetchone()[0])  # type: ignore[index]
    case = db.execute("SELECT madtree.tree_sql('f', 'leaf', %s)", [tree]).fetchone()[0]  # type: ignore[index]
    for row in rows(db, f"SELECT *, {case} AS leaf FROM test ORDER BY id"):
        assert evaluator.leaf(row).get("id") == str(row["leaf"])  # type: ignore[union-attr]
        assert json_tree.find_leaf(document, told, row)["node_id"] == row["leaf"]
    with pytest.raises(InvalidParameterValue, match="tree_id must be one of f's trees, 1 to"):
        db.execute("SELECT madtree.tree_to_pmml('f', 99)")


def test_the_path_of_a_row_leads_through_each_tree_to_its_leaf(db: psycopg.Connection, forest: str) -> None:
    n = FORESTS[forest]["num_trees"]
    leaves = {row["id"]: row["node_ids"] for row in score(db, "f", "leaf", "test")}
    for id_ in (5, 603):
        steps = rows(db, "SELECT * FROM madtree.tree_path('f', 'test', %s)", str(id_))
        first = 1 if "groups" not in forest else 1 + n * (id_ % 3 if id_ < 601 else 1)
        assert [step["tree_id"] for step in steps if step["reason"] == "leaf"] == list(range(first, first + n))
        assert [step["node_id"] for step in steps if step["reason"] == "leaf"] == leaves[id_]
        one = rows(db, "SELECT * FROM madtree.tree_path('f', 'test', %s, tree_id => %s)", str(id_), first + 1)
        assert one == [step for step in steps if step["tree_id"] == first + 1]
    if "groups" in forest:
        with pytest.raises(InvalidParameterValue, match="tree_id must be that of a tree of the row's group, not 1: "):
            db.execute("SELECT madtree.tree_path('f', 'test', '5', tree_id => 1)")
        with pytest.raises(InvalidParameterValue, match="gid: no forest could be trained for group 4 of f"):
            db.execute("SELECT madtree.get_tree('f', 4, 1)")


@pytest.mark.one_in(2)
def test_rules_of_one_tree_find_its_leaves(db: psycopg.Connection, forest: str) -> None:
    tree = 6 if "groups" in forest else 2
    rules = rows(db, "SELECT * FROM madtree.tree_rules('f', %s)", tree)
    case = db.execute("SELECT madtree.tree_sql('f', 'leaf', %s)", [tree]).fetchone()[0]  # type: ignore[index]
    for rule in rules:
        # The predicate names the group, too.
        wrong = f"SELECT count(*) AS n FROM test WHERE ({rule['predicate']}) AND ({case}) <> {rule['node_id']}"
        assert rows(db, wrong) == [{"n": 0}]
    covered = " OR ".join(f"({rule['predicate']})" for rule in rules)
    mine = "g = 1" if "groups" in forest else "true"
    assert rows(db, f"SELECT count(*) AS n FROM test WHERE {mine} AND ({covered}) IS NOT true") == [{"n": 0}]
