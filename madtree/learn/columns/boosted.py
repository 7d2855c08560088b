"""The columns of boosting: the scores of rows, and gradients and hessians of a loss, by which the next trees grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from madtree.learn.columns.changing import ChangingRows
from madtree.learn.columns.columns import SCORES
from madtree.learn.data import WIDE_LIMIT, Array, Floats, Grid, Ints, Values, check_room, pieces_of, require, required
from madtree.learn.losses import RowLoss
from madtree.learn.problem import Problem
from madtree.trees import LOSSES

BOOSTED = (SCORES, "target", "weight")  # columns that change together
VOTED = (SCORES, "weight")  # the same of trees that vote, whose target is the class
SAID = "said"  # what rows say beside their new columns
_ASKED = "sum_loss_exponents"


def boosted(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """The scores with what trees have added to them, and gradient and hessian for the next ones. And what
    `loss_sums` says of the new scores, where that is asked for.

    `values`: row_loss; base (n_groups, n_scores), the scores of rows at first, beside their offsets, and None later;
    class_weight (n_classes, n_groups), at first, by what weights of each class's rows are multiplied, or None;
    node_value (n_nodes,) that is added to the score `added_to`, or None; next: the score whose tree is next;
    target_grid and weight_grid of gradients and hessians, or of the weights alone of trees that vote, whose target
    stays; threshold (n_groups,) of the loss, or None; sums: the values of `loss_sums`, or None.
    """
    loss: RowLoss = values["row_loss"]
    sums: Mapping[str, Any] | None = values["sums"]
    # The tree that votes next grows once the one before has been added to all scores.
    is_next = values["next"] == 0 or not loss.of_votes
    grids: dict[str, Grid] = {name: values[f"{name}_grid"] for name in _columns_of(loss)} if is_next else {}
    n_rows = rows.block.codes.n_rows
    check_room(n_rows, loss.n_lines, "rows of a block")  # numbers for each class
    lines = _room(rows, values, SCORES, loss.n_lines)
    limbs = {name: _room(rows, values, name, 1) for name in grids}
    total = None if sums is None else no_loss(sums)
    for piece in pieces_of(n_rows):
        some, own = rows.piece(piece), lines[:, piece]
        _change(own, some, values, loss)
        columns, found = loss.columns(own, values["next"], _thresholds(values, some)) if is_next else ({}, None)
        for name, each in columns.items():
            grids[name].split(each, some.block.tree, limbs[name][:, piece])
        if sums is not None:
            assert total is not None
            # A loss with a threshold may be told by another one than the trees are grown by.
            known = found if sums["threshold"] is None else None
            _add_losses(total, some, loss.losses(own, _thresholds(sums, some)) if known is None else known, own, sums)
    return {SCORES: lines, **limbs, **({} if total is None else {SAID: total})}


def _room(rows: ChangingRows, values: Mapping[str, Any], name: str, n_lines: int) -> Array:
    """(n_lines, n_rows) the column of that name where it is one of these already and may be written over, else a new
    one: memory that is touched for the first time takes as long as what is written to it.
    """
    shape, own = (n_lines, rows.block.codes.n_rows), getattr(rows.block, name)
    return own if values["base"] is None and rows.is_free(name) and own.shape == shape else np.empty(shape)


def _columns_of(loss: RowLoss) -> tuple[str, ...]:
    """The columns by which the next tree grows."""
    return ("weight",) if loss.of_votes else ("target", "weight")


def _change(lines: Array, rows: ChangingRows, values: Mapping[str, Any], loss: RowLoss) -> None:
    """Write the scores of rows into `lines` (n_lines, n_rows), at first or with what a tree adds."""
    tree = rows.block.tree
    if values["base"] is not None:
        base: Floats = values["base"]
        first = base[np.zeros(rows.block.codes.n_rows, np.intp) if tree is None else tree].T
        if (offsets := rows.offsets) is not None:
            first = first + offsets
        lines[:] = loss.begun(rows.outcomes, _weights(rows, values["class_weight"]) if loss.weighted else None, first)
    else:
        before = scores_of(rows, loss)
        if not np.may_share_memory(lines, before):
            lines[:] = before
        if values["node_value"] is not None:
            assert rows.nodes is not None
            lines[loss.first + values["added_to"]] += values["node_value"].take(rows.nodes)
    if values["next"] == 0:
        loss.end_round(lines)


def _weights(rows: ChangingRows, class_weight: Floats | None) -> Floats | None:
    """(n_rows,) what rows count for."""
    weights = rows.weights
    if class_weight is None:
        return weights
    found: Floats = class_weight[rows.block.target, 0 if rows.block.tree is None else rows.block.tree]
    return found if weights is None else found * weights


def values_of_boosted(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `boosted` as they have come."""
    problem = required(problem, "problem")
    loss = row_loss_of(given)
    n_trees = problem.n_trees
    by_class = "class_weight" in given
    require(not by_class or (problem.n_classes > 0 and "base" in given), "class_weight", "of classes, at first")
    grids = {name: Grid.from_values(given, f"next_{name}_exponents", n_trees) for name in ("target", "weight")}
    for name, grid in grids.items():
        if name in _columns_of(loss):
            require(grid is not None and grid.limbs == 1, f"next_{name}_exponents", "of one limb")
    return {
        "row_loss": loss,
        "base": given.floats("base", (n_trees, loss.n_scores)) if "base" in given else None,
        "class_weight": given.floats("class_weight", (problem.n_classes, n_trees)) if by_class else None,
        "node_value": given.floats("node_value", (n_nodes,)) if "node_value" in given else None,
        "added_to": given.integer("added_to", 0, loss.n_scores - 1),
        "next": given.integer("next", 0, loss.n_scores - 1),
        "threshold": thresholds_of_groups(given, n_trees),
        "sums": values_of_loss_sums(given, problem, n_nodes) if _ASKED in given else None,
        **{f"{name}_grid": grid for name, grid in grids.items()},
    }


