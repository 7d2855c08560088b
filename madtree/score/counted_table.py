"""The rows of a table, counted by the values of a model's features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import Host
from madtree.learn.data import Floats, Ints, codec
from madtree.learn.walk import Walk
from madtree.model import NewData, UsableModel, casting
from madtree.model.arrays import ModelArrays, keys_of
from madtree.records import dataclass
from madtree.request import Costs
from madtree.score.block_statement import BlockStatement
from madtree.score.case_or_blocks import measure
from madtree.score.new_rows import scan_of
from madtree.score.value_counts import CountedFeatures, ValueCounts
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.relation import Relation
from madtree.sqltext.scoreblocks import BlockScan
from madtree.trees import Feature


@dataclass(frozen=True)
class CountedTable:
    """A table whose rows are counted by their values, and the model whose features these are."""

    opened: UsableModel
    source: Relation
    data: NewData
    given: str
    argument: str

    def counts(self, features: CountedFeatures, costs: Costs, arrays: ModelArrays | None = None) -> ValueCounts:
        """What is counted of all rows; of those that end in each leaf, where the trees are given."""
        host, model = self.opened.host, self.opened.model
        scan = scan_of(self.opened, self.source, self.data, "", "id")
        plan = {**features.to_values(), "grouped": bool(model.grouping_columns), "of_leaves": arrays is not None}
        if arrays is not None:
            plan |= {**Walk.values_of(arrays.trees, 1, host.let_in), "used": arrays.used}
        values = [rows_sql.as_number(scan.features[feature.name]) for feature in model.features]
        blocks = BlockScan.without_ids(scan, values, 0)
        work = measure(self.opened, self.source, 1, costs)
        n_trees = 1 if arrays is None else len(arrays.trees.roots)
        found = ValueCounts.none(features, 0 if arrays is None else len(arrays.trees.child))
        with casting(model, self.data.features, self.given, self.argument):
            for encoded in BlockStatement(host, blocks, "", self.source, work, n_trees).aggregates(codec.dump(plan)):
                host.let_in()
                found = found.and_of(ValueCounts.from_bytes(encoded, features))
        return found


def category_points(host: Host, features: Sequence[Feature], place: int, texts: Sequence[str]) -> tuple[Floats, Ints]:
    """(n,) the keys of a feature's categories, ascending, as `CountedFeatures` has its points; and the place in `texts`
    of each. `place`: of the feature among the model's, from 0.
    """
    keys = keys_of(host, features, np.full(len(texts), place + 1), texts).astype(np.float64)
    points, first = np.unique(keys, return_index=True)
    return points, first
