"""Trees too large for one block: find bins, pack the table into blocks, grow by passes over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.host.interrupts import Interrupts
from madtree.host.protocol import Host
from madtree.host.stopwatch import Stopwatch
from madtree.ingest.bin_finder import EdgeFinder, binned_features
from madtree.ingest.page_ranges import PageRanges
from madtree.ingest.profile import Levels, Profile, read_profile
from madtree.ingest.row_reader import Packed, Packing, RowPacker
from madtree.ingest.row_spool import RowSpool
from madtree.learn.binning.bins import BinTable
from madtree.learn.data.block import CodeLayout
from madtree.learn.data.parameters import EXACT_LIMIT
from madtree.learn.data.types import Floats, Ints
from madtree.learn.grow.grow import LevelReport, grow
from madtree.learn.grow.inhand import NODE_BYTES
from madtree.learn.problem.packing import RowFormat
from madtree.learn.problem.prepare import Scale
from madtree.learn.problem.problem import Problem
from madtree.learn.prune.outcome import Outcome, conclude
from madtree.learn.prune.trained import Batch
from madtree.parallel import cost_model as workers
from madtree.parallel.cost_model import Workers
from madtree.request.train_request import TrainingTask
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.sqltext.workers import plan_of
from madtree.storage.distributed import DealtRows, PartEdgeFinder
from madtree.storage.mapped import MappedBlocks
from madtree.storage.resident import CrewBlocks
from madtree.storage.store import BLOCK_ROWS, HELD_SHARE, READ_ROWS, BlockStore, HeldBlocks, WrittenBlocks
from madtree.trees.model import Kind

# Of a packed block. The state of statistics is copied once a block, so a block should not be small beside it.
_BLOCK_BYTES = 16 * 2**20
_SPOOL_SHARE = 2  # of the memory budget, what rows that are read once may take before they go to a file


def row_format(
    source: RowSource, profile: Profile, levels: Sequence[Levels | None], fold_keys: Floats | None
) -> RowFormat:
    """What the numbers of a packed row are."""
    keys = [None if found is None else found.keys for found in levels]
    return RowFormat(source.groups is not None, source.weight is not None, profile.class_keys, keys, fold_keys)


class LargeTrees:
    """One run's large trees: a single one, or the large groups together.

    Attributes:
        profile: of the rows; after `train` with the rows that were really there.
    """

    def __init__(
        self,
        host: Host,
        task: TrainingTask,
        work: WorkTables,
        source: RowSource,
        oids: Sequence[int],
        kinds: Sequence[Kind],
        levels: Sequence[Levels | None],
        fold_keys: Floats | None,
        profile: Profile,
        raw_rows: int,
        available: Workers,
        made: list[str],
        watch: Stopwatch,
        dealt: DealtRows | None = None,
    ) -> None:
        """`raw_rows`: as many may be held with all their numbers. `made`: parts of the work tables that exist; those
        made here are added. `watch`: told of the stages. `dealt`: the rows, where they are spread over servers.
        """
        self.dealt = dealt
        self.watch = watch
        self.host, self.task, self.work, self.source = host, task, work, source
        self.kinds, self.levels, self.fold_keys, self.profile = kinds, levels, fold_keys, profile
        self.workers, self.made = available, made
        self.read_rows = min(READ_ROWS, raw_rows)
        self.pages = dealt.pages() if dealt else PageRanges.cut(host, oids, profile.total, self.read_rows)

    def train(self, scale: Scale, tree_ids: Ints | None, report: Callable[[LevelReport], None] | None) -> Batch:
        """The trees of `tree_ids` (n_trees,), or an ungrouped run's single one; `scale` has their rows and ranges."""
        ids = np.ones(1, np.int64) if tree_ids is None else tree_ids
        self.watch.begin("sample")
        finder = (partial(PartEdgeFinder, self.dealt) if self.dealt else EdgeFinder)(
            self.host,
            self.source,
            self.pages,
            self._row_format(),
            self.kinds,
            self.levels,
            self.task.parameters,
            ids,
            scale.rows,
        )
        # Rows that are all looked at for their bins are kept to be packed.
        spool = self._read_once() if finder.takes_all and self.dealt is None else None
        bins = finder.find(spool)
        self._tell_of_bins(bins)
        problem = self._problem(bins, scale)
        store = self._store(problem, spool)
        found = self._pack_and_grow(store, problem, tree_ids, finder.seen_null, report)
        if found is None:
            # A class was too rare for the sample.
            self.profile = read_profile(self.host, self.task, self.source)
            problem = self._problem(bins, self.profile.scale())
            found = self._pack_and_grow(store, problem, tree_ids, finder.seen_null, report)
            assert found is not None
        if spool is not None:
            spool.close()
        store.close()
        return Batch.of(*found, ids)

    def _pack_and_grow(
        self,
        store: BlockStore,
        problem: Problem,
        tree_ids: Ints | None,
        seen_null: Sequence[bool],
        report: Callable[[LevelReport], None] | None,
    ) -> tuple[Outcome, Problem] | None:
        """What was grown of the rows that were really there, which the profile knows then; None where a row had an
        unknown class.
        """

        def grown(packed: Packed) -> tuple[Outcome, Problem] | None:
            if packed.n_unknown and self.profile.estimated:
                return None
            if self.profile.estimated:
                self.profile = replace(self.profile, total=packed.n_rows + packed.n_skipped, usable=packed.n_rows)
            if self.task.verbose and (line := store.told()):
                self.host.info(line)
            return self._grow(store, problem, report if store.may_query or self.task.verbose else None)

        self.watch.begin("pack")
        never_null = [self.profile.never_null] * self.source.n_own_numbers + [not seen for seen in seen_null]
        return store.fill(Packing(problem, self._row_format(), tree_ids, never_null), grown)

    def _grow(
        self, store: BlockStore, problem: Problem, report: Callable[[LevelReport], None] | None
    ) -> tuple[Outcome, Problem]:
        if problem.parameters.n_folds:
            if self.fold_keys is None:
                store.deal_folds(problem)
            problem = problem.with_replicas(1 + problem.parameters.n_folds)
        source = store.source(problem)
        self.watch.begin("passes")
        growing = grow(problem, source, report)
        self.watch.begin("prune")
        return conclude(problem, growing, source), problem

    def _row_format(self) -> RowFormat:
        return row_format(self.source, self.profile, self.levels, self.fold_keys)

    def _read_once(self) -> RowSpool:
        in_memory = self.task.parameters.memory_bytes // _SPOOL_SHARE
        return RowSpool.read(self.host, self.source, self.pages, self._row_format(), in_memory)

    def _store(self, problem: Problem, spool: RowSpool | None) -> BlockStore:
        """Where the blocks go: to a crew where workers pay, else into memory where they fit, else into a table."""
        n_rows, parameters = int(problem.rows.sum()), self.task.parameters
        if self.dealt:
            return self.dealt.store(self.source, self.made, parameters.memory_bytes)
        size = n_rows, self.source.n_columns, parameters
        block_rows = max(self.read_rows, min(BLOCK_ROWS, _BLOCK_BYTES // row_bytes(problem)))
        # Rows that were read here are few and wide: they need not be read again, nor workers be started for each pass.
        here = spool is not None and not self.workers.asked
        crew = 0 if here else workers.crew(self.workers, *size)
        if crew and self.host.in_server and Interrupts().visible and self._parallel_safe():
            chosen = replace(self.workers, crew=crew)
            return CrewBlocks(self.host, self.work, self.made, self.source, self.pages, block_rows, chosen)
        rows = RowPacker(self.host, self.source, self.pages, spool)
        shared = 0 if here else workers.passes(self.workers, *size)
        room = parameters.memory_bytes // HELD_SHARE
        if not shared and n_rows * row_bytes(problem) <= room:
            return HeldBlocks(rows, block_rows)
        if not shared and n_rows * node_bytes(problem) <= room:
            return MappedBlocks(self.host, rows, block_rows)
        chosen = replace(self.workers, passes=shared)
        return WrittenBlocks(self.host, self.work, self.made, rows, block_rows, chosen)

    def _parallel_safe(self) -> bool:
        """Whether the planner would let workers evaluate the user's expressions on the training table."""
        with replace(self.workers, passes=1).for_passes(self.host):
            query = rows_sql.count_images(self.source, self.source.from_clause())
            return any("Gather" in row["QUERY PLAN"] for row in self.host.query(plan_of(query)))

    def _tell_of_bins(self, bins: BinTable) -> None:
        if self.task.parameters.n_bins == 0 and (binned := binned_features(bins, self.kinds)):
            names = ", ".join(self.task.features[f].name for f in binned)
            self.host.notice(f"n_bins: {names}: more than {EXACT_LIMIT} distinct values, put into quantile bins")

    def _problem(self, bins: BinTable, scale: Scale) -> Problem:
        weighted, regression = self.source.weight is not None, not self.task.is_classification
        weight_grid, target_grid = scale.grids(weighted, regression, 1 if scale.one_limb_will_do() else 2)
        return Problem(
            parameters=self.dealt.limited(self.task.parameters) if self.dealt else self.task.parameters,
            bins=bins,
            unordered=np.array([kind is Kind.UNORDERED for kind in self.kinds], np.bool_),
            n_trees=len(scale.rows),
            rows=scale.rows,
            n_classes=len(self.profile.classes),
            weight_grid=weight_grid,
            target_grid=target_grid,
            centre=scale.centre,
            largest_target=scale.largest_target,
            largest_weight=scale.largest_weight,
        )


def node_bytes(problem: Problem) -> int:
    """Bytes of a row's node in every copy."""
    return NODE_BYTES * (1 + problem.parameters.n_folds)


def row_bytes(problem: Problem) -> int:
    """Bytes of a packed row in memory: codes, target, weight, tree, fold, and its node in every copy."""
    layout = CodeLayout.for_widths(problem.bins.widths)
    channels = problem.channels
    target = 8 * channels.target_limbs or (1 if channels.n_classes <= 256 else 2)
    return layout.row_bytes + target + 8 * channels.weight_limbs + 4 * (problem.n_trees > 1) + 1 + node_bytes(problem)
