"""A training of boosted models, one of each group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.ingest import Profile
from madtree.learn.data import Ints
from madtree.learn.ensemble import BoostLearner, Learner
from madtree.learn.prune import TrainedTrees
from madtree.model.write import (
    GroupTotals,
    ModelOutput,
    by_categories,
    floats,
    integers,
    labels_or_null,
    rows_of_floats,
    write_groups,
    write_members,
    write_packed,
    write_rounds,
)
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.sqltext.kinds import TABLES
from madtree.train.kinds import UNUSABLE_GROUP, Harvest, OfDividedRows, Size, Tested
from madtree.trees import (
    BOOSTED,
    CATEGORY_ENCODINGS,
    LOSSES,
    METHODS,
    OFFSET,
    ORDERED,
    BoostParameters,
    Numbering,
    Parameters,
    node_layout,
)


@dataclass(frozen=True)
class Boosted(OfDividedRows):
    """As `TrainingKind` says."""

    parameters: BoostParameters
    model_kind = BOOSTED
    passes_often = True

    @property
    def holds_out(self) -> bool:
        return self.parameters.has_held_out

    @property
    def learner(self) -> Learner:
        return BoostLearner(self.parameters)

    def numbering(self, n_trees: Ints | None) -> Numbering | None:
        """The trees of a group follow those of the groups before it, which may have fewer than others."""
        return None if n_trees is None else Numbering(0, tuple(n_trees.tolist()))

    def check(self, task: TrainingTask, profile: Profile) -> None:
        loss, name = LOSSES[self.parameters.loss], task.dependent_sql
        n_classes = len(profile.classes)
        method = METHODS[self.parameters.method]
        if not method.fits(loss, n_classes):
            what = f"boost_params: method {method.name}" if method.loss else f"loss {loss.name}"
            raise MadtreeError(
                f"{what} is for two classes, and {name} has {n_classes}",
                hint="loss => 'log_loss' is for any, and so is boost_params => 'method=adaboost'.",
            )
        if n_classes > 2 and task.parameters.monotone:
            raise MadtreeError(
                f"monotone is for numbers and for two classes, whose second one becomes more or less probable; {name} "
                f"has {n_classes} classes",
                hint="Train a model for each class: its dependent variable is whether a row has that class.",
            )
        if n_classes > 2 and OFFSET.name in task.numbers:
            raise MadtreeError(
                f"offsets are for numbers and for two classes, whose rows have one score; {name} has {n_classes} "
                "classes",
                hint="Train a model for each class: its dependent variable is whether a row has that class.",
            )
        if n_classes > 2 and task.ordered:
            raise MadtreeError(
                f"boost_params: category_encoding ordered is for numbers and for two classes: a category becomes its "
                f"mean, or the share of the second class; {name} has {n_classes} classes",
                hint="Train a model for each class: its dependent variable is whether a row has that class.",
            )
        if loss.is_positive and profile.low <= 0:
            raise MadtreeError(f"loss {loss.name} is for numbers above 0, and {name} has {profile.low:g}")
        if loss.is_count and profile.low < 0:
            raise MadtreeError(f"loss {loss.name} is for numbers of at least 0, and {name} has {profile.low:g}")

    def looked_at(self, size: Size, parameters: Parameters) -> int:
        return size.n_features * self.parameters.n_rounds

    def n_rows(self, trained: TrainedTrees) -> int:
        return int(trained.boosted.n_rows.sum())

    def write_nodes(
        self, output: ModelOutput, trained: TrainedTrees, classes: Sequence[str], numbering: Numbering
    ) -> None:
        packed, features = trained.packed, output.task.features
        if encodings := output.encodings:
            kept = node_layout(features, None, weighted=True)
            learned = [f for i, f in enumerate(features) if i not in encodings.features]
            packed = by_categories(packed, node_layout(learned, None, weighted=True), kept, encodings)
        write_packed(output, packed, numbering)

    def write_trees(self, output: ModelOutput, harvest: Harvest, numbering: Numbering) -> Tested:
        trees = harvest.trees
        n_scores = LOSSES[self.parameters.loss].n_scores(len(harvest.classes))
        numbers, score = np.divmod(trees.key.member, n_scores)
        more = {
            "round": integers(numbers + 1),
            "class": labels_or_null(harvest.classes if n_scores > 1 else [], score),
        }
        write_members(output, trees, numbering, more, TABLES[BOOSTED].more)
        failure = UNUSABLE_GROUP + (", or all others held out" if self.holds_out else "")
        columns, rounds = harvest.boosted, harvest.rounds
        by_group = partial(harvest.by_group, columns.group)
        n_rounds: Ints = by_group(columns.n_rounds, 0)
        # What is lost after the model's last round.
        last = rounds.number == n_rounds[np.searchsorted(harvest.groups, rounds.group)]
        at_last = partial(harvest.by_group, rounds.group[last])
        training, held_out = at_last(rounds.training[last], np.nan), at_last(rounds.held_out[last], np.nan)
        base = columns.base if len(columns.base) else np.zeros((0, n_scores))
        of_groups = {
            "n_rounds": integers(n_rounds),
            "base_score": rows_of_floats(by_group(base, np.nan), base.shape[1]),
            "loss_threshold": floats(by_group(columns.threshold, np.nan)),
            "n_rows": integers(by_group(columns.n_rows, 0)),
            "n_held_out": integers(by_group(columns.n_held_out, 0)),
            "training_loss": floats(training),
            "validation_loss": floats(held_out),
        }
        groups = GroupTotals(harvest.groups, harvest.n_trees, harvest.importance)
        known = TABLES[BOOSTED].of_groups
        write_groups(output, groups, of_groups, known, failure, harvest.categories)
        write_rounds(output, rounds)
        if self.holds_out and not columns.n_held_out.any():
            output.host.notice("validation_params: no row is held out, so that no loss tells when to stop")
        first = rounds.number == 1
        after_first = harvest.by_group(rounds.group[first], rounds.training[first], np.nan)
        n_worse = np.count_nonzero((training > after_first) & ~np.isclose(training, after_first))
        if n_worse:
            where = f" in {n_worse} of {len(training)} groups" if output.group_table is not None else ""
            output.host.notice(
                f"the training loss is higher after the last round than after the first one{where}; what may help is a "
                "smaller learning_rate, or rows held out to stop by (validation_params => 'fraction=0.1')"
            )
        if output.group_table is not None:
            return Tested(None, {})
        found = {"training": float(training[0]), "validation": float(held_out[0])}
        return Tested(None, {name: loss for name, loss in found.items() if not np.isnan(loss)})

    def summary(self, task: TrainingTask) -> dict[str, Any]:
        parameters, boost = task.parameters, self.parameters
        return {
            "method": BOOSTED.trains,
            "loss": boost.loss,
            "num_trees": boost.n_rounds,
            "learning_rate": parameters.learning_rate,
            "l2_regularization": parameters.l2,
            "min_gain": parameters.min_gain,
            "subsample": boost.subsample,
            "feature_fraction": boost.feature_fraction,
            "cat_smooth": parameters.cat_smooth,
            "quantile": boost.loss_quantile,
            "correct_prior": boost.correct_prior,
            "split_criterion": parameters.criterion if task.is_classification else "mse",
            "cat_l2": parameters.cat_l2,
            "max_cat_threshold": parameters.max_cat_threshold,
            "min_data_per_group": parameters.min_data_per_group,
            "top_rate": boost.top_rate,
            "other_rate": boost.other_rate,
            "boost_method": boost.method,
            "category_encoding": CATEGORY_ENCODINGS[0] if task.ordered is None else ORDERED,
            "prior_weight": task.ordered and task.ordered.prior_weight,
            "validation_fraction": boost.held_out,
            "fold_col": None if task.held_out else boost.held_out_by,
            "validation_table": boost.held_out_by if task.held_out else None,
            "n_iter_no_change": boost.patience,
            "tol": boost.tolerance,
            "monotone": task.arguments.monotone,
            "interaction_constraints": task.arguments.interaction_constraints,
        }
