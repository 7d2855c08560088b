"""A model as a graph in graphviz's dot language, in MADlib's layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.render.labels import (
    group_text,
    heading,
    number_text,
    one_line,
    prediction_text,
    room_for_categories,
    split_text,
    value_text,
    without_noise,
)
from madtree.trees import Model, Node, Tree

# Characters of a line in a node. Longer ones could not be read. Of those that are asked for in full there are as many
# as dot takes, which refuses strings of 16 kB: a character has at most 4 bytes, or 5 when it is escaped.
MAX_LINE, MAX_FULL_LINE = 400, 2_400


def model_dot(
    model: Model,
    verbose: bool = False,
    full: bool = False,
    between: Callable[[], None] = lambda: None,
    max_depth: int | None = None,
) -> str:
    """The model as a digraph with a cluster for every tree, labelled with its group where the model is grouped.

    Args:
        verbose: add impurity, number of rows, class weights (or mean) and class to every node.
        full: do not shorten long lists of categories, as far as dot can read them.
        between: called for each tree and line, for cancels to be let in.
        max_depth: how deep trees are drawn; None for all of them.
    """
    lines = [f"digraph {_string(heading(model, model.source_table))} {{"]
    for tree in model.trees:
        between()
        lines.append(f'  subgraph "cluster{tree.tree_id}" {{')
        lines.append(f"    label={_string(group_text(model, tree) if model.grouping_columns else '')};")
        for line in _tree_lines(model, without_noise(model, tree), verbose, full, max_depth):
            between()
            lines.append(f"    {line}")
        lines.append("  } //--- end of subgraph------------")
    lines.append("} //---end of digraph---------")
    return "\n".join(lines) + "\n"


def _tree_lines(model: Model, tree: Tree, verbose: bool, full: bool, max_depth: int | None) -> Iterator[str]:
    if not tree.nodes:
        yield f'"g{tree.tree_id}_0" [label="no tree", shape=box];'
    below = {} if max_depth is None else tree.leaves_below(max_depth)
    for node in sorted(tree.nodes.values(), key=lambda node: node.node_id):
        if max_depth is not None and node.depth > max_depth:
            continue
        name = f"g{tree.tree_id}_{node.node_id}"
        shape = "box" if node.is_leaf else "ellipse"
        words = _node_words(model, node, verbose, full)
        if node.node_id in below:
            left_out = f"... {below[node.node_id]} leaves below"
            words, shape = [prediction_text(model, node), *words[1:], left_out], "box, style=dashed"
        yield f'"{name}" [label={_string(*words, full=full)}, shape={shape}];'
        if not node.is_leaf and node.node_id not in below:
            yield f'"{name}" -> "g{tree.tree_id}_{node.left_id}" [label="yes"];'
            yield f'"{name}" -> "g{tree.tree_id}_{node.right_id}" [label="no"];'


def _node_words(model: Model, node: Node, verbose: bool, full: bool) -> list[str]:
    """The lines of a node's label."""
    if node.is_leaf:
        words = [prediction_text(model, node)]
    else:
        words = [split_text(node, model.feature(str(node.feature)), room_for_categories(full))]
    if verbose:
        words += [f"impurity = {number_text(node.impurity)}", f"samples = {node.n_rows}"]
        words.append(
            f"value = {value_text(model, node, full) if model.has_class_leaves else prediction_text(model, node)}"
        )
        if model.has_class_leaves and not node.is_leaf:
            words.append(f"class = {prediction_text(model, node)}")
    return words


def _string(*lines: str, full: bool = False) -> str:
    r"""Lines of text as a quoted string of the dot language.

    A backslash would start an escape (\N is the node's name) and an ampersand an HTML entity, also in plain labels.
    """
    escaped = (
        _shortened(one_line(line), MAX_FULL_LINE if full else MAX_LINE)
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        .replace("&", "&amp;")
        for line in lines
    )
    return '"' + "\\n".join(escaped) + '"'


def _shortened(line: str, length: int) -> str:
    return line if len(line) <= length else line[:length] + "..."
