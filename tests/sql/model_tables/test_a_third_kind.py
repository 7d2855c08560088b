"""A kind of model that is declared here: what it takes so that its models are listed, read, shown and refused.

Its trees are a forest's, some of them taken away, so that its groups have different numbers of trees.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from madtree import interface
from madtree.calls import run
from madtree.cli.exits import CommandError
from madtree.cli.trees import tree_number
from madtree.errors import MadtreeError
from madtree.explain.complexity import tree_cp
from madtree.explain.display import get_tree, tree_display
from madtree.explain.export import tree_to_json
from madtree.explain.path import tree_path
from madtree.explain.rules import tree_rules
from madtree.model import find_to_use, models, read_model, trees_of_gid, trees_of_group
from madtree.report import build_report
from madtree.report import kinds as pages
from madtree.score import kinds as scoring
from madtree.score.block_plan import MemberValues
from madtree.score.forest_outcomes import outcomes_of_forest
from madtree.score.outcomes import Outcomes, ScoredLeaves
from madtree.score.predict import score_table
from madtree.sqltext.kinds import TABLES
from madtree.trees import FOREST, KINDS, Joining, Members
from tests.forest_data import MAKE, grow, rows
from tests.psycopg_host import PsycopgHost

TOY = replace(
    FOREST,
    trains="toy_train",
    predicts="toy_predict",
    noun="toy",
    described="a toy",
    label="toy",
    joining=Joining.SUM,
    members=Members.OWN,
    class_types=("response", "prob", "raw"),
    number_types=("response", "raw"),
    unseen_in=None,
    document="madtree-toy",
)
# Of three groups with three trees each the second one keeps two, and the third one none.
KEEP = """
DELETE FROM f WHERE tree_id IN (6, 7, 8, 9);
DELETE FROM f_packed WHERE tree_id IN (6, 7, 8, 9);
UPDATE f_group SET n_trees = (ARRAY[3, 2, 0])[gid], success = gid < 3;
UPDATE f_summary SET method = 'toy_train', num_trees = NULL
"""


def _sums(said: ScoredLeaves) -> Outcomes:
    """A row's number is the sum of what its trees say."""
    found = outcomes_of_forest(said)
    assert isinstance(found.of_node, MemberValues)
    return replace(found, of_node=replace(found.of_node, what="sums"))


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a kind says of itself, in each of the rooms that ask it."""
    functions: Any = interface.FUNCTIONS
    monkeypatch.setitem(KINDS, "toy_train", TOY)
    monkeypatch.setitem(functions, "toy_train", replace(functions["forest_train"], name="toy_train"))
    for name in ("get_tree", "get_tree_surr"):
        takes = replace(functions[name].takes, kinds=(FOREST, TOY))
        monkeypatch.setitem(functions, name, replace(functions[name], takes=takes))
    monkeypatch.setitem(TABLES, TOY, TABLES[FOREST])
    monkeypatch.setitem(scoring.SCORING, TOY, replace(scoring.SCORING[FOREST], outcomes=_sums))
    takes = replace(functions["forest_predict"].takes, kinds=(TOY,))
    monkeypatch.setitem(functions, "toy_predict", replace(functions["forest_predict"], name="toy_predict", takes=takes))
    monkeypatch.setitem(pages.PAGES, TOY, replace(pages.PAGES[FOREST], heading="One of the toys"))


@pytest.fixture
def host(db: psycopg.Connection) -> PsycopgHost:
    db.execute(MAKE)
    grow(db, "f", "c", grouping_cols="g", num_trees=3, max_tree_depth=3)
    for statement in KEEP.split(";"):
        db.execute(statement)
    return PsycopgHost(db)


def test_it_is_listed_by_its_name(host: PsycopgHost) -> None:
    (found,) = models(host)
    assert (found["kind"], found["n_trees"]) == ("classification toy", 5)
    assert json.loads(found["parameters"])["max_tree_depth"] == 3


def test_its_trees_are_read_by_group_whatever_their_number(host: PsycopgHost) -> None:
    opened = find_to_use(host, "f", False)
    assert (opened.model.kind, opened.model.n_members) == (TOY, 3)
    assert [trees_of_group(opened, group) for group in (1, 2, 3)] == [[1, 2, 3], [4, 5], []]
    groups = {tree.tree_id: tree.group for tree in read_model(host, "f").trees}
    assert groups == {1: ("0",), 2: ("0",), 3: ("0",), 4: ("1",), 5: ("1",)}
    assert trees_of_gid(opened, 2) == [4, 5]
    with pytest.raises(MadtreeError, match="f has no toy of group 3"):
        trees_of_gid(opened, 3)


def test_one_tree_is_told_by_its_group_and_its_number_there(host: PsycopgHost, db: psycopg.Connection) -> None:
    (root,) = rows(db, "SELECT class_weights FROM f_nodes WHERE tree_id = 5 AND node_id = 0")
    weights = " ".join(f"{weight:g}" for weight in root["class_weights"])
    assert f"(0)[{weights}]" in get_tree(host, "f", 2, 2, False, False)
    with pytest.raises(MadtreeError, match="sample_id must be from 1 to 2, not 3"):
        get_tree(host, "f", 2, 3, False, False)
    assert tree_number(db, "f", 2, ["1"]) == 5
    with pytest.raises(CommandError, match="--tree must be from 1 to 2, not 3"):
        tree_number(db, "f", 3, ["1"])
    with pytest.raises(CommandError, match="f is a toy of 3 trees"):
        tree_number(db, "f", None, None)


@pytest.mark.parametrize(
    ("call", "said", "hint"),
    [
        (
            lambda host: score_table(host, "f", "t", "out", "response", function="tree_predict"),
            "tree_model: f is a toy",
            "Score by it with madtree.toy_predict.",
        ),
        (
            lambda host: score_table(host, "f", "t", "out", "response", function="forest_predict"),
            "random_forest_model: f is a toy, not a forest",
            "Score by it with madtree.toy_predict.",
        ),
        (
            lambda host: tree_cp(host, "f"),
            "model: f is a toy",
            "The trees of a toy are left as they are grown, and have no cp table.",
        ),
        (
            lambda host: tree_display(host, "f", False, False),
            "model: f is a toy",
            "madtree.get_tree('f', gid, sample_id) shows one of its trees, for instance that of gid 1 and sample_id 1.",
        ),
    ],
)
def test_functions_of_other_kinds_refuse_it(host: PsycopgHost, call: Any, said: str, hint: str) -> None:
    with pytest.raises(MadtreeError) as error:
        call(host)
    assert (error.value.message, error.value.hint, error.value.sqlstate) == (said, hint, "42809")


def test_it_is_documented_and_described(host: PsycopgHost) -> None:
    document = json.loads(tree_to_json(host, "f"))
    assert document["format"] == "madtree-toy"
    assert [(tree["gid"], tree["sample_id"]) for tree in document["trees"]] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    assert [group["n_trees"] for group in document["groups"]] == [3, 2, 0]
    assert json.loads(tree_to_json(host, "f", 5))["format"] == "madtree-tree"
    steps = tree_path(host, "f", "t", "4")
    assert {step["tree_id"] for step in steps} == {4, 5}
    assert {rule["tree_id"] for rule in tree_rules(host, "f", None)} == {1, 2, 3, 4, 5}
    page = build_report(host.connection, "f")
    assert "Classification toy of c" in page
    assert "One of the toys" in page
    assert "SELECT madtree.toy_predict(" in page


def test_its_importance_is_written_and_it_is_dropped(host: PsycopgHost, db: psycopg.Connection, schema: str) -> None:
    call = interface.FUNCTIONS
    assert run(host, call["get_var_importance"], ["f", "worth"]) == "get_var_importance: 15 rows of f into worth"
    dropped = run(host, call["tree_drop"], ["f"])
    names = '"f", "f_group", "f_nodes", "f_packed", "f_statistics", "f_summary"'
    assert dropped == f'tree_drop: dropped {names} in schema "{schema}"'
    assert rows(db, "SELECT to_regclass('f') AS is_there") == [{"is_there": None}]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM f WHERE tree_id = 5", "tree 5 is not there"),
        ("UPDATE f SET sample_id = 3 WHERE tree_id = 5", "tree 5 has another gid or sample_id than its number"),
        ("UPDATE f SET gid = 3 WHERE tree_id = 5", "tree 5 has another gid or sample_id than its number"),
        ("UPDATE f SET gid = 4 WHERE tree_id = 5", "tree 5 is of a group that is not there"),
        ("UPDATE f_group SET n_trees = NULL WHERE gid = 2", "n_trees of its groups are no numbers of trees"),
        ("UPDATE f_group SET n_trees = -1 WHERE gid = 3", "n_trees of its groups are no numbers of trees"),
        ("UPDATE f_group SET n_trees = 0", "n_trees of its groups are no numbers of trees"),
        ("DROP TABLE f_group", "it is a toy without its groups: their table is missing, or is another role's"),
        (
            "UPDATE f_summary SET method = 'tree_train'",
            "its nodes are packed, as only those of a forest or a boosted model or a toy are, or it is a forest or a "
            "boosted model or a toy and they are not",
        ),
    ],
)
def test_trees_that_are_not_in_their_place_are_damaged(
    host: PsycopgHost, db: psycopg.Connection, damage: str, said: str
) -> None:
    db.execute(damage)
    with pytest.raises(MadtreeError) as error:
        read_model(host, "f")
    assert error.value.message == f"f is damaged: {said}"


def test_its_trees_are_added_up_whatever_their_number(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    grow(db, "f", "v", grouping_cols="g", num_trees=3, max_tree_depth=3, importance=False)
    for statement in KEEP.split(";"):
        db.execute(statement)
    host = PsycopgHost(db)
    said = run(host, interface.FUNCTIONS["toy_predict"], ["f", "t", "raw", "response", False, False, 0.9])
    assert said.startswith("toy_predict: ")
    for tree_id in (1, 2, 3, 4, 5):
        expression = run(host, interface.FUNCTIONS["tree_sql"], ["f", "response", tree_id, False, None, None])
        db.execute(f"CREATE TABLE s{tree_id} AS SELECT id, {expression} AS said FROM t")
    of_group = {0: (1, 2, 3), 1: (4, 5)}
    for group, trees in of_group.items():
        total = " + ".join(f"s{tree}.said" for tree in trees)
        joined = " ".join(f"JOIN s{tree} USING (id)" for tree in trees)
        found = rows(
            db,
            f"SELECT count(*) AS n, count(*) FILTER (WHERE estimated_v IS DISTINCT FROM {total}) AS wrong "
            f"FROM t JOIN raw USING (id) {joined} WHERE g = {group}",
        )
        assert found[0]["n"] > 0
        assert found[0]["wrong"] == 0
    assert rows(db, "SELECT count(estimated_v) AS n FROM raw JOIN t USING (id) WHERE g = 2") == [{"n": 0}]
