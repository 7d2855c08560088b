"""A model as indented text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from make_model import inner, leaf

from madtree.render.dot import model_dot
from madtree.render.labels import category_text, number_text, quoted, split_text, threshold_text
from madtree.render.svg import tree_svg
from madtree.render.text import model_text
from madtree.trees import Feature, FeatureKind, Model, Node, Tree

X = Feature("x", "double precision", FeatureKind.CONTINUOUS)
OUTLOOK = Feature('"OUTLOOK"', "text", FeatureKind.UNORDERED)


def model(*trees: Tree, classes: tuple[str, ...] = ("no", "yes"), **values: object) -> Model:
    given = {"features": (X, OUTLOOK), "classes": classes, "is_classification": bool(classes), "trees": trees}
    return Model("m", "training", "id", "y", "text", **{**given, **values})  # type: ignore[arg-type]


def tree(*nodes: Node, tree_id: int = 1, group: tuple[str, ...] = ()) -> Tree:
    return Tree(tree_id, {node.node_id: node for node in nodes}, group)


RULE = " -------------------------------------\n"


def body(text: str) -> list[str]:
    """The lines of the first tree, below the legend if there is one."""
    return text.split(RULE)[-2].splitlines()


def test_classification() -> None:
    drawn = model_text(
        model(
            tree(
                inner(0, '"OUTLOOK"', left_levels=("overcast", "rain"), class_weights=(5.0, 9.0)),
                leaf(1, "yes", (0, 4)),
                inner(2, "x", 77.5, class_weights=(5.0, 5.0)),
                leaf(5, "yes", (0.25, 5)),
                leaf(6, "no", (4.75, 0)),
            )
        )
    )
    assert body(drawn) == [
        " []: rows by class: no,yes",
        ' (0)[5 9]  "OUTLOOK" in {overcast,rain}',
        '    (1)[0 4]  * --> "yes"',
        "    (2)[5 5]  x <= 77.5",
        '       (5)[0.25 5]  * --> "yes"',
        '       (6)[4.75 0]  * --> "no"',
    ]
    assert drawn.startswith(RULE + " []")


def test_regression() -> None:
    nodes = [inner(0, "x", 1e-7, prediction=20.090625, n_rows=32), leaf(1, 1.5, None), leaf(2, -3.0, None)]
    drawn = model_text(model(tree(*nodes), classes=()))
    assert body(drawn) == [
        " []: rows, mean of y",
        " (0)[32, 20.0906]  x <= 1e-07",
        "    (1)[2, 1.5]  *",
        "    (2)[2, -3]  *",
    ]


NOISY = (inner(0, "x", 1.0, prediction=1.04e-15, n_rows=32), leaf(1, 0.25, None), leaf(2, -3e-16, None))


@pytest.mark.parametrize("draw", [model_text, lambda of: model_dot(of, verbose=True), tree_svg])
def test_of_a_boosted_tree_what_rounding_leaves_is_no_mean(draw: Callable[[Model], str]) -> None:
    """The value of a leaf is what it adds, however little; an inner node's is shown only."""
    drawn = draw(model(tree(*NOISY), classes=(), summary={"method": "boost_train"}))
    assert "e-15" not in drawn
    assert "-3e-16" in drawn
    assert "1.04e-15" in draw(model(tree(*NOISY), classes=()))


def test_a_small_mean_of_a_boosted_tree_is_one() -> None:
    nodes = [inner(0, "x", 1.0, prediction=1e-7, n_rows=32), leaf(1, 0.25, None), leaf(2, -3.0, None)]
    drawn = model_text(model(tree(*nodes), classes=(), summary={"method": "boost_train"}))
    assert body(drawn)[1] == " (0)[32, 1e-07]  x <= 1"


def test_verbose_adds_a_legend_and_impurity_and_rows() -> None:
    drawn = model_text(model(tree(leaf(0, "no", (3, 1), impurity=0.375, n_rows=4))), verbose=True)
    assert body(drawn) == [' (0)[3 1]  * --> "no"  (impurity = 0.375, samples = 4)']
    legend = drawn.split(RULE)[1]
    assert "Each internal node has the split condition at the end" in legend
    assert 'label order is given as ["no", "yes"].' in legend
    regression = model_text(model(tree(leaf(0, 1.5, None)), classes=()), verbose=True)
    assert "average response value" in regression.split(RULE)[1]


def test_a_group_without_a_tree() -> None:
    drawn = model_text(
        model(
            tree(leaf(0, "no"), group=("UA", "a, b")), tree(tree_id=2, group=("", "x")), grouping_columns=("c", '"D"')
        )
    )
    blocks = drawn.split(RULE)[1:]
    assert blocks[0] == ' []: rows by class: no,yes\n c = UA, "D" = "a, b"\n (0)[1 1]  * --> "no"\n'
    assert blocks[1] == ' c = "", "D" = x\n (no tree could be trained for this group)\n'


def test_a_deep_tree_needs_no_recursion() -> None:
    nodes, number = [], 0
    for _ in range(60):
        nodes += [inner(number, "x", 0.0, class_weights=(1.0, 1.0)), leaf(2 * number + 1, "no")]
        number = 2 * number + 2
    drawn = model_text(model(tree(*nodes, leaf(number, "yes"))))
    assert body(drawn)[-1] == f' {"   " * 60}({number})[1 1]  * --> "yes"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (1234567.0, "1234567"),
        (0.459184123, "0.459184"),
        (1e20, "1e+20"),
        (-2.5, "-2.5"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("a b", "a b"),
        ("a,b", '"a,b"'),
        ("", '""'),
        (" a", '" a"'),
        ('say "x"', '"say \\"x\\""'),
        ("a\nb", '"a\\nb"'),
        ("ü", "ü"),
    ],
)
def test_levels_cannot_be_misread(level: str, text: str) -> None:
    assert category_text(level) == text


def test_control_characters_stay_on_the_line() -> None:
    assert quoted("a\x07\u2028b\x85") == '"a\\u0007\\u2028b\\u0085"'


@pytest.mark.parametrize(
    ("type_", "threshold", "text"),
    [
        ("integer", 4.5, "<= 4"),
        ("date", 86_400 * 365.5, "<= 1971-01-01"),
        ("timestamp without time zone", 0.5, "<= 1970-01-01 00:00:00.5"),
        ("time without time zone", 3600.0, "<= 01:00:00"),
        ("interval", 86_400.0, "<= 1 day 00:00:00"),
        ("numeric", 2.4500000000000002, "<= 2.45"),
    ],
)
def test_thresholds_in_the_features_own_terms(type_: str, threshold: float, text: str) -> None:
    assert threshold_text(Feature("f", type_, FeatureKind.CONTINUOUS), threshold) == text


@pytest.mark.parametrize(("threshold", "text"), [(0.5, "< s"), (1.5, "<= s"), (2.5, '<= "m, l"'), (3.5, "<= xl")])
def test_thresholds_of_labels(threshold: float, text: str) -> None:
    feature = Feature("size", "size", FeatureKind.ORDERED, ("s", "m, l", "xl"))
    assert threshold_text(feature, threshold) == text


def test_long_lists_of_levels_are_shortened_on_request() -> None:
    node = inner(0, '"OUTLOOK"', left_levels=tuple(f"level {i}" for i in range(100)))
    assert split_text(node, OUTLOOK, 20) == '"OUTLOOK" in {level 0,level 1, ... 98 more}'
    assert split_text(node, OUTLOOK).count(",") == 99
