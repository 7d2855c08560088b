"""Where the rows of a training are read: in place, from a copy, or in parts beside the rows of a distributed table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from madtree.host import Host, Stopwatch, WorkSpace, has_citus, on_servers
from madtree.ingest import PageRanges, check_in_place, oid_of, placement, plain_tables, relation_of, row_source
from madtree.records import dataclass
from madtree.request import TrainingTask, columns_needed, refuse_moved
from madtree.sqltext.rows import RowSource
from madtree.storage.distributed import DistributedRows
from madtree.train.activity import Activity
from madtree.train.kinds import TrainingKind
from madtree.train.strategy import Able, Access, choose_access


@dataclass(frozen=True)
class Call:
    """One training: the session, what is to be trained, and what is made on the way.

    Attributes:
        space: the work tables.
        watch: told of the stages.
        activity: told of the steps.
    """

    host: Host
    task: TrainingTask
    kind: TrainingKind
    able: Able
    space: WorkSpace
    watch: Stopwatch
    activity: Activity


@dataclass(frozen=True)
class Source:
    """The rows of a training.

    Attributes:
        reader: what runs statements over them.
        rows: SQL of a row.
        oids: of the plain tables that hold them; none where they cannot be read by page ranges.
        spread: their parts, where they are spread over servers.
    """

    access: Access
    reader: Host
    rows: RowSource
    oids: Sequence[int]
    spread: DistributedRows | None = None

    def pages(self, n_rows: int, at_once: int) -> PageRanges:
        """The ranges in which about `n_rows` rows are read, `at_once` in each."""
        if self.spread:
            return self.spread.pages()
        return PageRanges.cut(self.reader, self.oids, n_rows, at_once)


@contextmanager
def open_source(call: Call) -> Iterator[Source]:
    """Find the rows, and copy or distribute them where that is needed; those in place must be so to the end.

    Raises:
        MadtreeError: as `check_in_place`.
    """
    source = _found(call)
    yield source
    if source.access is Access.IN_PLACE and source.oids:
        check_in_place(source.reader, call.task.source)


def _found(call: Call) -> Source:
    host, task, space, kind = call.host, call.task, call.space, call.kind
    reader: Host = host.source
    held = placement(reader, task.source.oid)
    needs_copy = task.held_out is not None or task.ordered is not None
    oids = [] if needs_copy else plain_tables(reader, task.source.oid, held)
    access = choose_access(
        call.able,
        # Another table's rows are elsewhere, and rows have an order only where they are together.
        is_spread=held == "spread" and not needs_copy,
        may_stay_spread=kind.may_stay_spread(task.strategy),
        has_pages=bool(oids),
        is_elsewhere=reader is not host,
    )
    relation = relation_of(task)
    spread = None
    with_identity = kind.learner.draws_rows or task.parameters.draws_folds or task.ordered is not None
    if access is not Access.IN_PLACE:
        columns = columns_needed(reader, task, with_identity=with_identity)
        if held is not None:
            refuse_moved(reader, task.source, columns, is_spread=access is Access.SPREAD)
        if task.held_out is not None:
            if placement(reader, task.held_out.relation.oid) is not None:
                refuse_moved(reader, task.held_out.relation, task.held_out.columns, is_spread=False)
            columns = None  # the relation has no others
        if access is Access.SPREAD:
            spread = DistributedRows.distribute(host, task, space, columns, relation)
            reader, oids = spread.servers, []
        else:
            copier = on_servers(host) if has_citus(host) else host
            space.make("rows", space.tables.stage(columns, relation), by=copier)
            oids = [oid_of(host, space.tables.name("rows"))]
        relation = space.tables.aliased("rows")
    groups = space.tables.name("groups") if task.grouping else None
    rows = row_source(task, relation, groups, with_identity=with_identity, is_sent=not host.has_extension)
    return Source(access, reader, rows, oids, spread)