def row_loss_of(given: Values) -> RowLoss:
    """The loss that values tell of; raises MadtreeError where they tell of none."""
    name, n_scores = given.text("loss", LOSSES), given.integer("n_scores", 1, WIDE_LIMIT)
    quantile = given.number("quantile", 0.0, 1.0) if "quantile" in given else None
    require(LOSSES[name].takes_quantile == (quantile is not None), "quantile", "there where the loss has one")
    return RowLoss(name, n_scores, given.boolean("weighted"), quantile)


def scores_of(rows: ChangingRows, loss: RowLoss) -> Floats:
    """(n_lines, n_rows) the scores of rows, which must be those of the loss."""
    scores = required(rows.block.scores, SCORES)
    require(len(scores) == loss.n_lines, SCORES, "those of the loss")
    are_classes = loss.n_scores == 1 or ((scores[0] >= 0) & (scores[0] < loss.n_scores)).all()
    require(bool(are_classes), SCORES, "those of rows of its classes")
    return scores


def thresholds_of_groups(given: Values, n_groups: int, name: str = "threshold") -> Floats | None:
    """(n_groups,) the thresholds that values tell of by that name, or None."""
    return given.floats(name, (n_groups,)) if name in given else None


def thresholds_of_rows(thresholds: Floats, tree: Ints | None) -> Floats:
    """What rows of the trees `tree` (n_rows,) have of them; a single number where that is None."""
    return np.asarray(thresholds[0] if tree is None else thresholds[tree])


def _thresholds(values: Mapping[str, Any], rows: ChangingRows) -> Floats | None:
    return None if values["threshold"] is None else thresholds_of_rows(values["threshold"], rows.block.tree)


def loss_sums(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(2, n_lines, n_groups) rows, limbs of their weighted losses, and of their weights where they have some: of those
    in training, and of those held out. `values`: row_loss, loss_grid, weight_grid or None, threshold or None.
    """
    loss: RowLoss = values["row_loss"]
    total = no_loss(values)
    for piece in pieces_of(rows.block.codes.n_rows):
        some = rows.piece(piece)
        lines = scores_of(some, loss)
        _add_losses(total, some, loss.losses(lines, _thresholds(values, some)), lines, values)
    return total


def _add_losses(total: Array, rows: ChangingRows, losses: Floats, lines: Floats, values: Mapping[str, Any]) -> None:
    """Add what `loss_sums` says of rows; `losses` (n_rows,), which may be written over, and `lines` (n_lines, n_rows)
    theirs.
    """
    tree, is_held_out, weight = rows.block.tree, rows.held_out, values["row_loss"].weights(lines)
    n_groups = total.shape[2]
    losses = losses if weight is None else losses * weight
    told: list[tuple[Grid, Floats]] = [(values["loss_grid"], losses)]
    if weight is not None:
        told.append((values["weight_grid"], weight))
    if n_groups == 1 and is_held_out is None:
        total[0, :, 0] += np.concatenate(([len(losses)], *(grid.sums(each, losses) for grid, each in told)))
        return
    sums: list[Floats | None] = [None, *(limb for grid, each in told for limb in grid.split(each, tree))]
    place = np.zeros(len(losses), np.intp) if tree is None else tree.astype(np.intp)
    if is_held_out is not None:
        place = place + is_held_out * n_groups
    for line, each in enumerate(sums):
        total[:, line] += np.bincount(place, each, minlength=2 * n_groups)[: 2 * n_groups].reshape(2, n_groups)


def no_loss(values: Mapping[str, Any]) -> Array:
    """`loss_sums` of no rows."""
    loss: Grid = values["loss_grid"]
    weight: Grid | None = values["weight_grid"]
    return np.zeros((2, 1 + loss.limbs + (weight.limbs if weight else 0), len(loss.exponents)))


def values_of_loss_sums(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `loss_sums` as they have come."""
    problem = required(problem, "problem")
    grids = {name: Grid.from_values(given, f"sum_{name}_exponents", problem.n_trees) for name in ("loss", "weight")}
    loss = row_loss_of(given)
    require(grids["loss"] is not None, _ASKED, "there")
    require(loss.weighted == (grids["weight"] is not None), "sum_weight_exponents", "there where rows have weights")
    threshold = thresholds_of_groups(given, problem.n_trees, "sum_threshold")
    return {"row_loss": loss, "threshold": threshold, **{f"{name}_grid": grid for name, grid in grids.items()}}
