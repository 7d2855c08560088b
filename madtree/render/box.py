"""The boxes of a drawn tree: what is written in them, how wide that is, and where they go.

Widths of texts are estimates, since pictures are made where no font can be asked. The whole is narrow, parents are
centred over their children, and no two subtrees are in each other's way.

The tidy drawing of binary trees by Reingold and Tilford, "Tidier Drawings of Trees", IEEE Transactions on Software
Engineering 7 (1981), with boxes of different widths: two subtrees are drawn apart from each other and then moved
together until their outlines are one gap apart.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.render.labels import category_text, leaf_words, number_text, one_line, split_text
from madtree.render.mark import OTHERS, class_colours, number_colour
from madtree.trees import Model, Node, Tree
from madtree.wording import count_text

# Advance widths in em, from DejaVu Sans, which is among the wider ones of the fonts that browsers choose.
NARROW, PLAIN, CAPITAL, BROAD, FULL = 0.34, 0.63, 0.73, 0.97, 1.05
_NARROW = frozenset(" .,:;'|!()[]{}ijlrtfI\"")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"


def text_width(text: str, size: float) -> float:
    """Width of a line of text at a font size, in the size's unit."""
    return size * sum(map(_em, text))


def fitted(text: str, size: float, width: float) -> str:
    """The text, cut to a width at a character if it is too long, with an ellipsis then."""
    if text_width(text, size) <= width:
        return text
    room = width / size - _em(ELLIPSIS)
    for position, character in enumerate(text):
        room -= _em(character)
        if room < 0:
            return text[:position].rstrip() + ELLIPSIS
    return text


def _em(character: str) -> float:
    if character in _NARROW:
        return NARROW
    if unicodedata.combining(character):
        return 0.0
    if character in _BROAD:
        return BROAD
    if unicodedata.east_asian_width(character) in "WF":
        return FULL
    return CAPITAL if character.isupper() or character in "<>=" else PLAIN


Outline = list[tuple[float, float]]  # by level below a node: left and right end, seen from the node's centre


def tidy_layout(
    children: Mapping[int, tuple[int, int] | None], widths: Mapping[int, float], gap: float
) -> dict[int, float]:
    """The centre of each node's box, so that the leftmost box begins at 0.

    Args:
        children: of each node; None for a leaf. A child's number is greater than its parent's, the root's the least.
        widths: of each node's box.
        gap: least distance between boxes on one level.
    """
    outlines: dict[int, Outline] = {}
    reach: dict[int, float] = {}  # of an inner node, from its centre to that of either child
    for number in sorted(children, reverse=True):  # children before their parents
        half = widths[number] / 2
        below = children[number]
        if below is None:
            outlines[number] = [(-half, half)]
            continue
        left, right = outlines.pop(below[0]), outlines.pop(below[1])
        distance = max(a[1] - b[0] for a, b in zip(left, right, strict=False)) + gap
        reach[number] = distance / 2
        outlines[number] = [(-half, half), *_beside(left, right, distance / 2)]
    root = min(children)
    centres = {root: -min(left for left, _ in outlines[root])}
    for number in sorted(reach):
        first, second = children[number] or (number, number)
        centres[first] = centres[number] - reach[number]
        centres[second] = centres[number] + reach[number]
    return centres


def _beside(left: Sequence[tuple[float, float]], right: Sequence[tuple[float, float]], reach: float) -> Outline:
    """The outline of two subtrees, seen from the middle between their roots."""
    both = min(len(left), len(right))
    joined = [(a[0] - reach, b[1] + reach) for a, b in zip(left, right, strict=False)]
    joined += [(a - reach, b - reach) for a, b in left[both:]]
    joined += [(a + reach, b + reach) for a, b in right[both:]]
    return joined


INK = "#1B1F24"
HEADING, DETAIL = 13.0, 11.0  # font sizes in px
INNER = 12.0  # from a box's border to its words
BAR = 8.0
NARROWEST, WIDEST = 116.0, 292.0
BOLD = 1.13  # how much wider a heading is for its weight
CATEGORY_WIDTHS = (36, 27, 18, 9)  # characters that a list of categories may take in a box, the first that fits
ALL_LEVELS = 400  # and in its tooltip
CLASSES = 12  # classes that a tooltip names


@dataclass(frozen=True)
class Box:
    """One node as it is drawn.

    Attributes:
        heading: its split or, in a leaf, its prediction.
        detail: rows, and how sure the prediction is.
        shares: of its bar from the left, colour and share of the width.
        tooltip: lines with everything in full length.
        is_cut: whether nodes below it are left out.
    """

    heading: str
    detail: str
    shares: list[tuple[str, float]]
    tooltip: str
    width: float
    is_cut: bool


def boxes_of(model: Model, tree: Tree, cut: int, full: bool = False) -> dict[int, Box]:
    """The boxes of a tree's nodes down to the depth `cut`, by node; with `full`, tooltips name all categories."""
    below = _nodes_below(tree, cut)
    colours = class_colours(tree.nodes[0].class_weights or ())
    means = [] if model.has_class_leaves else [mean_of(node) for node in tree.nodes.values()]
    boxes = {}
    for number, node in sorted(tree.nodes.items()):
        if node.depth <= cut:
            if model.has_class_leaves:
                shares = _class_shares(node, colours)
            else:
                shares = _mean_share(node, min(means), max(means))
            boxes[number] = _box(model, node, shares, below.get(number, 0), full)
    return boxes


