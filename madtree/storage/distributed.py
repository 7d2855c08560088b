"""Tables that are spread over the servers of a Citus cluster: packed and counted where their rows are.

The coordinator runs the same program as on one server. What differs is how rows get into blocks (by parts instead of
page ranges, which a distributed table has not) and that a state has to be small: each shard sends one, as
text, in every pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.host import Host, OnServers, WorkSpace, has_citus
from madtree.ingest import BinFinder, Packed, Packing, PageRange, PageRanges, distribute
from madtree.learn.counting import CountRequest
from madtree.learn.data import Floats
from madtree.learn.packing import RawRows
from madtree.learn.problem import Problem, SearchTuning
from madtree.records import dataclass
from madtree.request import TrainingTask, Tuning
from madtree.sqltext import distributed as sql
from madtree.sqltext.distributed import DistributedTables
from madtree.sqltext.profile import group_counts
from madtree.sqltext.rows import RowSource
from madtree.sqltext.values import text_of
from madtree.storage.aggregate import TableKeeper, TableOfBlocks
from madtree.storage.aggregate_functions import State, joined_pieces
from madtree.trees import Parameters

STATE_BYTES = 2**22  # twice as many characters travel
# Bytes of all shards' states from which they are added up by the servers: the coordinator takes 8 ns for a byte, and
# 20 ms or more for three statements in place of one.
SCATTERED_BYTES = 2**23
_MOST_PIECES = 32  # of a state
_PLAIN_KEYS = 4
_TRIED_KEYS = 16  # for each shard
_PART_BYTES = 32 * 2**20  # of a part's raw numbers
_TEXT, _OID = "pg_catalog.text", "pg_catalog.oid"


def shard_keys(host: Host, table: str, n_shards: int) -> list[int]:
    """Values of the column by which a table is distributed, ascending: one of each shard; any on plain PostgreSQL."""
    if not has_citus(host):
        return list(range(_PLAIN_KEYS))
    # Of so many numbers, a shard is likely to have some; one that has none gets no rows.
    found = host.query(sql.SHARD_KEYS, [_TEXT, "pg_catalog.int4"], [table, _TRIED_KEYS * n_shards])
    return [int(row["key"]) for row in found]


def most_shards(task: TrainingTask, n_parts: int) -> int:
    """Of the work tables, beyond which some would have no rows: as many as there are parts, or blocks of groups."""
    return n_parts * (task.tuning.distributed_share if task.grouping else 1)


def count_shards(host: Host, oid: int) -> int:
    """Of a distributed table; 1 on plain PostgreSQL."""
    return int(host.query(sql.COUNT_SHARDS, [_OID], [oid])[0]["n_shards"]) if has_citus(host) else 1


@dataclass
class DistributedRows:
    """A training's rows, distributed in parts.

    Attributes:
        servers: what runs statements over them.
        tables: the training's work tables.
        n_parts: of about `part_rows` rows each, numbered from 0.
        keys: of the shards, which parts take in turn.
        tuning: of the training.
    """

    host: Host
    servers: OnServers
    tables: DistributedTables
    n_parts: int
    keys: Sequence[int]
    tuning: Tuning

    @classmethod
    def distribute(
        cls, host: Host, task: TrainingTask, space: WorkSpace, columns: Sequence[str] | None, relation: str
    ) -> DistributedRows:
        """Make the table of rows: `columns` of the task's `relation` (both as SQL), all if None."""
        tables = DistributedTables(space.tables.schema, space.tables.token)
        servers = OnServers(host)
        n_rows = int(servers.query(sql.count_rows(relation))[0]["n_rows"])
        n_parts = max(1, -(-n_rows // part_rows(len(task.features) + 3, task.tuning.part_rows)))
        space.make("rows", tables.create_rows(columns, relation))
        n_shards = min(count_shards(host, task.source.oid), most_shards(task, n_parts))
        distribute(host, tables.name("rows"), tables.shard_key, n_shards=n_shards)
        keys = shard_keys(host, tables.name("rows"), n_shards)
        heaps = host.query(sql.ALL_HEAPS, [_OID], [task.source.oid])[0]["heaps"]
        # Where a table has no shards, Citus cannot ask for the places of its rows, of which there are none.
        by = None if heaps and n_rows else text_of(task.id_sql, task.id_writer)
        servers.command(tables.distribute_rows(columns, relation, n_parts, keys, by))
        return cls(host, servers, tables, n_parts, keys, task.tuning)

    def pages(self) -> PageRanges:
        """The parts, in place of page ranges."""
        ranges = tuple(PageRange(0, str(part), str(self.keys[part % len(self.keys)])) for part in range(self.n_parts))
        return PageRanges((self.tables.aliased("rows"),), ranges)

    def count_groups(self, source: RowSource, dependent_is_number: bool, space: WorkSpace) -> str:
        """The query of the groups' figures: of each group one row comes to the coordinator, instead of one from each
        shard, where groups can be told apart by a hash.
        """
        host, tables = self.host, self.tables
        space.make("counts", tables.create_counts(source, dependent_is_number))
        if not host.query(sql.HASHABLE, [_TEXT], [tables.name("counts")])[0]["hashable"]:
            return group_counts(source, dependent_is_number)
        distribute(host, tables.name("counts"), "madtree_by", beside=tables.name("rows"))
        self.servers.command(tables.count_groups(source, dependent_is_number))
        return tables.counted_groups(source, dependent_is_number)

    def distribute_groups(self, source: RowSource, space: WorkSpace) -> None:
        """Make the table of the rows of small groups, those of each block on one server."""
        space.make("images", self.tables.create_group_rows())
        distribute(self.host, self.tables.name("images"), "block_id", beside=self.tables.name("rows"))
        self.servers.command(self.tables.distribute_groups(source))

    def limited(self, parameters: Parameters) -> Parameters:
        """Parameters under which a state is small enough to travel."""
        return replace(parameters, memory_bytes=min(parameters.memory_bytes, STATE_BYTES * SearchTuning().state_share))


def part_rows(n_numbers: int, most: int) -> int:
    """Rows of a part: fewer than the most where the rows are wide."""
    return max(1024, min(most, _PART_BYTES // (8 * n_numbers)))


class InParts(TableKeeper):
    """A block for each part, on the server that has the part's rows."""

    may_run_statements = True
    n_processes = 1

    def __init__(self, rows: DistributedRows, space: WorkSpace, source: RowSource) -> None:
        super().__init__(rows.host, rows.tables, space, 0)
        self._rows, self._source = rows, source

    def _pack(self, packing: Packing) -> Packed:
        host, servers, tables = self._host, self._rows.servers, self._rows.tables
        self._space.make("blocks", tables.create_part_blocks())
        distribute(host, tables.name("blocks"), "shard_key", beside=tables.name("rows"))
        servers.command(tables.pack_parts(self._source), ["pg_catalog.bytea"], [packing.plan()])
        totals = servers.query(tables.totals())[0]
        return Packed(*(int(totals[name] or 0) for name in ("n_rows", "n_skipped", "n_unknown")))

    def _provider(self, problem: Problem) -> TableOfBlocks:
        return DistributedBlocks(self._rows, problem, self._space)


class DistributedBlocks(TableOfBlocks):
    """The provider whose blocks are on several servers, which add large states up among themselves: each of them the
    pieces of all shards' states that are of the same place, as LightGBM's data-parallel learner does.
    """

    def __init__(self, rows: DistributedRows, problem: Problem, space: WorkSpace) -> None:
        """`space`: which has the tables that are made here."""
        super().__init__(rows.servers, rows.tables, problem, 0, rows.tuning, STATE_BYTES)
        self._tables, self._space, self._n_shards = rows.tables, space, len(rows.keys)
        self._piece_keys: list[int] = []

    def _state(self, request: CountRequest, plan: bytes) -> State | None:
        if request.state_bytes * self._n_shards <= SCATTERED_BYTES:
            return super()._state(request, plan)
        host, tables, itemsize = self._host, self._tables, request.dtype.itemsize
        keys = self._piece_keys = self._piece_keys or self._make_states()
        piece_bytes = -(-request.state_bytes // itemsize // len(keys)) * itemsize
        host.command(tables.scatter_states(keys, piece_bytes), ["pg_catalog.bytea"], [plan])
        pieces = {int(row["shard_key"]): row["shared"] for row in host.query(tables.gathered_states())}
        host.command(tables.empty_states())
        return joined_pieces([pieces[key] for key in keys]) if pieces else None

    def _make_states(self) -> list[int]:
        host, tables, n_pieces = self._host, self._tables, min(self._n_shards, _MOST_PIECES)
        self._space.make("states", tables.create_states())
        distribute(host, tables.name("states"), "shard_key", n_shards=n_pieces)
        return shard_keys(host, tables.name("states"), n_pieces)


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

    def _read_range(self, chosen: Sequence[int], page_range: PageRange, condition: str = "") -> RawRows:
        part = self._tables.one_part(int(page_range.low), int(page_range.high))
        extra = f"{part} AND {condition}" if condition else part
        return self._read(self._source.from_clause(self._pages.relations[page_range.relation], extra=extra), chosen)

    def _complete(self, few: dict[tuple[int, int], Floats]) -> dict[tuple[int, int], Floats]:
        """One query a feature instead of a look at every row, unless bins are made of some rows only."""
        if self._in_training is not None:
            return super()._complete(few)
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
