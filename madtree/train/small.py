"""Trees of small groups: each block holds all rows of some groups, so it is grown in one go, here or by a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.host import local_settings
from madtree.ingest import GroupSpool, as_rows, read_images
from madtree.learn.data import Floats, finished
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import Progress, StepReport
from madtree.parallel import sharing
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.query import Binary
from madtree.storage.distributed import DistributedRows
from madtree.storage.whole_trees import GrowPlan, growing_in_block
from madtree.storage.workers.leading import grown_together
from madtree.train.batches import Batch, TreeBuffer, batches_of
from madtree.train.progress import ProgressReporter
from madtree.train.source import Call
from madtree.train.survey import SORT_SHARE, Survey, sorting


def whole_tree(call: Call, found: Survey) -> Iterator[Batch]:
    """What is trained of a table without groups whose rows fit one block."""
    host, source = call.host, found.source
    call.watch.begin("pack")
    clause = source.rows.from_clause(extra=source.rows.usable)
    images = read_images(source.reader, source.rows, rows_sql.images(source.rows, clause))
    report = ProgressReporter(host, call.watch, call.activity, call.task.verbose).report
    buffer = TreeBuffer(host, in_file=False)
    work = growing_in_block(_grow_plan(call, found), images, report, buffer.add)
    del images
    trained = yield from batches_of(work, buffer, found.profile, host.let_in)
    if trained is not None:
        yield Batch(trained, found.profile)


def small_groups(call: Call, found: Survey, n_growers: int) -> Iterator[Batch]:
    """The trees of small groups, block by block.

    In one process the blocks are streamed, so that no more than one is held at a time. Resident workers share blocks
    out from a table. Where rows are spread over servers, those of a block come together on one, which grows them.

    Args:
        n_growers: workers that grow blocks beside this process; above 0 only where there may be resident workers.
    """
    host, n_blocks = call.host, found.size.n_blocks
    report = ProgressReporter(host, call.watch, call.activity, call.task.verbose).report
    plan = _grow_plan(call, found)
    if n_growers:
        for trees in _shared(call, found, plan, n_growers, report):
            yield Batch(trees, found.profile)
        return
    spread = found.source.spread
    grown = _by_servers(call, found, plan, spread) if spread else _streamed(call, found, plan)
    for done, batch in enumerate(grown, 1):
        report(Progress(step=StepReport("block", done, n_blocks)))
        if batch is not None:
            yield Batch(batch, found.profile)


def _grow_plan(call: Call, found: Survey) -> GrowPlan:
    profile, learner = found.profile, call.kind.learner
    n_classes = len(profile.classes)
    return GrowPlan(found.row_format(profile), found.feature_kinds, n_classes, found.parameters, learner)


def _by_servers(call: Call, found: Survey, plan: GrowPlan, spread: DistributedRows) -> Iterator[TrainedTrees | None]:
    call.watch.begin("pack")
    spread.distribute_groups(found.source.rows, call.space)
    call.watch.begin("passes")
    for row in spread.servers.stream(Binary(spread.tables.grown()), plan=plan.dump()):
        yield None if row["shared"] is None else TrainedTrees.load(row["shared"])


def _streamed(call: Call, found: Survey, plan: GrowPlan) -> Iterator[TrainedTrees | None]:
    host = call.host.source
    call.watch.begin("pack")
    with local_settings(host, sorting(found.parameters.memory_bytes)):
        for images in _images(call, found):
            report = ProgressReporter(host, call.watch, call.activity, verbose=False).report
            work = growing_in_block(plan, images, report)
            del images  # which are not held while trees grow
            yield finished(work, host.let_in)
            call.watch.begin("pack")


def _images(call: Call, found: Survey) -> Iterator[bytes | Floats]:
    """The rows of each block."""
    source, rows, profile, n_blocks = found.source, found.source.rows, found.profile, found.size.n_blocks
    if found.groups and n_blocks > 1 and source.oids and not rows.sent:
        # On the way there are more copies of the rows than where they are packed at once.
        pages, n_bytes = source.pages(profile.total, rows.rows_at_once // 2), 8 * rows.n_columns * profile.total
        in_file = n_bytes > found.parameters.memory_bytes // SORT_SHARE
        spool = GroupSpool(call.host, rows, pages, found.groups, in_file=in_file)
        yield from spool.rows(known=profile.never_null)
    else:
        for row in call.host.source.data_stream(Binary(rows_sql.images_by_block(rows))):
            yield as_rows(rows, row.pop("images"))


def _shared(
    call: Call, found: Survey, plan: GrowPlan, n_growers: int, report: Callable[[Progress], None]
) -> Iterator[TrainedTrees]:
    host, tables = call.host, call.space.tables
    call.watch.begin("pack")
    with local_settings(host, {**sorting(found.parameters.memory_bytes, n_growers + 1), **sharing(n_growers)}):
        call.space.make("images", tables.create_images(rows_sql.images_by_block(found.source.rows)))
    call.watch.begin("passes")
    n_blocks = found.size.n_blocks
    for trees in grown_together(host, tables.images_of(), n_blocks, plan.dump(), n_growers, report):
        yield TrainedTrees.load(trees)
