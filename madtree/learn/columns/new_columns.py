"""Replacing a column of all blocks: by named functions of a block's rows, and of the nodes that they have reached.

Gradient and hessian of a loss are the target and the weight of the next round's trees; both follow from the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.columns.columns import SCORES
from madtree.learn.data import Array, Block, Floats, Grid, Ints, Values, require
from madtree.learn.problem import FoldHashes, Problem
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS

_OUTCOME, _FIRST_SCORE = 0, 1  # lines of a block's scores


@dataclass(frozen=True)
class ChangingRows:
    """Rows of a block that get a new column.

    Attributes:
        block: of these rows alone.
        problem: that trees have been grown for; None where the new column does not depend on trees.
        nodes: (n_replicas, n_rows) the nodes that they have reached in these, or None.
    """

    block: Block
    problem: Problem | None = None
    nodes: Ints | None = None

    @property
    def weights(self) -> Floats | float:
        """(n_rows,), or 1 where all are."""
        assert self.problem is not None
        if self.block.weight is None or self.problem.weight_grid is None:
            return 1.0
        return self.problem.weight_grid.join(self.block.weight, self.block.tree)

    @property
    def outcomes(self) -> Floats:
        """(n_rows,) what rows of a regression are to be predicted as, less the tree's centre."""
        assert self.problem is not None
        assert self.problem.target_grid is not None
        return self.problem.target_grid.join(self.block.target, self.block.tree) / self.weights


# From rows and values: (..., n_rows) the new column.
ColumnFunction = Callable[[ChangingRows, Mapping[str, Any]], Array]


def _random_folds(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """`values`: ends (n_trees, n_folds - 1) and seed, as in `FoldHashes.folds`."""
    block, ends = rows.block, values["ends"]
    require(block.identity is not None, "identity", "there")
    assert block.identity is not None
    require(block.tree is None or int(block.tree.max(initial=0)) < len(ends), "ends", "those of all trees")
    return FoldHashes.folds(block.identity, block.tree, ends, values["seed"])


def _scores(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """The scores: what rows were to be predicted as at first, and a score for each replica, to which the value of the
    node that they have reached is added. Before the first round it is 0. `values`: node_value (n_nodes,).
    """
    assert rows.nodes is not None
    scores = rows.block.scores
    if scores is None:
        made = np.zeros((_FIRST_SCORE + len(rows.nodes), rows.block.codes.n_rows))
        made[_OUTCOME] = rows.outcomes
    else:
        require(len(scores) == _FIRST_SCORE + len(rows.nodes), SCORES, "a score for each replica")
        made = scores.copy()
    made[_FIRST_SCORE:] += values["node_value"].take(rows.nodes)
    return made


def _residuals(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """The target: by how much the score of the first replica misses, on a grid; the negative gradient of the squared
    error. `values`: exponents (n_trees, n_limbs) of the grid.
    """
    scores = rows.block.scores
    require(scores is not None and len(scores) > _FIRST_SCORE, SCORES, "there, with a score")
    assert scores is not None
    missed = (scores[_OUTCOME] - scores[_FIRST_SCORE]) * rows.weights
    return Grid(values["exponents"]).split(missed, rows.block.tree)


def _values_of_random_folds(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    ends = given.ints("ends", (None, None), 0, 2**32 - 1)
    require(ends.shape[1] < MOST_FOLDS, "ends", f"those of {MOST_FOLDS} folds at most")
    require((ends[:, 1:] >= ends[:, :-1]).all(), "ends", "ascending in each tree")
    return {"ends": ends, "seed": given.integer("seed", -(2**63), 2**63 - 1)}


def _values_of_scores(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    _require_regression(problem)
    return {"node_value": given.floats("node_value", (n_nodes,))}


def _values_of_residuals(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    grid = Grid.from_values(given, "exponents", _require_regression(problem).n_trees)
    require(grid is not None, "exponents", "there")
    assert grid is not None
    return {"exponents": grid.exponents}


def _require_regression(problem: Problem | None) -> Problem:
    require(problem is not None and problem.target_grid is not None, "routing", "that of a regression's trees")
    assert problem is not None
    return problem


@dataclass(frozen=True)
class NewColumn:
    """A function that makes a column.

    Attributes:
        column: that it makes.
        read: its values as they have come; raises MadtreeError where they are none. Given the problem of the trees, or
            None, and how many nodes these have.
    """

    column: str
    function: ColumnFunction
    read: Callable[[Values, Problem | None, int], dict[str, Any]]


COLUMN_FUNCTIONS: dict[str, NewColumn] = {
    "random_folds": NewColumn("fold", _random_folds, _values_of_random_folds),
    "scores": NewColumn(SCORES, _scores, _values_of_scores),
    "residuals": NewColumn("target", _residuals, _values_of_residuals),
}


def column_values(given: Values, problem: Problem | None, n_nodes: int) -> tuple[str, dict[str, Any]]:
    """Function and values for `with_column`; raises MadtreeError where they are none."""
    function = given.text("function", COLUMN_FUNCTIONS)
    return function, COLUMN_FUNCTIONS[function].read(given, problem, n_nodes)


def with_column(
    block: Block, function: str, values: Mapping[str, Any], problem: Problem | None = None, nodes: Ints | None = None
) -> Block:
    """The block with a new column; all others are the same arrays.

    Args:
        function: name of one of `COLUMN_FUNCTIONS`.
        problem, nodes: as in `ChangingRows`.
    """
    new = COLUMN_FUNCTIONS[function]
    with np.errstate(all="ignore"):  # numbers that somebody has made up come to no sums, which `final` refuses
        changed: dict[str, Any] = {new.column: new.function(ChangingRows(block, problem, nodes), values)}
    return replace(block, **changed)
