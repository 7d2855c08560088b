"""Chooses how rows are scored, before any is: by one CASE expression, or by blocks.

A model of what either costs beyond reading the rows and writing the new table, which both do alike. The constants are
seconds on one core of an AMD EPYC with PostgreSQL 15, fitted to the runs of benchmarks/score.py; what matters is their
ratios.

By CASE, every leaf has to be read, written as text, parsed and planned, and every row evaluates a comparison a level.
While the expression fits the processor's cache a comparison takes 13 ns, and the larger it is the more it waits for
memory: 28 ns at 4,096 leaves, 60 at 32,768. By blocks, leaves cost little, and rows are copied into arrays and back.
Where no function of ours is in the server, blocks come to this process and their outcomes go back, over a network of
1 Gbit/s or less: rows are moved only where an expression takes longer than that, or is impossible.
"""

from __future__ import annotations

from math import log2

from madtree.host import Host, local_settings, on_servers, planned
from madtree.ingest import placement, plain_tables
from madtree.parallel import best, seconds
from madtree.records import dataclass
from madtree.request import COSTS, Costs
from madtree.score.new_rows import NewRows
from madtree.sqltext import predict as sql
from madtree.sqltext import workers as workers_sql
from madtree.sqltext.distributed import count_rows
from madtree.sqltext.quote import qualified
from madtree.trees import FeatureKind

CASE_LEAF = 20e-6  # read, write and parse one leaf's share of an expression
CASE_LEVEL = 13e-9  # a row's comparison at one level of a small expression
CACHED_LEAVES = 512  # of an expression that the cache holds
GROWTH = 0.38  # a comparison takes (leaves / CACHED_LEAVES) ** GROWTH times as long beyond
BLOCK_START = 4e-3
BLOCK_LEAF = 3e-6
BLOCK_ROW = 75e-9  # the id there and back, the outcome back
BLOCK_VALUE = 11e-9  # a row's feature into the array
BLOCK_LEVEL = 7e-9
MOVED_ROW = 0.6e-6  # the same of rows that are moved: the id sent, read, and inserted with the outcome
MOVED_VALUE = 0.13e-6  # 8 bytes on the wire, and their making
CODED_LEVEL = 2.4e-9  # the same by codes
EXPRESSION_LEAVES = 200_000  # above, an expression takes gigabytes of the server's memory, whatever the time

# What the planner would do if workers cost nothing: whether the rows can be shared out at all, and among how many.
_FREE = {"parallel_setup_cost": "0", "parallel_tuple_cost": "0"}


