"""Rows of a table that stand for what is not known of a row: interventional contributions (Janzing, Minorics and
Bloebaum 2020, "Feature relevance quantification in explainable AI: a causal problem", AISTATS).

Where a feature is not known, the row has the value of a row of that table, and what comes of it is averaged over these.
That is the contribution by shares of cover (`learn.shap.weights`) where a condition's share is 1 if the other row
fulfils it, and 0 if not: only what it is averaged over differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from madtree.learn.data import Bools, Coroutine, Floats, Ints
from madtree.learn.shap.covered_trees import CoveredTrees
from madtree.learn.shap.ways import LeafPaths
from madtree.learn.shap.weights import (
    halves,
    n_terms,
    pair_weights_of_rows,
    points_and_weights,
    weights_of_rows,
)
from madtree.learn.walk import RouteByNodes
from madtree.records import dataclass


@dataclass(frozen=True)
class Background:
    """Rows of another table.

    Attributes:
        route: of all of them.
        rows: of each group those that count, one at least.
        group: (n_trees,) the position of each tree's group.
    """

    route: RouteByNodes
    rows: Sequence[Ints]
    group: Ints

    @cached_property
    def most_rows(self) -> int:
        """Of a group."""
        return max(map(len, self.rows))

    def met(self, trees: CoveredTrees, paths: LeafPaths) -> Coroutine[Bools]:
        """(n_conditions, n_rows) which conditions on some ways, of trees of one group, its rows fulfil."""
        group = int(self.group[trees.tree[paths.leaf[0]]])
        return (yield from paths.met(self.route.of(self.rows[group])))


def weights_against_patterns(met: Bools, *, with_pairs: bool) -> Coroutine[Floats]:
    """(n_leaves, n_lines, 2 ** k) of all that rows may fulfil, as `weights_of_patterns`; with pairs those of
    `pair_weights_of_patterns` behind them.

    Args:
        met: (n_leaves, k, n_rows) which conditions the other rows fulfil.
    """
    n_leaves, k, n_rows = met.shape
    pattern = np.zeros((n_leaves, n_rows), np.int64)
    for j in range(k):
        pattern |= met[:, j].astype(np.int64) << j
    pattern += np.arange(n_leaves)[:, None] << k
    count = np.bincount(pattern.ravel(), minlength=n_leaves << k).reshape(n_leaves, 1 << k)
    found = np.zeros((n_leaves, n_terms(k, with_pairs=with_pairs), 1 << k))
    for t, weight in points_and_weights(-(-k // 2)):
        for j, others in _all_but_one(count * (weight / n_rows), range(k), t):
            yield
            found[:, j] += _changed(others, j)
    for t, weight in points_and_weights(k // 2 if with_pairs else 0):
        before, number = count * (0.5 * weight / n_rows), k
        for i in range(k - 1):
            for j, others in _all_but_one(_changed(before, i), range(i + 1, k), t):
                yield
                found[:, number + j - i - 1] += _changed(others, j)
            before, number = _together(before, i, t), number + k - i - 1
    return found


def _all_but_one(values: Floats, bits: Sequence[int], t: float) -> Iterator[tuple[int, Floats]]:
    """Of each of some conditions, the values where all the others are `_together`."""
    if len(bits) == 1:
        yield bits[0], values
        return
    middle = len(bits) // 2
    for own, others in ((bits[:middle], bits[middle:]), (bits[middle:], bits[:middle])):
        done = values
        for bit in others:
            done = _together(done, bit, t)
        yield from _all_but_one(done, own, t)


def _together(values: Floats, bit: int, t: float) -> Floats:
    """(n_leaves, 2 ** k) what values by patterns of the other rows come to by patterns of a row, as to one condition:
    its factor is 1 where both fulfil it, t where the row alone does, 1 - t where the other one does, and 0 else.
    """
    found = np.empty_like(values)
    own, new = halves(values, bit), halves(found, bit)
    new[:, :, 0] = (1 - t) * own[:, :, 1]
    new[:, :, 1] = t * own[:, :, 0] + own[:, :, 1]
    return found


def _changed(values: Floats, bit: int) -> Floats:
    """As `_together`, with a factor of 1 where the row alone fulfils the condition, -1 where the other does, 0 else."""
    found = np.empty_like(values)
    own, new = halves(values, bit), halves(found, bit)
    np.negative(own[:, :, 1], out=new[:, :, 0])
    new[:, :, 1] = own[:, :, 0]
    return found


def weights_against_rows(other: Bools, met: Bools, *, with_pairs: bool) -> Coroutine[Floats]:
    """As `weights_against_patterns`, (n_leaves, n_lines, n_rows) of some rows, for leaves with many conditions.

    Args:
        other: (n_leaves, k, n_others) which conditions the other rows fulfil.
        met: (n_leaves, k, n_rows) which the rows do.
    """
    n_leaves, k, n_rows = met.shape
    found = np.zeros((n_leaves, n_terms(k, with_pairs=with_pairs), n_rows))
    for number in range(other.shape[2]):
        yield
        share = other[:, :, number].astype(np.float64)
        found[:, :k] += weights_of_rows(share, met)
        if with_pairs:
            yield
            found[:, k:] += pair_weights_of_rows(share, met)
    return np.asarray(found / other.shape[2])
