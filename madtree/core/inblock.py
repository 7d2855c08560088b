"""Growing trees whose rows are all in one block: the statistics source that has the block in hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.core.block import Block
from madtree.core.forest import Forest
from madtree.core.problem import Problem
from madtree.core.squares import add_squares, square_grid
from madtree.core.statistics import StatisticsLayout, add_block, add_totals
from madtree.core.types import Array, Floats, Ints


class BlockSource:
    """Statistics of one block, with the rows' nodes kept from level to level."""

    def __init__(self, problem: Problem, block: Block) -> None:
        self._problem = problem
        self._block = block
        n_rows = block.codes.n_rows
        self._node = np.zeros(n_rows, np.int32) if block.tree is None else block.tree.astype(np.int32)
        self._depth = 0

    def statistics(
        self, forest: Forest, slot_of_node: Ints, layout: StatisticsLayout, *, by_side: bool = False
    ) -> Array:
        self._advance(forest)
        block = self._block
        if by_side:
            block = replace(block, target=forest.routing.primary_side(self._node, block.codes))
        state = layout.zeros(layout.planes.dtype(self._problem.n_rows))
        add_block(state, layout, block, slot_of_node[self._node])
        return state

    def totals(self, forest: Forest, slot_of_node: Ints, n_slots: int) -> Floats:
        self._advance(forest)
        state = np.zeros((self._problem.planes.count, n_slots))
        add_totals(state, self._problem.planes, self._block, slot_of_node[self._node])
        return state

    def squares(self, forest: Forest, means: Floats) -> Floats:
        self._advance(forest)
        grid = square_grid(self._problem)
        state = np.zeros((grid.limbs, forest.n_nodes))
        add_squares(state, self._problem, grid, self._block, self._node, means)
        return grid.join(state, forest.tree)

    def _advance(self, forest: Forest) -> None:
        deepest = int(forest.depth.max()) if forest.n_nodes else 0
        while self._depth < deepest:
            self._node = forest.routing.advance(self._node, self._block.codes)
            self._depth += 1
