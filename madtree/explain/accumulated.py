"""Accumulated local effects: what changes in a model's predictions from one value of a feature to the next, or from one
cell of two features to the next, added up.

They are estimated as by Apley and Zhu 2020, "Visualizing the effects of predictor variables in black box supervised
learning models", JRSS B 82 (main and second-order effects). As in the authors' R package ALEPlot, an effect's mean over
the rows takes of a row the mean of the corners of its cell, and a cell without rows has the change of the nearest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from madtree.host import Host
from madtree.score import RowsAtHand


def accumulated_effects(
    rows: RowsAtHand, places: Sequence[int], grids: Sequence[np.ndarray], n_outputs: int
) -> tuple[np.ndarray, np.ndarray]:
    """The effect of one feature, or that of two together without what each has alone; on average over the rows it is 0.

    Args:
        rows: their values of the features are `others` (n_rows, n_features), each within its grid.
        places: of the features among the model's.
        grids: of each feature values of rows, which increase.

    Returns:
        The effects (n_values, or n_values of the first and of the second, then n_outputs) and, without the outputs, how
        many rows are between each value and the one before.
    """
    shape = tuple(map(len, grids))
    # By the value that ends it, the step of each row.
    steps = [
        np.searchsorted(grid, own).clip(min(1, len(grid) - 1)) for grid, own in zip(grids, rows.others.T, strict=True)
    ]
    cells = np.ravel_multi_index(steps, shape)
    counts = np.bincount(cells, minlength=prod(shape))
    means = np.zeros((len(counts), n_outputs))
    if min(shape) < 2:  # there is no other value
        return means.reshape(*shape, n_outputs), counts.reshape(shape)
    changes = _changes(rows, places, grids, steps, n_outputs)
    for output in range(n_outputs):
        means[:, output] = np.bincount(cells, changes[:, output], len(counts)) / np.maximum(counts, 1)
    means, counts = means.reshape(*shape, n_outputs), counts.reshape(shape)
    if len(shape) == 1:
        effects = np.cumsum(means, axis=0)
        return effects - _mean(effects, counts[1:]), counts
    inside = counts[1:, 1:]
    means[1:, 1:] = _filled(rows.host, means[1:, 1:], inside, grids)
    effects = means.cumsum(axis=0).cumsum(axis=1)
    of_second = _main(effects.swapaxes(0, 1), inside.T)[None]
    effects = effects - _main(effects, inside)[:, None] - of_second
    return effects - _mean(effects, inside), counts


def _changes(
    rows: RowsAtHand,
    places: Sequence[int],
    grids: Sequence[np.ndarray],
    steps: Sequence[np.ndarray],
    n_outputs: int,
) -> np.ndarray:
    """(n_rows, n_outputs): from one end of a row's step to the other; of two features the second difference."""
    changes = np.zeros((rows.n_rows, n_outputs))
    for ends in product((0, 1), repeat=len(places)):
        numbers = rows.numbers.copy()
        for place, grid, step, end in zip(places, grids, steps, ends, strict=True):
            if place in rows.column:
                numbers[:, rows.column[place]] = grid.take(step - 1 + end)
        outputs = rows.predicted(numbers)
        (np.subtract if (len(ends) - sum(ends)) % 2 else np.add)(changes, outputs, out=changes)
    return changes


def _main(effects: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n_first, n_outputs): what effects of two features (n_first, n_second, n_outputs) have of the first one alone.

    Args:
        counts: (n_first - 1, n_second - 1), rows of each cell, of which each value of the first has some.
    """
    changes = np.diff(effects, axis=0)
    middles = (changes[:, 1:] + changes[:, :-1]) / 2
    means = (middles * counts[..., None]).sum(axis=1) / counts.sum(axis=1)[:, None]
    return np.concatenate([np.zeros_like(means[:1]), means.cumsum(axis=0)])


def _mean(effects: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n_outputs,): over the rows, each of which has the mean of the corners of its cell."""
    for axis in range(counts.ndim):
        along = effects.swapaxes(0, axis)
        effects = ((along[:-1] + along[1:]) / 2).swapaxes(0, axis)
    mean: np.ndarray = (effects * counts[..., None]).sum(axis=tuple(range(counts.ndim))) / counts.sum()
    return mean


def _filled(host: Host, means: np.ndarray, counts: np.ndarray, grids: Sequence[np.ndarray]) -> np.ndarray:
    """The means by cell (n_first, n_second, n_outputs), those without rows as in the nearest cell that has some.

    Between the middles of cells, each feature in parts of its range. First along the second feature, then across, so
    that it takes n_first * n_first * n_second steps rather than a comparison of any two cells.

    Args:
        counts: (n_first, n_second), rows of each cell; each line along either feature has some.
    """
    has_rows = counts > 0
    if has_rows.all():
        return means
    first, second = map(_middles, grids)
    n_second = len(second)
    last = np.maximum.accumulate(np.where(has_rows, np.arange(n_second), -1), axis=1)
    next_ = np.minimum.accumulate(np.where(has_rows, np.arange(n_second), n_second)[:, ::-1], axis=1)[:, ::-1]
    back = np.where(last < 0, np.inf, second - second.take(last, mode="clip"))
    ahead = np.where(next_ == n_second, np.inf, second.take(next_, mode="clip") - second)
    in_line, apart = np.where(back <= ahead, last, next_), np.minimum(back, ahead) ** 2
    least, nearest = np.full(counts.shape, np.inf), np.zeros(counts.shape, np.int64)
    for line in range(len(first)):
        host.let_in()
        distance = ((first - first[line]) ** 2)[:, None] + apart[line]
        nearest = np.where(distance < least, line * n_second + in_line[line], nearest)
        least = np.minimum(distance, least)
    taken = means.reshape(counts.size, -1)[nearest]
    return np.where(has_rows[..., None], means, taken)


def _middles(grid: np.ndarray) -> np.ndarray:
    """(n - 1,) middles between a grid's values, as parts of its range (twice these); infinite ones are as the last."""
    finite = grid[np.isfinite(grid)]
    low, high = (finite[0], finite[-1]) if len(finite) else (0.0, 0.0)
    half = grid.clip(low, high) / 2  # whose range is no overflow
    parts = (half - half[0]) / ((half[-1] - half[0]) or 1.0)
    middles: np.ndarray = parts[1:] + parts[:-1]
    return middles
