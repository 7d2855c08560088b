"""The first look at the rows of a training: sizes, classes, categories, folds and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, local_settings
from madtree.ingest import (
    Categories,
    Groups,
    Profile,
    check_group_values,
    check_heaviest,
    copy_groups,
    count_by_group,
    estimate_profile,
    fold_feature,
    groups_query,
    in_all_rows,
    make_groups,
    read_categories,
    read_folds,
    read_profile,
    row_format,
)
from madtree.learn.data import Floats, Ints
from madtree.learn.packing import RowFormat
from madtree.learn.problem import Channels
from madtree.records import dataclass
from madtree.request import TrainingTask, check_class_params
from madtree.sqltext.profile import counted_groups
from madtree.sqltext.rows import RowSource
from madtree.train.kinds import Size
from madtree.train.notices import warn_of_many_categories, warn_of_many_classes
from madtree.train.source import Call, Source
from madtree.train.strategy import BlockSizes, choose_blocks
from madtree.trees import WEIGHT, Feature, FeatureKind, Parameters

SORT_SHARE = 4  # of the memory budget, what putting rows in order may take
_LEAST_WORK_MEM = 64  # kilobytes, PostgreSQL's own bound


@dataclass(frozen=True)
class Survey:
    """What is known of the rows before any tree is grown.

    Attributes:
        source: the rows, which tell their groups.
        categories: of unordered features, None for the others.
        fold_keys: the numbers that stand for the folds, where rows tell them.
        parameters: of the learner, with as many folds as there are.
        blocks: what fits a block.
        groups: None where there are none.
    """

    task: TrainingTask
    source: Source
    profile: Profile
    categories: Sequence[Categories | None]
    fold_keys: Floats | None
    parameters: Parameters
    blocks: BlockSizes
    groups: Groups | None = None

    @property
    def feature_kinds(self) -> list[FeatureKind]:
        return [feature.kind for feature in self.task.features]

    @property
    def large(self) -> Ints:
        """Indices of the groups that have too many rows for a block."""
        if self.groups is None:
            return np.zeros(0, np.int64)
        return np.flatnonzero((self.groups.usable > 0) & (self.groups.block < 0))

    @property
    def size(self) -> Size:
        groups, source = self.groups, self.source
        of_rows = source.rows.n_columns, len(self.task.features), _n_channels(self.task, self.profile)
        if groups is None:
            return Size(*of_rows, np.array([self.profile.usable]), self.profile.estimated)
        return Size(
            *of_rows,
            groups.usable[self.large],
            is_grouped=True,
            n_blocks=int(groups.block.max()) + 1,
            rows_in_blocks=int(groups.usable[groups.block >= 0].sum()),
        )

    @property
    def has_places(self) -> bool:
        """Whether rows have a place in a plain table, or a part, where those of a group can be found again."""
        return bool(self.source.oids) or self.source.spread is not None

    def row_format(self, profile: Profile) -> RowFormat:
        """What the numbers of a row are; `profile` may know more classes than this one's."""
        return row_format(self.source.rows, profile, self.categories, self.fold_keys)


def survey(call: Call, source: Source) -> Survey:
    """Look at the rows, and make the table of their groups.

    Raises:
        MadtreeError: the rows are not fit to learn from.
    """
    host, task, reader, rows = call.host, call.task, source.reader, source.rows
    counted = None
    if task.grouping and source.spread is None and host.source is host:
        with local_settings(host, sorting(task.parameters.memory_bytes)):  # by which PostgreSQL plans, too
            counted = count_by_group(host, call.space, task, rows)
    profile = estimate_profile(reader, task, rows, source.oids) or read_profile(reader, task, rows, counted)
    check_class_params(task.parameters.class_params, task.dependent_sql, profile.classes)
    call.kind.check(task, profile)
    warn_of_many_classes(host, task, profile)
    categories = read_categories(reader, rows, task.features, task.parameters.null_as_category)
    warn_of_many_categories(host, task, profile, categories)
    fold = fold_feature(task)
    fold_keys = None if fold is None else _folds(call, reader, rows, fold)
    parameters = task.parameters
    if fold_keys is not None and not call.kind.learner.holds_out:
        parameters = replace(parameters, n_folds=len(fold_keys))
    n_channels = _n_channels(task, profile)
    blocks = choose_blocks(task.strategy, source.access, call.kind, rows.n_columns, n_channels, task.tuning)
    found = Survey(task, source, profile, categories, fold_keys, parameters, blocks)
    return _with_groups(call, found, counted) if task.grouping else found


def _folds(call: Call, reader: Host, rows: RowSource, fold: Feature) -> Floats:
    """(n_folds,) the numbers that stand for the folds that rows tell of."""
    task = call.task
    name = f"{task.fold_argument}: {task.folds_by}"
    complaints = in_all_rows(name)
    if task.held_out:
        training = task.arguments.training_table_name
        complaints = f"{training} has no rows to train on", f"validation_params: table {task.folds_by} has no rows"
    return read_folds(reader, rows, fold, name, complaints if call.kind.learner.holds_out else None)


def sorting(memory_bytes: int, processes: int = 1) -> dict[str, str]:
    """Settings for a statement that sorts rows, or looks them up by a hash, in so many processes at once."""
    return {"work_mem": f"{max(memory_bytes // 1024 // SORT_SHARE // processes, _LEAST_WORK_MEM)}kB"}


def _with_groups(call: Call, found: Survey, counted: str | None) -> Survey:
    """`counted`: the table of `count_by_group`."""
    source, blocks, space = found.source, found.blocks, call.space
    regression = not call.task.is_classification
    figures = counted_groups(source.rows, counted, regression) if counted else None
    if source.spread:
        figures = source.spread.count_groups(source.rows, regression, space)
    query = groups_query(source.rows, blocks.whole, blocks.together, regression, figures)
    if call.host.source is call.host:
        groups = make_groups(call.host, source.reader, space, source.rows, query, regression)
        check_group_values(call.host, space.tables.name("groups"), call.task.grouping)
        check_heaviest(call.task, groups.heaviest.tolist())
        return replace(found, groups=groups)
    groups, values = copy_groups(source.reader, space, source.rows, query, regression, call.task.grouping)
    check_group_values(call.host, space.tables.name("groups"), call.task.grouping)
    check_heaviest(call.task, groups.heaviest.tolist())
    found = replace(found, groups=groups, source=replace(source, rows=replace(source.rows, groups=values)))
    if len(found.large) and not found.has_places:
        raise MadtreeError(
            f"training_table_name: {call.task.arguments.training_table_name} is no plain table, and has groups of more "
            f"than {blocks.whole:,} rows, which takes one where data and model are on different servers",
            hint="Train on a table or a materialized view, or on a view for each of the large groups.",
            sqlstate="0A000",
        )
    return found


def _n_channels(task: TrainingTask, profile: Profile) -> int:
    """Of a node, with one limb of each."""
    return Channels(len(profile.classes), WEIGHT.name in task.numbers, not profile.classes).count
