"""A tree as a static picture: well-formed whatever the labels hold, and true to the tree."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from make_model import inner, leaf, random_tree

from madtree.render.box import fitted, text_width, tidy_layout
from madtree.render.labels import category_text
from madtree.render.mark import OTHERS, class_colours
from madtree.render.svg import MOST_NODES, MOST_WIDTH, readable_depth, tree_svg
from madtree.trees import Feature, FeatureKind, Model, Node, Tree

SVG = "{http://www.w3.org/2000/svg}"
X = Feature("x", "double precision", FeatureKind.CONTINUOUS)
HOSTILE = [
    'a "quote"',
    "<b>&amp;</b>",
    "]]>",
    "</svg><script>alert(1)</script>",
    "line\nbreak\t\x00\x07\x1b",
    "\ufffe木🌳",
]


def model(classes: tuple[str, ...], features: tuple[Feature, ...], *trees: Tree, **values: object) -> Model:
    return Model("m", "data", "id", "y", "text", bool(classes), classes, features, trees=trees, **values)  # type: ignore[arg-type]


def tree(*nodes: Node, group: tuple[str, ...] = ()) -> Tree:
    return Tree(1, {node.node_id: node for node in nodes}, group, nodes[0].n_rows)


def split(number: int, rows: int, weights: tuple[float, ...]) -> Node:
    return inner(number, "x", 0.5, prediction="no", n_rows=rows, class_weights=weights)


TWO_LEAVES = tree(
    split(0, 40, (30.0, 10.0)),
    leaf(1, "no", (28.0, 2.0), n_rows=30),
    leaf(2, "yes", (2.0, 8.0), n_rows=10),
)


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def words(picture: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def test_a_box_says_split_prediction_and_rows() -> None:
    picture = drawn(tree_svg(model(("no", "yes"), (X,), TWO_LEAVES)))
    assert words(picture) == [
        "Classification tree for y: 40 rows, 2 leaves",
        "no", "yes",  # legend
        "yes", "no",  # edges: the true branch is on the left
        "x <= 0.5", "40 rows · 75% no",
        "no", "30 rows · 93%",
        "yes", "10 rows · 80%",
    ]  # fmt: skip


def test_one_leaf_of_one_row_is_no_plural() -> None:
    alone = tree(leaf(0, "no", (1.0, 0.0), n_rows=1))
    assert words(drawn(tree_svg(model(("no", "yes"), (X,), alone))))[0] == "Classification tree for y: 1 row, 1 leaf"


def test_edges_are_as_wide_as_their_share_of_rows() -> None:
    picture = drawn(tree_svg(model(("no", "yes"), (X,), TWO_LEAVES)))
    widths = [float(path.get("stroke-width", 0)) for path in picture.iter(f"{SVG}path")]
    assert widths[0] == pytest.approx(3 * widths[1], rel=0.02)


def test_the_bar_shows_the_class_mix() -> None:
    picture = drawn(tree_svg(model(("no", "yes"), (X,), TWO_LEAVES)))
    first, second = class_colours((1, 1))
    boxes = [each for each in picture.iter(f"{SVG}g") if each.find(f"{SVG}title") is not None]
    shares = []
    for box in boxes:
        bars = {bar.get("fill"): float(bar.get("width", 0)) for bar in box.iter(f"{SVG}rect")}
        shares.append(bars[first] / (bars[first] + bars[second]))
    assert shares == pytest.approx([0.75, 28 / 30, 0.2], abs=0.001)


def test_regression_says_mean_and_spread() -> None:
    nodes = tree(
        inner(0, "x", 3, prediction=5.0, impurity=4.0),
        leaf(1, 4.0, None, impurity=1.0),
        leaf(2, 6.25, None, impurity=0.0),
    )
    shown = words(drawn(tree_svg(model((), (X,), nodes))))
    assert shown[3:] == ["x <= 3", "2 rows · 5 ± 2", "4", "2 rows · ± 1", "6.25", "2 rows · ± 0"]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_drawn(text: str) -> None:
    levels = Feature('"' + text.replace('"', '""') + '"', "text", FeatureKind.UNORDERED)
    nodes = tree(
        inner(0, levels.name, left_levels=(text, None), right_levels=("c",), prediction=text, class_weights=(1.0, 1.0)),
        leaf(1, text, (1, 0)),
        leaf(2, "other", (0, 1)),
        group=(text,),
    )
    svg = tree_svg(model((text, "other"), (levels,), nodes, grouping_columns=(levels.name,)))
    picture = drawn(svg)
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} <= {"svg", "title", "rect", "text", "g", "path"}
    if text.isprintable() and "\ufffe" not in text:
        # What a list of levels would make ambiguous stands in quotes, as in the other pictures of a tree.
        assert category_text(text) in words(picture)


def test_long_level_lists_are_shortened_in_the_box_and_longer_in_the_tooltip() -> None:
    levels = tuple(f"level{i:04}" for i in range(5_000))
    city = Feature("city", "text", FeatureKind.UNORDERED)
    nodes = tree(
        inner(0, "city", left_levels=levels, right_levels=("x",), prediction="a", class_weights=(1.0, 1.0)),
        leaf(1, "a", (1, 0)),
        leaf(2, "b", (0, 1)),
    )
    svg = tree_svg(model(("a", "b"), (city,), nodes))
    assert "city in {level0000, ... 4999 more}" in words(drawn(svg))
    assert "level0030" in svg
    assert len(svg) < 6_000


def chain(depth: int) -> Tree:
    """A tree as deep as can be: every second child is a leaf."""
    nodes = [split(0, depth + 1, (1.0, 1.0))]
    for level in range(1, depth + 1):
        parent = nodes[-1].node_id
        nodes.insert(-1, leaf(2 * parent + 1, "no", (1.0, 0.0)))
        nodes.append(split(2 * parent + 2, depth + 1 - level, (1.0, 1.0)))
    nodes[-1] = leaf(nodes[-1].node_id, "yes", (0.0, 1.0))
    return Tree(1, {node.node_id: node for node in nodes}, (), depth + 1)


def test_a_tree_of_depth_60_is_drawn_whole_on_demand() -> None:
    picture = drawn(tree_svg(model(("no", "yes"), (X,), chain(60)), max_depth=60))
    assert len(list(picture.iter(f"{SVG}path"))) == 120


def test_a_deep_tree_is_cut_and_says_so() -> None:
    deep = chain(60)
    svg = tree_svg(model(("no", "yes"), (X,), deep), max_depth=3)
    shown = words(drawn(svg))
    assert shown[-1] == "Drawn down to depth 3: 114 more nodes are below the dashed boxes."
    assert any(line.startswith("114 more nodes · ") for line in shown)
    assert svg.count("stroke-dasharray") == 1


def test_without_a_depth_only_what_can_be_read_is_drawn() -> None:
    deep = chain(60)
    picture = drawn(tree_svg(model(("no", "yes"), (X,), deep)))
    assert 40 <= len(list(picture.iter(f"{SVG}path"))) <= 2 * readable_depth(deep) <= MOST_NODES


def test_a_leaf_only_tree_and_none_at_all() -> None:
    assert "yes" in words(drawn(tree_svg(model(("no", "yes"), (X,), tree(leaf(0, "yes", (0.0, 3.0)))))))
    assert words(drawn(tree_svg(model(("no", "yes"), (X,), Tree(1, {}))))) == ["no tree could be trained"]


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="max_depth must be 0 or more, not -1"):
        tree_svg(model(("no", "yes"), (X,), TWO_LEAVES), max_depth=-1)


def test_rare_classes_share_a_colour() -> None:
    weights = [float(i) for i in range(50)]
    colours = class_colours(weights)
    assert colours.count(OTHERS) == 43
    assert OTHERS not in colours[-7:]
    assert len(set(colours)) == 8


@pytest.mark.parametrize("seed", range(20))
def test_boxes_do_not_overlap_and_parents_are_centred(seed: int) -> None:
    rng = random.Random(seed)
    nodes = random_tree(rng, [X], 9, {"x": [1.0, 2.0]}, {}, ["a", "b"], split_share=0.8)
    widths = {number: rng.uniform(10, 90) for number in nodes}
    children = {n: None if node.is_leaf else (node.left_id, node.right_id) for n, node in nodes.items()}
    centres = tidy_layout(children, widths, 5.0)
    for depth in range(10):
        row = sorted((centres[n], widths[n]) for n, node in nodes.items() if node.depth == depth)
        for (a, wide), (b, next_wide) in pairwise(row):
            assert b - next_wide / 2 - (a + wide / 2) >= 5.0 - 1e-9
    for number, both in children.items():
        if both:
            assert centres[number] == pytest.approx((centres[both[0]] + centres[both[1]]) / 2)
            assert centres[both[0]] < centres[both[1]]
    assert min(centres[n] - widths[n] / 2 for n in nodes) == pytest.approx(0)


def test_text_is_cut_at_a_character() -> None:
    assert fitted("short", 10, 100) == "short"
    cut = fitted("a long text of many words", 10, 60)
    assert cut.endswith("…")
    assert text_width(cut, 10) <= 60
    assert text_width("木木", 10) > text_width("ab", 10)


def test_a_picture_is_no_wider_than_can_be_read() -> None:
    long = "a_feature_of_a_very_long_name_indeed"
    nodes = [inner(i, long, 0.5, prediction="no", class_weights=(1.0, 1.0)) for i in range(31)] + [
        leaf(i, "no", (1, 0)) for i in range(31, 63)
    ]
    feature = Feature(long, "double precision", FeatureKind.CONTINUOUS)
    assert len(nodes) <= MOST_NODES
    deep = model(("no", "yes"), (feature,), tree(*nodes))
    picture = drawn(tree_svg(deep))
    assert 1000 < float(picture.get("width", "0")) <= MOST_WIDTH + 50
    assert len(list(picture.iter(f"{SVG}path"))) == 14
    assert len(list(drawn(tree_svg(deep, max_depth=5)).iter(f"{SVG}path"))) == 62


def test_a_mean_has_four_digits_in_its_box_and_more_in_its_tooltip() -> None:
    regression = model((), (X,), tree(leaf(0, 20.090625, None, n_rows=32)))
    picture = drawn(tree_svg(regression))
    assert "20.09" in words(picture)
    assert "predicts 20.0906" in "".join(title.text or "" for title in picture.iter(f"{SVG}title"))
