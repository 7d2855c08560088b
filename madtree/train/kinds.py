"""What differs between trainings by what they train. A further kind of model is a further module like
`of_trees.py`, and a line of `train.kind_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from madtree.ingest import Profile
from madtree.learn.data import Array, Floats, Ints
from madtree.learn.ensemble import Learner
from madtree.learn.prune import BoostedColumns, OutOfBagColumns, RoundColumns, TrainedTrees, TreeColumns
from madtree.model.write import ModelOutput
from madtree.parallel import Workers, resident_workers
from madtree.records import dataclass
from madtree.request import Costs, TrainingTask
from madtree.trees import ModelKind, Numbering, Parameters

UNUSABLE_GROUP = "no usable row: dependent or weight NULL, weight 0, or every feature NULL in each of its rows"
# Rows of a block times channels. Trees have fewer than two nodes a row, and so have those of each of ten folds: fewer
# sums than `GrowingTrees` refuses. With more than 64 classes blocks have fewer rows for it.
_CHANNELS_TOGETHER = 2**22


@dataclass(frozen=True)
class Size:
    """How much there is to learn from.

    Attributes:
        n_columns: numbers of a row.
        n_features: of them.
        n_channels: of a node, with one limb of each (`learn.problem.Channels`).
        rows: (n_trees,) of the single tree, or of each group that is too large for a block.
        is_estimated: the rows are about right.
        is_grouped: whether there are groups.
        n_blocks, rows_in_blocks: of small groups.
    """

    n_columns: int
    n_features: int
    n_channels: int
    rows: Ints
    is_estimated: bool = False
    is_grouped: bool = False
    n_blocks: int = 0
    rows_in_blocks: int = 0


@dataclass(frozen=True)
class Harvest:
    """All that a training has grown.

    Attributes:
        trees: by group and member.
        out_of_bag: what out-of-bag rows say of groups.
        boosted, rounds: what there is to say of boosted models.
        groups: (G,) all groups, those without a tree as well.
        classes: labels, for classification.
        categories: of each unordered feature, texts, or texts by group.
    """

    trees: TreeColumns
    out_of_bag: OutOfBagColumns
    boosted: BoostedColumns
    rounds: RoundColumns
    groups: Ints
    classes: Sequence[str]
    categories: Mapping[str, Any]

    @property
    def n_trees(self) -> Ints:
        """(G,) of each group."""
        return np.bincount(self._of_trees, minlength=len(self.groups))

    @property
    def importance(self) -> Floats:
        """(G, number of features) sums over each group's trees."""
        found = np.zeros((len(self.groups), self.trees.importance.shape[1]))
        np.add.at(found, self._of_trees, self.trees.importance)
        return found

    def by_group(self, group: Ints, values: Array, missing: float) -> Any:
        """(G, ...) `values` (n, ...) at the places of their groups (n,), and `missing` for the others."""
        found = np.full((len(self.groups), *values.shape[1:]), missing, values.dtype)
        found[np.searchsorted(self.groups, group)] = values
        return found

    @property
    def _of_trees(self) -> Ints:
        """(n_trees,) the place of each tree's group."""
        return np.searchsorted(self.groups, self.trees.key.group)


@dataclass(frozen=True)
class Tested:
    """What a training's own rows say of its trees.

    Attributes:
        oob_error: the error on out-of-bag rows, where there is one model and it has such an error.
        losses: after the last round, by the rows' name, where there is one model and it lowers a loss.
    """

    oob_error: float | None
    losses: Mapping[str, float] = field(default_factory=dict)


class TrainingKind(Protocol):
    """What a training asks of the kind of model that it trains.

    Attributes:
        learner: makes the programs.
        model_kind: what is known of such models.
        needs_all_rows: whether each process that grows needs all rows, which then are shared rather than divided.
        passes_often: whether so many passes over the rows follow that these are divided evenly first.
        holds_out: whether rows are held out of training, which may be all rows of a group.
    """

    @property
    def learner(self) -> Learner: ...
    @property
    def model_kind(self) -> ModelKind: ...
    @property
    def needs_all_rows(self) -> bool: ...
    @property
    def passes_often(self) -> bool: ...
    @property
    def holds_out(self) -> bool: ...

    def numbering(self, n_trees: Ints | None) -> Numbering | None:
        """Of its trees; None where that follows only from how many trees each group has, (G,), which is known, and
        given, at the end.
        """
        ...

    def check(self, task: TrainingTask, profile: Profile) -> None:
        """Raises MadtreeError where outcomes are none that such a model can be trained on."""
        ...

    def may_stay_spread(self, strategy: str) -> bool:
        """Whether trees grow where the rows of a distributed table are, by the way that is asked for."""
        ...

    def rows_together(self, rows: int, n_channels: int) -> int:
        """Rows of small groups that may share a block in which there is room for so many."""
        ...

    def workers_for_rows(self, workers: Workers, size: Size, parameters: Parameters, costs: Costs) -> int:
        """How many workers save time on trees of `size.rows`."""
        ...

    def looked_at(self, size: Size, parameters: Parameters) -> int:
        """Features, in all trees, that each row of small groups is counted by; 0 where no workers grow them."""
        ...

    def n_rows(self, trained: TrainedTrees) -> int:
        """Rows that these were trained on."""
        ...

    def write_nodes(
        self, output: ModelOutput, trained: TrainedTrees, classes: Sequence[str], numbering: Numbering
    ) -> None: ...

    def write_trees(self, output: ModelOutput, harvest: Harvest, numbering: Numbering) -> Tested:
        """Write what is known of trees and groups once all are grown; tell what is to be told of it."""
        ...

    def summary(self, task: TrainingTask) -> dict[str, Any]:
        """Values of the summary that differ from those of single trees."""
        ...


class OfDividedRows:
    """What kinds have in common whose trees are each grown by all processes, which divide the rows among them."""

    needs_all_rows = False

    def may_stay_spread(self, strategy: str) -> bool:
        return True

    def rows_together(self, rows: int, n_channels: int) -> int:
        """All nodes of a block's trees are held at a time; of roots alone there may be as many as rows."""
        return max(min(rows, _CHANNELS_TOGETHER // n_channels), 1)

    def workers_for_rows(self, workers: Workers, size: Size, parameters: Parameters, costs: Costs) -> int:
        return resident_workers(workers, int(size.rows.sum()), size.n_columns, parameters, costs)
