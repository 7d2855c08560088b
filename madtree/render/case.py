"""A tree as a nested CASE."""

from __future__ import annotations

from collections.abc import Callable

from madtree.records import dataclass
from madtree.trees import Node, Tree


@dataclass(frozen=True)
class Asked:
    """What a node asks of a row.

    Attributes:
        condition: true for the rows of one branch; false or NULL for all others, which take the other one.
        goes_left: whether it is the left branch.
        tells: whether the rows for which it is true have a value of the node's feature.
    """

    condition: str
    goes_left: bool
    tells: bool


def nested_case(
    tree: Tree,
    ask: Callable[[Node, bool], Asked],
    outcome: Callable[[Node], str],
    margin: str | None = None,
    *,
    joins: bool = False,
) -> str:
    """One CASE per inner node.

    Args:
        tree: with at least one node.
        ask: what an inner node asks, of rows that may lack its feature, or of such as are known to have it.
        outcome: a leaf's value.
        margin: white space before every line; None puts everything on one line.
        joins: whether a node whose two sides say the same is not asked.
    """

    def write(node: Node, depth: int, known: frozenset[str | None]) -> str:
        if node.is_leaf:
            return outcome(node)
        question = ask(node, node.feature in known)
        left, right = tree.nodes[node.left_id], tree.nodes[node.right_id]
        one, other = (left, right) if question.goes_left else (right, left)
        line = " " if margin is None else f"\n{margin}{'    ' * depth}"
        told = known | {node.feature} if question.tells else known
        said, otherwise = write(one, depth + 1, told), write(other, depth + 1, known)
        if joins and said == otherwise:
            return said
        return f"CASE WHEN {question.condition}{line}THEN {said}{line}ELSE {otherwise} END"

    return write(tree.nodes[0], 1, frozenset())
