"""A model as indented text, in MADlib's layout; and its surrogates as text: for each inner node what it asks, and what
is asked where that cannot be answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.render.labels import (
    MOST_COUNTS,
    categories_text,
    group_text,
    leaf_words,
    number_text,
    prediction_text,
    quoted,
    room_for_categories,
    split_text,
    value_text,
    without_noise,
)
from madtree.trees import FeatureKind, Model, Node, Surrogate, Tree

LEGEND = 120  # characters of the classes' names
RULE = " -------------------------------------"
INDENT = "   "
EXPLANATION = """\
 - Each node represented by 'id' inside ().
 - Each internal node has the split condition at the end, while each
        leaf node has a * at the end.
 - For each internal node (i), its child nodes are indented by 1 level
        with ids (2i+1) for True node and (2i+2) for False node."""
CLASSES = """\
 - Number of (weighted) rows for each response variable inside [].
        The response label order is given as [{labels}].
        For each leaf, the prediction is given after the '-->'"""
COUNTING = " - Classes count by class_params: {params}."
NUMBERS = """\
 - Number of rows and {number} inside []. For a leaf node,
        this is {meaning}."""
MEAN = ("average response value", "the prediction")
RATE = ("rate of events", "the prediction: events expected in an exposure of 1")


def model_text(
    model: Model,
    verbose: bool = False,
    full: bool = False,
    between: Callable[[], None] = lambda: None,
    max_depth: int | None = None,
) -> str:
    """The model's trees one below the other, each headed by its group where the model is grouped.

    Args:
        verbose: put a legend before the trees, and add impurity and number of rows to every node, and to splits their
            competitors.
        full: do not shorten long lists of categories and counts.
        between: called after each line, for cancels to be let in.
        max_depth: how deep trees are shown; None for all of them.
    """
    lines = [*_legend(model), RULE] if verbose else [RULE, *_in_brackets(model, full)]
    for tree in model.trees:
        if model.grouping_columns:
            lines.append(f" {group_text(model, tree)}")
        for line in _tree_lines(model, without_noise(model, tree), verbose, full, max_depth):
            between()
            lines.append(line)
        lines.append(RULE)
    return "\n".join(lines) + "\n"


def _in_brackets(model: Model, full: bool) -> list[str]:
    """What stands in brackets."""
    if not model.has_class_leaves:
        what = "" if model.adds_scores else "rate of " if model.of_counts else "mean of "
        return [f" []: rows, {what}{leaf_words(model)}"]
    weighted = "weight" if model.weighted or model.summary.get("class_params") else "rows"
    if len(model.classes) > MOST_COUNTS and not full:
        return [f" []: {weighted} by class, the most frequent first; {len(model.classes)} classes"]
    return [f" []: {weighted} by class: {categories_text(model.classes, None if full else LEGEND)}"]


def _legend(model: Model) -> list[str]:
    labels = ", ".join(map(quoted, model.classes))
    if not model.has_class_leaves:
        number, meaning = ("a number", leaf_words(model)) if model.adds_scores else RATE if model.of_counts else MEAN
        return [RULE, EXPLANATION, NUMBERS.format(number=number, meaning=meaning)]
    params = model.summary.get("class_params")
    counting = [COUNTING.format(params=params)] if params else []
    return [RULE, EXPLANATION, CLASSES.format(labels=labels), *counting]


def _tree_lines(model: Model, tree: Tree, verbose: bool, full: bool, max_depth: int | None) -> Iterator[str]:
    if not tree.nodes:
        yield " (no tree could be trained for this group)"
        return
    below = {} if max_depth is None else tree.leaves_below(max_depth)
    waiting = [0]
    while waiting:
        node = tree.nodes[waiting.pop()]
        yield _node_line(model, node, verbose, full, below.get(node.node_id, 0))
        if node.node_id in below:
            continue
        for rank, other in enumerate(node.competitors if verbose else (), 1):
            asked = split_text(other, model.feature(other.feature), room_for_categories(full))
            gain = number_text(other.improvement)
            yield f" {INDENT * node.depth}   competitor {rank}: {asked}  (improvement = {gain})"
        if not node.is_leaf:
            waiting += [node.right_id, node.left_id]


def _node_line(model: Model, node: Node, verbose: bool, full: bool, below: int) -> str:
    """`below`: leaves of a node whose children are not shown, else 0."""
    line = f" {INDENT * node.depth}({node.node_id}){value_text(model, node, full)}  "
    if below:
        line += f"... {below} leaves below"
    elif not node.is_leaf:
        line += split_text(node, model.feature(str(node.feature)), room_for_categories(full))
    elif model.has_class_leaves:
        line += f"* --> {prediction_text(model, node)}"
    else:
        line += "*"
    if verbose:
        gain = f", improvement = {number_text(node.improvement or 0.0)}" if node.competitors else ""
        line += f"  (impurity = {number_text(node.impurity)}, samples = {node.n_rows}{gain})"
    return line


SURROGATES_EXPLAINED = """\
 - Each internal node is represented by 'id' inside (), with its split.
 - Below it, in the order in which they are asked, are the surrogates that
        send a row to the True node; in [] are the agreement with the split
        and the agreement adjusted for what the majority would reach.
 - A row that no surrogate can send goes with the majority branch."""


def surrogates_text(model: Model, full: bool = False, between: Callable[[], None] = lambda: None) -> str:
    """All trees one below the other, each headed by its group where the model is grouped.

    Args:
        full: do not shorten long lists of categories.
        between: called before each node, for cancels to be let in.
    """
    lines = [RULE, SURROGATES_EXPLAINED, RULE]
    for tree in model.trees:
        if model.grouping_columns:
            lines.append(f" {group_text(model, tree)}")
        inner = [node for _, node in sorted(tree.nodes.items()) if not node.is_leaf]
        if not inner:
            lines.append(" (no splits)")
        for node in inner:
            between()
            lines.extend(_node_lines(model, node, room_for_categories(full)))
        lines.append(RULE)
    return "\n".join(lines) + "\n"


def _node_lines(model: Model, node: Node, room: int | None) -> Iterator[str]:
    yield f" ({node.node_id})  {split_text(node, model.feature(str(node.feature)), room)}"
    for rank, surrogate in enumerate(node.surrogates, 1):
        scores = f"{number_text(surrogate.agreement)}, {number_text(surrogate.adjusted_agreement)}"
        yield f"       {rank}: {_true_branch(model, surrogate, room)}  [{scores}]"
    branch = f"({node.left_id}), the True node" if node.majority_left else f"({node.right_id}), the False node"
    yield f"       majority: {branch}"


def _true_branch(model: Model, surrogate: Surrogate, room: int | None) -> str:
    """What rows have in common that a surrogate sends to the True node."""
    feature = model.feature(str(surrogate.feature))
    text = split_text(surrogate, feature, room)
    return text if surrogate.low_goes_left or feature.kind is FeatureKind.UNORDERED else f"not {text}"
