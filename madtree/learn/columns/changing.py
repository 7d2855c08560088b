"""Rows of a block as the functions see them that make columns, or sums."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Block, Bools, Floats, Ints, require, required
from madtree.learn.problem import Problem, Sampled
from madtree.records import dataclass


@dataclass(frozen=True)
class ChangingRows:
    """Rows of a block.

    Attributes:
        block: of these rows alone.
        problem: by which the block is packed, and that trees have been grown for; None where a function needs none.
        nodes: (n_rows,) the nodes that they have reached in these trees, those of the first replica; or None.
        in_place: whether the columns that change from round to round may be written over.
    """

    block: Block
    problem: Problem | None = None
    nodes: Ints | None = None
    in_place: bool = False

    def piece(self, rows: slice) -> ChangingRows:
        """Some rows that stand one after the other."""
        nodes = None if self.nodes is None else self.nodes[rows]
        return ChangingRows(self.block.rows(rows), self.problem, nodes)

    def is_free(self, name: str) -> bool:
        """Whether there is a column of that name that may be written over."""
        column: Array | None = getattr(self.block, name)
        return self.in_place and column is not None and column.flags.writeable

    @property
    def held_out(self) -> Bools | None:
        """(n_rows,) which are held out of training; None where none is."""
        found = np.asarray(self.block.fold == Sampled.HELD_OUT)  # False where rows have no fold
        return found if found.any() else None

    @property
    def weights(self) -> Floats | None:
        """(n_rows,) what rows count for: their weights, times their exposures; or None where all count alike."""
        problem, block = self.problem, self.block
        assert problem is not None
        if problem.exposure_grid is not None and problem.target_grid is not None:
            return problem.exposure_grid.join(block.target[problem.target_grid.limbs :], block.tree)
        if block.weight is None or problem.weight_grid is None:
            return None
        return problem.weight_grid.join(block.weight, block.tree)

    @property
    def outcomes(self) -> Floats:
        """(n_rows,) what rows are to be predicted as: a number, of counts over an exposure their rate, or the
        number of a class, from 0."""
        problem, tree = self.problem, self.block.tree
        assert problem is not None
        if problem.keeps_outcomes:
            return np.asarray(self._before_trees(problem)[-1])
        if problem.target_grid is None:
            return self.block.target.astype(np.float64)
        limbs = problem.target_grid.limbs
        number = problem.target_grid.join(self.block.target[:limbs], tree)
        if (weights := self.weights) is not None:
            number = number / weights
        return number + (problem.centre[0] if tree is None else problem.centre[tree])

    @property
    def offsets(self) -> Floats | None:
        """(n_rows,) of the rows, which are their scores before any tree; None where they have none."""
        problem = self.problem
        return self._before_trees(problem)[0] if problem is not None and problem.has_offsets else None

    def _before_trees(self, problem: Problem) -> Floats:
        """(n_lines, n_rows) what blocks hold of offsets and outcomes."""
        scores, n_lines = required(self.block.scores, "scores"), problem.has_offsets + problem.keeps_outcomes
        require(len(scores) == n_lines, "scores", "the offsets and the outcomes of rows")
        return scores
