"""What the residuals of boosted rows come to in each leaf: counts by which quantiles are found, and sums that are cut.

A quantile is found digit by digit, as by radix sort: of the rows whose residuals begin with the digits that are known,
how many have which digits next? The digits are those of the integer that orders float64 as they are ordered. So the
quantile is a row's own residual, whatever the order of rows and the blocks that they are in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from madtree.learn.columns.boosted import row_loss_of, scores_of, thresholds_of_groups, thresholds_of_rows
from madtree.learn.columns.changing import ChangingRows
from madtree.learn.data import Array, Floats, Grid, Ints, Values, portable, require, required
from madtree.learn.losses import RowLoss
from madtree.learn.problem import Problem

_MOST_DIGIT_BITS = 16
_MOST_CELLS = 2**25  # that one answer counts


def _rows_of_places(rows: ChangingRows, values: Mapping[str, Any]) -> tuple[Floats, Ints, Ints | None]:
    """(n,) residuals of the rows that trees are grown on, (n,) their places, and their indices; None for all rows."""
    assert rows.nodes is not None
    assert rows.problem is not None
    multiplicity = rows.problem.replicas.multiplicity(rows.block, 0)
    residuals = values["row_loss"].residuals(scores_of(rows, values["row_loss"]))
    place = values["place"].take(rows.nodes)
    if multiplicity is None:
        return residuals, place, None
    kept = multiplicity.nonzero()[0]
    return residuals.take(kept), place.take(kept), kept


def _weights(rows: ChangingRows, values: Mapping[str, Any], kept: Ints | None) -> Iterator[Floats | None]:
    """The limbs of the rows' weights; None once where all are 1."""
    grid: Grid | None = values["weight_grid"]
    if grid is None:
        yield None
        return
    assert rows.block.scores is not None
    weight, tree = rows.block.scores[1], rows.block.tree
    if kept is not None:
        weight, tree = weight.take(kept), None if tree is None else tree.take(kept)
    yield from grid.split(weight, tree)


def residual_counts(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(n_channels, n_lines, n_digits, n_places) rows, or limbs of their weights, by the next digits of their residuals.

    `values`: row_loss; weight_grid or None; absolute: whether signs do not count; place (n_nodes,) of each node's rows;
    prefix (n_lines, n_places) the digits that are known, `known_bits` of them, and digit_bits of the next. Where a
    line's prefix is that of the line before it, nothing is counted twice: there it has zeros.
    """
    found = no_residuals(values)
    residuals, place, kept = _rows_of_places(rows, values)
    key = portable.ordered_keys(np.abs(residuals) if values["absolute"] else residuals)
    known, bits, prefix = values["known_bits"], values["digit_bits"], values["prefix"]
    n_digits, n_places = found.shape[2:]
    weights = list(_weights(rows, values, kept))
    begin = (key >> np.uint64(portable.KEY_BITS - known)).astype(np.int64) if known else None
    digit = (key >> np.uint64(portable.KEY_BITS - known - bits)).astype(np.int64) & (n_digits - 1)
    cell = digit * n_places + place
    for line, own in enumerate(prefix):
        if begin is None:
            hit = None
        else:
            fits = begin == own.take(place)
            if line:
                fits &= (own != prefix[line - 1]).take(place)
            hit = fits.nonzero()[0]
        for channel, weight in enumerate(weights):
            cells = cell if hit is None else cell.take(hit)
            of_cells = weight if hit is None or weight is None else weight.take(hit)
            counted = np.bincount(cells, of_cells, minlength=n_digits * n_places)
            found[channel, line] = counted.reshape(n_digits, n_places)
    return found


def no_residuals(values: Mapping[str, Any]) -> Array:
    """`residual_counts` of no rows."""
    grid: Grid | None = values["weight_grid"]
    n_lines, n_places = values["prefix"].shape
    return np.zeros((1 if grid is None else grid.limbs, n_lines, 2 ** values["digit_bits"], n_places))


def values_of_residual_counts(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `residual_counts` as they have come."""
    known = given.integer("known_bits", 0, portable.KEY_BITS - 1)
    bits = given.integer("digit_bits", 1, min(_MOST_DIGIT_BITS, portable.KEY_BITS - known))
    prefix = given.ints("prefix", (None, None), 0, 2**known - 1)
    n_lines, n_places = prefix.shape
    require(1 <= n_lines <= 2 and n_places >= 1, "prefix", "of one or two lines")
    require(prefix.size * 2**bits <= _MOST_CELLS, "digit_bits", f"so few that there are {_MOST_CELLS} counts at most")
    require(n_lines == 1 or known > 0, "prefix", "of one line as long as nothing is known")
    return {
        **_common(given, problem, n_nodes, n_places),
        "absolute": given.boolean("absolute"),
        "known_bits": known,
        "digit_bits": bits,
        "prefix": prefix,
    }


def clipped_sums(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(n_channels, n_places) rows, or limbs of their weights, and limbs of their residuals less their place's middle,
    cut at the threshold of their group, times their weights.

    `values`: as of `residual_counts`; middle (n_places,); threshold (n_groups,); sum_grid.
    """
    found = no_clipped(values)
    residuals, place, kept = _rows_of_places(rows, values)
    tree = rows.block.tree
    threshold = thresholds_of_rows(values["threshold"], tree)
    if kept is not None and tree is not None:
        tree, threshold = tree.take(kept), threshold.take(kept)
    cut = np.clip(residuals - values["middle"].take(place), -threshold, threshold)
    if values["weight_grid"] is not None:
        assert rows.block.scores is not None
        weight = rows.block.scores[1]
        cut = cut * (weight if kept is None else weight.take(kept))
    limbs = [*_weights(rows, values, kept), *values["sum_grid"].split(cut, tree)]
    for channel, limb in enumerate(limbs):
        found[channel] = np.bincount(place, limb, minlength=found.shape[1])
    return found


def no_clipped(values: Mapping[str, Any]) -> Array:
    """`clipped_sums` of no rows."""
    grid: Grid | None = values["weight_grid"]
    return np.zeros(((1 if grid is None else grid.limbs) + values["sum_grid"].limbs, len(values["middle"])))


def values_of_clipped_sums(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `clipped_sums` as they have come."""
    middle = given.floats("middle", (None,))
    require(1 <= len(middle) <= _MOST_CELLS, "middle", "that of each place")
    found = _common(given, problem, n_nodes, len(middle))
    assert problem is not None
    sum_grid = required(Grid.from_values(given, "sum_residual_exponents", problem.n_trees), "sum_residual_exponents")
    threshold = required(thresholds_of_groups(given, problem.n_trees), "threshold")
    return {**found, "middle": middle, "threshold": threshold, "sum_grid": sum_grid}


def _common(given: Values, problem: Problem | None, n_nodes: int, n_places: int) -> dict[str, Any]:
    problem = required(problem, "problem")
    loss: RowLoss = row_loss_of(given)
    require(loss.n_scores == 1, "n_scores", "1")
    grid = Grid.from_values(given, "sum_weight_exponents", problem.n_trees)
    require(loss.weighted == (grid is not None), "sum_weight_exponents", "there where rows have weights")
    place = given.ints("place", (n_nodes,), 0, n_places - 1)
    return {"row_loss": loss, "weight_grid": grid, "place": place}
