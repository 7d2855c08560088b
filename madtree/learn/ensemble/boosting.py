"""The program of gradient boosting (Friedman 2001, 2002): rounds of trees, each grown on the gradients and hessians of
a loss at the scores that the trees before it have given the rows.

A tree is grown as any other one, best first, by Newton's steps (`learn.criteria.newton`); what changes between trees
are the columns of all blocks (`learn.columns.boosted`), wherever these are. Rows that are held out have scores, and
their loss says how many rounds the model keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.data import Array, Bools, Floats, Grid, Ints, keyed, portable
from madtree.learn.ensemble.drawn_features import drawn
from madtree.learn.ensemble.few_bits import count_finely, of_few_bits
from madtree.learn.grow import FeatureMask, GrowingTrees, SplitFinder, grow, inner_nodes
from madtree.learn.losses import LEAST_SHARE, LOSS_OF, OutcomeRange, RowLoss
from madtree.learn.problem import Problem, Sampled, over_classes
from madtree.learn.prune import (
    BoostedColumns,
    RoundColumns,
    TrainedTrees,
    conclude,
    leaf_predictions,
)
from madtree.learn.requests import Program, Progress, ReplaceRequest, SumsRequest, WaveReport
from madtree.learn.route import Routing
from madtree.records import dataclass
from madtree.trees import LOSSES, NEWTON, BoostParameters

_FEATURES = 5  # purpose of a hash
_LOSS_LIMBS = 3  # so that losses may be much larger than they are at first, and sums still have all digits
_ROOM = 2.0**20  # how many times


@dataclass(frozen=True)
class Boosting:
    """The boosted model of each of G groups, before it is grown.

    Attributes:
        packed: the problem by which rows are packed, without replicas.
        parameters: of the model; those of its trees are the problem's.
        groups: (G,) their numbers in the model tables.
    """

    packed: Problem
    parameters: BoostParameters
    groups: Ints

    @property
    def has_held_out(self) -> bool:
        return self.parameters.held_out > 0

    @cached_property
    def row_loss(self) -> RowLoss:
        n_scores = LOSSES[self.parameters.loss].n_scores(self.packed.n_classes)
        return RowLoss(self.parameters.loss, n_scores, self.packed.weight_grid is not None)

    def sample(self, number: int) -> Sampled:
        """The rows that the trees of a round are grown on."""
        share = self.parameters.subsample
        return Sampled(self.packed.parameters.seed, number, share, self.has_held_out)

    def mask(self, go_on: Bools, member: int) -> FeatureMask | None:
        """By which features nodes of that tree may be split: those that are drawn for it, and none in groups (G,) that
        do not `go_on`.
        """
        n, share = len(self.packed.unordered), self.parameters.feature_fraction
        if share == 1 and go_on.all():
            return None
        allowed = np.ones(n, np.bool_)
        if share < 1:
            allowed[:] = False
            key = keyed(_FEATURES, self.packed.parameters.seed, np.array([member]))
            allowed[drawn(key, n, max(1, round(share * n)))[0]] = True
        return lambda growing, nodes: go_on[growing.tree[nodes]][:, None] & allowed

    def base(self, sums: Floats) -> tuple[Floats, Floats]:
        """(G, n_scores) the scores to begin with, and (G,) the mean outcome; `sums` (n_channels, G) of the rows in
        training.
        """
        problem, tree = self.packed, np.arange(len(self.groups))
        loss = LOSS_OF[self.parameters.loss]
        with np.errstate(divide="ignore", invalid="ignore"):
            if not problem.n_classes:
                mean = np.nan_to_num(problem.means(sums, tree)) + problem.centre
                return loss.base(mean)[:, None], mean
            weights = problem.row_weights(sums, tree)
            shares = np.nan_to_num(weights / over_classes(weights))
        mean = shares[1] if problem.n_classes > 1 else np.zeros(len(tree))
        if self.row_loss.n_scores == 1:
            return loss.base(mean)[:, None], mean
        logarithms = portable.log(np.maximum(shares, LEAST_SHARE))  # less their mean, so that they add up to 0
        return (logarithms - over_classes(logarithms) / problem.n_classes).T, mean

    def largest(self, mean: Floats) -> tuple[Floats, Floats, Floats]:
        """(G,) how large a row's gradient, hessian and loss may be, weight and all."""
        problem = self.packed
        if problem.n_classes:
            known = OutcomeRange(np.zeros_like(mean), np.ones_like(mean), mean)
        else:
            spread = problem.largest_target
            known = OutcomeRange(problem.centre - spread, problem.centre + spread, mean)
        gradient, hessian, loss = LOSS_OF[self.parameters.loss].largest(known)
        heaviest = problem.largest_weight if self.row_loss.weighted else np.ones_like(mean)
        return gradient * heaviest, hessian * heaviest, loss * heaviest

    def of_trees(self, mean: Floats) -> Problem:
        """The problem of a tree, without its sample: the target is the gradient, and the weight the hessian."""
        problem, (gradient, hessian, _) = self.packed, self.largest(mean)
        parameters = replace(problem.parameters, criterion=NEWTON.name, class_params=None)
        return replace(
            problem,
            parameters=parameters,
            n_classes=0,
            target_grid=Grid.choose(gradient, problem.rows, 1),
            weight_grid=Grid.choose(hessian, problem.rows, 1),
            exposure_grid=None,
            centre=np.zeros_like(gradient),
            largest_target=gradient,
            largest_weight=hessian,
            class_factors=None,
        )