def mean_of(node: Node) -> float:
    """The mean or rate that a node of a regression tree predicts."""
    return float(node.prediction or 0.0)


def confidence(model: Model, node: Node) -> float:
    """Share of the node's weight that has the predicted class."""
    weights = node.class_weights or ()
    of_class = dict(zip(model.classes, weights, strict=True)).get(str(node.prediction), 0.0)
    return of_class / sum(weights) if sum(weights) else 0.0


def deviation_text(model: Model, node: Node) -> str:
    """The standard deviation of a node's values; of counts their mean deviance; empty where scores are added up."""
    if model.adds_scores:
        return ""
    if model.of_counts:
        return f"deviance {number_text(_rounded(node.impurity, 3))}"
    return f"± {number_text(_rounded(math.sqrt(max(node.impurity, 0.0)), 3))}"


def _box(model: Model, node: Node, shares: list[tuple[str, float]], below: int, full: bool) -> Box:
    rows = count_text(node.n_rows, "row", ",")
    outcome = category_text(str(node.prediction)) if model.has_class_leaves else number_text(mean_of(node))
    short = outcome if model.has_class_leaves else number_text(_rounded(mean_of(node), 4))
    if model.has_class_leaves:
        sure = f"{confidence(model, node):.0%}"
        detail = f"{rows} · {sure if node.is_leaf else f'{sure} {outcome}'}"
    else:
        details = [] if node.is_leaf else [short]
        details += filter(None, [deviation_text(model, node)])
        detail = " · ".join([rows, *([" ".join(details)] if details else [])])
    if node.is_leaf:
        heading, whole = short, outcome
    else:
        length = None if full else ALL_LEVELS
        heading, whole = _split_heading(model, node), split_text(node, model.feature(str(node.feature)), length)
    if below:
        detail = f"{below:,} more nodes · {detail}"
    heading, detail = fitted(heading, HEADING * BOLD, WIDEST - 2 * INNER), fitted(detail, DETAIL, WIDEST - 2 * INNER)
    wide = max(text_width(heading, HEADING * BOLD), text_width(detail, DETAIL)) + 2 * INNER
    lines = [f"node {node.node_id}: {whole}", *_tooltip(model, node, outcome)]
    return Box(heading, detail, shares, "\n".join(map(one_line, lines)), max(NARROWEST, min(WIDEST, wide)), below > 0)


def _split_heading(model: Model, node: Node) -> str:
    """The split, with as many categories as there is room for."""
    feature = model.feature(str(node.feature))
    texts = [split_text(node, feature, length) for length in CATEGORY_WIDTHS]
    return next((each for each in texts if text_width(each, HEADING * BOLD) <= WIDEST - 2 * INNER), texts[-1])


def _tooltip(model: Model, node: Node, outcome: str) -> list[str]:
    rows = count_text(node.n_rows, "row", ",")
    lines = [f"{rows}, weight {number_text(node.weight)}, impurity {number_text(node.impurity)}"]
    lines.append(f"{leaf_words(model)}: {outcome}" if model.adds_scores else f"predicts {outcome}")
    if model.has_class_leaves:
        pairs = sorted(zip(model.classes, node.class_weights or (), strict=True), key=lambda pair: -pair[1])
        held = [(name, weight) for name, weight in pairs if weight > 0]
        lines += [f"{category_text(name)}: {number_text(weight)}" for name, weight in held[:CLASSES]]
        if len(held) > CLASSES:
            lines.append(f"and {len(held) - CLASSES:,} more classes")
    return lines


def _rounded(value: float, digits: int) -> float:
    """To so many significant digits as are read at a glance; the tooltip has more."""
    return float(f"{value:.{digits}g}")


def _class_shares(node: Node, colours: list[str]) -> list[tuple[str, float]]:
    """In class order, all classes of the colour `OTHERS` together at the end."""
    total = sum(node.class_weights or ())
    shares = [
        (colour, weight / total)
        for colour, weight in zip(colours, node.class_weights or (), strict=True)
        if weight > 0 and colour != OTHERS
    ]
    others = 1.0 - sum(share for _, share in shares)
    return [*shares, (OTHERS, others)] if OTHERS in colours and others > 1e-9 and total else shares


def _mean_share(node: Node, least: float, greatest: float) -> list[tuple[str, float]]:
    """How far the mean lies from the least mean of the tree to the greatest."""
    share = (mean_of(node) - least) / (greatest - least) if greatest > least else 1.0
    return [(number_colour(share), max(share, 0.02))]


def _nodes_below(tree: Tree, cut: int) -> dict[int, int]:
    """For each node at the depth `cut`, how many are below it."""
    below: dict[int, int] = {}
    for number, node in tree.nodes.items():
        if node.depth > cut:
            ancestor = ((number + 1) >> (node.depth - cut)) - 1
            below[ancestor] = below.get(ancestor, 0) + 1
    return below
