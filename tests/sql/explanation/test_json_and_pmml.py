"""tree_to_json and tree_to_pmml: the documents' form, and that their numbers are the model's to the last bit."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import psycopg
import pytest
from make_model import Sketch, inner, leaf, stand_in, write_model
from pmml_tree import PMML, Evaluator
from psycopg.errors import InvalidParameterValue
from training import train

from madtree.trees import Feature, FeatureKind

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "madtree-tree-1.schema.json").read_text())
X = Feature("x", "double precision", FeatureKind.CONTINUOUS)
WORD = Feature("word", "text", FeatureKind.UNORDERED)

# Of each training, what is not the default.
MODELS: dict[str, dict[str, Any]] = {
    "classes": {
        "pruning_params": "n_folds=3",
        "surrogate_params": "max_surrogates=2",
        "weights": "1 + id % 3",
    },
    "regression": {"dependent": "delay", "surrogate_params": "null_as_category=true"},
    "grouped": {
        "grouping_cols": 'g, "G 2"',
        "pruning_params": "n_folds=2",
        "surrogate_params": "max_surrogates=2, null_as_category=true",
    },
    "stump": {"features": "hour", "max_depth": 0},
}


@pytest.fixture
def flights(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        "CREATE TABLE flights AS SELECT i AS id, i % 2 AS g, 'it''s ' || i % 2 AS \"G 2\", "
        "nullif(i * 7919 % 24, 5) AS hour, i * 31 % 997 / 7.0::float8 AS distance, "
        "(ARRAY['UA', 'AA', NULL, 'a \"q\" b', E'c\\\\d'])[1 + i * 17 % 5] AS carrier, "
        "(i * 7919 % 24 > 11) <> (i % 7 = 0) AS late, sin(i) + i * 7919 % 24 AS delay FROM generate_series(1, 1200) i"
    )
    return db


def train_one(db: psycopg.Connection, name: str) -> None:
    """One of MODELS, by this name."""
    what = {"dependent": "late", "features": "hour, distance, carrier"}
    train(db, "flights", name, **what | MODELS[name])


@pytest.fixture(params=list(MODELS))
def model(flights: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    name: str = request.param
    train_one(flights, name)
    return name


def document(db: psycopg.Connection, model: str) -> dict:
    return json.loads(db.execute("SELECT tree_to_json(%s)::text", [model]).fetchone()[0])


def test_the_json_document_is_valid_by_its_schema(flights: psycopg.Connection, model: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document(flights, model), SCHEMA, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d.pop("trees"),
        lambda d: d.update(format_version=2),
        lambda d: d["trees"][0]["nodes"][0].pop("default"),
        lambda d: d["trees"][0]["nodes"][0]["split"].pop("low_goes_left"),
        lambda d: d["trees"][0]["nodes"][0].update(weight="many"),
    ],
)
def test_the_schema_finds_what_is_missing_or_wrong(flights: psycopg.Connection, damage) -> None:
    train_one(flights, "classes")
    damaged = document(flights, "classes")
    damage(damaged)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(damaged)


def test_the_json_documents_numbers_are_the_tables_own(flights: psycopg.Connection, model: str) -> None:
    told = document(flights, model)
    columns = "depth, n_rows, weight, impurity, risk, complexity, prediction, class_weights, threshold"
    stored = {
        (tree, node): tuple(values)
        for tree, node, *values in flights.execute(f"SELECT tree_id, node_id, {columns} FROM {model}_nodes").fetchall()
    }
    found = {}
    for tree in told["trees"]:
        for node in tree["nodes"]:
            values = [node[key] for key in columns.split(", ")[:-1]]
            if told["task"] == "classification":
                values[6] = node["prediction"] == "true"
            found[tree["tree_id"], node["node_id"]] = (*values, node.get("split", {}).get("threshold"))
            for way, child in (("left", 1), ("right", 2)):
                if way in node:
                    assert tree["nodes"][node[way]]["node_id"] == 2 * node["node_id"] + child
    assert found == stored
    facts = flights.execute(f"SELECT impurity_var_importance, root_risk FROM {model} ORDER BY tree_id").fetchall()
    assert [(tree["importance"], tree["root_risk"]) for tree in told["trees"]] == facts
    if "pruning_params" in MODELS[model]:
        stored_cp = flights.execute(f"SELECT cp, xerror, xstd FROM {model}_cv").fetchall()
        assert sorted((row["cp"], row["xerror"], row["xstd"]) for row in told["cp_table"]) == sorted(stored_cp)
    else:
        assert told["cp_table"] is None


def test_infinite_and_tiny_numbers_survive(db: psycopg.Connection, schema: str) -> None:
    nodes = {
        0: inner(0, "x", -math.inf, surrogates=(stand_in("z", 5e-324, low_goes_left=False),)),
        1: leaf(1, -0.1, None, risk=0.1 + 0.2),
        2: leaf(2, 1.7976931348623157e308, None),
    }
    z = Feature("z", "real", FeatureKind.CONTINUOUS)
    write_model(db, schema, "m", Sketch([X, z], [nodes], classes=[]))
    told = document(db, "m")
    jsonschema.validate(told, SCHEMA)
    root, left, right = told["trees"][0]["nodes"]
    assert root["split"] == {"feature": 0, "threshold": "-Infinity", "low_goes_left": True}
    assert root["surrogates"][0]["threshold"] == 5e-324
    assert (left["prediction"], left["risk"], right["prediction"]) == (-0.1, 0.1 + 0.2, 1.7976931348623157e308)
    evaluator = Evaluator(db.execute("SELECT tree_to_pmml('m')").fetchone()[0])
    assert evaluator.leaf({"x": -math.inf, "z": None}).get("score") == "-0.1"
    assert evaluator.leaf({"x": None, "z": 0.0}).get("id") == "2"
    assert evaluator.leaf({"x": None, "z": 1e-300}).get("id") == "1"


def test_a_group_that_failed_has_no_nodes_and_no_segment(db: psycopg.Connection, schema: str) -> None:
    from madtree.sqltext.relation import Column

    sketch = Sketch([X], [{}, {0: leaf(0, "no")}], grouping=[Column("g", "g", "text")], groups=[("a",), ('<b> & "c"',)])
    write_model(db, schema, "m", sketch)
    told = document(db, "m")
    jsonschema.validate(told, SCHEMA)
    assert [(tree["group"], len(tree["nodes"]), tree["message"]) for tree in told["trees"]] == [
        (["a"], 0, "failed"),
        (['<b> & "c"'], 1, None),
    ]
    evaluator = Evaluator(db.execute("SELECT tree_to_pmml('m')").fetchone()[0])
    assert evaluator.leaf({"g": "a", "x": 1.0}) is None
    assert evaluator.leaf({"g": '<b> & "c"', "x": 1.0}).get("score") == "no"
    db.execute("DELETE FROM m_nodes")
    with pytest.raises(InvalidParameterValue, match="none of its groups could be trained"):
        db.execute("SELECT tree_to_pmml('m')")


def test_the_pmml_document_has_the_form_of_the_schema(flights: psycopg.Connection, model: str) -> None:
    """Against PMML's own schema where $MADTREE_PMML_XSD names its file; always against what is known of its order."""
    text = flights.execute("SELECT tree_to_pmml(%s)", [model]).fetchone()[0]
    root = ElementTree.fromstring(text.encode())
    order = {
        "PMML": ["Header", "DataDictionary", "MiningModel", "TreeModel"],
        "TreeModel": ["MiningSchema", "Output", "LocalTransformations", "Node"],
        "MiningModel": ["MiningSchema", "Output", "Segmentation"],
        "MapValues": ["FieldColumnPair", "InlineTable"],
        "Node": ["True", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "ScoreDistribution", "Node"],
    }
    fields = {field.get("name") for field in root.iter(f"{PMML}DataField")}
    fields |= {field.get("name") for field in root.iter(f"{PMML}DerivedField")}
    for element in root.iter():
        children = [child.tag.removeprefix(PMML) for child in element]
        if expected := order.get(element.tag.removeprefix(PMML)):
            assert [expected.index(child) for child in children] == sorted(expected.index(child) for child in children)
        if element.tag == f"{PMML}CompoundPredicate":
            assert len(children) >= 2
        if element.tag in (f"{PMML}SimplePredicate", f"{PMML}SimpleSetPredicate"):
            assert element.get("field") in fields
        if element.tag == f"{PMML}Node" and element.get("defaultChild"):
            assert element.get("defaultChild") in {child.get("id") for child in element.findall(f"{PMML}Node")}
    if schema := os.environ.get("MADTREE_PMML_XSD"):
        xmlschema = pytest.importorskip("xmlschema")
        xmlschema.validate(text, schema)