@dataclass(frozen=True)
class Work:
    """What is to be done.

    Attributes:
        rows: of the new data, estimated.
        leaves: of all trees together.
        features: that the model has.
        columns: of predictions, each of which is an expression of its own.
        workers: that would share the scan of a CASE, beside the leader.
        sharable: whether workers may score blocks, too: of a plain table, whose pages can be shared out.
        spread: whether rows lie on several servers, which evaluate a CASE where they are, and would have to hand over
            whatever blocks are made of.
        of_cluster: whether Citus holds the rows, be it in one place.
        costs: of starting them.
        members: trees that a row goes down.
        coded: whether rows go down by codes, as they do where neither categories nor surrogates are asked.
        is_expression: whether the model is one; else it is scored by blocks only.
        moved: whether blocks are scored outside of the server.
        row_seconds: that a row takes by blocks beyond its way down.
        from_other_server: whether they come from another server than the one where the table of predictions is made.
    """

    rows: float
    leaves: int
    features: int
    columns: int
    workers: int = 0
    sharable: bool = False
    spread: bool = False
    costs: Costs = COSTS
    members: int = 1
    coded: bool = False
    is_expression: bool = True
    moved: bool = False
    from_other_server: bool = False
    of_cluster: bool = False
    row_seconds: float = 0

    @property
    def _levels(self) -> float:
        """Comparisons that a row has to pass: a grouped model's trees are found by halving, too."""
        return self.members * (1 + log2(max(self.leaves / self.members, 1)))

    @property
    def case_seconds(self) -> float:
        leaves = self.leaves * self.columns
        level: float = CASE_LEVEL * max(leaves / CACHED_LEAVES, 1) ** GROWTH
        return leaves * CASE_LEAF + self.rows * self.columns * self._levels * level / (1 + self.workers)

    @property
    def all_rows_seconds(self) -> float:
        """Of all rows, by blocks in one process."""
        level = CODED_LEVEL if self.coded else BLOCK_LEVEL
        row, value = (MOVED_ROW, MOVED_VALUE) if self.moved else (BLOCK_ROW, BLOCK_VALUE)
        return self.rows * (row + self.features * value + self._levels * level + self.row_seconds)

    @property
    def block_workers(self) -> int:
        """The workers that are worth sharing the blocks, beside the leader."""
        return best(self.all_rows_seconds, self.workers, self.costs) if self.sharable and not self.moved else 0

    @property
    def block_seconds(self) -> float:
        return BLOCK_START + self.leaves * BLOCK_LEAF + seconds(self.all_rows_seconds, self.block_workers, self.costs)

    @property
    def in_blocks(self) -> bool:
        """Whether blocks are the quicker way, or the only one."""
        if not self.is_expression or self.leaves * self.columns > EXPRESSION_LEAVES or self.from_other_server:
            return True
        return not self.spread and self.block_seconds < self.case_seconds


def measure(rows: NewRows, columns: int, costs: Costs) -> Work:
    """The work of scoring rows by their model, for so many columns."""
    return work_of(rows, rows.opened.size()["leaves"], columns, costs)


def work_of(rows: NewRows, leaves: int, columns: int, costs: Costs) -> Work:
    """As `measure`, of a model with so many leaves; with the planner's estimate of its rows and of the workers for
    them.
    """
    host, tables, model, source = rows.opened.host, rows.opened.tables, rows.opened.model, rows.source
    by_thresholds = not tables.has("_surrogates") and not any(f.kind is FeatureKind.UNORDERED for f in model.features)
    at = host.source
    held = placement(at, source.oid)
    sharable = plain_tables(at, source.oid, held) == [source.oid]
    planned, n_rows = _size_of(at, qualified(source.schema, source.name), held)
    limits = at.query(workers_sql.LIMITS)[0]
    workers = min(planned, int(limits["parallel"]), int(limits["processes"]))
    spread, moved = held in ("spread", "viewed"), not host.has_extension
    from_other_server = at is not host
    return Work(
        n_rows,
        leaves,
        len(model.features),
        columns,
        workers,
        sharable,
        spread,
        costs,
        members=model.n_members,
        coded=by_thresholds and model.kind.is_packed,
        is_expression=model.kind.is_expression,
        moved=moved,
        from_other_server=from_other_server,
        of_cluster=held is not None,
    )


def _size_of(at: Host, source: str, held: str | None) -> tuple[int, float]:
    """The workers that could share a scan of rows, and about how many these are.

    The planner knows nothing of rows that Citus holds, which would ask their servers, by connections of its own.
    """
    if held is not None:
        return 0, float(at.query(count_rows(source))[0]["n_rows"])
    with local_settings(at, _FREE):
        return sql.read_estimate("\n".join(planned(at, sql.estimate(source))))


def run_case(host: Host, work: Work, statement: str) -> int:
    """Run a statement with a CASE that makes a table; returns the number of its rows.

    Compiling a large one takes longer than millions of rows, so the functions that users call turn jit off. Other
    servers have to be told by themselves, by a function of the extension's.
    """
    return reader(host, work).command(statement)


def reader(host: Host, work: Work) -> Host:
    """What runs statements over the rows that are scored."""
    return on_servers(host) if work.of_cluster else host
