"""The rows of a table as they come, and what blocks hold of them beside their codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Bools, Floats, Ints, Runs, heads
from madtree.learn.problem import Problem
from madtree.records import dataclass
from madtree.trees import OWN_NUMBERS, ROW_NUMBERS


class Columns(Protocol):
    """Features that are looked up one at a time, each (n_rows,)."""

    def __len__(self) -> int: ...

    def __getitem__(self, feature: int, /) -> Floats: ...

    def select(self, keep: Bools) -> Columns:
        """The columns of the rows that are kept."""
        ...


@dataclass(frozen=True)
class RawRows:
    """Rows as they came from the table, NaN for NULL.

    Attributes:
        features: (n_features, n_rows); values, or level indices of unordered features.
        target: (n_rows,) class index or value.
        weight: (n_rows,) or None.
        tree: (n_rows,) int, or None where there is one tree.
        fold: (n_rows,) index of the fold as the table has it, NaN for NULL; None where the table does not tell.
        exposure: (n_rows,) over which the target was counted, or None.
        offset: (n_rows,) what is known of each row's score before any tree, or None.
        identity: as in `Block`.
        n_unknown: rows whose class was none of those that are known, and which have no target now.
    """

    features: Floats | Columns
    target: Floats
    weight: Floats | None = None
    tree: Ints | None = None
    fold: Floats | None = None
    exposure: Floats | None = None
    offset: Floats | None = None
    identity: Array | None = None
    n_unknown: int = 0

    def known(self) -> Bools:
        """(n_rows,) rows whose target, fold and numbers are known, and whose weight is not 0."""
        keep = ~np.isnan(self.target)
        if self.weight is not None:
            keep &= self.weight != 0
        for name in ("fold", *(each.name for each in ROW_NUMBERS)):
            if (column := getattr(self, name)) is not None:
                keep &= ~np.isnan(column)
        return np.asarray(keep)

    def usable(self) -> Bools:
        """(n_rows,) rows that are `known` and have at least one feature."""
        keep = self.known()
        some: Array = np.zeros(len(keep), np.bool_)
        for f in range(len(self.features)):
            column = self.features[f]
            some |= column == column
            if some.all():
                break
        return keep & some

    def select(self, keep: Bools) -> RawRows:
        if keep.all():
            return self
        features = self.features[:, keep] if isinstance(self.features, np.ndarray) else self.features.select(keep)
        own = {name: getattr(self, name) for name in OWN_NUMBERS}
        kept: dict[str, Any] = {name: column if column is None else column[keep] for name, column in own.items()}
        return RawRows(features, **kept)

    def with_places_of_trees(self) -> tuple[RawRows, Ints]:
        """The rows, which stand tree by tree, with the tree's place in `trees` instead of its id; and `trees`
        (n_trees,) ascending.
        """
        assert self.tree is not None
        firsts = heads(self.tree)
        places = Runs(np.diff(firsts, append=len(self.tree))).spread(np.arange(len(firsts)))
        return replace(self, tree=places), self.tree.take(firsts)


def on_grids(problem: Problem, rows: RawRows) -> tuple[Array, Floats | None]:
    """A block's target and weight as `Block` holds them; raises MadtreeError where weights that numbers are divided by
    are nothing beside the largest one.
    """
    weight = None
    if problem.weight_grid is not None and rows.weight is not None:
        weight = problem.weight_grid.split(rows.weight, rows.tree)
    if problem.target_grid is None:
        return rows.target.astype(np.uint8 if problem.n_classes <= 256 else np.uint16), weight
    if weight is not None and rows.weight is not None and (lost := ~weight.any(axis=0)).any():
        raise MadtreeError(
            f"weights: {rows.weight[lost].min():.3g} is nothing beside {problem.largest_weight.max():.3g} in a sum of "
            "double precision",
            hint="Make such weights larger, or 0, which leaves rows out.",
        )
    target = problem.target_grid.split(weighted_target(rows, problem.centre), rows.tree)
    if problem.exposure_grid is None or rows.exposure is None:
        return target, weight
    exposure = problem.exposure_grid.split(weighted(rows, rows.exposure), rows.tree)
    return np.concatenate((target, exposure)), weight


def first_scores(problem: Problem, rows: RawRows) -> Floats | None:
    """(n_lines, n_rows) offsets and outcomes as `Block` holds them before any tree; None where it holds none."""
    lines = [] if rows.offset is None else [rows.offset]
    if problem.keeps_outcomes:
        lines.append(rows.target)
    return np.stack(lines) if lines else None


def weighted_target(rows: RawRows, centre: Floats) -> Floats:
    value = rows.target - (centre[0] if rows.tree is None else centre[rows.tree])
    return weighted(rows, value)


def weighted(rows: RawRows, value: Floats) -> Floats:
    return value if rows.weight is None else value * rows.weight
