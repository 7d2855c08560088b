"""A tree as a nested CASE, and its conditions."""

from __future__ import annotations

import pytest
from make_model import inner, leaf, stand_in

from madtree.render.case import Asked, nested_case
from madtree.sqltext.branch import goes_against_majority, question
from madtree.sqltext.condition import QUALIFIED, READABLE
from madtree.trees import Feature, FeatureKind, Node, Tree

TREE = Tree(
    1,
    {
        0: inner(0, "x", 1.5, majority_left=False),
        1: leaf(1, "a"),
        2: inner(2, "x", 2.5, majority_left=True),
        5: leaf(5, "b"),
        6: leaf(6, "c"),
    },
)


def ask(node: Node, known: bool) -> Asked:
    return Asked(f"{'k' if known else 'c'}{node.node_id}", known or not node.majority_left, tells=node.node_id == 0)


def test_one_branch_is_the_else_and_what_a_question_tells_is_known_in_the_other() -> None:
    other_way = Tree(1, {**TREE.nodes, 0: inner(0, "x", 1.5, majority_left=True)})
    assert nested_case(TREE, ask, lambda n: str(n.prediction)) == (
        "CASE WHEN c0 THEN a ELSE CASE WHEN c2 THEN c ELSE b END END"
    )
    assert nested_case(other_way, ask, lambda n: str(n.prediction)) == (
        "CASE WHEN c0 THEN CASE WHEN k2 THEN b ELSE c END ELSE a END"
    )


def test_lines_are_indented() -> None:
    assert nested_case(TREE, ask, lambda n: str(n.prediction), margin="  ").splitlines() == [
        "CASE WHEN c0",
        "      THEN a",
        "      ELSE CASE WHEN c2",
        "          THEN c",
        "          ELSE b END END",
    ]


@pytest.mark.parametrize(
    ("type_", "kind", "null_last", "tells"),
    [
        ("real", FeatureKind.CONTINUOUS, False, True),
        ("integer", FeatureKind.ORDERED, False, True),
        ("integer", FeatureKind.ORDERED, True, False),
        ("text", FeatureKind.UNORDERED, False, False),
    ],
)
def test_what_a_question_tells(type_: str, kind: FeatureKind, null_last: bool, tells: bool) -> None:
    levels = ("a",) if kind is FeatureKind.UNORDERED else None
    node = inner(0, "f", None if levels else 0.5, left_levels=levels, right_levels=levels and ("b",))
    of = {"f": Feature("f", type_, kind, null_last=null_last)}
    asked = question(node, of, READABLE, {}, known=False)
    assert asked == Asked(goes_against_majority(node, of, READABLE), goes_left=False, tells=tells)
    helped = inner(0, "f", 0.5, surrogates=(stand_in("f", 1.5),))
    assert levels or not question(helped, of, READABLE, {}, known=False).tells


def test_what_is_known_is_compared_and_no_more() -> None:
    of = {"f": Feature("f", "real", FeatureKind.CONTINUOUS)}
    asked = question(inner(0, "f", 0.5, majority_left=True), of, READABLE, {}, known=True)
    assert asked == Asked("f <= '0.5'::float8", goes_left=True, tells=True)


def feature(
    type_: str, kind: FeatureKind = FeatureKind.CONTINUOUS, name: str = "f", labels: tuple[str, ...] = ()
) -> Feature:
    return Feature(name, type_, kind, labels)


@pytest.mark.parametrize(
    ("of", "node", "condition"),
    [
        (feature("real"), inner(0, "f", 0.1, majority_left=False), "f <= '0.1'::float8"),
        (feature("real"), inner(0, "f", 0.1), "f > '0.1'::float8 AND f < 'NaN'::float8"),
        (feature("integer"), inner(0, "f", 2.5), "f > 2"),
        (feature("integer"), inner(0, "f", -1e12), "f >= '-2147483648'::int8"),
        (feature("bigint"), inner(0, "f", 3e9, majority_left=False), "f <= '3000000000'::int8"),
        (feature("numeric"), inner(0, "f", 0.1, majority_left=False), "f::float8 <= '0.1'::float8"),
        (feature("date"), inner(0, "f", 0.0), "f > '1970-01-01'::date"),
        (feature("interval"), inner(0, "f", 60.0), "pg_catalog.date_part('epoch', (f)) > '60.0'::float8"),
        (feature("mood", labels=("sad", "it's")), inner(0, "f", 1.5), "pg_catalog.enum_ge(f, 'it''s')"),
        (
            feature("mood", labels=("sad", "ok")),
            inner(0, "f", 2.0, majority_left=False),
            "pg_catalog.enum_le(f, 'ok')",
        ),
        (feature("integer", name="a + b"), inner(0, "f", 2.5, majority_left=False), "(a + b) <= 2"),
    ],
)
def test_conditions_on_numbers(of: Feature, node: Node, condition: str) -> None:
    assert goes_against_majority(node, {"f": of}, READABLE) == condition


@pytest.mark.parametrize(
    ("type_", "majority_left", "condition"),
    [
        ("text", True, "f COLLATE \"C\" = ANY (ARRAY['c', 'it''s']::text[])"),
        ("text", False, "f COLLATE \"C\" = 'a'"),
        ("character varying", False, "f::text COLLATE \"C\" = 'a'"),
    ],
)
def test_conditions_on_levels(type_: str, majority_left: bool, condition: str) -> None:
    node = inner(0, "f", left_levels=("a",), right_levels=("c", "it's"), majority_left=majority_left)
    assert goes_against_majority(node, {"f": feature(type_, FeatureKind.UNORDERED)}, READABLE) == condition


@pytest.mark.parametrize(("majority_left", "condition"), [(True, "f"), (False, "NOT f")])
def test_conditions_on_booleans(majority_left: bool, condition: str) -> None:
    node = inner(0, "f", left_levels=("false",), right_levels=("true",), majority_left=majority_left)
    assert goes_against_majority(node, {"f": feature("boolean", FeatureKind.UNORDERED)}, READABLE) == condition


def test_the_qualified_spelling_leaves_nothing_to_the_search_path() -> None:
    node = inner(0, "f", 0.5)
    assert goes_against_majority(node, {"f": feature("double precision")}, QUALIFIED) == (
        "f OPERATOR(pg_catalog.>) '0.5'::pg_catalog.float8 AND f OPERATOR(pg_catalog.<) 'NaN'::pg_catalog.float8"
    )
    numeric = goes_against_majority(node, {"f": feature("numeric")}, QUALIFIED)
    assert numeric.startswith("f OPERATOR(pg_catalog.>) '0.5000000000000000555")
    levels = inner(0, "f", left_levels=("a",), right_levels=("b",))
    assert goes_against_majority(levels, {"f": feature("text", FeatureKind.UNORDERED)}, QUALIFIED) == (
        "f COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) 'b'::pg_catalog.text"
    )
