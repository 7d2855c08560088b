"""Rows of a distributed table, scored by the servers that hold them: each shard by a statement of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle

from madtree.host import Host, WorkSpace, local_settings, making_here
from madtree.ingest import distribute
from madtree.records import dataclass
from madtree.request import find_columns
from madtree.score.case_or_blocks import Work
from madtree.sqltext import evaluate as evaluate_sql
from madtree.sqltext import shards as sql
from madtree.sqltext.predict import Scan
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.scoreblocks import BlockScan
from madtree.sqltext.split import parse_name
from madtree.sqltext.typenames import type_sql

_OID, _TEXT, _INT = "pg_catalog.oid", "pg_catalog.text", "pg_catalog.int4"
_TRIED_KEYS = 16  # for each shard of the work table: of so many, it is likely to have one
# Each of its shards has one place, where its names are those of shards that are there.
_ONE_PLACE = {"citus.shard_replication_factor": "1"}
# Seconds, as those of `case_or_blocks`: for the work table; for a process to load Python; for a byte that a process is
# sent; for a row, and each of its values, to come to the coordinator. A shard takes some 5 ms either way.
_WORK_TABLE, _START, _BYTE, _MOVED_ROW, _MOVED_VALUE = 0.06, 0.15, 12e-9, 0.2e-6, 0.05e-6
_MOST_BYTES = 2**28  # that are sent to a process, as text twice as many
_MOST_PROCESSES = 16  # of a server's: Citus opens no more connections, unless its settings say so


@dataclass(frozen=True)
class Sharded:
    """A table that is distributed by a hash.

    Attributes:
        shards: name, as SQL, and number of the server, of each.
        is_heap: whether they are heaps, which can be read by pages.
    """

    shards: Sequence[tuple[str, int]]
    is_heap: bool

    @classmethod
    def find(cls, host: Host, source: Relation) -> Sharded | None:
        """None where a table is not distributed so, or where this transaction may have changed it: each server would
        have to read it by the connection that has changed it.
        """
        found = host.query(sql.SHARDS, [_OID], [source.oid])
        if not found or host.query(sql.MAY_BE_CHANGED, [_OID], [source.oid])[0]["changed"]:
            return None
        schema = "public." if source.schema == "public" else ""  # which Citus leaves out
        is_heap = host.query(sql.IS_HEAP, [_OID], [source.oid])[0]["is_heap"]
        return cls([(schema + row["name"], row["server"]) for row in found], is_heap)

    @property
    def n_servers(self) -> int:
        return len({server for _, server in self.shards})

    def processes(self, work: Work) -> int:
        """How many of each server are worth it: each of them loads Python, and takes whole shards."""
        of_server = -(-len(self.shards) // self.n_servers)
        worth = int(work.all_rows_seconds / self.n_servers / (2 * _START))
        return max(1, min(worth, of_server, _MOST_PROCESSES))

    def pays(self, work: Work, n_bytes: int) -> bool:
        """Whether that is quicker than to score the rows on the coordinator.

        Args:
            n_bytes: that each process is sent.
        """
        n_processes = self.n_servers * self.processes(work)
        there = _WORK_TABLE + _START + n_processes * _BYTE * n_bytes + work.all_rows_seconds / n_processes
        here = work.rows * (_MOVED_ROW + work.features * _MOVED_VALUE) + work.all_rows_seconds
        return n_bytes <= _MOST_BYTES and there < here


@contextmanager
def scored_by_shards(
    host: Host,
    source: Relation,
    blocks: BlockScan,
    work: Work,
    plan_bytes: int,
    query: Callable[[BlockScan, bool], str],
    columns: Sequence[tuple[str, str]],
) -> Iterator[str | None]:
    """The rows of a query of blocks that each server runs over its shards, as a query that keeps the parameter, the
    plan; None where that cannot be or does not pay.

    Args:
        blocks: of the whole table.
        plan_bytes: of the plan.
        query: makes the query from the blocks of a shard; the second says whether that can be read by pages.
        columns: name and type of each of the query.
    """
    held = Sharded.find(host, source)
    schema = _schema_for_tables(host, source, blocks) if held and held.pays(work, plan_bytes) else None
    if held is None or schema is None:
        yield None
        return
    placeholder = f"madtree_shard_{secrets.token_hex(8)}"
    text = query(replace(blocks, scan=_scan_of_shard(blocks, ident(placeholder))), held.is_heap)
    text = _as_read_here(host, source, text, placeholder, columns)
    if not held.pays(work, plan_bytes + len(text)):
        yield None
        return
    with WorkSpace(host, schema) as space:
        tables = sql.ShardTables(space.tables.schema, space.tables.token)
        space.make("shards", tables.create_shards())
        named = _distributed(host, tables.name("shards"), held, held.processes(work))
        if named is not None:
            host.command(tables.fill_shards(named))
        yield None if named is None else tables.of_each_shard(text, placeholder, columns)


def _as_read_here(host: Host, source: Relation, text: str, name: str, columns: Sequence[tuple[str, str]]) -> str:
    """A query over a table of that name as this server reads it, every name with its schema: the same name may mean
    something else on another server, where somebody has made a function or an operator that fits it better.

    Args:
        columns: name and type of each column.
    """
    cast = ", ".join(f"r.{ident(column)}::{type_}" for column, type_ in columns)
    own = [(column.sql, type_sql(column.full_type)) for column in find_columns(host, source).values()]
    with making_here(host):
        host.command(sql.stand_in(name, own))
        host.command(sql.read_as_function(name, f"SELECT {cast} FROM ({text}) AS r"))
        with local_settings(host, {"search_path": "pg_catalog"}):
            found = host.query(sql.QUERY_AS_READ, [_TEXT], [f"pg_temp.{name}(pg_catalog.bytea)"])
        host.command(sql.forget(name))
    return str(found[0]["query"])


def _distributed(host: Host, table: str, held: Sharded, processes: int) -> list[tuple[int, str]] | None:
    """Distribute the work table, in so many shards on each server; returns the names of the other table's shards, each
    with a key of a shard that is on its server. None where one of the servers gets no shards.
    """
    n_shards = processes * int(host.query(sql.COUNT_SERVERS)[0]["n"])
    with local_settings(host, _ONE_PLACE):
        distribute(host, table, sql.KEY, n_shards=n_shards)
    keys: dict[int, list[int]] = {}
    for row in host.query(sql.KEYS, [_TEXT, _INT], [table, _TRIED_KEYS * n_shards]):
        keys.setdefault(row["server"], []).append(row["key"])
    if any(server not in keys for _, server in held.shards):
        return None
    in_turn = {server: cycle(own) for server, own in keys.items()}
    return [(next(in_turn[server]), name) for name, server in held.shards]


def _schema_for_tables(host: Host, source: Relation, blocks: BlockScan) -> str | None:
    """The schema of the work table: the target's, that of the new data, or one of the session's; None where the caller
    may make a table in none of them.
    """
    if host.query(evaluate_sql.READ_ONLY)[0]["read_only"]:
        return None
    schemas = [*(parse_name(blocks.scan.target) or ())[:-1], source.schema]
    found = host.query(sql.SCHEMA_FOR_TABLES, [f"{_TEXT}[]"], [schemas])
    return str(found[0]["name"]) if found else None


def _scan_of_shard(blocks: BlockScan, shard: str) -> Scan:
    """How a shard is read, where the model's tables are not."""
    scan = replace(blocks.scan, source=shard)
    if scan.groups is None or scan.groups.as_values is None:
        return scan
    return replace(scan, groups=replace(scan.groups, table=scan.groups.as_values()))
