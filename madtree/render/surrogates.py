"""A model's surrogates as text: for each inner node what it asks, and what is asked where that cannot be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.render.labels import group_text, number_text, room_for_categories, split_text
from madtree.trees import Kind, Model, Node, Surrogate

RULE = " -------------------------------------"
EXPLANATION = """\
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
    lines = [RULE, EXPLANATION, RULE]
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
    return text if surrogate.low_goes_left or feature.kind is Kind.UNORDERED else f"not {text}"
