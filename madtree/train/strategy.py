"""Which way a training takes. All of it is chosen here, and by plain values: what is asked for, what the session
offers, how much there is to learn from, and what work costs. Nothing here asks a server.

docs/architecture.md has the table of the ways, with what each of them saves.
"""

from __future__ import annotations

from enum import Enum

from madtree.errors import MadtreeError
from madtree.ingest import takes_all
from madtree.parallel import Workers, growing_workers, pass_workers
from madtree.records import dataclass
from madtree.request import Tuning
from madtree.train.kinds import Size, TrainingKind
from madtree.trees import Parameters

_MIN_BLOCK_ROWS = 1_024
_NUMBER = 8  # bytes


class Access(Enum):
    """How the rows of the training's relation are come by."""

    IN_PLACE = "where they are"
    COPIED = "from a copy that is read by page ranges"
    SPREAD = "from a copy in parts, beside the rows of a distributed table"


class Way(Enum):
    """Who keeps the blocks of large trees, and counts them."""

    MEMORY = "this process"
    WORKERS = "this process and resident workers"
    TABLE = "a table, counted by the aggregate"
    PARTS = "a table in parts on the servers of a cluster, counted by the aggregate"


@dataclass(frozen=True)
class Able:
    """What the session offers.

    Attributes:
        workers: that may help, as far as settings and processors go.
        has_extension: workers and the aggregate run functions of ours.
        is_private: work tables are temporary, so that nobody else can read them.
        obstacle: why no worker may stay for all of a training; empty where they may.
    """

    workers: Workers
    has_extension: bool = True
    is_private: bool = False
    obstacle: str = ""

    @property
    def has_helpers(self) -> bool:
        """Whether other processes can run functions of ours over the rows."""
        return self.has_extension and not self.is_private

    def helpers(self, access: Access) -> Workers:
        """The workers that are worth a thought. Where rows are spread, their servers share the work, and the
        coordinator has little to do.
        """
        return self.workers if self.has_helpers and access is not Access.SPREAD else Workers()


@dataclass(frozen=True)
class Wanted:
    """What is to be trained.

    Attributes:
        strategy: the argument of that name.
    """

    strategy: str
    kind: TrainingKind
    parameters: Parameters
    tuning: Tuning


@dataclass(frozen=True)
class BlockSizes:
    """What fits a block.

    Attributes:
        rows: whose raw numbers may be held together.
        whole: rows up to which a tree is grown in one go.
        together: rows of small groups that share a block, about.
    """

    rows: int
    whole: int
    together: int


@dataclass(frozen=True)
class Keeping:
    """A way of keeping blocks.

    Attributes:
        n_workers: that take part beside this process.
        reads_here: this process alone reads the rows, which it has read for their bins already.
        is_asked_for: that it is not possible is an error.
    """

    way: Way
    n_workers: int = 0
    reads_here: bool = False
    is_asked_for: bool = False


@dataclass(frozen=True)
class Strategy:
    """How the trees of a training are grown.

    Attributes:
        is_whole: the single tree, or model, is grown in one go, of rows that fit a block.
        n_growers: workers that grow blocks of small groups, beside this process.
        reads_once: the rows of a large tree are read once, for bins and blocks.
        keepings: of the blocks of large trees, the best one first; the next one takes over where one turns out to be
            impossible.
    """

    is_whole: bool = False
    n_growers: int = 0
    reads_once: bool = False
    keepings: tuple[Keeping, ...] = ()


def choose_access(able: Able, *, is_spread: bool, may_stay_spread: bool, has_pages: bool, is_elsewhere: bool) -> Access:
    """How rows are read.

    Args:
        is_spread: the relation is a distributed table.
        may_stay_spread: what is trained may grow beside its rows, by the strategy that is asked for.
        has_pages: the relation's rows can be read by page ranges.
        is_elsewhere: the relation is on another server, where nothing is written.
    """
    if is_spread and able.has_helpers and may_stay_spread:
        return Access.SPREAD
    return Access.IN_PLACE if has_pages or is_elsewhere else Access.COPIED


