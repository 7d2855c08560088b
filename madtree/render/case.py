"""A tree as a nested CASE."""

from __future__ import annotations

from collections.abc import Callable

from madtree.trees import Node, Tree


def nested_case(
    tree: Tree,
    against_majority: Callable[[Node], str],
    outcome: Callable[[Node], str],
    margin: str | None = None,
    *,
    joins: bool = False,
) -> str:
    """One CASE per inner node; the majority's branch is its ELSE, where rows go that the condition cannot tell.

    Args:
        tree: with at least one node.
        against_majority: an inner node's condition, true for the rows of the branch other than the majority's.
        outcome: a leaf's value.
        margin: white space before every line; None puts everything on one line.
        joins: whether a node whose two sides say the same is not asked.
    """

    def write(node: Node, depth: int) -> str:
        if node.is_leaf:
            return outcome(node)
        left, right = tree.nodes[node.left_id], tree.nodes[node.right_id]
        minority, majority = (right, left) if node.majority_left else (left, right)
        line = " " if margin is None else f"\n{margin}{'    ' * depth}"
        said, otherwise = write(minority, depth + 1), write(majority, depth + 1)
        if joins and said == otherwise:
            return said
        return f"CASE WHEN {against_majority(node)}{line}THEN {said}{line}ELSE {otherwise} END"

    return write(tree.nodes[0], 1)