@dataclass
class _Losses:
    """Losses (n_rounds + 1, G) by round, so far, and which groups go on."""

    patience: int
    tolerance: float
    training: list[Floats]
    held_out: list[Floats]

    @property
    def best(self) -> Ints:
        """(G,) the round with the least loss of the rows held out; the first of several, the last where none are."""
        losses = np.stack(self.held_out)
        known = ~np.isnan(losses).all(axis=0)
        found: Ints = np.where(np.isnan(losses), np.inf, losses).argmin(axis=0)
        return np.where(known, found, len(losses) - 1)

    def go_on(self) -> Bools:
        """(G,) groups that have had a lower loss within the last rounds."""
        losses = np.stack(self.held_out)
        if len(losses) <= self.patience:
            return np.ones(losses.shape[1], np.bool_)
        before, since = losses[: -self.patience], losses[-self.patience :]
        with np.errstate(invalid="ignore"):
            lower = since.min(axis=0) < before.min(axis=0) - self.tolerance
        return np.asarray(lower | np.isnan(losses[-1]))


def train_boosted(
    boosting: Boosting, deliver: Callable[[TrainedTrees], None], *, rows_at_hand: bool
) -> Program[TrainedTrees]:
    """Grow the boosted model of each of a problem's groups; what there is to say of them beside their trees.

    `deliver` is handed trees as they come.
    """
    packed, parameters, loss = boosting.packed, boosting.parameters, boosting.row_loss
    n_groups, seed = len(boosting.groups), packed.parameters.seed
    is_bounded = LOSS_OF[parameters.loss].is_bounded
    yield Progress(stage="passes")
    if boosting.has_held_out:
        yield ReplaceRequest("held_out", {"share": parameters.held_out, "seed": seed})
    all_rows = packed.with_replicas(replace(boosting.sample(0), kept=1.0))
    sums: Floats = yield CountRequest(
        "totals", all_rows, Routing.leaves(0, n_groups), np.arange(n_groups, dtype=np.int32), n_groups
    )
    base, mean = boosting.base(sums)
    problem = boosting.of_trees(mean)
    change = _Changes(boosting, base, problem)
    yield change.first()
    losses = _Losses(parameters.patience, parameters.tolerance, [], [])
    n_rows = yield from _tell_losses(boosting, problem, mean, losses)
    waiting: list[TrainedTrees] = []  # rounds that the model may not keep
    go_on = np.ones(n_groups, np.bool_)
    for number in range(parameters.n_rounds):
        of_round = problem.with_replicas(boosting.sample(number))
        n_nodes = 0
        for score in range(loss.n_scores):
            member = number * loss.n_scores + score
            mask = boosting.mask(go_on, member)
            finder_of = partial(SplitFinder, rows_at_hand=rows_at_hand, mask=mask, in_order=True)
            counted = of_few_bits(of_round, member) if is_bounded else of_round
            growing = yield from grow(counted, rows_at_hand, finder_of=finder_of)
            if counted is not of_round:
                yield from count_finely(of_round, growing)
            outcome = yield from conclude(of_round, growing)
            members = np.full(n_groups, member)
            trees = TrainedTrees.of(outcome, of_round, boosting.groups, members).pack(of_round)
            n_nodes += int(trees.trees.n_nodes.sum())
            if boosting.has_held_out:
                waiting.append(trees)
            else:
                deliver(trees)
            yield change.after(of_round, growing, score)
        yield from _tell_losses(boosting, problem, mean, losses)
        yield Progress(wave=WaveReport(number + 1, parameters.n_rounds, n_nodes))
        if boosting.has_held_out and not (go_on := losses.go_on()).any():
            break
    n_rounds = np.maximum(losses.best, 1) if boosting.has_held_out else np.full(n_groups, parameters.n_rounds)
    for trees in waiting:
        kept = trees.trees.key.member < n_rounds * loss.n_scores
        if kept.any():
            deliver(trees.only(kept))
    boosted = BoostedColumns(boosting.groups, n_rows.sum(axis=0), n_rows[1], n_rounds, base)
    nothing = TrainedTrees.none(len(packed.unordered), 0)
    return replace(nothing, boosted=boosted, rounds=_rounds(boosting.groups, losses))


