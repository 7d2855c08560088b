"""The rows of a table, counted by the values of a model's features."""

from __future__ import annotations

from madtree.learn.data import codec
from madtree.learn.walk import Walk
from madtree.model.arrays import ModelArrays
from madtree.request import Costs
from madtree.score.block_statement import BlockStatement
from madtree.score.case_or_blocks import measure
from madtree.score.new_rows import NewRows
from madtree.score.value_counts import CountedFeatures, ValueCounts
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.scoreblocks import BlockScan


def counts_of(
    table: NewRows, features: CountedFeatures, costs: Costs, arrays: ModelArrays | None = None
) -> ValueCounts:
    """What is counted of all rows of a table by their values; of those that end in each leaf, where the trees are
    given.
    """
    host, model = table.opened.host, table.opened.model
    scan = table.scan(id_name="id")
    plan = {**features.to_values(), "grouped": bool(model.grouping_columns), "of_leaves": arrays is not None}
    if arrays is not None:
        plan |= {**Walk.values_of(arrays.trees, 1, host.let_in), "used": arrays.used}
    values = [rows_sql.as_number(scan.features[feature.name]) for feature in model.features]
    blocks = BlockScan.without_ids(scan, values, 0)
    work = measure(table, 1, costs)
    n_trees = 1 if arrays is None else len(arrays.trees.roots)
    found = ValueCounts.none(features, 0 if arrays is None else len(arrays.trees.child))
    with table.casting():
        for encoded in BlockStatement(host, blocks, "", table.source, work, n_trees).aggregates(codec.dump(plan)):
            host.let_in()
            found = found.and_of(ValueCounts.from_bytes(encoded, features))
    return found
