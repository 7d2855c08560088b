"""What the rows of a block say of the leaves that they come to: how many they are, their weight, and their outcomes.

It is told in whole numbers (`learn.data.in_powers`), so that the sums of all blocks are the same whoever has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import WIDE_LIMIT, Array, Coroutine, ExactSums, Floats, Ints, Values, in_powers
from madtree.records import dataclass
from madtree.score.leaf_draws import reached
from madtree.score.routed_rows import RoutedRows

# A cell is a leaf, of classes a class in a leaf.
# ROWS: that count; WEIGHT: of these, where rows have weights; TOTAL: of numbers, their weight times outcome.
# UNFIT_WEIGHTS, UNFIT_OUTCOMES: rows with such, in the first cell.
ROWS, WEIGHT, TOTAL, UNFIT_WEIGHTS, UNFIT_OUTCOMES = range(5)
_WHOLE = 0  # the power of a count
LEAF_SUM = np.dtype([("cell", "<i8"), ("kind", "<i2"), ("power", "<i2"), ("count", "<i8")])
_MOST_SAID = 2**29  # bytes, of a block
_MOST_BYTES = 2**30  # of all sums


def checked_sums(given: Values, members: int) -> dict[str, Any]:
    """The part of a plan that asks for sums, of some trees of each group.

    Raises:
        MadtreeError: it is none.
    """
    last = given.integer("last", 1, members)
    return {
        "first": given.integer("first", 0, last - 1),
        "last": last,
        "n_classes": given.integer("n_classes", 0, WIDE_LIMIT),
        "weighted": given.boolean("weighted"),
        "with_some": given.boolean("with_some"),
    }


def sums_of_leaves(routed: RoutedRows, outcomes: Floats, weights: Floats | None) -> Coroutine[bytes]:
    """`LEAF_SUM` of the leaves that some of the rows come to.

    Args:
        outcomes: (n_rows,) numbers, or places of classes from 0; NaN of rows without one.
        weights: (n_rows,), NaN of rows without one; None where rows have none.
    """
    model = routed.model
    n_classes: int = model["n_classes"]
    counted = (outcomes >= 0) & (outcomes < n_classes) if n_classes else np.isfinite(outcomes)
    unfit = {} if n_classes else {UNFIT_OUTCOMES: ~counted & ~np.isnan(outcomes)}
    if weights is not None:
        fit_weight = (weights >= 0) & np.isfinite(weights)
        unfit[UNFIT_WEIGHTS] = ~fit_weight & ~np.isnan(weights)
        counted &= fit_weight & (weights > 0)
    found = [
        _record(kind, _WHOLE, np.zeros(1, np.int64), np.array([int(which.sum())]))
        for kind, which in unfit.items()
        if which.any()
    ]
    counted = counted if routed.known is None else counted & routed.known
    if not counted.all():
        rows = np.flatnonzero(counted)
        routed, outcomes = routed.of(rows), outcomes.take(rows)
        weights = None if weights is None else weights.take(rows)
    if routed.n_rows:
        leaves, n_bytes = routed.leaves(), 0
        for member in range(model["first"], model["last"]):
            yield
            for each in _of_tree(model, (yield from leaves(member)), outcomes, weights):
                found.append(each)
                n_bytes += each.nbytes
            if n_bytes > _MOST_SAID:
                raise MadtreeError(
                    f"what these rows say of leaves has more than {_MOST_SAID // 2**20} MB: give fewer rows at once",
                    sqlstate="54000",
                )
    return b"".join(each.tobytes() for each in found)


def _of_tree(model: dict[str, Any], leaf: Ints, outcomes: Floats, weights: Floats | None) -> Iterator[Array]:
    """Those of rows (n_rows,) by the leaves that they come to."""
    n_classes = model["n_classes"]
    cells, cell = reached(leaf * n_classes + outcomes.astype(np.int64) if n_classes else leaf)
    yield _record(ROWS, _WHOLE, cells, np.bincount(cell, minlength=len(cells)))
    if weights is not None:
        for power, counts in in_powers(weights, cell, len(cells)):
            yield _record(WEIGHT, power, cells, counts)
    if not n_classes:
        values = outcomes if weights is None else outcomes * weights
        for power, counts in in_powers(values, cell, len(cells)):
            yield _record(TOTAL, power, cells, counts)


def _record(kind: int, power: int, cells: Ints, counts: Ints) -> Array:
    some = np.flatnonzero(counts)
    found = np.empty(len(some), LEAF_SUM)
    found["cell"], found["count"] = cells.take(some), counts.take(some)
    found["kind"], found["power"] = kind, power
    return found


@dataclass(frozen=True)
class LeafSums:
    """What all rows say of the cells of a model.

    Attributes:
        rows, weight, total: of each cell.
        unfit: how many rows have an unfit weight, and an unfit outcome.
    """

    rows: ExactSums
    weight: ExactSums
    total: ExactSums
    unfit: Ints

    @classmethod
    def none(cls, n_cells: int) -> LeafSums:
        """Of no rows."""
        return cls(ExactSums(n_cells), ExactSums(n_cells), ExactSums(n_cells), np.zeros(2, np.int64))

    def add(self, encoded: bytes) -> None:
        """Add what a block's rows say, as `sums_of_leaves` tells it.

        Raises:
            MadtreeError: weights or outcomes differ so much in size that their exact sums take too much memory.
        """
        records = np.frombuffer(encoded, LEAF_SUM)
        kind, power, cell = (records[name] for name in ("kind", "power", "cell"))
        # Of each tree, kind and power, cells are told in ascending order, and each once.
        changes = (np.diff(cell) <= 0) | (np.diff(kind) != 0) | (np.diff(power) != 0)
        for part in np.split(records, np.flatnonzero(changes) + 1):
            if not len(part):
                continue
            own = int(part["kind"][0])
            if own >= UNFIT_WEIGHTS:
                self.unfit[own - UNFIT_WEIGHTS] += part["count"][0]
            else:
                (self.rows, self.weight, self.total)[own].of_power(int(part["power"][0]))[part["cell"]] += part["count"]
        n_powers = sum(len(each.by_power) for each in (self.rows, self.weight, self.total))
        if 8 * n_powers * self.rows.n_cells > _MOST_BYTES:
            raise MadtreeError(
                "new_table: weights or outcomes are of such different sizes that their sums in the model's leaves take "
                f"more than {_MOST_BYTES // 2**20:,} MB",
                hint="Round them, or leave out rows with very small ones.",
                sqlstate="54000",
            )
