"""A model as a graph: what dot reads, whatever the labels hold."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest
from make_model import inner, leaf

from madtree.render.dot import model_dot
from madtree.trees import Feature, FeatureKind, Model, Node, Tree

HOSTILE = [
    'a "quote"',
    "back\\slash \\N \\G \\l \\",
    "line\nbreak\ttab\r",
    "<b>html</b>",
    "<",
    "R&amp;D & co &#34;",
    "{record|field} <port>",
    "100% %s",
    "дерево 木 🌳 ñ",
    "bell\x07 \x1b[0m \u2028",
    "-->; } // /* # ",
    "x" * 20_000,
]


def draw(dot: str) -> str:
    """The drawing as SVG; no word on stderr."""
    if not shutil.which("dot"):
        pytest.skip("graphviz is not installed")
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, check=True)
    assert drawn.stderr == b""
    return drawn.stdout.decode()


def model(classes: tuple[str, ...], features: tuple[Feature, ...], *trees: Tree, **values: object) -> Model:
    return Model("m", 'my "data"', "id", "y", "text", bool(classes), classes, features, trees=trees, **values)  # type: ignore[arg-type]


def tree(*nodes: Node, tree_id: int = 1, group: tuple[str, ...] = ()) -> Tree:
    return Tree(tree_id, {node.node_id: node for node in nodes}, group)


X = Feature("x", "double precision", FeatureKind.CONTINUOUS)


def test_layout() -> None:
    nodes = [
        inner(0, "x", 0.5, prediction="no", class_weights=(2.0, 1.0)),
        leaf(1, "no", (2, 0)),
        leaf(2, "yes", (0, 1)),
    ]
    assert model_dot(model(("no", "yes"), (X,), tree(*nodes))).splitlines() == [
        'digraph "Classification tree for my \\"data\\"" {',
        '  subgraph "cluster1" {',
        '    label="";',
        '    "g1_0" [label="x <= 0.5", shape=ellipse];',
        '    "g1_0" -> "g1_1" [label="yes"];',
        '    "g1_0" -> "g1_2" [label="no"];',
        '    "g1_1" [label="\\"no\\"", shape=box];',
        '    "g1_2" [label="\\"yes\\"", shape=box];',
        "  } //--- end of subgraph------------",
        "} //---end of digraph---------",
    ]


def test_verbose_regression() -> None:
    drawn = model_dot(model((), (X,), tree(leaf(0, 1.5, None, impurity=0.25, n_rows=7))), verbose=True)
    assert '[label="1.5\\nimpurity = 0.25\\nsamples = 7\\nvalue = 1.5", shape=box];' in drawn


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("verbose", [False, True])
def test_any_text_is_drawn_without_a_warning(text: str, verbose: bool) -> None:
    levels = Feature('"' + text.replace('"', '""') + '"', "text", FeatureKind.UNORDERED)
    nodes = [
        inner(0, levels.name, left_levels=(text, "b"), right_levels=("c",), prediction=text, class_weights=(1.0, 1.0)),
        leaf(1, text, (1, 0)),
        leaf(2, "other", (0, 1)),
    ]
    drawn = model_dot(
        model((text, "other"), (levels,), tree(*nodes, group=(text,)), grouping_columns=(levels.name,)), verbose
    )
    svg = draw(drawn)
    assert svg.count("<polygon") >= 3  # two leaves and the cluster
    if text.isprintable() and len(text) < 100 and "\\" not in text and '"' not in text:
        shown = {html.unescape(t).replace("\u00a0", " ") for t in re.findall(r"<text[^>]*>([^<]*)</text>", svg)}
        assert f'"{text}"' in shown


def test_a_cluster_for_every_group() -> None:
    trees = [tree(leaf(0, "no"), tree_id=1, group=("a",)), tree(tree_id=2, group=("b",))]
    drawn = model_dot(model(("no", "yes"), (X,), *trees, grouping_columns=("g",)))
    svg = draw(drawn)
    assert svg.count('class="cluster"') == 2
    assert ">g = a<" in svg
    assert ">no tree<" in svg