class _Changes:
    """The columns of all rows anew, from tree to tree."""

    def __init__(self, boosting: Boosting, base: Floats, problem: Problem) -> None:
        assert problem.target_grid is not None
        assert problem.weight_grid is not None
        self._packed, self._n_scores = boosting.packed, boosting.row_loss.n_scores
        self._always: dict[str, Any] = {
            **_loss_values(boosting.row_loss),
            "base": base,
            "next_target_exponents": problem.target_grid.exponents,
            "next_weight_exponents": problem.weight_grid.exponents,
        }

    def first(self) -> ReplaceRequest:
        """For the first tree."""
        return ReplaceRequest("boosted", {**self._always, "added_to": 0, "next": 0}, self._packed)

    def after(self, problem: Problem, growing: GrowingTrees, score: int) -> ReplaceRequest:
        """Add what trees say to that score of each row; then gradients are those by the next score."""
        value = _values_of_nodes(problem, growing)
        changed = {"node_value": value, "added_to": score, "next": (score + 1) % self._n_scores}
        return ReplaceRequest("boosted", {**self._always, **changed}, problem, growing.routing)


def _loss_values(loss: RowLoss) -> dict[str, Any]:
    return {"loss": loss.loss, "n_scores": loss.n_scores, "weighted": loss.weighted}


def _values_of_nodes(problem: Problem, growing: GrowingTrees) -> Floats:
    """(n_nodes,) what rows that have reached a node add to their scores: the value of the leaf above it, since growth
    may have gone on below leaves.
    """
    value: Floats = np.array(leaf_predictions(problem, growing), np.float64)
    inner = inner_nodes(growing, problem.parameters.max_leaf_nodes)
    for node in np.flatnonzero((growing.feature >= 0) & ~inner).tolist():  # a node comes before its children
        left = int(growing.routing.child[node])
        value[left : left + 2] = value[node]
    return value


def _tell_losses(boosting: Boosting, problem: Problem, mean: Floats, losses: _Losses) -> Program[Ints]:
    """Add the mean losses of now; (2, G) the rows in training, and those held out."""
    largest = boosting.largest(mean)[2] * _ROOM
    loss_grid = Grid.choose(largest, problem.rows, _LOSS_LIMBS)
    weight_grid = boosting.packed.weight_grid
    values = {
        **_loss_values(boosting.row_loss),
        "sum_loss_exponents": loss_grid.exponents,
        "sum_weight_exponents": None if weight_grid is None else weight_grid.exponents,
    }
    sums: Array = yield SumsRequest("loss", values, problem)
    tree, n_rows = np.arange(problem.n_trees), sums[:, 0]
    total = np.stack([loss_grid.join(part[1 : 1 + _LOSS_LIMBS], tree) for part in sums])
    weight = n_rows
    if weight_grid is not None:
        weight = np.stack([weight_grid.join(part[1 + _LOSS_LIMBS :], tree) for part in sums])
    with np.errstate(divide="ignore", invalid="ignore"):
        training, held_out = total / weight
    losses.training.append(training)
    losses.held_out.append(held_out)
    return n_rows.astype(np.int64)


def _rounds(groups: Ints, losses: _Losses) -> RoundColumns:
    """By group and round."""
    n = len(losses.training)
    training, held_out = (np.stack(each).T.reshape(-1) for each in (losses.training, losses.held_out))
    return RoundColumns(np.repeat(groups, n), np.tile(np.arange(n), len(groups)), training, held_out)
