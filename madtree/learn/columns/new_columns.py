"""What is made of all blocks' rows: columns anew, and sums; by named functions of a block's rows, and of the nodes that
they have reached.

Gradient and hessian of a loss are the target and the weight of the next round's trees; both follow from the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.columns.boosted import (
    BOOSTED,
    SAID,
    VOTED,
    boosted,
    loss_sums,
    no_loss,
    values_of_boosted,
    values_of_loss_sums,
)
from madtree.learn.columns.changing import ChangingRows
from madtree.learn.columns.gradient_samples import (
    SAMPLED,
    gradient_sample,
    no_sizes,
    size_counts,
    values_of_sample,
    values_of_sizes,
)
from madtree.learn.columns.held_out import (
    metric_sums,
    no_metric,
    one_fold,
    values_of_metric_sums,
    values_of_one_fold,
)
from madtree.learn.columns.residuals import (
    clipped_sums,
    no_clipped,
    no_residuals,
    residual_counts,
    values_of_clipped_sums,
    values_of_residual_counts,
)
from madtree.learn.data import Array, Block, Ints, Values, require, required
from madtree.learn.problem import FoldHashes, Problem, held_out_rows
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS

Read = Callable[[Values, Problem | None, int], dict[str, Any]]


def _random_folds(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """`values`: ends (n_trees, n_folds - 1) and seed, as in `FoldHashes.folds`."""
    block, ends = rows.block, values["ends"]
    identity = required(block.identity, "identity")
    require(block.tree is None or int(block.tree.max(initial=0)) < len(ends), "ends", "those of all trees")
    return {"fold": FoldHashes.folds(identity, block.tree, ends, values["seed"])}


def _values_of_random_folds(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    ends = given.ints("ends", (None, None), 0, 2**32 - 1)
    require(ends.shape[1] < MOST_FOLDS, "ends", f"those of {MOST_FOLDS} folds at most")
    require((ends[:, 1:] >= ends[:, :-1]).all(), "ends", "ascending in each tree")
    return {"ends": ends, "seed": given.integer("seed", -(2**63), 2**63 - 1)}


def _held_out(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """The fold: 1 of rows that are held out, else 0. `values`: share of all rows, and seed."""
    identity = required(rows.block.identity, "identity")
    return {"fold": held_out_rows(identity, values["share"], values["seed"])}


def _values_of_held_out(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    return {"share": given.number("share", 0.0, 1.0), "seed": given.integer("seed", -(2**63), 2**63 - 1)}


@dataclass(frozen=True)
class NewColumns:
    """A function that makes columns.

    Attributes:
        columns: that it makes.
        function: the columns by name, (..., n_rows) each, of rows and values; and as `SAID` what rows say with them.
        read: its values as they have come; raises MadtreeError where they are none. Given the problem of the trees, or
            None, and how many nodes these have.
        sums: the function of `ROW_SUMS` that says the same of the new rows, where "sums" is among the values; "" where
            they never say anything.
    """

    columns: tuple[str, ...]
    function: Callable[[ChangingRows, Mapping[str, Any]], dict[str, Array]]
    read: Read
    sums: str = ""


COLUMN_FUNCTIONS: dict[str, NewColumns] = {
    "random_folds": NewColumns(("fold",), _random_folds, _values_of_random_folds),
    "held_out": NewColumns(("fold",), _held_out, _values_of_held_out),
    "one_fold": NewColumns(("fold",), one_fold, values_of_one_fold),
    "boosted": NewColumns(BOOSTED, boosted, values_of_boosted, "loss"),
    "voted": NewColumns(VOTED, boosted, values_of_boosted, "loss"),
    "gradient_sample": NewColumns(SAMPLED, gradient_sample, values_of_sample),
}


def column_values(function: str, arguments: Mapping[str, Any], problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values for `with_columns`; raises MadtreeError where these are no arguments, or no function."""
    require(function in COLUMN_FUNCTIONS, "function", f"one of {', '.join(sorted(COLUMN_FUNCTIONS))}")
    return COLUMN_FUNCTIONS[function].read(Values(arguments), problem, n_nodes)


def with_columns(
    block: Block,
    function: str,
    values: Mapping[str, Any],
    problem: Problem | None = None,
    nodes: Ints | None = None,
    *,
    in_place: bool = False,
) -> tuple[Block, Array]:
    """The block with new columns; all others are the same arrays. And what its rows say then, where values ask that of
    them; else no numbers.

    Args:
        function: name of one of `COLUMN_FUNCTIONS`.
        problem, nodes, in_place: as in `ChangingRows`.
    """
    rows = ChangingRows(block, problem, nodes, in_place)
    with np.errstate(all="ignore"):  # numbers that somebody has made up come to no sums, which `final` refuses
        changed: dict[str, Any] = COLUMN_FUNCTIONS[function].function(rows, values)
    said: Array = changed.pop(SAID, np.zeros(0))
    return replace(block, **changed), said


@dataclass(frozen=True)
class RowSums:
    """A function that adds up what rows say.

    Attributes:
        function: exact sums, float64, of rows and values.
        zeros: those of no rows, by the values.
        read: as of `NewColumns`.
    """

    function: Callable[[ChangingRows, Mapping[str, Any]], Array]
    zeros: Callable[[Mapping[str, Any]], Array]
    read: Read


ROW_SUMS: dict[str, RowSums] = {
    "loss": RowSums(loss_sums, no_loss, values_of_loss_sums),
    "metric": RowSums(metric_sums, no_metric, values_of_metric_sums),
    "residuals": RowSums(residual_counts, no_residuals, values_of_residual_counts),
    "clipped": RowSums(clipped_sums, no_clipped, values_of_clipped_sums),
    "gradient_sizes": RowSums(size_counts, no_sizes, values_of_sizes),
}


def sum_values(function: str, arguments: Mapping[str, Any], problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values for `summed_rows`; raises MadtreeError where these are no arguments, or no function."""
    require(function in ROW_SUMS, "function", f"one of {', '.join(sorted(ROW_SUMS))}")
    return ROW_SUMS[function].read(Values(arguments), problem, n_nodes)


def summed_rows(
    block: Block, function: str, values: Mapping[str, Any], problem: Problem | None = None, nodes: Ints | None = None
) -> Array:
    """The sums that a function of `ROW_SUMS` makes of a block; the others as in `with_columns`."""
    with np.errstate(all="ignore"):
        return ROW_SUMS[function].function(ChangingRows(block, problem, nodes), values)
