"""Tables that are spread over the servers of a Citus cluster: packed and counted where their rows are.

The coordinator runs the same program as on one server. What differs is how rows get into blocks (by parts instead of
page ranges, which a distributed table has not) and that a state has to be small: each shard sends one, as
text, in every pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from madtree.host import Host
from madtree.ingest import (
    BinFinder,
    Packed,
    Packing,
    PageRange,
    PageRanges,
    distribute_beside,
    has_citus,
    run_on_servers,
)
from madtree.learn.data import Floats
from madtree.learn.problem import Problem, RawRows, SearchTuning
from madtree.request import TrainingTask
from madtree.sqltext import distributed as sql
from madtree.sqltext.distributed import DistributedTables
from madtree.sqltext.rows import RowSource
from madtree.sqltext.values import text_of
from madtree.sqltext.work import WorkTables
from madtree.storage.aggregate import TableKeeper, TableOfBlocks
from madtree.trees import Parameters

STATE_BYTES = 2**20 // 2  # twice as many characters travel
_PART_BYTES = 32 * 2**20  # of a part's raw numbers
_TEXT, _OID = "pg_catalog.text", "pg_catalog.oid"


def distribute(host: Host, table: str, column: str, like: int) -> None:
    """Spread an empty table over the servers by an integer column; does nothing on plain PostgreSQL.

    It gets a colocation group of its own: a table of the default group holds a lock to the end of the transaction for
    which all others that distribute tables wait.

    Args:
        table: SQL name.
        like: OID of the distributed table that has as many shards as it is to have: the session's `citus.shard_count`
            says nothing about it.
    """
    if has_citus(host):
        n_shards = int(host.query(sql.COUNT_SHARDS, [_OID], [like])[0]["n_shards"])
        host.query(sql.DISTRIBUTE, [_TEXT, _TEXT, "pg_catalog.int4"], [table, column, n_shards])


@dataclass
class DistributedRows:
    """A run's rows, distributed in parts.

    Attributes:
        tables: the run's work tables.
        n_parts: of about `part_rows` rows each, numbered from 0.
    """

    host: Host
    tables: DistributedTables
    n_parts: int

    @classmethod
    def distribute(
        cls, host: Host, task: TrainingTask, work: WorkTables, columns: Sequence[str] | None, relation: str
    ) -> DistributedRows:
        """Make the table of rows: `columns` of the task's `relation` (both as SQL), all if None."""
        tables = DistributedTables(work.schema, work.token)
        n_rows = int(host.query(sql.count_rows(relation))[0]["n_rows"])
        n_parts = max(1, -(-n_rows // part_rows(len(task.features) + 3, task.tuning.part_rows)))
        host.command(tables.create_rows(columns, relation))
        distribute(host, tables.name("rows"), tables.part, like=task.source.oid)
        heaps = host.query(sql.ALL_HEAPS, [_OID], [task.source.oid])[0]["heaps"]
        by = None if heaps else text_of(task.id_sql, task.id_writer)
        run_on_servers(host, tables.distribute_rows(columns, relation, n_parts, by))
        return cls(host, tables, n_parts)

    def pages(self) -> PageRanges:
        """The parts, in place of page ranges."""
        ranges = tuple(PageRange(0, str(part)) for part in range(self.n_parts))
        return PageRanges((self.tables.aliased("rows"),), ranges, self.tables.one_part, "pg_catalog.int4")

    def limited(self, parameters: Parameters) -> Parameters:
        """Parameters under which a state is small enough to travel."""
        return replace(parameters, memory_bytes=min(parameters.memory_bytes, STATE_BYTES * SearchTuning().state_share))

    def keeper(self, source: RowSource, made: list[str], memory_bytes: int) -> InParts:
        """`made`: the parts of the work tables that exist; `memory_bytes`: as in `InParts`."""
        return InParts(self.host, self.tables, made, source, memory_bytes)


def part_rows(n_numbers: int, most: int) -> int:
    """Rows of a part: fewer than the most where the rows are wide."""
    return max(1024, min(most, _PART_BYTES // (8 * n_numbers)))


class InParts(TableKeeper):
    """A block for each part, on the server that has the part's rows."""

    may_run_statements = True

    def __init__(
        self, host: Host, tables: DistributedTables, made: list[str], source: RowSource, memory_bytes: int
    ) -> None:
        """`memory_bytes`: that rows' positions may take in each of the servers' sessions."""
        super().__init__(host, tables, made, 0)
        self._tables, self._source, self._memory_bytes = tables, source, memory_bytes

    def _pack(self, packing: Packing) -> Packed:
        host, tables = self._host, self._tables
        host.command(tables.create_part_blocks())
        distribute_beside(host, tables.name("blocks"), "part", beside=tables.name("rows"))
        run_on_servers(host, tables.pack_parts(self._source), packing.plan())
        totals = host.query(tables.totals())[0]
        return Packed(*(int(totals[name] or 0) for name in ("n_rows", "n_skipped", "n_unknown")))

    def _provider(self, problem: Problem) -> TableOfBlocks:
        return TableOfBlocks(self._host, self._tables, problem, 0, self._memory_bytes, STATE_BYTES)


class PartBinFinder(BinFinder):
    """Samples parts, each of which is a random sample; looks for rare values on the servers that have the rows."""

    def __init__(self, rows: DistributedRows, *rest: Any) -> None:
        """`rest`: what BinFinder takes."""
        super().__init__(*rest)
        self._tables = rows.tables

    def _sampled(self, chosen: Sequence[int]) -> list[RawRows]:
        if self.takes_all or self._source.grouping:
            return super()._sampled(chosen)
        found, parts = 0, []
        for part in self._pages.ranges:
            parts.append(self._read_range(chosen, part, self._source.usable))
            found += len(parts[-1].target)
            if found >= self._wanted:
                break
        return parts

    def _complete(self, few: dict[tuple[int, int], Floats]) -> dict[tuple[int, int], Floats]:
        """One query a feature instead of a look at every row."""
        complete: dict[tuple[int, int], Floats] = {}
        place = {int(tree): t for t, tree in enumerate(self._tree_ids)}
        for feature in sorted({f for _, f in few}):
            limits = self._limits.limit[:, feature]
            values: dict[int, list[float]] = {}
            for row in self._host.query(self._tables.distinct_values(self._source, feature, int(limits.max()))):
                tree = 0 if not self._source.grouping else place.get(int(row["tree"]), -1)
                values.setdefault(tree, []).append(float(row["value"]))
            for tree in [t for t, f in few if f == feature]:
                found = np.array(values.get(tree, []), np.float64) + 0.0
                found = np.unique(found[~np.isnan(found)])
                if len(found) <= limits[tree]:
                    complete[tree, feature] = found
        return complete
