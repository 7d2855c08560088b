"""What rows come to: what the block scorer gives for them, and how its bytes become columns; of single trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import watching
from madtree.learn.data import Array, Ints, unsigned
from madtree.model import UsableModel, probabilities
from madtree.model.arrays import class_weights
from madtree.records import dataclass
from madtree.score.block_plan import Drawn, MemberValues
from madtree.sqltext import predict as sql
from madtree.sqltext.outcome_numbers import pick
from madtree.sqltext.predict import Output
from madtree.trees import Model

Part = tuple[str, int, int]
_MOST_SHARES = 2**24  # of classes in leaves, that a statement has


@dataclass(frozen=True)
class Outcomes:
    """What rows come to.

    Attributes:
        of_node: what each node as a leaf says, as `build_plan` takes it.
        parts, row_bytes: the numbers that the block scorer gives for each row (`BlockScan.parts`), and their bytes.
        expressions: for each output, over these numbers.
        entries, condition: rows of the target for each row, and which of them there are (as `BlockScan` has it).
    """

    of_node: Ints | MemberValues
    parts: list[Part]
    row_bytes: int
    expressions: list[str]
    entries: int = 1
    condition: str = ""

    @classmethod
    def of_tree(cls, of_node: Ints, expressions: list[str]) -> Outcomes:
        """Those of single trees, of whose leaves (n_nodes,) each has a position from 1."""
        size = unsigned(int(of_node.max(initial=0))).itemsize
        return cls(of_node, [("outcome", 0, size)], size, expressions)


@dataclass(frozen=True)
class ScoredLeaves:
    """What a model's leaves say, from which outcomes are made.

    Attributes:
        type_: of prediction.
        nodes: columns of all nodes (n_nodes,), in order of tree and id; of some types also `class_weights`.
        outputs: the columns of predictions.
        drawn: for `OUT_OF_BAG`, else None.
        n_rounds: of a boosted model those that are asked, from the first one on; None for all.
        level: of an interval the share of outcomes that lie in it.
    """

    opened: UsableModel
    type_: str
    nodes: Mapping[str, Array]
    outputs: Sequence[Output]
    drawn: Drawn | None = None
    n_rounds: int | None = None
    level: float | None = None


def outcomes_of_tree(leaves: ScoredLeaves) -> Outcomes:
    """A row comes to one leaf of its tree."""
    model, type_, nodes = leaves.opened.model, leaves.type_, leaves.nodes
    if type_ == "response" and model.is_classification:
        return Outcomes.of_tree(nodes["prediction"], [pick(sql.class_array(model.classes, model.dependent_type))])
    is_leaf = nodes["feature"] == 0
    each = np.where(is_leaf, np.cumsum(is_leaf), 0)
    if type_ in ("leaf", "response"):
        write, column = (sql.integer_array, "node_id") if type_ == "leaf" else (sql.number_array, "prediction")
        return Outcomes.of_tree(each, [pick(write(nodes[column][is_leaf].tolist()))])
    check_shares(model, int(is_leaf.sum()))
    weights = class_weights(leaves.opened, len(is_leaf))[is_leaf].tolist()
    by_class = list(zip(*map(watching(leaves.opened.host, probabilities), weights), strict=True))
    whole = len(leaves.outputs) == 1 and leaves.outputs[0].type.endswith("[]")
    picks = [pick(sql.number_array(shares)) for shares in by_class]
    expressions = (
        [f"CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN ARRAY[{', '.join(picks)}] END"] if whole else picks
    )
    return Outcomes.of_tree(each, expressions)


def check_shares(model: Model, n_leaves: int) -> None:
    """Raises MadtreeError where what so many leaves say of all classes is too much for a statement."""
    if (size := n_leaves * len(model.classes)) > _MOST_SHARES:
        raise MadtreeError(
            f"{model.name} has {size:,} probabilities in its leaves, and at most {_MOST_SHARES:,} become SQL",
            hint="Ask for type 'response'.",
            sqlstate="54000",
        )
