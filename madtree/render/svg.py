"""One tree as a static picture: SVG, made without any program or font at hand."""

from __future__ import annotations

from collections.abc import Iterator

from madtree.render.box import BAR, BOLD, HEADING, INK, INNER, Box, boxes_of, fitted, text_width, tidy_layout
from madtree.render.labels import category_text, group_text, heading, one_line, without_noise
from madtree.render.mark import OTHERS, band, class_colours, document, group, rect, text
from madtree.trees import Model, Node, Tree
from madtree.wording import count_text

FAINT, LINE, PAPER = "#57606A", "#C5CDD6", "#FFFFFF"
SMALL = 11.0  # font size in px
MARGIN, GAP = 20.0, 16.0
BOX_HEIGHT, LEVEL_HEIGHT = 64.0, 114.0
THICKEST, THINNEST = 16.0, 1.2  # of the edges
LEAST_WIDTH = 420.0  # of the picture, for its legend
MOST_NODES = 63  # drawn, unless the caller says how deep: more could not be read
MOST_WIDTH = 2500.0  # of its tree in px; a wider one is drawn less deep
LEGEND_ENTRY = 180.0  # px that a class's name may take


def tree_svg(model: Model, tree: Tree | None = None, max_depth: int | None = None, full: bool = False) -> str:
    """Draw one tree.

    A box is a node: its split or, in a leaf, its prediction; a bar of its class weights (of its mean between the least
    and the greatest of the tree); its rows. Edges are as wide as their share of rows. Tooltips have all of a text that
    is shortened in its box.

    Args:
        model: with the words for splits and classes.
        tree: the tree to draw; by default the first of the model that has nodes.
        max_depth: draw nodes down to this depth, with a note of what is left out; by default as deep as can be read.
        full: tooltips name all categories, however many.

    Returns:
        An SVG document of its natural size, without scripts, styles or references to anything outside.

    Raises:
        ValueError: `max_depth` is negative.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be 0 or more, not {max_depth}")
    tree = tree or next((each for each in model.trees if each.nodes), None)
    if tree is None or not tree.nodes:
        message = "no tree could be trained" + (" for this group" if model.grouping_columns else "")
        return document(320, 60, message, [text(160, 34, message, HEADING, FAINT, "middle")], PAPER)
    tree = without_noise(model, tree)
    cut = readable_depth(tree) if max_depth is None else max_depth
    boxes, centres, tree_width = _arranged(model, tree, cut, full)
    while max_depth is None and tree_width > MOST_WIDTH and cut > 1:
        cut -= 1
        boxes, centres, tree_width = _arranged(model, tree, cut, full)
    drawn = [tree.nodes[number] for number in boxes]
    width = max(tree_width, LEAST_WIDTH) + 2 * MARGIN
    shift = (width - tree_width) / 2
    places = {number: x + shift for number, x in centres.items()}
    head = [*_title(model, tree, width), *_legend(model, tree, width)]
    top = MARGIN + sum(height for _, height in head)
    marks, y = [], MARGIN
    for mark, height in head:
        marks.append(f'<g transform="translate(0 {y:.0f})">{mark}</g>')
        y += height
    marks += [_edge(tree, node, places, top) for node in drawn if node.node_id]
    marks += [_node(boxes[n.node_id], n, places[n.node_id], top) for n in drawn]
    bottom = top + max(node.depth for node in drawn) * LEVEL_HEIGHT + BOX_HEIGHT + MARGIN
    if len(drawn) < len(tree.nodes):
        note = f"Drawn down to depth {cut}: {len(tree.nodes) - len(drawn):,} more nodes are below the dashed boxes."
        marks.append(text(width / 2, bottom + 4, note, SMALL, FAINT, "middle"))
        bottom += MARGIN
    return document(width, bottom, _heading(model, tree), marks, PAPER)


def _arranged(model: Model, tree: Tree, cut: int, full: bool) -> tuple[dict[int, Box], dict[int, float], float]:
    """The boxes down to a depth, the centre of each from the left in px, and how wide all are together."""
    boxes = boxes_of(model, tree, cut, full)
    drawn = [tree.nodes[number] for number in boxes]
    centres = tidy_layout(
        {n.node_id: None if n.is_leaf or n.depth == cut else (n.left_id, n.right_id) for n in drawn},
        {number: box.width for number, box in boxes.items()},
        GAP,
    )
    return boxes, centres, max(centre + boxes[number].width / 2 for number, centre in centres.items())


def readable_depth(tree: Tree) -> int:
    """The greatest depth down to which a picture has at most `MOST_NODES` nodes."""
    counts: dict[int, int] = {}
    for node in tree.nodes.values():
        counts[node.depth] = counts.get(node.depth, 0) + 1
    total = 0
    for depth in sorted(counts):
        total += counts[depth]
        if total > MOST_NODES:
            return depth - 1
    return max(counts)


def _heading(model: Model, tree: Tree) -> str:
    place = f", {group_text(model, tree)}" if model.grouping_columns else ""
    size = f"{count_text(tree.nodes[0].n_rows, 'row', ',')}, {count_text(_leaves(tree), 'leaf', ',')}"
    return f"{heading(model, model.target)}{place}: {size}"


def _leaves(tree: Tree) -> int:
    return sum(node.is_leaf for node in tree.nodes.values())


def _title(model: Model, tree: Tree, width: float) -> Iterator[tuple[str, float]]:
    line = fitted(one_line(_heading(model, tree)), HEADING * BOLD, width - 2 * MARGIN)
    yield text(MARGIN, 12, line, HEADING, INK, weight=600), 26.0


def _legend(model: Model, tree: Tree, width: float) -> Iterator[tuple[str, float]]:
    """Rows of the classes' colours and names, from left to right."""
    if not model.has_class_leaves:
        return
    colours = class_colours(tree.nodes[0].class_weights or ())
    entries = [(c, category_text(name)) for c, name in zip(colours, model.classes, strict=True) if c != OTHERS]
    others = colours.count(OTHERS)
    if others:
        entries.append((OTHERS, f"{others:,} other classes"))
    row, x = "", MARGIN
    for colour, name in entries:
        shown = fitted(name, SMALL, LEGEND_ENTRY)
        wide = 16 + text_width(shown, SMALL) + 14
        if row and x + wide > width - MARGIN:
            yield row, 18.0
            row, x = "", MARGIN
        row += rect(x, 1, 11, 11, colour, 2) + text(x + 16, 11, shown, SMALL, FAINT)
        x += wide
    yield row, 30.0


