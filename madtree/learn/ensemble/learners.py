"""What is learnt of the rows of each group: a single tree, a forest, or a boosted model.

A further kind of model is a further `Learner`. Whoever keeps the rows, packs them or drives programs asks it, and not
which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from sys import float_info
from typing import Any, Protocol

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Block, Bools, Coroutine, Ints, Values, require
from madtree.learn.ensemble.boosted_model import Boosting
from madtree.learn.ensemble.boosting import train_boosted
from madtree.learn.ensemble.forest import Forest, bootstrap, forest_parameters_of, out_of_bag_columns, train_forest
from madtree.learn.packing import RawRows, RowFormat
from madtree.learn.problem import Bootstrap, Problem, held_out_rows
from madtree.learn.prune import TrainedTrees, train_trees, training_at_hand
from madtree.learn.requests import Program, Progress, driven
from madtree.learn.route import POSITION_BYTES
from madtree.records import dataclass
from madtree.trees import LEAST_RATE, LOSSES, METHODS, MOST_ROUNDS, BoostParameters, ForestParameters, Parameters

Deliver = Callable[[TrainedTrees], None]
ReportProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Held:
    """How rows are held while a program is driven.

    Attributes:
        n_processes: that grow whole trees.
        rows_at_hand: each of them has all rows.
        folds_known: rows tell their folds.
    """

    n_processes: int
    rows_at_hand: bool
    folds_known: bool


class Learner(Protocol):
    """Makes the programs that train the model of each group.

    Attributes:
        draws_rows: whether rows have to tell an identity, by which samples are drawn.
        holds_out: whether rows are held out to stop by. Folds that a column tells of are two then: in training, and
            held out.
    """

    @property
    def draws_rows(self) -> bool: ...

    @property
    def holds_out(self) -> bool: ...

    def samples(self, parameters: Parameters) -> Bootstrap | None:
        """The samples of all its trees, by which sums grow beyond those over the rows; None where there are none."""
        ...

    def in_training(self, rows: RawRows, parameters: Parameters) -> Bools | None:
        """(n_rows,) the rows whose values bins are made of; None for all."""
        ...

    def program(self, problem: Problem, groups: Ints, deliver: Deliver, held: Held) -> Program[TrainedTrees]:
        """Trains the models of a problem's groups, but for those without rows.

        Args:
            groups: (n_groups,) their numbers in the model tables.
            deliver: is handed trees that are done while others grow; they are not in the program's result.
            held: by whom the rows are.
        """
        ...

    def in_block(
        self, problem: Problem, block: Block, groups: Ints, report: ReportProgress, deliver: Deliver | None
    ) -> Coroutine[TrainedTrees]:
        """Trains the models of a block that has all rows of its groups; with `deliver` None all trees are in the
        result.
        """
        ...

    def to_values(self) -> dict[str, Any]:
        """As named values, for `learner_of`."""
        ...


class OfAllRows:
    """What learners have in common whose trees see all rows, each once, unless they say otherwise."""

    def samples(self, parameters: Parameters) -> Bootstrap | None:
        return None

    def in_training(self, rows: RawRows, parameters: Parameters) -> Bools | None:
        return None


@dataclass(frozen=True)
class TreeLearner(OfAllRows):
    """A tree of each group."""

    draws_rows = False
    holds_out = False

    def program(self, problem: Problem, groups: Ints, deliver: Deliver, held: Held) -> Program[TrainedTrees]:
        outcome = yield from train_trees(problem, rows_at_hand=held.rows_at_hand, folds_known=held.folds_known)
        return TrainedTrees.of(*outcome, groups).with_rows()

    def in_block(
        self, problem: Problem, block: Block, groups: Ints, report: ReportProgress, deliver: Deliver | None
    ) -> Coroutine[TrainedTrees]:
        outcome = yield from training_at_hand(problem, [block], report)
        return TrainedTrees.of(*outcome, groups)

    def to_values(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class ForestLearner(OfAllRows):
    """A random forest of each group."""

    parameters: ForestParameters
    draws_rows = True
    holds_out = False

    def samples(self, parameters: Parameters) -> Bootstrap | None:
        return bootstrap(parameters.seed, self.parameters)

    def program(self, problem: Problem, groups: Ints, deliver: Deliver, held: Held) -> Program[TrainedTrees]:
        forest = Forest.of(problem, self.parameters, groups, held.n_processes, held.rows_at_hand)
        return out_of_bag_columns((yield from train_forest(forest, deliver)), forest)

    def in_block(
        self, problem: Problem, block: Block, groups: Ints, report: ReportProgress, deliver: Deliver | None
    ) -> Coroutine[TrainedTrees]:
        done: list[TrainedTrees] = []
        forest = Forest.of(problem, self.parameters, groups)
        program = train_forest(forest, deliver or done.append)
        at_hand = BlocksAtHand([block], block.codes.n_rows * POSITION_BYTES * forest.members)
        rest = out_of_bag_columns((yield from driven(program, at_hand, report)), forest)
        return TrainedTrees.join([*done, rest])

    def to_values(self) -> dict[str, Any]:
        return {"forest": asdict(self.parameters)}


@dataclass(frozen=True)
class BoostLearner(OfAllRows):
    """A boosted model of each group."""

    parameters: BoostParameters

    @property
    def holds_out(self) -> bool:
        return self.parameters.has_held_out

    @property
    def draws_rows(self) -> bool:
        return self.parameters.draws_rows

    def in_training(self, rows: RawRows, parameters: Parameters) -> Bools | None:
        if rows.fold is not None:
            return np.asarray(rows.fold == 0)
        if self.parameters.held_out > 0 and rows.identity is not None:
            return np.asarray(held_out_rows(rows.identity, self.parameters.held_out, parameters.seed) == 0)
        return None

    def program(self, problem: Problem, groups: Ints, deliver: Deliver, held: Held) -> Program[TrainedTrees]:
        boosting = Boosting(problem, self.parameters, groups, held.n_processes)
        return (yield from train_boosted(boosting, deliver, rows_at_hand=held.rows_at_hand))

    def in_block(
        self, problem: Problem, block: Block, groups: Ints, report: ReportProgress, deliver: Deliver | None
    ) -> Coroutine[TrainedTrees]:
        done: list[TrainedTrees] = []
        program = train_boosted(Boosting(problem, self.parameters, groups), deliver or done.append, rows_at_hand=True)
        at_hand = BlocksAtHand([block], block.codes.n_rows * POSITION_BYTES)
        rest = yield from driven(program, at_hand, report)
        return TrainedTrees.join([*done, rest])

    def to_values(self) -> dict[str, Any]:
        return {"boost": asdict(self.parameters)}


def learner_of(values: Values, row_format: RowFormat) -> Learner:
    """The learner that these values are of; raises MadtreeError where they are of none, or not for such rows."""
    if "boost" in values:
        boosted = _boost_parameters_of(Values(values.mapping("boost")))
        of_classes = row_format.class_keys is not None
        require(LOSSES[boosted.loss].of_classes == of_classes, "loss", "one for what rows are to be predicted as")
        known = row_format.fold_keys is not None
        require(known == (boosted.held_out_by is not None), "fold_keys", "there where a column tells what is held out")
        is_enough = "identity" in row_format.has or not boosted.draws_rows
        require(is_enough, "boost", "of rows that are told apart, where they are drawn")
        return BoostLearner(boosted)
    if "forest" not in values:
        return TreeLearner()
    parameters = forest_parameters_of(Values(values.mapping("forest")), len(row_format.category_keys))
    require("identity" in row_format.has, "forest", "of rows that are told apart")
    return ForestLearner(parameters)


def ensemble_of(values: Mapping[str, Any]) -> Forest:
    """The ensemble whose waves are asked for, so that whoever hands it on need not know of which kind it is; raises
    MadtreeError where these values are of none.
    """
    return Forest.from_values(values)


def _boost_parameters_of(values: Values) -> BoostParameters:
    """As `forest_parameters_of`, of a boosted model."""
    loss, has_quantile = LOSSES[values.text("loss", LOSSES)], "loss_quantile" in values
    require(loss.takes_quantile == has_quantile, "loss_quantile", "there where the loss has one")
    method = METHODS[values.text("method", METHODS)]
    require(method.loss in (None, loss.name), "method", "one that lowers the loss")
    return BoostParameters(
        loss=loss.name,
        n_rounds=values.integer("n_rounds", 1, MOST_ROUNDS),
        subsample=values.number("subsample", 0.0, 1.0),
        feature_fraction=values.number("feature_fraction", 0.0, 1.0),
        held_out=values.number("held_out", 0.0, 1.0),
        patience=values.integer("patience", 1, MOST_ROUNDS),
        tolerance=values.number("tolerance", 0.0, float_info.max),
        loss_quantile=values.number("loss_quantile", 0.0, 1.0) if has_quantile else None,
        held_out_by=values.text("held_out_by") if "held_out_by" in values else None,
        correct_prior=values.boolean("correct_prior"),
        top_rate=values.number("top_rate", 0.0, 1.0),
        other_rate=values.number("other_rate", LEAST_RATE, 1.0),
        method=method.name,
    )
