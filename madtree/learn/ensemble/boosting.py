"""The program of gradient boosting (Friedman 2001, 2002): rounds of trees, each grown on the gradients and hessians of
a loss at the scores that the trees before it have given the rows.

A tree is grown as any other one, best first, by Newton's steps (`learn.criteria.newton`); what changes between trees
are the columns of all blocks (`learn.columns.boosted`), wherever these are. Rows that are held out have scores, and
their loss says how many rounds the model keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from madtree.learn.counting import CountRequest
from madtree.learn.criteria import NodeValues
from madtree.learn.data import Bools, Floats, Grid, flat_nonzero, nested
from madtree.learn.ensemble.boosted_model import Boosting
from madtree.learn.ensemble.drawn_features import feature_mask
from madtree.learn.ensemble.few_bits import count_finely, of_few_bits
from madtree.learn.ensemble.gradient_samples import sample_by_gradient
from madtree.learn.ensemble.known_categories import count_categories, numbers_of_categories
from madtree.learn.ensemble.leaf_values import GrownLeaves, class_values
from madtree.learn.ensemble.round_losses import RoundLosses
from madtree.learn.ensemble.row_scores import RowScores
from madtree.learn.grow import GrowingTrees, SplitFinder, grow, policy_of
from madtree.learn.problem import Problem
from madtree.learn.prune import BoostedColumns, SeenCategories, TrainedTrees, TreeKeys, conclude
from madtree.learn.requests import Program, Progress, ReplaceRequest, StepReport
from madtree.learn.route import Routing
from madtree.records import dataclass
from madtree.trees import LeafValue

# Of an average tree, from which on rows are put in the order of nodes. Small nodes of smaller ones are swept row by row
# where rows are at hand: in four fifths of the time at 1,000 rows, and in nine tenths at 20,000; at 50,000 it takes a
# fifth longer with samples of two fifths of the rows.
ORDERED_ROWS = 20_000
SHARED_ROWS = 4_096  # the same where several processes have the rows, and would have to hand them over
# The share of the queue whose children are searched in a round, where rows are in the order of nodes (`BestFirst`), and
# the rows of a node from which on it is less: then a child that nobody needs costs more than the pass that it may save.
# Of a million rows a tree of 31 leaves then has 70 nodes searched in 16 passes, and 1.90 million rows counted; with
# 0.4 of all nodes alike these are 71 in 15, and 2.09; with 0.2 they are 62 in 19, and 1.98; one by one, 57 in 31, and
# 1.86. It takes nine tenths of the time that 0.4 takes, and nineteen twentieths of that of 0.2.
QUEUE_SHARE = 0.5
QUEUE_ROWS = 50_000


@dataclass(frozen=True)
class BoostedRows:
    """What is known of the rows of a boosted model that grows.

    Attributes:
        problem: of its trees, without their samples.
        loss: the values that tell of the loss.
        largest_loss: (G,) that a row's may be at first.
        weight_grid: of the rows' weights; None where all are 1.
    """

    boosting: Boosting
    problem: Problem
    loss: dict[str, Any]
    largest_loss: Floats
    weight_grid: Grid | None


AfterRound = Callable[[int, BoostedRows], Iterable[Any]]


def train_boosted(
    boosting: Boosting,
    deliver: Callable[[TrainedTrees], None],
    *,
    rows_at_hand: bool,
    after_round: AfterRound = lambda number, rows: (),
) -> Program[TrainedTrees]:
    """Grow the boosted model of each of a problem's groups; what there is to say of them beside their trees.

    Args:
        deliver: is handed trees as they come.
        after_round: goes on once so many rounds are grown; it may ask for more of their rows.
    """
    packed, parameters = boosting.packed, boosting.parameters
    n_groups, seed = len(boosting.groups), packed.parameters.seed
    yield Progress(stage="passes")
    if parameters.held_out > 0:
        yield ReplaceRequest("held_out", {"share": parameters.held_out, "seed": seed})
    sums: Floats = yield CountRequest(
        "totals",
        packed.with_replicas(boosting.all_rows),
        Routing.leaves(0, n_groups),
        np.arange(n_groups, dtype=np.int32),
        n_groups,
    )
    seen = yield from count_categories(packed.with_replicas(boosting.all_rows))
    n_categories = numbers_of_categories(packed, seen)
    boosting = replace(boosting, packed=replace(packed.with_class_factors(sums), n_categories=n_categories))
    loss = boosting.row_loss
    base, mean = boosting.base(sums)
    varies = boosting.varies(sums)
    problem = boosting.of_trees(mean)
    weight_grid, largest = boosting.weight_grid, boosting.largest(mean)[2]
    losses = RoundLosses.before_all(parameters, problem.rows, largest, weight_grid)
    all_rows = problem.with_replicas(boosting.all_rows)
    scores = RowScores(boosting.packed, all_rows, loss, weight_grid, losses.values)
    base, loss_sums = yield from scores.begin(base)
    n_rows = losses.add(loss_sums)
    certain = np.asarray(base.any(axis=1))  # where methods that begin with 0 have a single class
    is_trained = n_rows[0] > 0  # a group without rows in training has no model
    waiting: list[TrainedTrees] = []  # rounds that the model may not keep
    take = waiting.append if boosting.may_end else deliver
    of_scores: list[NodeValues] = []  # what the nodes of a round's trees say for classes
    go_on, most = is_trained.copy(), np.full(n_groups, parameters.n_rounds)
    for number in range(parameters.n_rounds):
        if not go_on.any():
            break
        of_round = problem.with_replicas(boosting.sample(number))
        n_nodes = 0
        for score in range(loss.n_scores):
            member = number * loss.n_scores + score
            if score == 0 or not loss.of_votes:
                of_tree, growing, grown = yield from _grown(boosting, of_round, number, member, go_on, rows_at_hand)
                if (leaf := boosting.method.leaf) is not LeafValue.STEP:
                    of_scores, more = class_values(of_tree, growing, grown, leaf, loss.n_scores, certain)
                    most = np.minimum(most, number + more)
            values = of_scores[score] if of_scores else (yield from scores.values(of_tree, growing, grown))
            outcome = yield from conclude(of_tree, growing, values)
            members = np.full(n_groups, member)
            # Nodes say numbers, whatever they were grown by.
            trees = TrainedTrees.of(outcome, of_tree, boosting.groups, members).pack(replace(of_tree, n_classes=0))
            trees = replace(trees, trees=replace(trees.trees, is_explainable=varies)).only(is_trained)
            n_nodes += int(trees.trees.n_nodes.sum())
            take(trees)
            loss_sums = yield from scores.add(of_tree, grown, values, score)
        losses.grown += go_on
        losses.add(loss_sums)
        yield from after_round(number + 1, BoostedRows(boosting, problem, scores.loss_values, largest, weight_grid))
        yield Progress(step=StepReport("round", number + 1, parameters.n_rounds, n_nodes, losses=losses.newest()))
        if boosting.has_held_out:
            go_on &= losses.go_on()
        go_on &= most > number + 1
    n_rounds = losses.kept(most)
    for trees in waiting:
        kept = trees.trees.key.member < n_rounds[is_trained] * loss.n_scores
        if kept.any():
            deliver(trees.only(kept))
    base = boosting.corrected(base)
    boosted = BoostedColumns(boosting.groups, n_rows.sum(axis=0), n_rows[1], n_rounds, base, scores.first_threshold)
    boosted = nested.take(boosted, flat_nonzero(is_trained))
    nothing = TrainedTrees.none(len(packed.unordered), 0)
    of_groups = TreeKeys(boosting.groups, np.zeros_like(boosting.groups))
    categories = SeenCategories.of(packed, of_groups, seen)
    return replace(nothing, boosted=boosted, rounds=losses.columns(boosting.groups, is_trained), seen=categories)


def _grown(
    boosting: Boosting, of_round: Problem, number: int, member: int, go_on: Bools, rows_at_hand: bool
) -> Program[tuple[Problem, GrowingTrees, GrownLeaves]]:
    """The tree of that number in each group that goes on, its problem and its leaves; `of_round`: the problem of the
    round's rows.
    """
    parameters, ordered_rows = boosting.parameters, ORDERED_ROWS if boosting.n_processes == 1 else SHARED_ROWS
    in_order = bool(of_round.rows.mean() >= ordered_rows)
    mask = feature_mask(boosting.packed, parameters.feature_fraction, member, go_on)
    finder_of = partial(SplitFinder, rows_at_hand=rows_at_hand, mask=mask, in_order=in_order)
    of_tree: Problem = yield from sample_by_gradient(of_round, parameters, number, member)
    counted = of_few_bits(of_tree, member) if boosting.loss.is_bounded else of_tree
    policy = policy_of(counted, QUEUE_SHARE, QUEUE_ROWS) if in_order and rows_at_hand else policy_of(counted)
    growing: GrowingTrees = yield from grow(counted, rows_at_hand, policy, finder_of, tells_levels=False)
    grown = GrownLeaves.of(of_tree, growing)
    if counted is not of_tree:
        yield from count_finely(of_tree, growing, grown)
    return of_tree, growing, grown
