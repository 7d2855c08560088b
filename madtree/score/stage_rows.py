"""Rows whose outcome is known, with the leaves that they end in of all trees of a boosted model: held at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Array, Floats, Ints, Values, finished, unsigned
from madtree.learn.walk import FlatTrees, Walk
from madtree.model import UsableModel
from madtree.model.arrays import ModelArrays
from madtree.records import dataclass
from madtree.request import COSTS
from madtree.score.case_or_blocks import measure
from madtree.score.refreshed_leaves import rows_by_blocks
from madtree.score.staged import unfit_for
from madtree.score.staged_scorer import fit_outcomes
from madtree.score.tested_rows import tested_rows
from madtree.trees import Model

_PIECE = 65_536  # rows that go down the trees together
_MOST_BYTES = 2**30  # of all rows
_ROW_BYTES = 64  # beside the leaves: group, outcome, weight, score, and what is made of them


@dataclass(frozen=True)
class StagedTrees:
    """The trees of a boosted model, by its groups that have some.

    Attributes:
        first, count: (n_groups,) position of each group's first tree, and how many it has.
        sizes: (n_trees,) nodes of each tree.
    """

    walk: Walk
    first: Ints
    count: Ints
    sizes: Ints

    @classmethod
    def of(cls, host: Host, model: Model, trees: FlatTrees) -> StagedTrees:
        members = model.n_members
        values = Walk.values_of(trees, members, host.let_in, model.numbering.counts)
        walk = Walk.from_values(Values(values), members)
        n_groups = len(walk.groups)
        count = np.full(n_groups, members) if walk.counts is None else walk.counts
        return cls(walk, np.cumsum(count) - count, count, np.diff(trees.roots, append=len(trees.child)))

    def leaves(self, host: Host, values: Floats, group: Ints) -> Array:
        """(n_members, n_rows) the leaf that rows end in, counted from the root of each of their group's trees; of a
        group with fewer trees, that of its last one once more.

        Args:
            values: (n_features, n_rows), which are written to.
            group: (n_rows,) position of each row's group.
        """
        members, roots = int(self.count.max()), self.walk.roots
        found = np.empty((members, len(group)), unsigned(int(self.sizes.max()) - 1))
        route = finished(self.walk.route(values, group), host.let_in)
        for member in range(members):
            of_groups = roots.take(self.first + np.minimum(member, self.count - 1))
            root: int | Ints = int(of_groups[0]) if len(of_groups) == 1 else of_groups.take(group)
            found[member] = finished(route.leaves(root), host.let_in) - root
        return found


@dataclass(frozen=True)
class StageRows:
    """All rows that count, of the groups that have trees.

    Attributes:
        group: (n_rows,) position of each one's group.
        outcomes, weights: (n_rows,).
        parts: of rows one after the other, as `StagedTrees.leaves` has them.
    """

    group: Ints
    outcomes: Floats
    weights: Floats
    parts: list[Array]

    @classmethod
    def read(
        cls, opened: UsableModel, arrays: ModelArrays, trees: StagedTrees, table: str | None, argument: str
    ) -> StageRows:
        """Those of a table.

        Raises:
            MadtreeError: there is no such table, it lacks a column, a weight or outcome in it is out of range, or it
                has too many rows.
        """
        model = opened.model
        tested = tested_rows(opened, table, with_id=False, argument=argument)
        outcome, weight = tested.outcome_and_weight()
        behind = [tested.where_trained(outcome), weight]
        work = measure(tested, 1, COSTS)
        statement = rows_by_blocks(tested, arrays.used, behind, 0, work)
        grouped, n_bytes, n_rows = bool(model.grouping_columns), 0, 0
        own, parts, unfit = [], [], np.zeros(2, np.int64)
        with tested.casting():
            for rows in statement.sent_rows():
                for first in range(0, len(rows), _PIECE):
                    opened.host.let_in()
                    numbers = np.array(rows[first : first + _PIECE].T, np.float64, order="C")
                    group, known = trees.walk.places(numbers[0] if grouped else None, numbers.shape[1])
                    counted = _counted(model, numbers[-2], numbers[-1], unfit)
                    counted = np.flatnonzero(counted if known is None else counted & known)
                    if not len(counted):
                        continue
                    group, values = group.take(counted), numbers[int(grouped) : -2].take(counted, axis=1)
                    own.append((group, *numbers[-2:].take(counted, axis=1)))
                    parts.append(trees.leaves(opened.host, values, group))
                    n_bytes += parts[-1].nbytes + len(group) * _ROW_BYTES
                    if n_bytes > _MOST_BYTES:
                        raise MadtreeError(
                            f"{argument}: {table} has too many rows: with the leaves of {model.n_members} trees they "
                            f"take more than {_MOST_BYTES // 2**20:,} MB",
                            hint=f"Give a view of about {n_rows:,} of them.",
                            sqlstate="54000",
                        )
                    n_rows += len(group)
        bad = {"bad_weights": int(unfit[0]), "bad_actuals": int(unfit[1])}
        tested.checked([bad], unfit_for(model))
        if not own:
            return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), [])
        group, outcomes, weights = (np.concatenate(each) for each in zip(*own, strict=True))
        return cls(group, outcomes, weights, parts)

    def leaf(self, member: int) -> Ints:
        """(n_rows,) the leaf of that tree of each row's group, from the root."""
        return np.concatenate([part[member] for part in self.parts]).astype(np.int64)

    @cached_property
    def n_rows(self) -> int:
        return len(self.group)


def _counted(model: Model, outcomes: Floats, weights: Floats, unfit: Ints) -> Array:
    """(n_rows,) whether rows count; `unfit` is told of those that have an unfit weight, and an unfit outcome."""
    fit = fit_outcomes(model.loss.name, len(model.classes), outcomes)
    fit_weight = (weights >= 0) & np.isfinite(weights)
    unfit[0] += int((~fit_weight & ~np.isnan(weights)).sum())
    if not model.classes:  # a class that the model does not know does not count
        unfit[1] += int((~fit & ~np.isnan(outcomes)).sum())
    return np.asarray(fit & fit_weight & (weights > 0))
