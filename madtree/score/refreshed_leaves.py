"""What other rows than those of its training say in the nodes of a model whose leaves follow from sums over rows: all
rows go down all trees of their group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from madtree.host import Host
from madtree.learn.data import Ints
from madtree.learn.walk import inner_by_level
from madtree.model import UsableModel, output_columns, read_trees
from madtree.model.arrays import ModelArrays, RefreshedGroups, RefreshedNodes, read_arrays
from madtree.records import dataclass
from madtree.request import COSTS, Costs
from madtree.score.block_plan import MemberValues, SummedLeaves, build_plan
from madtree.score.block_statement import BlockStatement
from madtree.score.case_or_blocks import Work, measure
from madtree.score.leaf_outcomes import WAVE_BYTES, most_leaves, waves
from madtree.score.leaf_sums import LEAF_SUM, LeafSums
from madtree.score.member_scorer import LEAF_SUMS
from madtree.score.tested_rows import TestedRows, tested_rows
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.cells import counts_by_case
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.scoreblocks import BlockScan
from madtree.trees import Joining, Model, Tree

_RECORDS = 3  # that are told of a leaf, about


@dataclass(frozen=True)
class _Nodes:
    """Where the nodes of trees stand among all, which are in order of tree and id.

    Attributes:
        child: (n_nodes,) the place of the left child, and after it the right one's; of a leaf its own.
        roots: (n_trees,) places.
    """

    tree_id: Ints
    node_id: Ints
    child: Ints
    roots: Ints

    @classmethod
    def of(cls, tree: Tree) -> _Nodes:
        """Those of one tree."""
        nodes = [node for _, node in sorted(tree.nodes.items())]
        node_id = np.array([node.node_id for node in nodes], np.int64)
        left = np.array([node.node_id if node.is_leaf else node.left_id for node in nodes], np.int64)
        return cls(np.full(len(nodes), tree.tree_id), node_id, np.searchsorted(node_id, left), np.zeros(1, np.int64))


def rows_by_blocks(tested: TestedRows, used: Ints, behind: Sequence[str], row_bytes: int, work: Work) -> BlockStatement:
    """How rows whose outcome is known are read and scored by blocks.

    Args:
        used: the features that trees use, by their positions in the model.
        behind: SQL of the numbers that rows have behind these.
        row_bytes: that the scorer says of a row, at most.
        work: of scoring them.
    """
    opened, scan = tested.opened, tested.scan(id_name="id")
    numbers = [rows_sql.as_number(scan.features[feature.name]) for feature in opened.model.features]
    values = [*(numbers[position] for position in used), *behind]
    blocks = BlockScan.without_ids(scan, values, row_bytes)
    return BlockStatement(opened.host, blocks, "", tested.source, work, 1)


def refreshed_nodes(
    opened: UsableModel,
    table: str | None,
    argument: str,
    costs: Costs = COSTS,
    wave_bytes: int = WAVE_BYTES,
    in_blocks: bool | None = None,
) -> RefreshedNodes:
    """What the rows of a table say in the nodes of a model none of whose trees depends on another one.

    Args:
        in_blocks: whether rows are scored by blocks or, where that is possible, by one expression; None lets
            `score.case_or_blocks` decide.
        wave_bytes: by which it is decided how many trees of a group are asked in one pass over the table.

    Raises:
        MadtreeError: there is no such table, it lacks a column, or a weight or outcome in it is out of range.
    """
    host, model = opened.host, opened.model
    tested = tested_rows(opened, table, with_id=False, argument=argument)
    work = measure(tested, 1, costs)
    width = max(len(model.classes), 1)
    if _is_counted_by_case(model, work, in_blocks):
        (tree,) = read_trees(opened)
        nodes, query = _Nodes.of(tree), _by_case(tested, tree)
        sums = LeafSums.none(len(nodes.node_id) * width)
        with tested.casting():
            for row in host.source.query(query):
                if row["actual"] is not None:
                    cell = np.searchsorted(nodes.node_id, row["leaf"]) * width + int(row["actual"])
                    sums.rows.of_power(0)[cell] += row["n"]
    else:
        arrays = read_arrays(opened)
        trees = arrays.trees
        nodes = _Nodes(trees.tree_id, trees.node_id, trees.child, trees.roots)
        sums = LeafSums.none(len(nodes.node_id) * width)
        if len(nodes.node_id):
            with tested.casting():
                for encoded in _aggregates_of_trees(tested, arrays, work, wave_bytes):
                    host.let_in()
                    sums.add(encoded)
    bad = {"bad_weights": int(sums.unfit[0]), "bad_actuals": int(sums.unfit[1])}
    tested.checked([bad])
    return _of_all_nodes(host, model, nodes, sums, width)


def _is_counted_by_case(model: Model, work: Work, in_blocks: bool | None) -> bool:
    """Whether PostgreSQL counts the rows of each leaf and class sooner, by an expression of the tree: its workers need
    not load Python. Where sums are no counts, or there are several trees, rows are scored by blocks.
    """
    if model.kind.joining is not Joining.NONE or not model.is_classification or model.weighted or model.grouping:
        return False
    return not work.of_cluster and not (work.in_blocks if in_blocks is None else in_blocks)


def _by_case(tested: TestedRows, tree: Tree) -> str:
    """The query for the rows of each leaf and class."""
    (leaf,) = output_columns(tested.opened.model, "leaf", QUALIFIED)
    outcome, _ = tested.outcome_and_weight()
    return counts_by_case(tested.scan(), tree, leaf, tested.where_trained(outcome))


def _aggregates_of_trees(tested: TestedRows, arrays: ModelArrays, work: Work, wave_bytes: int) -> Iterator[bytes]:
    """What the blocks of rows say of all trees, some of which are asked in each pass."""
    opened, model = tested.opened, tested.opened.model
    members, leaf_bytes = model.n_members, _RECORDS * LEAF_SUM.itemsize
    outcome, weight = tested.outcome_and_weight()
    of_trained = tested.where_trained(outcome)  # of a row without any feature none
    # What is not sent takes no time: a weight that all rows have, and whether a row has some feature, where blocks have
    # all of them.
    with_some = len(arrays.used) == len(model.features) and of_trained != outcome
    behind = [outcome if with_some else of_trained, *[weight] * model.weighted]
    statement = rows_by_blocks(tested, arrays.used, behind, leaf_bytes, work)
    cells = most_leaves(arrays) * max(len(model.classes), 1)
    for first, last in waves(members, statement.work.rows, len(statement.blocks.values), cells, leaf_bytes, wave_bytes):
        summed = SummedLeaves(len(model.classes), model.weighted, first, last, with_some)
        values = MemberValues(members, LEAF_SUMS, 0, np.zeros((0, 0)), draws=summed)
        plan = build_plan(arrays.trees, values, grouped=bool(model.grouping_columns), between=opened.host.let_in)
        blocks = replace(statement.blocks, outcome_bytes=leaf_bytes * (last - first))
        yield from replace(statement, blocks=blocks, n_trees=len(arrays.trees.roots)).aggregates(plan)


def _of_all_nodes(host: Host, model: Model, trees: _Nodes, sums: LeafSums, width: int) -> RefreshedNodes:
    """Sums of leaves become those of all nodes, and what these say."""
    levels = inner_by_level(trees.child, trees.roots)[::-1]
    for part in (sums.rows, sums.weight, sums.total):
        for counts in part.by_power.values():
            of_nodes = counts.reshape(-1, width)
            for nodes in levels:
                host.let_in()
                left = trees.child.take(nodes)
                of_nodes[nodes] = of_nodes.take(left, axis=0) + of_nodes.take(left + 1, axis=0)
    rows = sums.rows.of_power(0).reshape(-1, width)
    n_rows = rows.sum(axis=1)
    weights = (sums.weight.totals if model.weighted else sums.rows.totals).reshape(-1, width)
    weight = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        prediction = weights.argmax(axis=1) + 1.0 if model.classes else sums.total.totals / weight
    return RefreshedNodes(
        int(n_rows[trees.roots].sum()) // model.n_members,
        trees.tree_id,
        trees.node_id,
        n_rows,
        weight,
        prediction,
        weights if model.classes else None,
        RefreshedGroups.none(),
    )
