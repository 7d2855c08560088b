"""Scores a table by blocks, where `case_or_blocks` finds that quicker than one CASE, as for models of many leaves.

Reads the model's trees as arrays, makes the plan, and runs the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from madtree.model import UsableModel
from madtree.model.arrays import ModelArrays, read_arrays
from madtree.records import dataclass
from madtree.request import Type
from madtree.score.block_plan import Drawn, build_plan
from madtree.score.block_statement import BlockStatement
from madtree.score.boosted_outcomes import numbers_beside
from madtree.score.case_or_blocks import Work
from madtree.score.kinds import SCORING
from madtree.score.outcomes import Outcomes, ScoredLeaves
from madtree.sqltext import predict as sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.predict import Output, Scan
from madtree.sqltext.relation import Relation
from madtree.sqltext.scoreblocks import BlockScan
from madtree.sqltext.typenames import type_sql


@dataclass(frozen=True)
class ScoredRows:
    """Rows scored by blocks as a query, with the SQL types and values of its parameters."""

    query: str
    types: list[str]
    params: list[Any]


@dataclass(frozen=True)
class RowOutput:
    """What rows come to, where that is no prediction.

    Attributes:
        columns: of nodes that it takes, beside those of a walk.
        outcomes: what rows come to.
        shown: of `BlockScan`, by the scan.
    """

    columns: Sequence[str]
    outcomes: Callable[[ModelArrays], Outcomes]
    shown: Callable[[Scan], Sequence[str]] | None = None


@dataclass(frozen=True)
class BlockScoring:
    """A table to be scored by blocks.

    Attributes:
        opened: by which it is.
        type_: of prediction, which `outputs` are the columns of.
        source: the new data, which `scan` reads.
        id_type: of the id.
        work: of scoring the source.
        drawn: for `OUT_OF_BAG`, else None.
        n_rounds, level: as of `ScoredLeaves`.
        row_output: what is asked in the place of a prediction.
        beside: whether the target is distributed by the id, beside the source.
    """

    opened: UsableModel
    type_: str
    source: Relation
    scan: Scan
    id_type: Type
    outputs: Sequence[Output]
    work: Work
    drawn: Drawn | None = None
    n_rounds: int | None = None
    level: float | None = None
    row_output: RowOutput | None = None
    beside: bool = False

    def create(self) -> int:
        """Create the scan's target; returns the number of its rows.

        Raises:
            MadtreeError: the model's nodes are not whole trees.
        """
        statement, plan = self._statement()
        return statement.create(plan)

    def rows(self, most_bytes: int) -> ScoredRows:
        """The target's rows for one process, where it cannot be created.

        Raises:
            MadtreeError: as `create`; or rows that were scored outside of the server have more than `most_bytes`.
        """
        statement, plan = self._statement()
        return ScoredRows(*statement.query(plan, most_bytes))

    def _statement(self) -> tuple[BlockStatement, bytes]:
        """The statement, and the plan."""
        host, model, scan = self.opened.host, self.opened.model, self.scan
        arrays, of_rows = self._outcomes()
        trees = arrays.trees
        features = [model.features[position] for position in arrays.used]
        host.let_in()
        plan = build_plan(trees, of_rows.of_node, grouped=bool(model.grouping_columns), between=host.let_in)
        values = [rows_sql.as_number(scan.features[feature.name]) for feature in features]
        values += numbers_beside(of_rows.of_node, scan)
        blocks = BlockScan(
            scan,
            values if self.drawn is None else [*values, self.drawn.identity],
            [(output.name, expression) for output, expression in zip(self.outputs, of_rows.expressions, strict=True)],
            of_rows.parts,
            of_rows.row_bytes,
            type_sql(self.id_type.name),
            self.id_type.is_array,
            of_rows.entries,
            of_rows.condition,
            self.row_output.shown(scan) if self.row_output and self.row_output.shown else [],
        )
        n_trees = len(trees.roots)
        if host.source is host:
            empty = sql.create_empty(scan, self.outputs)
        else:
            empty = sql.create_typed(scan, type_sql(self.id_type.name), self.outputs)
        columns = [(scan.id_name, type_sql(self.id_type.name)), *((each.name, each.type) for each in self.outputs)]
        return BlockStatement(host, blocks, empty, self.source, self.work, n_trees, columns, self.beside), plan

    def _outcomes(self) -> tuple[ModelArrays, Outcomes]:
        """The model's trees, and what rows come to."""
        opened, row_output = self.opened, self.row_output
        if row_output is not None:
            arrays = read_arrays(opened, row_output.columns)
            return arrays, row_output.outcomes(arrays)
        with_shares = self.type_ in SCORING[opened.model.kind].by_shares
        arrays = read_arrays(opened, ["class_weights"] if with_shares else [])
        of_rows = ScoredLeaves(opened, self.type_, arrays.nodes, self.outputs, self.drawn, self.n_rounds, self.level)
        return arrays, SCORING[opened.model.kind].outcomes(of_rows)
