"""Trees too large for one block: find bins, pack the table into blocks, grow by passes over them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from madtree.ingest import (
    BinFinder,
    Binned,
    Packed,
    Packing,
    Profile,
    Reading,
    RowSpool,
    binned_features,
    read_profile,
)
from madtree.learn.data import Ints
from madtree.learn.ensemble import Held
from madtree.learn.packing import Scale
from madtree.learn.problem import Problem
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import Program
from madtree.storage.distributed import PartBinFinder
from madtree.storage.protocol import NotPossibleError
from madtree.train.batches import Batch, TreeBuffer, batches_of
from madtree.train.keepers import Blocks, keeper_of
from madtree.train.other_readers import sharing_of
from madtree.train.progress import ProgressReporter, ReadingReporter
from madtree.train.source import Call
from madtree.train.strategy import Strategy
from madtree.train.survey import Survey
from madtree.trees import EXACT_LIMIT, FeatureKind


def large_trees(
    call: Call, found: Survey, strategy: Strategy, scale: Scale, tree_ids: Ints | None = None
) -> Iterator[Batch]:
    """The trees of `tree_ids` (n_trees,), or the single one; `scale` has their rows and ranges."""
    source, profile = found.source, found.profile
    call.watch.begin("sample")
    read_rows = min(call.task.tuning.read_rows, found.blocks.rows)
    reading = Reading(
        source.reader,
        source.rows,
        source.pages(profile.total, read_rows),
        None if source.spread else sharing_of(source, profile.total, call.space),
        ReadingReporter(call.host, call.activity, call.task.verbose).report,
    )
    binned = _bins(call, found, strategy, scale, reading, np.ones(1, np.int64) if tree_ids is None else tree_ids)
    if not found.parameters.n_bins and (quantiles := binned_features(binned.bins, found.feature_kinds)):
        names = ", ".join(call.task.features[f].name for f in quantiles)
        call.host.notice(f"n_bins: {names}: more than {EXACT_LIMIT} distinct values, put into quantile bins")
    grown = None
    while grown is None:
        blocks = Blocks(_problem(call, found, profile, binned, scale), reading, read_rows, binned.spool)
        grown = yield from _pack_and_grow(call, replace(found, profile=profile), strategy, blocks, binned, tree_ids)
        if grown is None:  # a class was too rare for the sample
            profile = read_profile(source.reader, call.task, source.rows)
            scale = profile.scale()
    if binned.spool is not None:
        binned.spool.close()
    yield grown


def _bins(call: Call, found: Survey, strategy: Strategy, scale: Scale, reading: Reading, tree_ids: Ints) -> Binned:
    source, tuning, learner = found.source, call.task.tuning, call.kind.learner
    row_format = found.row_format(found.profile)
    finder = (partial(PartBinFinder, source.spread) if source.spread else BinFinder)(
        reading,
        row_format,
        found.feature_kinds,
        found.categories,
        found.parameters,
        tree_ids,
        scale.rows,
        tuning.least_sample,
        partial(learner.in_training, parameters=found.parameters) if learner.holds_out else None,
    )
    if source.spread:
        return finder.find()
    read = partial(RowSpool.read, reading, row_format, found.parameters.memory_bytes // tuning.spool_share)
    return finder.find(read, once=strategy.reads_once)


def _pack_and_grow(
    call: Call, found: Survey, strategy: Strategy, blocks: Blocks, binned: Binned, tree_ids: Ints | None
) -> Generator[Batch, None, Batch | None]:
    """Yields trees that are done while others grow; returns the last ones, with the profile of the rows that were
    really there, or None where a row had a class that the profile does not know.
    """
    host, profile, problem, n_own = call.host, found.profile, blocks.problem, found.source.rows.n_own_numbers
    never_null = [profile.never_null] * n_own + [not seen for seen in binned.seen_null]
    packing = Packing(problem, found.row_format(profile), tree_ids, never_null)
    ids = np.ones(1, np.int64) if tree_ids is None else tree_ids
    report = ProgressReporter(host, call.watch, call.activity, call.task.verbose).report
    for keeping in strategy.keepings:
        call.watch.begin("pack")
        try:
            keeper = keeper_of(keeping, call, found, blocks)
            buffer = TreeBuffer(host, in_file=not keeper.may_run_statements)

            train = partial(call.kind.learner.program, problem, ids, buffer.add)
            program = partial(_program, train, found, problem, keeper.n_processes)
            work = keeper.train(packing, program, report)
            grown = yield from batches_of(work, buffer, profile, host.let_in)
        except NotPossibleError:
            continue
        return None if grown is None else Batch(grown[1], _counted(profile, grown[0]))
    raise AssertionError("a training in this process is always possible")


def _program(
    train: Callable[[Held], Program[TrainedTrees]],
    found: Survey,
    problem: Problem,
    n_processes: int,
    packed: Packed,
    rows_at_hand: bool,
) -> Program[tuple[Packed, TrainedTrees] | None]:
    """What is trained once all rows are packed; None where a row has a class that the profile does not know."""
    if packed.n_unknown and found.profile.estimated:
        return None
    if not packed.n_rows:
        return packed, TrainedTrees.none(len(problem.unordered), problem.n_classes)
    held = Held(n_processes, rows_at_hand, found.fold_keys is not None)
    trained = yield from train(held)
    return packed, trained


def _counted(profile: Profile, packed: Packed) -> Profile:
    """The profile of the rows that were really there."""
    if not profile.estimated:
        return profile
    return replace(profile, total=packed.n_rows + packed.n_skipped, usable=packed.n_rows)


def _problem(call: Call, found: Survey, profile: Profile, binned: Binned, scale: Scale) -> Problem:
    rows, parameters, spread = found.source.rows, found.parameters, found.source.spread
    samples = call.kind.learner.samples(parameters)
    drawn = scale.drawn(samples) if samples else scale
    grids = drawn.grids(rows.weight is not None, not call.task.is_classification, 1 if drawn.one_limb_will_do() else 2)
    return Problem(
        parameters=spread.limited(parameters) if spread else parameters,
        bins=binned.bins,
        unordered=np.array([kind is FeatureKind.UNORDERED for kind in found.feature_kinds], np.bool_),
        n_trees=len(scale.rows),
        rows=scale.rows,
        n_classes=len(profile.classes),
        **grids,  # type: ignore[arg-type]
        **scale.of_problem(),
    )
