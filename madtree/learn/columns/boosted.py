"""The columns of boosting: the scores of rows, and gradients and hessians of a loss, by which the next trees grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.columns.changing import ChangingRows
from madtree.learn.columns.columns import SCORES
from madtree.learn.data import CACHED_ROWS, WIDE_LIMIT, Array, Floats, Grid, Values, pieces_of, require
from madtree.learn.losses import LOSS_OF, RowLoss
from madtree.learn.problem import Problem

_OF_LOSS = "those of the loss"
BOOSTED = (SCORES, "target", "weight")  # columns that change together


def boosted(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """The scores with what trees have added to them, and gradient and hessian for the next ones.

    `values`: row_loss; base (n_groups, n_scores), of which rows have the scores at first; node_value (n_nodes,) that is
    added to the score `added_to`, None at first; next: the score whose tree is next; target_grid and weight_grid of
    gradients and hessians.
    """
    loss: RowLoss = values["row_loss"]
    grids: list[Grid] = [values["target_grid"], values["weight_grid"]]
    block, n_rows, after_tree = rows.block, rows.block.codes.n_rows, values["node_value"] is not None
    require(not after_tree or (block.scores is not None and len(block.scores) == loss.n_lines), SCORES, _OF_LOSS)
    lines, limbs = np.empty((loss.n_lines, n_rows)), np.empty((len(grids), 1, n_rows))
    for piece in pieces_of(n_rows, CACHED_ROWS):
        own = lines[:, piece]
        own[:] = _continued(rows, values, piece) if after_tree else _begun(rows, values, piece)
        if values["next"] == 0:
            loss.end_round(own)
        tree = None if block.tree is None else block.tree[piece]
        for found, grid, each in zip(limbs, grids, loss.derivatives(own, values["next"]), strict=True):
            found[:, piece] = grid.split(each, tree)
    return {SCORES: lines, "target": limbs[0], "weight": limbs[1]}


def _begun(rows: ChangingRows, values: Mapping[str, Any], piece: slice) -> Floats:
    """The lines of some rows before the first tree."""
    loss: RowLoss = values["row_loss"]
    some = replace(rows, block=rows.block.rows(piece))
    tree, base = some.block.tree, values["base"]
    of_rows: Floats = base[np.zeros(some.block.codes.n_rows, np.intp) if tree is None else tree]
    return loss.begun(some.outcomes, some.weights if loss.weighted else None, of_rows.T)


def _continued(rows: ChangingRows, values: Mapping[str, Any], piece: slice) -> Floats:
    """The lines of some rows with what a tree adds."""
    loss: RowLoss = values["row_loss"]
    assert rows.block.scores is not None
    assert rows.nodes is not None
    lines: Floats = rows.block.scores[:, piece].copy()
    lines[loss.first + values["added_to"]] += values["node_value"].take(rows.nodes[0, piece])
    return lines


def values_of_boosted(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `boosted` as they have come."""
    require(problem is not None, "problem", "there")
    assert problem is not None
    loss = row_loss_of(given)
    n_trees = problem.n_trees
    of_trees = "node_value" in given
    grids = {name: Grid.from_values(given, f"next_{name}_exponents", n_trees) for name in ("target", "weight")}
    for name, grid in grids.items():
        require(grid is not None and grid.limbs == 1, f"next_{name}_exponents", "of one limb")
    return {
        "row_loss": loss,
        "base": given.floats("base", (n_trees, loss.n_scores)),
        "node_value": given.floats("node_value", (n_nodes,)) if of_trees else None,
        "added_to": given.integer("added_to", 0, loss.n_scores - 1),
        "next": given.integer("next", 0, loss.n_scores - 1),
        **{f"{name}_grid": grid for name, grid in grids.items()},
    }


def row_loss_of(given: Values) -> RowLoss:
    """The loss that values tell of; raises MadtreeError where they tell of none."""
    name, n_scores = given.text("loss", LOSS_OF), given.integer("n_scores", 1, WIDE_LIMIT)
    return RowLoss(name, n_scores, given.boolean("weighted"))


def loss_sums(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(2, n_lines, n_groups) rows, limbs of their weighted losses, and of their weights where they have some: of those
    in training, and of those held out. `values`: row_loss, loss_grid, weight_grid or None.
    """
    loss: RowLoss = values["row_loss"]
    block, grid = rows.block, values["loss_grid"]
    require(block.scores is not None and len(block.scores) == loss.n_lines, SCORES, _OF_LOSS)
    assert block.scores is not None
    total = no_loss(values)
    n_groups = len(grid.exponents)
    for piece in pieces_of(block.codes.n_rows, CACHED_ROWS):
        tree, fold = (None if column is None else column[piece] for column in (block.tree, block.fold))
        found, weight = loss.values(block.scores[:, piece])
        lines: list[Floats | None] = [None, *grid.split(found if weight is None else found * weight, tree)]
        if weight is not None:
            lines += list(values["weight_grid"].split(weight, tree))
        if n_groups == 1 and fold is None:
            total[0, :, 0] += [len(found) if each is None else each.sum() for each in lines]
            continue
        place = np.zeros(len(found), np.intp) if tree is None else tree.astype(np.intp)
        if fold is not None:
            place = place + fold.astype(np.intp) * n_groups
        for line, each in enumerate(lines):
            total[:, line] += np.bincount(place, each, minlength=2 * n_groups)[: 2 * n_groups].reshape(2, n_groups)
    return total


def no_loss(values: Mapping[str, Any]) -> Array:
    """`loss_sums` of no rows."""
    loss: Grid = values["loss_grid"]
    weight: Grid | None = values["weight_grid"]
    return np.zeros((2, 1 + loss.limbs + (weight.limbs if weight else 0), len(loss.exponents)))


def values_of_loss_sums(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `loss_sums` as they have come."""
    require(problem is not None, "problem", "there")
    assert problem is not None
    grids = {name: Grid.from_values(given, f"sum_{name}_exponents", problem.n_trees) for name in ("loss", "weight")}
    loss = row_loss_of(given)
    require(grids["loss"] is not None, "sum_loss_exponents", "there")
    require(loss.weighted == (grids["weight"] is not None), "sum_weight_exponents", "there where rows have weights")
    return {"row_loss": loss, **{f"{name}_grid": grid for name, grid in grids.items()}}
