"""Trees of small groups: each block holds all rows of some groups, so it is grown in one go, here or by a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.host import Cancels, Host, Stopwatch, local_settings
from madtree.ingest import as_rows
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import BlocksReport, Progress
from madtree.parallel import sharing
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.rows import RowSource
from madtree.sqltext.work import WorkTables
from madtree.storage.distributed import DistributedRows
from madtree.storage.whole_trees import GrowPlan, grow_in_block
from madtree.storage.workers.groups import grown_together
from madtree.train.progress import Teller

_BYTEA = "pg_catalog.bytea"
_SORT_SHARE = 4  # of the memory budget, what sorting rows by block may take
_LEAST_WORK_MEM = 64  # kilobytes, PostgreSQL's own bound


class SmallGroups:
    """One run's small groups.

    In one process the blocks are streamed, so that no more than one is held at a time. Resident workers share blocks
    out from a table. Where rows are distributed, those of a block come together on a server, which grows them.
    """

    def __init__(
        self,
        host: Host,
        work: WorkTables,
        made: list[str],
        source: RowSource,
        plan: GrowPlan,
        n_blocks: int,
        n_workers: int,
        watch: Stopwatch,
        distributed: DistributedRows | None = None,
        *,
        by_place: bool = True,
    ) -> None:
        """
        Args:
            made: the parts of the work tables that exist; those made here are added.
            n_workers: that grow blocks beside this process; above 0 only where there may be resident workers.
            watch: told of the stages.
            distributed: the rows, where they are spread over servers.
            by_place: whether rows have a place in a plain table.
        """
        self._watch = watch
        self._host, self._work, self._made = host, work, made
        self._source, self._plan, self._distributed = source, plan, distributed
        self._n_blocks, self._n_workers = n_blocks, n_workers
        self._by_place = by_place
        # Folds go by a row's place where the table does not tell them.
        self._in_order = plan.parameters.n_folds > 0 and source.fold is None

    def train(self, tell: Callable[[Progress], None]) -> Iterator[TrainedTrees | None]:
        """The trees, block by block, None for a block without a usable row; `tell` hears how many blocks are done."""
        if self._n_workers:
            yield from self._shared(tell)
            return
        batches = self._by_servers(self._distributed) if self._distributed else self._streamed()
        for done, batch in enumerate(batches, 1):
            tell(Progress(blocks=BlocksReport(done, self._n_blocks)))
            yield batch

    def _by_servers(self, rows: DistributedRows) -> Iterator[TrainedTrees | None]:
        self._watch.begin("pack")
        self._made.append("images")
        rows.distribute_groups(self._source)
        self._watch.begin("passes")
        for row in rows.servers.stream(rows.tables.grown(), [_BYTEA], [self._plan.dump()]):
            yield None if row["shared"] is None else TrainedTrees.load(row["shared"])

    def _streamed(self) -> Iterator[TrainedTrees | None]:
        self._watch.begin("pack")
        with local_settings(self._host, self._sorting(1)):
            for row in self._host.data_stream(self._query()):
                tell = Teller(self._host, self._watch, verbose=False).tell
                yield grow_in_block(
                    self._plan, as_rows(self._source, row.pop("images")), tell, Cancels(self._host).let_in
                )
                self._watch.begin("pack")

    def _shared(self, tell: Callable[[Progress], None]) -> Iterator[TrainedTrees]:
        host, work, n_workers = self._host, self._work, self._n_workers
        self._watch.begin("pack")
        with local_settings(host, {**self._sorting(n_workers + 1), **sharing(n_workers)}):
            host.command(work.create_images(self._query()))
        self._made.append("images")
        self._watch.begin("passes")
        plan = self._plan.dump()
        for trees in grown_together(host, work.images_of(), self._n_blocks, plan, n_workers, tell):
            yield TrainedTrees.load(trees)

    def _query(self) -> str:
        return rows_sql.images_by_block(self._source, in_order=self._in_order, by_place=self._by_place)

    def _sorting(self, processes: int) -> dict[str, str]:
        kilobytes = self._plan.parameters.memory_bytes // 1024 // _SORT_SHARE // processes
        return {"work_mem": f"{max(kilobytes, _LEAST_WORK_MEM)}kB"}
