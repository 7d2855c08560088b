"""Trees too large for one block: find bins, pack the table into blocks, grow by passes over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Sharing, Stopwatch
from madtree.ingest import (
    BinFinder,
    Categories,
    Packed,
    Packing,
    PageRanges,
    Profile,
    RowPacker,
    RowSpool,
    binned_features,
    read_profile,
)
from madtree.learn.binning import BinTable
from madtree.learn.data import CodeLayout, Floats, Ints
from madtree.learn.ensemble import Forest, bootstrap, said_of, train_forest, wave_counts
from madtree.learn.problem import Problem, RowFormat, Scale
from madtree.learn.prune import TrainedTrees, train_trees
from madtree.learn.requests import Program
from madtree.learn.route import POSITION_BYTES
from madtree.parallel import Workers, cost_model
from madtree.request import Costs, TrainingTask
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.storage.aggregate import InTable
from madtree.storage.distributed import DistributedRows, PartBinFinder
from madtree.storage.in_process import InProcess
from madtree.storage.protocol import BlockKeeper, NotPossibleError
from madtree.storage.workers.provider import ResidentWorkers
from madtree.train.deliveries import Deliveries
from madtree.train.other_readers import for_sessions, no_workers
from madtree.train.progress import ReadingTeller, Teller
from madtree.trees import EXACT_LIMIT, Kind, Parameters


def row_format(
    source: RowSource, profile: Profile, categories: Sequence[Categories | None], fold_keys: Floats | None
) -> RowFormat:
    """What the numbers of a packed row are."""
    keys = [None if found is None else found.keys for found in categories]
    has_tree, has_weight, has_exposure, has_identity = (
        column is not None for column in (source.groups, source.weight, source.exposure, source.identity)
    )
    return RowFormat(has_tree, has_weight, profile.class_keys, keys, fold_keys, has_exposure, has_identity)


@dataclass(frozen=True)
class Rows:
    """The rows of a training, as they are read.

    Attributes:
        reader: what runs statements over them.
        source: SQL of a row.
        oids: of the plain tables that hold them.
        kinds: of the features.
        categories: of unordered features, None for the others.
        fold_keys: the numbers that stand for the folds, where rows tell them.
        at_once: as many may be held with all their numbers.
        distributed: where they are spread over servers.
    """

    reader: Host
    source: RowSource
    oids: Sequence[int]
    kinds: Sequence[Kind]
    categories: Sequence[Categories | None]
    fold_keys: Floats | None
    at_once: int
    distributed: DistributedRows | None = None


class LargeTrees:
    """The large trees of a training: a single one, or the large groups together.

    Attributes:
        profile: of the rows; after `train` with the rows that were really there.
    """

    def __init__(
        self,
        host: Host,
        task: TrainingTask,
        work: WorkTables,
        made: list[str],
        rows: Rows,
        profile: Profile,
        workers: Workers,
        watch: Stopwatch,
    ) -> None:
        """`made`: parts of the work tables that exist; those made here are added. `watch`: told of the stages."""
        self.host, self.task, self.work, self.made = host, task, work, made
        self.rows, self.source, self.profile = rows, rows.source, profile
        self.workers, self.watch = workers, watch
        self._spool: RowSpool | None = None
        self.read_rows = min(task.tuning.read_rows, rows.at_once)
        distributed = rows.distributed
        cut = rows.reader, rows.oids, profile.total, self.read_rows
        self.pages = distributed.pages() if distributed else PageRanges.cut(*cut)

    def train(self, scale: Scale, tree_ids: Ints | None, deliver: Callable[[TrainedTrees], None]) -> None:
        """Hand over the trees of `tree_ids` (n_trees,), or the single one; `scale` has their rows and ranges.

        A forest's trees are handed over while others grow.
        """
        ids = np.ones(1, np.int64) if tree_ids is None else tree_ids
        self.watch.begin("sample")
        distributed = self.rows.distributed
        finder = (partial(PartBinFinder, distributed) if distributed else BinFinder)(
            self.rows.reader,
            self.source,
            self.pages,
            self._row_format(),
            self.rows.kinds,
            self.rows.categories,
            self.task.parameters,
            ids,
            scale.rows,
            self.task.tuning.least_sample,
        )
        # Rows that are all looked at for their bins are kept to be packed; over a connection whatever they are for.
        once = (finder.takes_all or self.source.sent) and distributed is None and not self.source.grouping
        bins = finder.find(self._read_once if once else None, None if distributed else self._read)
        self._tell_of_bins(bins)
        spool = self._spool
        trained = self._pack_and_grow(self._problem(bins, scale), spool, tree_ids, finder.seen_null, deliver)
        if trained is None:
            # A class was too rare for the sample.
            self.profile = read_profile(self.rows.reader, self.task, self.source)
            problem = self._problem(bins, self.profile.scale())
            trained = self._pack_and_grow(problem, spool, tree_ids, finder.seen_null, deliver)
            assert trained is not None
        if spool is not None:
            spool.close()
        deliver(trained)

    def _pack_and_grow(
        self,
        problem: Problem,
        spool: RowSpool | None,
        tree_ids: Ints | None,
        seen_null: Sequence[bool],
        deliver: Callable[[TrainedTrees], None],
    ) -> TrainedTrees | None:
        """What was grown of the rows that were really there, which the profile knows then; None where a row had an
        unknown class.
        """
        never_null = [self.profile.never_null] * self.source.n_own_numbers + [not seen for seen in seen_null]
        packing = Packing(problem, self._row_format(), tree_ids, never_null)

        ids = np.ones(1, np.int64) if tree_ids is None else tree_ids

        def program(n_processes: int, packed: Packed, rows_at_hand: bool) -> Program[TrainedTrees | None]:
            if packed.n_unknown and self.profile.estimated:
                return None
            if self.profile.estimated:
                self.profile = replace(self.profile, total=packed.n_rows + packed.n_skipped, usable=packed.n_rows)
            if self.task.forest:
                forest = Forest.of(problem, self.task.forest, ids, n_processes, rows_at_hand)
                return said_of((yield from train_forest(forest, deliveries.add)), forest)
            trained = yield from train_trees(
                problem, rows_at_hand=rows_at_hand, folds_known=self.rows.fold_keys is not None
            )
            return TrainedTrees.of(*trained, ids)

        tell = Teller(self.host, self.watch, self.task.verbose).tell
        deliveries = Deliveries(self.host, deliver)
        for keeper in self._keepers(problem, spool):
            self.watch.begin("pack")
            deliveries.held = not keeper.may_run_statements
            try:
                trained = keeper.train(packing, partial(program, keeper.n_processes), tell)
            except NotPossibleError:
                continue
            deliveries.release()
            return trained
        raise AssertionError("a training in this process is always possible")

    def _row_format(self) -> RowFormat:
        return row_format(self.source, self.profile, self.rows.categories, self.rows.fold_keys)

    def _read_once(self) -> RowSpool:
        if self._spool is None:
            self._spool = self._read()
        return self._spool

    def _read(self, condition: str = "") -> RowSpool:
        """The rows, or those that meet a condition, read column by column."""
        return RowSpool.read(
            self.rows.reader,
            self.source,
            self.pages,
            self._row_format(),
            self.task.parameters.memory_bytes // self.task.tuning.spool_share,
            sharing=self._sharing(),
            tell=self._tell_of_reading(),
            condition=condition,
        )

    def _tell_of_reading(self) -> Callable[[int, int, int], None]:
        return ReadingTeller(self.host, self.task.verbose).tell

    def _sharing(self) -> Sharing | None:
        """What other sessions need to know to read the rows; None where nobody else sees them, or a table of groups."""
        return None if self.made else for_sessions(self.rows.reader, self.source, self.rows.oids, self.profile.total)

    def _keepers(self, problem: Problem, spool: RowSpool | None) -> Iterator[BlockKeeper]:
        """Who may keep the blocks, the best one first. This is where a training's strategy is decided."""
        task, tuning, parameters = self.task, self.task.tuning, self.task.parameters
        memory, positions = (parameters.memory_bytes // share for share in (tuning.block_share, tuning.position_share))
        size = int(problem.rows.sum()), self.source.n_columns, parameters, tuning.costs
        block_rows = max(self.read_rows, min(tuning.block_rows, tuning.block_bytes // row_bytes(problem)))
        if self.rows.distributed:
            yield self.rows.distributed.keeper(self.source, self.made)
            return
        packer = RowPacker(self.rows.reader, self.source, self.pages, spool, self._sharing(), self._tell_of_reading())
        if task.strategy in ("aggregate", "workers") and not self.host.has_extension:
            raise MadtreeError(
                f"strategy: {task.strategy} needs the extension madtree in the server; by the client engine, rows are "
                "kept and counted in the client's process",
                hint="Leave strategy out, or write 'memory'.",
            )
        if task.strategy == "aggregate":
            n_workers = cost_model.pass_workers(self.workers, *size)
            yield InTable(self.host, self.work, self.made, packer, block_rows, n_workers, tuning)
            return
        if task.strategy in ("auto", "workers"):
            # Rows that were read here are few, or take long to make: they are not read again. Whole trees are grown
            # of all rows, which are handed on; for single trees it does not pay.
            read_here = packer if spool is not None and task.forest else None
            alone = spool is not None and not read_here and not self.workers.asked
            n_workers = 0 if alone else self._resident_workers(size, problem)
            if task.strategy == "workers":
                n_workers = max(n_workers, 1)
            obstacle = no_workers(self.host, self.workers, None if read_here else self.source) if n_workers else ""
            if obstacle and task.strategy == "workers":
                raise MadtreeError(
                    f"strategy: resident workers are not possible here: {obstacle}",
                    hint="strategy => 'auto' uses them where they are possible and save time.",
                )
            if n_workers and not obstacle:
                of_blocks, sharing = (block_rows, memory, positions), task.forest is not None
                yield ResidentWorkers(
                    self.host, self.source, self.pages, *of_blocks, n_workers, read_here=read_here, sharing=sharing
                )
        yield InProcess(self.host, packer, block_rows, memory, positions)

    def _resident_workers(self, size: tuple[int, int, Parameters, Costs], problem: Problem) -> int:
        """How many of them save time."""
        if self.task.forest:
            of_wave = problem.rows, problem.parameters.max_depth, problem.channels.count, self.task.forest.n_trees
            n_waves = wave_counts(problem.tuning, *of_wave, 1 + self.workers.available)
            return cost_model.forest_workers(self.workers, *size, self.task.forest, n_waves)
        return cost_model.resident_workers(self.workers, *size)

    def _tell_of_bins(self, bins: BinTable) -> None:
        if self.task.parameters.n_bins == 0 and (binned := binned_features(bins, self.rows.kinds)):
            names = ", ".join(self.task.features[f].name for f in binned)
            self.host.notice(f"n_bins: {names}: more than {EXACT_LIMIT} distinct values, put into quantile bins")

    def _problem(self, bins: BinTable, scale: Scale) -> Problem:
        weighted, regression = self.source.weight is not None, not self.task.is_classification
        forest = self.task.forest
        drawn = scale.drawn(bootstrap(self.task.parameters.seed, forest)) if forest else scale
        grids = drawn.grids(weighted, regression, 1 if drawn.one_limb_will_do() else 2)
        distributed = self.rows.distributed
        return Problem(
            parameters=distributed.limited(self.task.parameters) if distributed else self.task.parameters,
            bins=bins,
            unordered=np.array([kind is Kind.UNORDERED for kind in self.rows.kinds], np.bool_),
            n_trees=len(scale.rows),
            rows=scale.rows,
            n_classes=len(self.profile.classes),
            **grids,  # type: ignore[arg-type]
            **scale.ranges(),  # type: ignore[arg-type]
        )


def row_bytes(problem: Problem) -> int:
    """Bytes of a packed row in memory: codes, target, weight, tree, fold, and its position in every replica."""
    layout = CodeLayout.for_widths(problem.bins.widths)
    channels = problem.channels
    target = 8 * channels.outcome_limbs or (1 if channels.n_classes <= 256 else 2)
    positions = POSITION_BYTES * (1 + problem.parameters.n_folds)
    return layout.row_bytes + target + 8 * channels.weight_limbs + 4 * (problem.n_trees > 1) + 1 + positions
