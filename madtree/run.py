"""One training run: from a checked task to trained trees, by whichever way suits the number of rows."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

import numpy as np

from madtree import blocks
from madtree.batch import Batch
from madtree.blocks import GrowPlan
from madtree.core.grow import LevelReport, grow
from madtree.core.outcome import conclude
from madtree.core.packing import RowFormat
from madtree.core.params import EXACT_LIMIT
from madtree.core.prepare import Scale
from madtree.core.problem import Problem
from madtree.core.types import Ints
from madtree.edges import EdgeFinder, binned_features
from madtree.host.protocol import Host
from madtree.model import Kind
from madtree.pages import PageRanges
from madtree.profile import Groups, Levels, Profile, no_usable_row, read_groups, read_levels, read_profile
from madtree.source import TableSource
from madtree.sqltext import rows as rows_sql
from madtree.sqltext import work as work_sql
from madtree.sqltext.quote import is_plain_name
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.task import TrainingTask

BLOCK_ROWS = 65_536
_BLOCK_BYTES = 32 * 2**20  # of a block's raw numbers: a wide table has fewer rows in a block
_MIN_BLOCK_ROWS = 1_024
_BYTEA = "pg_catalog.bytea"
_OID = "pg_catalog.oid"


class Run:
    """One call's rows, on their way to trained trees."""

    def __init__(self, host: Host, task: TrainingTask) -> None:
        self.host, self.task = host, task
        self.work = WorkTables(task.output_schema, secrets.token_hex(8))
        self.made: list[str] = []  # parts of the work tables that exist
        leaves = [int(row["oid"]) for row in host.query(work_sql.LEAVES, [_OID], [task.source.oid])]
        self.oids = leaves
        relation = work_sql.aliased(task.source.schema, task.source.name) if leaves else self._stage()
        self.source = self._row_source(relation)
        self.profile: Profile = read_profile(host, task, self.source)
        self.levels: list[Levels | None] = read_levels(host, self.source, task.features)
        self.kinds = [feature.kind for feature in task.features]
        self.block_rows = max(_MIN_BLOCK_ROWS, min(BLOCK_ROWS, _BLOCK_BYTES // (8 * self.source.n_columns)))
        self.groups: Groups | None = self._group() if task.grouping else None

    def train(self) -> Batch:
        """All trees; raises MadtreeError where no row can be used."""
        if self.groups is None:
            batches = [self._train_small() if self.profile.usable <= self.block_rows else self._train_large()]
        else:
            batches = self._train_groups(self.groups)
        found = [batch for batch in batches if batch is not None]
        if not found:
            raise no_usable_row(self.task, "every feature is NULL in each of")
        return Batch.join(found)

    def clean_up(self) -> None:
        """Drop the work tables; after an error the end of the transaction does that."""
        if self.made:
            self.host.command(self.work.drop(self.made))

    @property
    def group_table(self) -> str | None:
        return self.work.name("groups") if self.groups is not None else None

    def _stage(self) -> str:
        """Copy rows that cannot be read by page ranges; returns the copy's SQL."""
        task = self.task
        names = [f.name for f in task.features] + [task.dependent_sql, *(c.sql for c in task.grouping)]
        names += [task.weights_sql] if task.weights_sql else []
        columns = list(dict.fromkeys(names)) if all(is_plain_name(name) for name in names) else None
        relation = work_sql.aliased(task.source.schema, task.source.name)
        self.host.command(self.work.stage(columns, relation))
        self.made.append("rows")
        self.oids = [int(self.host.query(work_sql.OID_OF, ["pg_catalog.text"], [self.work.name("rows")])[0]["oid"])]
        return self.work.aliased("rows")

    def _row_source(self, relation: str) -> RowSource:
        task = self.task
        target = (
            rows_sql.class_number(task.dependent_sql, task.dependent_type)
            if task.is_classification
            else f"({task.dependent_sql})::pg_catalog.float8"
        )
        return RowSource(
            relation,
            target,
            f"({task.dependent_sql}) IS NOT NULL",
            tuple(rows_sql.as_number(feature) for feature in task.features),
            f"({task.weights_sql})::pg_catalog.float8" if task.weights_sql else None,
            tuple(column.sql for column in task.grouping),
            self.work.name("groups") if task.grouping else None,
        )

    def _group(self) -> Groups:
        table = self.work.name("groups")
        regression = not self.task.is_classification
        self.host.command(rows_sql.group_table(self.work.create, table, self.source, regression, self.block_rows))
        self.made.append("groups")
        return read_groups(self.host, table, self.block_rows)

    def _row_format(self) -> RowFormat:
        keys = [None if levels is None else levels.keys for levels in self.levels]
        return RowFormat(self.groups is not None, self.source.weight is not None, self.profile.class_keys, keys)

    def _grow_plan(self) -> GrowPlan:
        return GrowPlan(self._row_format(), self.kinds, len(self.profile.classes), self.task.parameters)

    def _train_small(self) -> Batch | None:
        """One tree whose rows fit one block."""
        clause = self.source.from_clause(extra=self.source.usable)
        images = self.host.query(rows_sql.images(self.source, clause))[0]["images"]
        return blocks.grow_in_block(self._grow_plan(), images or b"", self._reporter())

    def _train_groups(self, groups: Groups) -> list[Batch | None]:
        """Small groups block by block, then the large ones together."""
        batches: list[Batch | None] = []
        n_blocks = int(groups.block.max()) + 1
        if n_blocks:
            plan, tell = self._grow_plan(), self._block_reporter(n_blocks)
            query = rows_sql.images_by_block(self.source)
            if self.task.parameters.parallel_workers:
                query = rows_sql.grown_by_block(self.source)
                for row in self.host.query(query, [_BYTEA], [plan.dump()]):
                    batches.append(Batch.load(row["trees"]) if row["trees"] else None)
            else:
                for row in self.host.stream(query):
                    batches.append(blocks.grow_in_block(plan, row["images"]))
                    tell()
        large = np.flatnonzero((groups.usable > 0) & (groups.block < 0))
        if len(large):
            scale = Scale.of_range(
                groups.usable[large],
                np.nan_to_num(groups.low[large]),
                np.nan_to_num(groups.high[large]),
                groups.heaviest[large],
                self.profile.integral,
            )
            batches.append(self._train_blocks(scale, groups.tree_id[large]))
        return batches

    def _train_large(self) -> Batch:
        return self._train_blocks(self.profile.scale(), None)

    def _train_blocks(self, scale: Scale, tree_ids: Ints | None) -> Batch:
        """Trees too large for a block: find bins, pack, and grow by passes over the blocks."""
        host, task = self.host, self.task
        pages = PageRanges.cut(host, self.oids, self.profile.total, self.block_rows)
        row_format = self._row_format()
        ids = np.ones(1, np.int64) if tree_ids is None else tree_ids
        finder = EdgeFinder(
            host, self.source, pages, row_format, self.kinds, self.levels, task.parameters, ids, scale.rows
        )
        bins = finder.find()
        if task.parameters.n_bins == 0 and (binned := binned_features(bins, self.kinds)):
            names = ", ".join(task.features[f].name for f in binned)
            host.notice(f"n_bins: {names}: more than {EXACT_LIMIT} distinct values, put into quantile bins")
        weighted, regression = self.source.weight is not None, not task.is_classification
        limbs = 1 if scale.integral and self._sums_fit(scale, weighted, regression) else 2
        weight_grid, target_grid = scale.grids(weighted, regression, limbs)
        problem = Problem(
            parameters=task.parameters,
            bins=bins,
            unordered=np.array([kind is Kind.UNORDERED for kind in self.kinds], np.bool_),
            n_trees=len(ids),
            rows=scale.rows,
            n_classes=len(self.profile.classes),
            weight_grid=weight_grid,
            target_grid=target_grid,
            centre=scale.centre,
            largest_target=scale.largest_target,
            largest_weight=scale.largest_weight,
        )
        self._pack(pages, blocks.pack_plan(problem, row_format, tree_ids), finder.seen_null)
        source = TableSource(host, problem, self.work)
        forest = grow(problem, source, self._reporter())
        outcome = conclude(problem, forest, source)
        blocks.forget(self.work.token)
        return Batch.of(outcome, problem, ids)

    @staticmethod
    def _sums_fit(scale: Scale, weighted: bool, regression: bool) -> bool:
        """Whether whole numbers stay whole on grids of one limb."""
        grids = scale.grids(weighted, regression, 1)
        return all(grid is None or int(grid.exponents.max()) <= 0 for grid in grids)

    def _pack(self, pages: PageRanges, plan: bytes, seen_null: list[bool]) -> None:
        host, source = self.host, self.source
        clauses = [source.from_clause(relation, extra=rows_sql.PAGES) for relation in pages.relations]
        never_null = [self.profile.never_null] * (1 + (source.weight is not None)) + [not seen for seen in seen_null]
        queries = [rows_sql.images(source, clause, never_null=never_null) for clause in clauses]
        careful = [rows_sql.images(source, clause) for clause in clauses]
        host.query(self.work.create_blocks())
        self.made.append("blocks")
        host.command(
            self.work.fill_blocks(queries, careful),
            [_BYTEA, "tid[]", "tid[]", "int4[]"],
            [
                plan,
                [r.low for r in pages.ranges],
                [r.high for r in pages.ranges],
                [r.relation + 1 for r in pages.ranges],
            ],
        )
        host.query(self.work.settle(self.task.parameters.parallel_workers or 0))

    def _reporter(self) -> Callable[[LevelReport], None] | None:
        if not self.task.verbose:
            return None
        last = time.monotonic()

        def report(level: LevelReport) -> None:
            nonlocal last
            now = time.monotonic()
            self.host.info(
                f"level {level.level}: {level.n_nodes} frontier node{'s' * (level.n_nodes != 1)}, "
                f"{level.n_rows} rows in play, {now - last:.3f} s"
            )
            last = now

        return report

    def _block_reporter(self, n_blocks: int) -> Callable[[], None]:
        done, last = 0, time.monotonic()

        def tell() -> None:
            nonlocal done, last
            done += 1
            if self.task.verbose:
                now = time.monotonic()
                self.host.info(f"block {done} of {n_blocks} of small groups: {now - last:.3f} s")
                last = now

        return tell
