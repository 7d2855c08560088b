"""One training: from a checked task to trained trees, by whichever way suits the number of rows."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.host import Cancels, Host, OnServers, Stopwatch
from madtree.ingest import (
    Categories,
    Groups,
    Profile,
    estimate_profile,
    groups_of,
    has_citus,
    no_usable_row,
    placement,
    plain_tables,
    read_categories,
    read_folds,
    read_images,
    read_profile,
)
from madtree.learn.data import Ints
from madtree.learn.ensemble import wave_counts, wave_nodes
from madtree.learn.problem import Channels, RowFormat, Scale, SearchTuning
from madtree.learn.prune import TrainedTrees
from madtree.parallel import Workers, forest_workers, growing_workers
from madtree.request import TrainingTask, check_class_params, find_columns
from madtree.sqltext import profile as profile_sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext import work as work_sql
from madtree.sqltext.elements import elements
from madtree.sqltext.rows import RowSource
from madtree.sqltext.split import columns_in
from madtree.sqltext.values import text_of
from madtree.sqltext.work import WorkTables
from madtree.storage.distributed import DistributedRows
from madtree.storage.whole_trees import GrowPlan, grow_in_block
from madtree.train.copied_groups import copied_groups, no_places
from madtree.train.large import LargeTrees, Rows, row_format
from madtree.train.other_readers import resident
from madtree.train.progress import Teller
from madtree.train.remarks import tell_of_classes, tell_of_ids
from madtree.train.small import SmallGroups
from madtree.trees import Feature, Kind

_MIN_BLOCK_ROWS = 1_024


class Training:
    """One call's rows, on their way to trained trees."""

    def __init__(self, host: Host, task: TrainingTask, workers: Workers, watch: Stopwatch) -> None:
        """`workers`: those that may be used. `watch`: told of the stages."""
        self.host, self.task, self.watch, tuning = host, task, watch, task.tuning
        watch.begin("sample")
        self.work = WorkTables(task.output_schema, secrets.token_hex(8))
        self._write: Callable[[TrainedTrees], None] = lambda batch: None
        self._n_batches = 0
        self.made: list[str] = []  # parts of the work tables that exist
        # Temporary tables are the session's own: workers cannot read them. What workers do are functions of ours.
        has_helpers = host.has_extension and not self.work.temporary
        self.workers = workers if has_helpers else Workers()
        self.distributed: DistributedRows | None = None
        self.reader: Host = host.source  # what runs statements over the rows
        # Nothing is written where rows are that come from another server.
        self.from_elsewhere = self.reader is not host
        held = placement(self.reader, task.source.oid)
        self.oids = plain_tables(self.reader, task.source.oid, held)
        if held == "spread" and has_helpers and task.may_stay_spread:
            relation = self._distribute()
        elif self.oids or self.from_elsewhere:
            relation = work_sql.aliased(task.source.schema, task.source.name)
        else:
            relation = self._stage()
        fold = task.parameters.fold_col
        # Folds are told apart by their text, whatever the column's type.
        self.fold = None if fold is None else Feature(text_of(fold, task.fold_writer), "text", Kind.UNORDERED)
        self.source = self._row_source(relation)
        seen = self.reader, task, self.source
        self.profile: Profile = estimate_profile(*seen, self.oids) or read_profile(*seen)
        check_class_params(task.parameters.class_params, task.dependent_sql, self.profile.classes)
        tell_of_classes(host, task, self.profile)
        self.categories: list[Categories | None] = read_categories(
            self.reader, self.source, task.features, task.parameters.null_as_category
        )
        tell_of_ids(host, task, self.profile, self.categories)
        self.fold_keys = None if self.fold is None else read_folds(self.reader, self.source, self.fold, str(fold))
        self.parameters = task.parameters
        if self.fold_keys is not None:
            self.parameters = replace(task.parameters, n_folds=len(self.fold_keys))
        self.kinds = [feature.kind for feature in task.features]
        # Rows whose raw numbers may be held together.
        self.block_rows = max(_MIN_BLOCK_ROWS, min(tuning.block_rows, tuning.raw_bytes // (8 * self.source.n_columns)))
        # Rows up to which a tree is grown in one go. Whoever names a way of keeping blocks gets it for all trees.
        self.whole_rows = self.block_rows if task.strategy in ("auto", "memory") else 0
        self.groups: Groups | None = self._group() if task.grouping else None

    def train(self, write: Callable[[TrainedTrees], None]) -> None:
        """Hand all trees over, some at a time; raises MadtreeError where no row can be used."""
        self._write = write
        if self.groups is None:
            self._train_one()
        else:
            self._train_groups(self.groups)
        if not self._n_batches:
            raise no_usable_row(self.task, "every feature is NULL in each of")

    def _hand_over(self, batch: TrainedTrees | None) -> None:
        if batch is not None:
            self._n_batches += 1
            self.watch.begin("write")
            self._write(batch)
            self.watch.begin("passes")

    def clean_up(self) -> None:
        """Drop the work tables; after an error the end of the transaction does that."""
        if self.made:
            self.host.command(self.work.drop(self.made))

    @property
    def group_table(self) -> str | None:
        return self.work.name("groups") if self.groups is not None else None

    def _stage(self) -> str:
        """Copy rows that cannot be read by page ranges; returns the copy's SQL."""
        relation = work_sql.aliased(self.task.source.schema, self.task.source.name)
        on_servers = self.host.has_extension and has_citus(self.host)
        reader = OnServers(self.host) if on_servers else self.host
        reader.command(self.work.stage(self._columns(), relation))
        self.made.append("rows")
        self.oids = [int(self.host.query(work_sql.OID_OF, ["pg_catalog.text"], [self.work.name("rows")])[0]["oid"])]
        return self.work.aliased("rows")

    def _distribute(self) -> str:
        """Distribute the rows of a distributed table in parts; returns the SQL of their table."""
        task = self.task
        relation = work_sql.aliased(task.source.schema, task.source.name)
        self.distributed = DistributedRows.distribute(self.host, task, self.work, self._columns(), relation)
        self.work, self.oids, self.reader = self.distributed.tables, [], self.distributed.servers
        # The servers share the work; the coordinator has little to do.
        self.workers = Workers()
        self.made.append("rows")
        return self.work.aliased("rows")

    def _columns(self) -> list[str] | None:
        """The columns that training needs, as SQL; None where an expression may need any."""
        task = self.task
        used = [f.array or f.name for f in task.features] + [task.dependent_sql, *(c.value for c in task.grouping)]
        used += [text for text in (task.weights_sql, task.exposure_sql, task.parameters.fold_col) if text]
        used += [task.id_sql] if task.forest else []  # samples are drawn by it
        columns = find_columns(self.reader, task.source)
        names = columns_in(dict.fromkeys(used), columns)
        return None if names is None else [columns[name].sql for name in columns if name in names]

    def _row_source(self, relation: str) -> RowSource:
        task = self.task
        target = (
            rows_sql.class_number(task.dependent_sql, task.dependent_type, task.dependent_writer)
            if task.is_classification
            else f"({task.dependent_sql})::pg_catalog.float8"
        )
        return RowSource(
            relation,
            target,
            f"({task.dependent_sql}) IS NOT NULL",
            tuple(rows_sql.as_number(feature) for feature in task.features),
            f"({task.weights_sql})::pg_catalog.float8" if task.weights_sql else None,
            tuple(column.value for column in task.grouping),
            self.work.name("groups") if task.grouping else None,
            None if self.fold is None else rows_sql.as_number(self.fold),
            elements(task.features),
            tuple(column.equals for column in task.grouping),
            f"({task.exposure_sql})::pg_catalog.float8" if task.exposure_sql else None,
            rows_sql.identity_number(task.id_sql, task.id_type, task.id_writer) if task.forest else None,
            sent=not self.host.has_extension,
        )

    def _group(self) -> Groups:
        regression = not self.task.is_classification
        if self.distributed:
            together = self.block_rows // self.task.tuning.distributed_share
            counted = self.distributed.count_groups(self.source, regression, self.made)
        else:
            together, counted = self.block_rows, profile_sql.group_counts(self.source, regression)
        if self.task.forest:
            # All trees of a block's forests grow in one wave, and no more of them are held at a time.
            together = max(min(together, wave_nodes(SearchTuning(), self._n_channels) // self.task.forest.n_trees), 1)
        groups = profile_sql.groups(self.source, counted, self.whole_rows, together)
        listed = partial(profile_sql.listed_groups, self.source, dependent_is_number=regression)
        if self.from_elsewhere:
            grouping = self.task.grouping
            found, values = copied_groups(self.host, listed(f"({groups})", grouping=grouping), grouping, self.work)
            self.source = replace(self.source, groups=values)
        else:
            self.reader.command(self.work.create_as("groups", groups))
            # Else PostgreSQL would hash the rows, not the groups, to join them.
            self.reader.command(self.work.analyze("groups", self.source.group_columns))
            found = groups_of(self.host.query(listed(self.work.name("groups"))))
        self.made.append("groups")
        return found

    def _row_format(self) -> RowFormat:
        return row_format(self.source, self.profile, self.categories, self.fold_keys)

    def _grow_plan(self) -> GrowPlan:
        return GrowPlan(self._row_format(), self.kinds, len(self.profile.classes), self.parameters, self.task.forest)

    def _train_one(self) -> None:
        """A single tree, or forest."""
        small = not self.profile.estimated and self.profile.usable <= self.whole_rows
        if small and not self._shared_trees_pay():
            self._hand_over(self._train_small())
        else:
            self._train_large(self.profile.scale(), None)

    def _shared_trees_pay(self) -> bool:
        """Whether workers would save time on the trees of a single forest, though all its rows fit a block."""
        forest, costs = self.task.forest, self.task.tuning.costs
        if forest is None or self.task.strategy != "auto" or self.workers.asked:
            return False
        size = self.profile.usable, self.source.n_columns, self.parameters, costs, forest
        of_wave = np.array(size[:1]), self.parameters.max_depth, self._n_channels, forest.n_trees
        n_waves = wave_counts(SearchTuning(), *of_wave, 1 + self.workers.available)
        return forest_workers(self.workers, *size, n_waves) > 0

    @property
    def _n_channels(self) -> int:
        """Of a node, with one limb of each."""
        return Channels(len(self.profile.classes), bool(self.task.weights_sql), not self.profile.classes).count

    def _train_small(self) -> TrainedTrees | None:
        """One tree whose rows fit one block."""
        self.watch.begin("pack")
        clause = self.source.from_clause(extra=self.source.usable)
        images = read_images(self.reader, self.source, rows_sql.images(self.source, clause))
        tell = Teller(self.host, self.watch, self.task.verbose).tell
        return grow_in_block(self._grow_plan(), images, tell, Cancels(self.host).let_in, self._hand_over)

    def _train_groups(self, groups: Groups) -> None:
        """Small groups block by block, then the large ones together."""
        n_blocks = int(groups.block.max()) + 1
        if n_blocks:
            size = n_blocks, int(groups.usable[groups.block >= 0].sum()), len(self.kinds), self.parameters
            workers = resident(self.host, self.workers) if self.task.strategy == "auto" else Workers()
            small = SmallGroups(
                self.host.source,
                self.work,
                self.made,
                self.source,
                self._grow_plan(),
                n_blocks,
                growing_workers(workers, *size, self.task.tuning.costs, self.task.forest),
                self.watch,
                self.distributed,
                by_place=bool(self.oids) or not self.from_elsewhere,
            )
            for batch in small.train(Teller(self.host, self.watch, self.task.verbose).tell):
                self._hand_over(batch)
        large = np.flatnonzero((groups.usable > 0) & (groups.block < 0))
        if len(large):
            if not self.oids and self.from_elsewhere:
                raise no_places(self.task, self.whole_rows)
            scale = groups.scale(large, self.profile, exposed=self.source.exposure is not None)
            self._train_large(scale, groups.tree_id[large])

    def _train_large(self, scale: Scale, tree_ids: Ints | None) -> None:
        """Trees too large for a block."""
        rows = Rows(
            self.reader,
            self.source,
            self.oids,
            self.kinds,
            self.categories,
            self.fold_keys,
            self.block_rows,
            self.distributed,
        )
        task = replace(self.task, parameters=self.parameters)
        large = LargeTrees(self.host, task, self.work, self.made, rows, self.profile, self.workers, self.watch)

        def hand_over(batch: TrainedTrees) -> None:
            self.profile = large.profile
            self._hand_over(batch)

        large.train(scale, tree_ids, hand_over)
