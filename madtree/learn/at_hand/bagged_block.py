"""The rows of a block that replicas have: those in the bag of each of an ensemble's trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from madtree.learn.at_hand.row_records import RecordLayout, RowRecords
from madtree.learn.data import Allocator, Array, Block, Floats, Ints, allocated, stable_order
from madtree.learn.problem import Problem
from madtree.records import dataclass


@dataclass(frozen=True)
class BaggedBlock:
    """A block whose rows go into the order of nodes.

    Attributes:
        order: (n_rows,) uint32 the rows by group; None where there is one.
        kept: records of all rows, without limbs, from trees before; None where there are none.
    """

    problem: Problem
    block: Block
    order: Array | None
    kept: RowRecords | None

    @classmethod
    def of(cls, problem: Problem, block: Block, kept: RowRecords | None, allocator: Allocator) -> BaggedBlock:
        order = None
        if problem.n_groups > 1:
            assert block.tree is not None
            order = allocated(allocator, block.tree.shape, np.uint32)
            order[:] = stable_order(block.tree.astype(np.uint32, copy=False))
        return cls(problem, block, order, kept)

    def limbs(self, rows: Ints | None = None, into: Sequence[Floats] = ()) -> list[Floats]:
        """What is summed beside the row counts, (n,) each, of some rows (n,); None for all.

        `into`: arrays (n_rows,) to write those of all rows into; none where they are not wanted there.
        """
        if self.problem.is_packed:
            return [self.problem.packed(self.block, rows, *into)]
        for own, limb in zip(into, self._limbs, strict=bool(into)):
            own[:] = limb
        return self._limbs if rows is None else [limb.take(rows) for limb in self._limbs]

    @cached_property
    def _limbs(self) -> list[Floats]:
        """As above, of all rows, where they are not packed."""
        counted = self.problem.counted(self.block)
        limbs = [] if counted.weight is None else list(counted.weight)
        return limbs if self.problem.n_classes else limbs + list(counted.target)

    @property
    def n_groups(self) -> int:
        return self.problem.n_groups

    @property
    def are_all_in_bag(self) -> bool:
        """Whether there is one replica of one group, and each row counts once in it."""
        of_one = self.problem.n_replicas == 1 and self.order is None
        return of_one and self.problem.replicas.multiplicity(self.block, 0) is None

    def times(self, replica: int) -> Array:
        """(n_rows,) how often each row counts in a replica."""
        times = self.problem.replicas.multiplicity(self.block, replica)
        return np.ones(self.block.codes.n_rows, np.uint8) if times is None else times

    def in_bag(self, replica: int) -> tuple[Ints, Array]:
        """The rows (n,) that a replica has, group by group, and how often each counts (n,)."""
        times, order = self.times(replica), self.order
        rows = np.flatnonzero(times != 0) if order is None else order[times.take(order) != 0]
        return rows, times.take(rows)

    def enter(self, rows: Ints, times: Array, into: RowRecords, at: slice | Ints) -> None:
        """Put rows (n,) that count so often (n,) in n places."""
        if self.problem.n_replicas == 1 and self.kept is None:
            into.fill(at, self.block, rows, times, self.limbs(rows))
        else:
            into.draw(at, self._records, rows, times, self.limbs(rows))

    @cached_property
    def _records(self) -> RowRecords:
        """All rows, without limbs. Drawing from these takes a third of the time of putting records together."""
        if self.kept is not None:
            return self.kept
        layout = RecordLayout.of(self.block.codes, self.problem.n_classes)
        made = RowRecords.empty(layout, self.block.codes.n_rows, 0, self.block.codes)
        made.fill_all(self.block)
        return made

    def group(self, rows: Ints) -> Array:
        """(n,) of rows (n,) of one of several groups."""
        assert self.block.tree is not None
        return self.block.tree.take(rows)

    def sizes(self, rows: Ints) -> Ints:
        """(G,) how many of some rows (n,) are of each group."""
        if self.order is None:
            return np.array([len(rows)])
        return np.bincount(self.group(rows), minlength=self.n_groups)
