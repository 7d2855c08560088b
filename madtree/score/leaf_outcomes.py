"""An outcome for each leaf of trees that have just been trained: that of one of the training rows which come to it.

Which one a hash of its id says, so it is the same wherever rows lie and whoever reads them. Rows in and out of a tree's
bag are drawn alike, as ranger does: the former alone, by which the tree was grown, would be too close to its means.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.host import Host
from madtree.learn.data import Floats, Ints
from madtree.learn.walk import FlatTrees
from madtree.model import find_own
from madtree.model.arrays import ModelArrays, read_arrays
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.score.block_plan import LeafDraws, MemberValues, build_plan
from madtree.score.block_statement import BLOCK_BYTES, BLOCK_ROWS, BlockStatement
from madtree.score.case_or_blocks import Work, measure
from madtree.score.leaf_draws import lower_all
from madtree.score.member_scorer import LEAF_OUTCOME_BYTES, LEAF_OUTCOMES
from madtree.score.tested_rows import TestedRows, with_outcomes
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.scoreblocks import BlockScan

WAVE_BYTES = 256 * 2**20  # of what all blocks say of some trees at once


@dataclass(frozen=True)
class LeafOutcomes:
    """Outcomes of all leaves.

    Attributes:
        tree_id, n_leaves: (n_trees,) of the trees in order of their ids.
        outcomes: those of the first tree's leaves, in order of the leaves' ids, then those of the second one's.
    """

    tree_id: Ints
    n_leaves: Ints
    outcomes: Floats


def draw_leaf_outcomes(host: Host, task: TrainingTask, wave_bytes: int = WAVE_BYTES) -> LeafOutcomes:
    """Those of the model that `task` has just trained. A leaf whose rows have gone in the meantime has its mean.

    Args:
        wave_bytes: by which it is decided how many trees are asked in one pass over the table.
    """
    opened = find_own(host, task.output_schema, task.output_name)
    model = opened.model
    argument = "training_table_name"
    given = task.arguments.training_table_name
    rows = with_outcomes(opened, task.source, given, with_id=False, argument=argument)
    rows = rows.of_training()
    arrays = read_arrays(opened)
    nodes = arrays.nodes
    is_leaf = nodes["feature"] == 0
    work = measure(rows, 1, task.tuning.costs)
    least = np.full(len(is_leaf), np.inf)
    found = nodes["prediction"].astype(np.float64)
    n_numbers = len(rows.data.features) + 3
    sizes = most_leaves(arrays), LEAF_OUTCOME_BYTES, wave_bytes
    for first, last in waves(model.n_members, work.rows, n_numbers, *sizes):
        for encoded in _aggregates_of_trees(task, rows, arrays, work, first, last):
            host.let_in()
            lower_all(least, found, encoded)
    tree_id, n_leaves = np.unique(nodes["tree_id"][is_leaf], return_counts=True)
    return LeafOutcomes(tree_id, n_leaves, found[is_leaf])


def most_leaves(arrays: ModelArrays) -> int:
    """Of a tree."""
    tree = arrays.nodes["tree_id"][arrays.nodes["feature"] == 0]
    return int(np.unique(tree, return_counts=True)[1].max(initial=1))


def waves(
    members: int, n_rows: float, n_numbers: int, cells: int, cell_bytes: int, wave_bytes: int
) -> Iterator[tuple[int, int]]:
    """From which tree of each group to which one a pass over the table asks.

    Args:
        n_numbers: of a row.
        cells: of a tree, that a block tells of, and `cell_bytes` of each: but of no more than it has rows.
        wave_bytes: of what all blocks tell in a pass.
    """
    n_waves = 1
    while n_waves < members:
        n_together = -(-members // n_waves)
        in_block = min(BLOCK_ROWS[1], BLOCK_BYTES // (8 * n_numbers + cell_bytes * n_together))
        n_blocks = n_rows // max(in_block, 1) + 1
        if n_blocks * min(in_block, cells) * n_together * cell_bytes <= wave_bytes:
            break
        n_waves *= 2
    n_together = -(-members // min(n_waves, members))
    for first in range(0, members, n_together):
        yield first, min(first + n_together, members)


def _aggregates_of_trees(
    task: TrainingTask, rows: TestedRows, arrays: ModelArrays, work: Work, first: int, last: int
) -> Iterator[bytes]:
    """What the blocks of rows say of some trees."""
    opened, model, scan = rows.opened, rows.opened.model, rows.scan(id_name="id")
    draws = LeafDraws(task.parameters.seed, model.weighted, first, last)
    encoded = MemberValues(model.n_members, LEAF_OUTCOMES, 0, np.zeros((0, 0)), draws=draws)
    trees: FlatTrees = arrays.trees
    plan = build_plan(trees, encoded, grouped=bool(model.grouping_columns), between=opened.host.let_in)
    numbers = [rows_sql.as_number(scan.features[feature.name]) for feature in model.features]
    outcome, weight = rows.outcome_and_weight()
    identity = rows_sql.identity_number(task.id_sql, task.id_type, task.id_writer)
    values = [*(numbers[position] for position in arrays.used), outcome, weight, identity]
    size = LEAF_OUTCOME_BYTES * (last - first)
    blocks = BlockScan.without_ids(scan, values, size)
    return BlockStatement(opened.host, blocks, "", task.source, work, len(trees.roots)).aggregates(plan)
