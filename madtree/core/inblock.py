"""Growing trees whose rows are all in one block: the statistics source that has the block in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madtree.core.block import Block
from madtree.core.copies import held_out, roots, slots_of, taught
from madtree.core.forest import Forest
from madtree.core.powers import LIMBS, add_powers, join_powers
from madtree.core.problem import Problem
from madtree.core.statistics import StatisticsLayout, add_block, add_totals
from madtree.core.types import Array, Floats, Ints


class BlockSource:
    """Statistics of one block, with the rows' nodes in every copy kept from level to level."""

    def __init__(self, problem: Problem, block: Block) -> None:
        self._problem = problem
        self._block = block
        self._nodes = [roots(block, copy, problem.n_groups) for copy in range(problem.n_copies)]
        self._depth = 0

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        self._advance(forest)
        state = layout.zeros(layout.planes.dtype(self._problem.most_rows))
        for copy, node in enumerate(self._nodes):
            block = self._block
            if by_side:
                block = replace(block, target=forest.routing.primary_side(node, block.codes))
            add_block(state, layout, block, slots_of(node, slot_of_node, block, copy, testing=False))
        return state

    def totals(self, forest: Forest, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        self._advance(forest)
        state = np.zeros((self._problem.planes.count, n_slots))
        for copy, node in enumerate(self._nodes):
            slots = slots_of(node, slot_of_node, self._block, copy, testing=testing)
            add_totals(state, self._problem.planes, self._block, slots)
        return state

    def powers(self, forest: Forest, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        self._advance(forest)
        state = np.zeros((len(powers) * LIMBS, forest.n_nodes))
        for copy, node in enumerate(self._nodes):
            keep = held_out(self._block, copy) if testing else taught(self._block, copy)
            add_powers(state, self._problem, powers, self._block, node, means, keep)
        return join_powers(self._problem, powers, state, forest.tree)

    def _advance(self, forest: Forest) -> None:
        deepest = int(forest.depth.max())
        while self._depth < deepest:
            self._nodes = [forest.routing.advance(node, self._block.codes) for node in self._nodes]
            self._depth += 1
