"""Thresholds and costs by which a training chooses its ways. The trees do not depend on them; tests pass others in."""

from __future__ import annotations

from madtree.records import dataclass


@dataclass(frozen=True)
class Costs:
    """What work costs in seconds, measured by benchmarks/costmodel.py on one core of an AMD EPYC with PostgreSQL 15;
    their ratios are what matters.

    Attributes:
        start: until the workers of a query help; a further `per_worker` for each: they load Python at the same time.
        resident: more of resident workers, whom the leader waits for.
        packed_value: a number read and put into its bin.
        counted_value: a row of a node and one feature, in one pass.
        routed_row: a row taken one step down.
        grown_value: a row of a small group times a feature that is looked at in each level, over all levels.
        stored_value: a number of such a row, written for workers to read.
        handed_byte: of a histogram, from a worker into the leader's.
        drawn_value: a row and one of the features that were drawn for its node, in one level.
        followed_row: where features are drawn, a row taken one step down, with the other rows of its node.
        wave_level: a level of trees that are grown together, however many rows they have.
        worth: share of the serial time; workers that save less are left to others.
    """

    start: float = 0.10
    per_worker: float = 0.01
    resident: float = 0.03
    packed_value: float = 20e-9
    counted_value: float = 2e-9
    routed_row: float = 5e-9
    grown_value: float = 250e-9
    stored_value: float = 25e-9
    handed_byte: float = 8e-9
    drawn_value: float = 4e-9
    followed_row: float = 9e-9
    wave_level: float = 1e-3
    worth: float = 0.9


COSTS = Costs()


@dataclass(frozen=True)
class Tuning:
    """Sizes and thresholds of a training.

    Attributes:
        block_rows: of a block, at most; groups of more rows are trained by passes over many blocks.
        read_rows: read at a time: what they are copied through stays in the processor's cache.
        raw_bytes: of the raw numbers that are held at a time: of a wide table fewer rows are read at once.
        block_bytes: of a packed block.
        part_rows: of a part of a distributed table, at most.
        distributed_share: of a block, what small groups of a distributed table fill together: 1 / this. There are more
            blocks then, and servers have more nearly as much to do.
        surely_large: blocks' worth of rows from which an estimate is enough to tell that a table is large,
        large: and from which it is where bins are found in all rows, and so do not depend on how many these are.
        least_sample: rows that bins are found in, at least.
        spool_share: of the memory budget, what rows that are read once may take before they go to a file: 1 / this.
        block_share: of the memory budget, what blocks may take before they go to a file: 1 / this.
        position_share: of the memory budget, what their rows' positions may take: 1 / this.
        cores: processors that this process may use; None: as many as the system says.
        costs: of work.
    """

    block_rows: int = 65_536
    read_rows: int = 16_384
    raw_bytes: int = 16 * 2**20
    block_bytes: int = 16 * 2**20
    part_rows: int = 65_536
    distributed_share: int = 8
    surely_large: int = 4
    large: float = 1.25
    least_sample: int = 100_000
    spool_share: int = 2
    block_share: int = 4
    position_share: int = 2
    cores: int | None = None
    costs: Costs = COSTS
