"""Growing trees whose rows are all in memory: the statistics source that has the blocks in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.histogram.histogram import HistogramLayout, add_block, add_totals
from madtree.learn.histogram.powers import LIMBS, add_powers, join_powers
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import held_out, roots, slots_of, taught
from madtree.learn.split.node_rows import RowsOfNodes, count

_COPIED_ROW_BYTES = 32  # slot, class, place in its block, place in the statistics
_COPIED_SHARE = 2  # of the memory budget, what copied rows may take

NODE_BYTES = 4  # of a row's node in one copy


class BlocksInHand:
    """Statistics of blocks in memory, with the rows' nodes in every copy kept from level to level."""

    def __init__(self, problem: Problem, blocks: Sequence[Block]) -> None:
        self._problem = problem
        # The rows' nodes stand beside each block, an array for each copy.
        self._blocks = [
            (block, [roots(block, copy, problem.n_groups) for copy in range(problem.n_replicas)]) for block in blocks
        ]
        self._n_rows = sum(block.codes.n_rows for block in blocks) // max(len(blocks), 1)  # of an average block
        self._depth = 0

    @property
    def in_hand(self) -> bool:
        return True

    def rows(self, growing: GrowingTrees, slot_of_node: Ints) -> RowsOfNodes:
        self._advance(growing)
        parts = [
            (block, slots_of(node, slot_of_node, block, copy, testing=False))
            for block, nodes in self._blocks
            for copy, node in enumerate(nodes)
        ]
        return RowsOfNodes.of(self._problem.channels, parts)

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        self._advance(growing)
        state = layout.zeros(layout.channels.dtype(self._problem.most_rows))
        many_cells = len(self._blocks) > 1 and state.size > self._n_rows * len(layout.widths)
        if not by_side and many_cells and self._may_copy(int(growing.n_rows[slot_of_node >= 0].sum())):
            count(state, layout, self.rows(growing, slot_of_node))
            return state
        for block, nodes in self._blocks:
            for copy, node in enumerate(nodes):
                slots = slots_of(node, slot_of_node, block, copy, testing=False)
                sides = replace(block, target=growing.routing.primary_side(node, block.codes)) if by_side else block
                add_block(state, layout, sides, slots)
        return state

    def totals(self, growing: GrowingTrees, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        self._advance(growing)
        state = np.zeros((self._problem.channels.count, n_slots))
        for block, nodes in self._blocks:
            for copy, node in enumerate(nodes):
                slots = slots_of(node, slot_of_node, block, copy, testing=testing)
                add_totals(state, self._problem.channels, block, slots)
        return state

    def powers(self, growing: GrowingTrees, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        self._advance(growing)
        state = np.zeros((len(powers) * LIMBS, growing.n_nodes))
        for block, nodes in self._blocks:
            for copy, node in enumerate(nodes):
                keep = held_out(block, copy) if testing else taught(block, copy)
                add_powers(state, self._problem, powers, block, node, means, keep)
        return join_powers(self._problem, powers, state, growing.tree)

    def _may_copy(self, n_rows: int) -> bool:
        """Whether what stands beside the codes of so many rows may be copied out of the blocks."""
        limbs = self._problem.channels.weight_limbs + self._problem.channels.target_limbs
        return n_rows * (_COPIED_ROW_BYTES + 8 * limbs) <= self._problem.parameters.memory_bytes // _COPIED_SHARE

    def _advance(self, growing: GrowingTrees) -> None:
        deepest = int(growing.depth.max())
        while self._depth < deepest:
            for block, nodes in self._blocks:
                nodes[:] = [growing.routing.advance(node, block.codes) for node in nodes]
            self._depth += 1
