"""A boosted model before it is grown: what it begins with, and the problem of each of its trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from madtree.learn.data import Bools, Floats, Grid, Ints, portable
from madtree.learn.ensemble.gradient_samples import most_times
from madtree.learn.losses import Loss, OutcomeRange, RowLoss
from madtree.learn.problem import Problem, Sampled, over_classes
from madtree.records import dataclass
from madtree.trees import LOSSES, METHODS, NEWTON, VOTES, BoostMethod, BoostParameters, LeafValue, Link


@dataclass(frozen=True)
class Boosting:
    """The boosted model of each of G groups, before it is grown.

    Attributes:
        packed: the problem by which rows are packed, without replicas.
        parameters: of the model; those of its trees are the problem's.
        groups: (G,) their numbers in the model tables.
        n_processes: that have the rows.
    """

    packed: Problem
    parameters: BoostParameters
    groups: Ints
    n_processes: int = 1

    @property
    def has_held_out(self) -> bool:
        return self.parameters.has_held_out

    @cached_property
    def row_loss(self) -> RowLoss:
        n_scores = LOSSES[self.parameters.loss].n_scores(self.packed.n_classes)
        return RowLoss(self.parameters.loss, n_scores, self.weight_grid is not None, self.parameters.loss_quantile)

    @property
    def weight_grid(self) -> Grid | None:
        """Of what rows count for (`ChangingRows.weights`), times their class's factor; None where all count alike."""
        if self.packed.class_factors is not None:
            return Grid.choose(self.heaviest, self.packed.rows, 2)
        return self.packed.exposure_grid or self.packed.weight_grid

    @property
    def heaviest(self) -> Floats:
        """(G,) the largest weight of a row, times its class's factor."""
        problem = self.packed
        found = problem.largest_weight if problem.weight_grid is not None else np.ones(problem.n_trees)
        return found if problem.class_factors is None else found * problem.class_factors.share.max(axis=0)

    @cached_property
    def loss(self) -> Loss:
        """Of one score."""
        return self.row_loss.of(None)

    @property
    def may_end(self) -> bool:
        """Whether a model may have fewer rounds than are asked for."""
        return self.has_held_out or self.method.leaf is LeafValue.VOTE

    @property
    def method(self) -> BoostMethod:
        return METHODS[self.parameters.method]

    @property
    def all_rows(self) -> Sampled:
        """All rows in training."""
        return replace(self.sample(0), kept=1.0)

    def sample(self, number: int) -> Sampled:
        """The rows that the trees of a round are grown on."""
        share = self.parameters.subsample
        return Sampled(self.packed.parameters.seed, number, share, self.has_held_out)

    def base(self, sums: Floats) -> tuple[Floats, Floats]:
        """(G, n_scores) the scores to begin with, (G,) the mean outcome; `sums` (n_channels, G) in training."""
        problem, tree = self.packed, np.arange(len(self.groups))
        loss = self.loss
        with np.errstate(divide="ignore", invalid="ignore"):
            if not problem.n_classes:
                mean = np.nan_to_num(problem.means(sums, tree)) + problem.centre
                # A group all of whose rows are held out has no quantile of outcomes, which would be added to 0.
                has_none = (self.row_loss.level is not None) & (problem.row_counts(sums) == 0)
                return np.where(has_none, mean, loss.base(mean))[:, None], mean
            weights = problem.class_weights(sums, tree)
            shares = np.nan_to_num(weights / over_classes(weights))
        from_zero = self.method.loss is not None
        mean = np.zeros(len(tree)) if from_zero or problem.n_classes == 1 else shares[1]
        return self.row_loss.base_of_classes(shares, from_zero=from_zero), mean

    def varies(self, sums: Floats) -> Bools:
        """(G,) whether rows have different outcomes; `sums` as in `base`."""
        if not self.packed.n_classes:
            return np.asarray(self.packed.largest_target > 0)  # less the centre, which a constant outcome is
        n_classes = np.count_nonzero(self.packed.row_weights(sums, np.arange(len(self.groups))), axis=0)
        return np.asarray(n_classes > 1)

    def corrected(self, base: Floats) -> Floats:
        """(G, n_scores) scores to begin with, less what the factors s of classes have put into them.

        Weights of classes multiply the odds of class k against another one by s_k, so that the logarithm of the odds
        has that of the factors added (King and Zeng 2001, section 4.1).
        """
        factors = self.packed.class_factors
        if not self.parameters.correct_prior or factors is None:
            return base
        added = portable.log(np.where(factors.share > 0, factors.share, 1.0).reshape(-1)).reshape(factors.share.shape)
        if self.row_loss.n_scores > 1:
            return np.asarray(base - (added - over_classes(added) / len(added)).T)
        if len(added) < 2:
            return base
        is_half = LOSSES[self.parameters.loss].link is Link.HALF_LOGIT
        return np.asarray(base - ((added[1] - added[0]) / (2 if is_half else 1))[:, None])

    def largest(self, mean: Floats) -> tuple[Floats, Floats, Floats]:
        """(G,) how large a row's gradient, hessian and loss may be, weight and all."""
        problem = self.packed
        width = np.ptp(problem.ranges["offset"], axis=0) if problem.has_offsets else np.zeros_like(mean)
        if problem.n_classes:
            known = OutcomeRange(np.zeros_like(mean), np.ones_like(mean), mean, width)
        else:
            spread = problem.largest_target
            if "exposure" in problem.ranges:  # of rates times exposures, which are counts
                spread = np.maximum(spread, mean * problem.ranges["exposure"][1])
            known = OutcomeRange(problem.centre - spread, problem.centre + spread, mean, width)
        gradient, hessian, loss = self.loss.largest(known)
        heaviest = self.heaviest
        return gradient * heaviest, hessian * heaviest, loss * heaviest

    def of_trees(self, mean: Floats) -> Problem:
        """The problem of a tree, without its sample: the target is the gradient, and the weight the hessian; of a tree
        that votes the target is the class.
        """
        problem, (gradient, hessian, _), times = self.packed, self.largest(mean), most_times(self.parameters)
        is_steep = self.loss.is_steep
        parameters = replace(
            problem.parameters, criterion=NEWTON.name, class_params=None, limits_steps=is_steep, keeps_outcomes=False
        )
        if self.row_loss.of_votes:
            return replace(
                problem,
                parameters=replace(parameters, criterion=VOTES.name),
                weight_grid=Grid.choose(hessian * times, problem.rows, 1),
                largest_weight=hessian,
                class_factors=None,
            )
        return replace(
            problem,
            parameters=parameters,
            n_classes=0,
            target_grid=Grid.choose(gradient * times, problem.rows, 1),
            weight_grid=Grid.choose(hessian * times, problem.rows, 1),
            exposure_grid=None,
            ranges={name: ends for name, ends in problem.ranges.items() if name != "exposure"},
            centre=np.zeros_like(gradient),
            largest_target=gradient,
            largest_weight=hessian,
            class_factors=None,
        )