def choose_blocks(
    requested: str, access: Access, kind: TrainingKind, n_columns: int, n_channels: int, tuning: Tuning
) -> BlockSizes:
    """What fits a block, of rows of `n_columns` numbers and nodes of `n_channels`.

    `requested`: the argument `strategy`. Whoever names a way of keeping blocks gets it for all trees.
    """
    rows = max(_MIN_BLOCK_ROWS, min(tuning.block_rows, tuning.raw_bytes // (_NUMBER * n_columns)))
    room = rows // tuning.distributed_share if access is Access.SPREAD else rows
    return BlockSizes(rows, rows if requested in ("auto", "memory") else 0, kind.rows_together(room, n_channels))


def choose_strategy(wanted: Wanted, able: Able, access: Access, size: Size, whole: int) -> Strategy:
    """How trees are grown.

    Args:
        whole: rows up to which a tree is grown in one go.

    Raises:
        MadtreeError: the way that is asked for is not possible here.
    """
    kind, parameters, tuning, workers = wanted.kind, wanted.parameters, wanted.tuning, able.helpers(access)
    n_growers, n_blocks, looked_at = 0, size.n_blocks, kind.looked_at(size, parameters)
    if n_blocks and looked_at and wanted.strategy == "auto" and not able.obstacle:
        rows = n_blocks, size.rows_in_blocks, size.n_features
        n_growers = growing_workers(workers, *rows, looked_at, tuning.costs)
    if not len(size.rows):
        return Strategy(n_growers=n_growers)
    if not size.is_grouped and not size.is_estimated and size.rows.sum() <= whole:
        # Workers may save time on the trees of a single ensemble, though all its rows fit a block.
        may_share = kind.needs_all_rows and wanted.strategy == "auto" and not workers.requested
        if not may_share or not kind.workers_for_rows(workers, size, parameters, tuning.costs):
            return Strategy(is_whole=True)
    if access is Access.SPREAD:
        return Strategy(n_growers=n_growers, keepings=(Keeping(Way.PARTS),))
    all_for_bins = takes_all(parameters, int(size.rows.sum()), tuning.least_sample)
    # Rows that are all looked at for their bins are kept to be packed; over a connection whatever they are for.
    reads_once = not size.is_grouped and (all_for_bins or not able.has_extension)
    keepings = _keepings(wanted, able, workers, size, reads_once=reads_once)
    return Strategy(n_growers=n_growers, reads_once=reads_once, keepings=keepings)


def _keepings(wanted: Wanted, able: Able, workers: Workers, size: Size, *, reads_once: bool) -> tuple[Keeping, ...]:
    requested, kind, parameters, costs = wanted.strategy, wanted.kind, wanted.parameters, wanted.tuning.costs
    if requested in ("aggregate", "workers") and not able.has_extension:
        raise MadtreeError(
            f"strategy: {requested} needs the extension madtree in the server; by the client engine, rows are kept and "
            "counted in the client's process",
            hint="Leave strategy out, or write 'memory'.",
        )
    if requested == "aggregate":
        n_rows = int(size.rows.sum())
        return (Keeping(Way.TABLE, pass_workers(workers, n_rows, size.n_columns, parameters, costs)),)
    if requested == "memory":
        return (Keeping(Way.MEMORY),)
    # Rows that were read here are few, or take long to make: they are not read again. Where all processes need all
    # rows, they are handed on; where each takes a share of them, that does not pay.
    reads_here = reads_once and kind.needs_all_rows
    alone = reads_once and not reads_here and not workers.requested
    n_workers = 0 if alone else kind.workers_for_rows(workers, size, parameters, costs)
    if requested == "workers":
        if workers.requested and not workers.available:
            raise MadtreeError("strategy: workers needs one at least, and parallel_workers is 0")
        n_workers = max(n_workers, 1)
        if able.obstacle:
            raise no_workers(able.obstacle)
    if not n_workers or able.obstacle:
        return (Keeping(Way.MEMORY),)
    return Keeping(Way.WORKERS, n_workers, reads_here, is_asked_for=requested == "workers"), Keeping(Way.MEMORY)


def no_workers(obstacle: str) -> MadtreeError:
    """The error for workers that are asked for where there can be none."""
    return MadtreeError(
        f"strategy: resident workers are not possible here: {obstacle}",
        hint="strategy => 'auto' uses them where they are possible and save time.",
    )