def _edge(tree: Tree, node: Node, places: dict[int, float], top: float) -> str:
    """The edge that leads to a node from its parent, and which answer it stands for."""
    parent = tree.nodes[(node.node_id - 1) // 2]
    share = node.n_rows / tree.nodes[0].n_rows if tree.nodes[0].n_rows else 0.0
    y = top + parent.depth * LEVEL_HEIGHT + BOX_HEIGHT
    to_y = top + node.depth * LEVEL_HEIGHT
    x, to_x = places[parent.node_id], places[node.node_id]
    answer = "yes" if node.node_id % 2 else "no"
    label_x, label_y = (x + 3 * to_x) / 4, y + (to_y - y) * 0.62
    wide = text_width(answer, SMALL) + 8
    return (
        band(x, y, to_x, to_y, LINE, max(THINNEST, THICKEST * share))
        + rect(label_x - wide / 2, label_y - 9, wide, 13, PAPER, 6)
        + text(label_x, label_y + 1, answer, SMALL, FAINT, "middle")
    )


def _node(box: Box, node: Node, centre: float, top: float) -> str:
    x, y = centre - box.width / 2, top + node.depth * LEVEL_HEIGHT
    cut = ' stroke-dasharray="4 3"' if box.is_cut else ""
    fill = "#F6F8FA" if node.is_leaf else PAPER
    marks = [rect(x, y, box.width, BOX_HEIGHT, fill, 8, f'stroke="#8C959F" stroke-width="1"{cut}')]
    marks.append(text(centre, y + 20, box.heading, HEADING, INK, "middle", 600))
    bar_x, at = x + INNER, x + INNER
    inside = box.width - 2 * INNER
    marks.append(rect(bar_x, y + 29, inside, BAR, "#E6EAEE"))
    for colour, share in box.shares:
        marks.append(rect(at, y + 29, inside * share, BAR, colour))
        at += inside * share
    marks.append(text(centre, y + 52, box.detail, SMALL, FAINT, "middle"))
    return group(marks, box.tooltip)
