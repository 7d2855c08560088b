"""Trees too large for one block: find bins, pack the table into blocks, grow by passes over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from madtree import blocks
from madtree.batch import Batch
from madtree.core.binning import BinTable
from madtree.core.folds import random_folds
from madtree.core.grow import LevelReport, grow
from madtree.core.outcome import conclude
from madtree.core.packing import RowFormat
from madtree.core.params import EXACT_LIMIT
from madtree.core.prepare import Scale
from madtree.core.problem import Problem
from madtree.core.types import Floats, Ints
from madtree.edges import EdgeFinder, binned_features
from madtree.host.protocol import Host
from madtree.model import Kind
from madtree.pages import PageRanges
from madtree.profile import Levels, Profile, read_profile
from madtree.source import TableSource
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.task import TrainingTask

_BYTEA = "pg_catalog.bytea"


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
        block_rows: int,
    ) -> None:
        self.host, self.task, self.work, self.source = host, task, work, source
        self.kinds, self.levels, self.fold_keys, self.profile = kinds, levels, fold_keys, profile
        self.pages = PageRanges.cut(host, oids, profile.total, block_rows)

    def train(self, scale: Scale, tree_ids: Ints | None, report: Callable[[LevelReport], None] | None) -> Batch:
        """The trees of `tree_ids` (n_trees,), or an ungrouped run's single one; `scale` has their rows and ranges."""
        ids = np.ones(1, np.int64) if tree_ids is None else tree_ids
        finder = EdgeFinder(
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
        bins = finder.find()
        self._tell_of_bins(bins)
        self.host.query(self.work.create_blocks())
        problem = self._problem(bins, scale)
        n_unknown = self._pack(problem, tree_ids, finder.seen_null)
        if n_unknown and self.profile.estimated:
            # A class was too rare for the sample.
            self.profile = read_profile(self.host, self.task, self.source)
            self.host.query(self.work.clear_blocks())
            problem = self._problem(bins, self.profile.scale())
            self._pack(problem, tree_ids, finder.seen_null)
        if problem.parameters.n_folds:
            if self.fold_keys is None:
                self._set_folds(problem)
            problem = problem.with_copies(1 + problem.parameters.n_folds)
        source = TableSource(self.host, problem, self.work)
        forest = grow(problem, source, report)
        outcome = conclude(problem, forest, source)
        blocks.forget(self.work.token)
        return Batch.of(outcome, problem, ids)

    def _row_format(self) -> RowFormat:
        return row_format(self.source, self.profile, self.levels, self.fold_keys)

    def _set_folds(self, problem: Problem) -> None:
        """Give every packed row a fold at random, by its place among the rows of its tree."""
        found = self.host.query(self.work.block_trees())
        trees = [
            np.zeros(row["n_rows"], np.int64) if row["tree"] is None else np.frombuffer(row["tree"], "<i4")
            for row in found
        ]
        counts = np.array([np.bincount(tree, minlength=problem.n_trees) for tree in trees])
        n_rows, before = counts.sum(axis=0), np.cumsum(counts, axis=0) - counts
        parameters = problem.parameters
        for row, tree, first in zip(found, trees, before, strict=True):
            fold = np.zeros(len(tree), np.uint8)
            for t in np.unique(tree).tolist():
                mine = np.flatnonzero(tree == t)
                places = first[t] + np.arange(len(mine))
                fold[mine] = random_folds(places, int(n_rows[t]), parameters.n_folds, parameters.seed)
            self.host.command(self.work.set_folds(), [_BYTEA, "int4"], [fold.tobytes(), row["block_id"]])

    def _tell_of_bins(self, bins: BinTable) -> None:
        if self.task.parameters.n_bins == 0 and (binned := binned_features(bins, self.kinds)):
            names = ", ".join(self.task.features[f].name for f in binned)
            self.host.notice(f"n_bins: {names}: more than {EXACT_LIMIT} distinct values, put into quantile bins")

    def _problem(self, bins: BinTable, scale: Scale) -> Problem:
        weighted, regression = self.source.weight is not None, not self.task.is_classification
        weight_grid, target_grid = scale.grids(weighted, regression, 1 if scale.one_limb_will_do() else 2)
        return Problem(
            parameters=self.task.parameters,
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

    def _pack(self, problem: Problem, tree_ids: Ints | None, seen_null: Sequence[bool]) -> int:
        """Fill the blocks; returns how many rows have a class that the profile does not know."""
        host, source = self.host, self.source
        clauses = [source.from_clause(relation, extra=rows_sql.PAGES) for relation in self.pages.relations]
        never_null = [self.profile.never_null] * source.n_own_numbers + [not seen for seen in seen_null]
        host.command(
            self.work.fill_blocks(
                [rows_sql.images(source, clause, never_null=never_null) for clause in clauses],
                [rows_sql.images(source, clause) for clause in clauses],
            ),
            [_BYTEA, "tid[]", "tid[]", "int4[]"],
            [
                blocks.pack_plan(problem, self._row_format(), tree_ids),
                [r.low for r in self.pages.ranges],
                [r.high for r in self.pages.ranges],
                [r.relation + 1 for r in self.pages.ranges],
            ],
        )
        host.query(self.work.settle(self.task.parameters.parallel_workers or 0))
        totals = host.query(self.work.totals())[0]
        if self.profile.estimated:
            total = int(totals["n_rows"]) + int(totals["n_skipped"])
            self.profile = replace(self.profile, total=total, usable=int(totals["n_rows"]))
        return int(totals["n_unknown"])