def test_a_text_that_xml_cannot_hold_is_an_error(db: psycopg.Connection, schema: str) -> None:
    nodes = {
        0: inner(0, "word", left_levels=("a\x01b",), right_levels=("c",), majority_left=False),
        1: leaf(1, "no"),
        2: leaf(2, "yes"),
    }
    write_model(db, schema, "m", Sketch([WORD], [nodes]))
    with pytest.raises(InvalidParameterValue, match=r"a text that XML cannot hold, with U\+0001 in it") as error:
        db.execute("SELECT tree_to_pmml('m')")
    assert "tree_to_json" in error.value.diag.message_hint
    assert document(db, "m")["trees"][0]["nodes"][0]["split"]["left_levels"] == ["a\x01b"]


@pytest.mark.parametrize("level", ["\r", "a\tb\nc", " edge ", "<&>\"'", "]]>", "Ünï ✓ 💾", "back\\slash"])
def test_awkward_levels_are_the_same_after_reading(db: psycopg.Connection, schema: str, level: str) -> None:
    nodes = {
        0: inner(0, "word", left_levels=(level, "x"), right_levels=("c", "d"), surrogates=(stand_in("x", 0.5),)),
        1: inner(1, "word", left_levels=(level, "y"), right_levels=("x", "z"), majority_left=False),
        2: leaf(2, "yes"),
        3: leaf(3, "no"),
        4: leaf(4, "yes"),
    }
    write_model(db, schema, "m", Sketch([WORD, X], [nodes]))
    evaluator = Evaluator(db.execute("SELECT tree_to_pmml('m')").fetchone()[0])
    assert evaluator.leaf({"word": level, "x": 1.0}).get("id") == "3"
    assert evaluator.leaf({"word": level + "!", "x": 0.0}).get("id") == "4"
