"""The program of a random forest (Breiman 2001): waves of trees, each grown on a bootstrap sample of the rows, with
features that are drawn for each node; and after each wave what its out-of-bag rows say.

A wave needs all rows, and nothing of the other waves. So whoever has the rows at hand may grow it, in any order, in
this process or in another one; where rows lie elsewhere, each level of a wave is a pass over them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from madtree.learn.data import (
    USUAL_BLOCK_ROWS,
    Array,
    Floats,
    Ints,
    Values,
    allocated,
    codec,
    flat_nonzero,
    in_memory,
    nested,
    pieces_of,
)
from madtree.learn.ensemble.drawn_features import DrawnFeatures
from madtree.learn.ensemble.drawn_splits import DrawnSplits
from madtree.learn.ensemble.empty_samples import take_all_rows, without_trees
from madtree.learn.ensemble.known_categories import count_categories
from madtree.learn.ensemble.out_of_bag import OutOfBag, Tally, nowhere
from madtree.learn.ensemble.permutations import permuted
from madtree.learn.grow import grow
from madtree.learn.problem import MOST_MEMBERS, Bootstrap, Problem, SearchTuning
from madtree.learn.prune import (
    OutOfBagColumns,
    SeenCategories,
    TrainedTrees,
    TreeKeys,
    conclude,
    leaf_predictions,
)
from madtree.learn.requests import BREATH, Program, Progress, StepReport
from madtree.learn.route import POSITION_BYTES, WayDown, to_agreement
from madtree.learn.waves import HeldOut, HeldOutRequest, Targets, TargetsRequest, WaveRequest
from madtree.records import dataclass
from madtree.trees import RANDOM, SAMPLINGS, SPLIT_RULES, ForestParameters

_MOST_TREES = 65_536  # of a wave
_WAVES_EACH = 2  # at least, so that processes end at about the same time
_POSITION_SHARE = 4  # of the memory budget, what positions of a block's rows may take: 1 / this
_OF_A_NODE = 8  # channels that take about as much memory as all else of a node


@dataclass(frozen=True)
class Wave:
    """Some members of the forest of each of G groups.

    Attributes:
        trees: what the model tables hold of them.
        prediction: (n,) what members say: each class, or of each node its mean.
        prediction_at: (n_members, n_rows) which of these a member says of a row where it is out of bag, else `nowhere`.
        losses: (n_members, G, n_features) what permuting each feature costs; (0, G, n_features) if nobody asks.
    """

    trees: TrainedTrees
    prediction: Array
    prediction_at: Array
    losses: Floats

    def dump(self) -> bytes:
        return codec.dump(nested.flatten(self))

    @classmethod
    def load(cls, data: bytes) -> Wave:
        return nested.unflatten(cls, codec.load(data))


@dataclass(frozen=True)
class Forest:
    """The forest of each of G groups, before it is grown.

    Attributes:
        problem: without replicas; its grids hold sums over rows that are drawn again and again
            (`Bootstrap.upper_bound`), and its trees are not pruned.
        groups: (G,) their numbers in the model tables.
        members: of each group that are grown together, in one wave.
        samples: of all trees.
    """

    problem: Problem
    parameters: ForestParameters
    groups: Ints
    members: int
    samples: Bootstrap

    @classmethod
    def of(
        cls,
        problem: Problem,
        parameters: ForestParameters,
        groups: Ints,
        n_processes: int = 1,
        rows_at_hand: bool = True,
        samples: Bootstrap | None = None,
    ) -> Forest:
        """
        Args:
            n_processes: that grow it, wave by wave.
            samples: of all trees; None for those that the parameters ask for.
            rows_at_hand: whether each of them has all rows; else each level is a pass over rows that lie elsewhere.
        """
        size = problem.rows, problem.parameters.max_depth, problem.channels.count
        if rows_at_hand:
            members = wave_members(problem.tuning, *size, parameters.n_trees, n_processes)
        else:
            members = spread_members(problem.tuning, *size, parameters.n_trees, problem.parameters.memory_bytes)
        return cls(problem, parameters, groups, members, samples or bootstrap(problem.parameters.seed, parameters))

    @property
    def n_waves(self) -> int:
        return -(-self.parameters.n_trees // self.members)

    def grow(self, number: int, rows_at_hand: bool = True) -> Program[Wave]:
        """As `Ensemble` says."""
        problem, forest = self.problem, self.parameters
        seed, first = problem.parameters.seed, number * self.members
        count = min(self.members, forest.n_trees - first)
        wave = problem.with_replicas(replace(self.samples, first=first, count=count))
        draws = DrawnFeatures(seed, first, wave.n_groups, len(wave.unordered), forest.n_drawn)
        finder_of = partial(
            DrawnSplits, draws=draws, random_cuts=forest.split_rule == RANDOM, rows_at_hand=rows_at_hand
        )
        growing = yield from grow(wave, rows_at_hand, finder_of=finder_of)
        empty = yield from take_all_rows(problem, wave, growing)
        outcome = yield from conclude(wave, growing, empty)
        group, member = (part.ravel() for part in np.meshgrid(self.groups, first + np.arange(count)))
        trees = TrainedTrees.of(outcome, wave, group, member).pack(wave)
        routing, prediction = growing.routing, leaf_predictions(wave, growing)
        del growing, outcome  # the nodes of a large tree take more memory than all of its rows
        if problem.n_classes:  # many leaves next to each other are of one class, but hardly any two have the same mean
            routing, prediction = to_agreement(routing, wave.n_trees, prediction)
        # Rows are told by class, which takes less room than a node; means are of nodes.
        of_node, predictions = (prediction, np.arange(problem.n_classes)) if problem.n_classes else (None, prediction)
        prediction_at: Array = np.zeros((count, 0), np.uint8)
        losses, way, with_rows = [], WayDown(routing), forest.n_permutations > 0 or len(empty.nodes) > 0
        for replica in range(count):
            held_out: HeldOut = yield HeldOutRequest(wave, routing, replica, with_rows)
            held_out = without_trees(held_out, empty.nodes, replica, wave.n_groups)
            if forest.n_permutations:
                lost = permuted(wave, way, prediction, replica, held_out, forest.n_permutations)
                losses.append((yield from lost))
            if replica == 0:
                kind = np.min_scalar_type(len(predictions))
                # Waves over rows that lie elsewhere have so many trees that this may not fit into memory.
                allocator = in_memory if rows_at_hand else held_out.lasting
                prediction_at = allocated(allocator, (count, held_out.n_all), kind)
                prediction_at[:] = nowhere(kind)
            for piece in pieces_of(len(held_out.place)):
                node = held_out.node[piece]
                prediction_at[replica, held_out.place[piece]] = node if of_node is None else of_node.take(node)
            del held_out
            yield BREATH
        shape = (len(losses), problem.n_groups, len(problem.unordered))
        return Wave(trees, predictions, prediction_at, np.reshape(losses, shape))

    def to_values(self) -> dict[str, Any]:
        return {
            **self.problem.to_values(),
            "forest": asdict(self.parameters),
            "groups": self.groups,
            "members": self.members,
            "samples": self.samples.to_value(),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Forest:
        """What `to_values` gave; raises MadtreeError where it is none."""
        given, problem = Values(values), Problem.from_values(values)
        parameters = forest_parameters_of(Values(given.mapping("forest")), len(problem.unordered))
        groups = given.ints("groups", (problem.n_groups,), 0, 2**31 - 1)
        samples = Bootstrap.from_values(given.mapping("samples"))
        return cls(problem, parameters, groups, given.integer("members", 1, parameters.n_trees), samples)


def forest_parameters_of(values: Values, n_features: int) -> ForestParameters:
    """A forest's own parameters, as `dataclasses.asdict` tells them; raises MadtreeError where one is out of range."""
    return ForestParameters(
        n_trees=values.integer("n_trees", 1, MOST_MEMBERS),
        n_drawn=values.integer("n_drawn", 1, n_features),
        sampling=values.text("sampling", SAMPLINGS),
        kept=values.number("kept", 0.0, 1.0),
        n_permutations=values.integer("n_permutations", 0, MOST_MEMBERS),
        split_rule=values.text("split_rule", SPLIT_RULES),
    )


def train_forest(forest: Forest, deliver: Callable[[TrainedTrees], None]) -> Program[OutOfBag]:
    """Grow the forest of each of a problem's groups; what its out-of-bag rows say.

    `deliver` is handed the trees wave by wave.
    """
    yield Progress(stage="passes")
    targets: Targets = yield TargetsRequest(forest.problem)
    tally = Tally(forest.problem, forest.parameters, targets)
    for number in range(forest.n_waves):
        wave: Wave = yield WaveRequest(forest, number)
        errors, is_tested = tally.add(number * forest.members, wave.prediction, wave.prediction_at, wave.losses)
        n_done = min((number + 1) * forest.members, forest.parameters.n_trees)
        n_nodes = int(wave.trees.trees.n_nodes.sum())
        yield Progress(step=StepReport("tree", n_done, forest.parameters.n_trees, n_nodes))
        trees = replace(wave.trees.trees, oob_error=errors.ravel(), is_tested=is_tested.ravel())
        deliver(replace(wave.trees, trees=trees).only(trees.n_rows > 0))  # a group without rows has no forest
        del wave, trees  # before the next one comes
    seen = yield from count_categories(forest.problem)
    return replace(tally.result(), seen=seen)


def out_of_bag_columns(out_of_bag: OutOfBag, forest: Forest) -> TrainedTrees:
    """What the model tables hold of the out-of-bag rows, with no tree."""
    problem, groups = forest.problem, forest.groups
    unknown = np.full((problem.n_groups, len(problem.unordered)), np.nan)
    importance, spread = (
        unknown if each is None else each for each in (out_of_bag.importance, out_of_bag.importance_sd)
    )
    columns = OutOfBagColumns(groups, out_of_bag.n_rows, out_of_bag.error, out_of_bag.score, importance, spread)
    columns = nested.take(columns, flat_nonzero(out_of_bag.n_rows))
    seen = SeenCategories.of(problem, TreeKeys(groups, np.zeros_like(groups)), out_of_bag.seen)
    return replace(TrainedTrees.none(len(problem.unordered), problem.n_classes), out_of_bag=columns, seen=seen)


def bootstrap(seed: int, forest: ForestParameters) -> Bootstrap:
    """All samples of a forest."""
    return Bootstrap(seed, 0, forest.n_trees, forest.sampling, forest.kept)


def wave_members(
    tuning: SearchTuning, rows: Ints, max_depth: int, n_channels: int, n_trees: int, n_processes: int
) -> int:
    """Members of each forest that are grown in one wave, if so many processes grow them; `rows` (G,) of the groups."""
    share = n_trees if n_processes == 1 else -(-n_trees // (_WAVES_EACH * n_processes))
    by_rows = tuning.wave_rows // int(np.maximum(rows, 1).sum())
    return max(1, min(share, by_rows, _members_by_nodes(tuning, rows, max_depth, n_channels)))


def spread_members(
    tuning: SearchTuning, rows: Ints, max_depth: int, n_channels: int, n_trees: int, memory_bytes: int
) -> int:
    """The same where rows lie elsewhere. Every level of a wave is a pass over them, so a wave has as many members as
    there is memory for: whoever counts a block holds the node of each of its rows in each of these trees.
    """
    by_positions = memory_bytes // _POSITION_SHARE // (POSITION_BYTES * USUAL_BLOCK_ROWS)
    return max(1, min(n_trees, by_positions, _members_by_nodes(tuning, rows, max_depth, n_channels)))


def _members_by_nodes(tuning: SearchTuning, rows: Ints, max_depth: int, n_channels: int) -> int:
    """Members whose nodes a wave may have, 0 where those of one are too many."""
    # Hardly a tree has as many nodes as rows.
    n_nodes = np.minimum(np.maximum(rows, 1), 2.0 ** (max_depth + 1))
    return min(wave_nodes(tuning, n_channels) // int(n_nodes.sum()), _MOST_TREES // len(rows))


def wave_counts(
    tuning: SearchTuning, rows: Ints, max_depth: int, n_channels: int, n_trees: int, n_processes: int
) -> tuple[int, int]:
    """The waves in which one process grows a forest, and in which so many do; arguments as of `wave_members`."""
    of_wave = rows, max_depth, n_channels, n_trees
    alone, shared = (-(-n_trees // wave_members(tuning, *of_wave, n)) for n in (1, n_processes))
    return alone, shared


def wave_nodes(tuning: SearchTuning, n_channels: int) -> int:
    """Nodes of so many channels that a wave may have."""
    return tuning.wave_nodes * (_OF_A_NODE + 2) // (_OF_A_NODE + n_channels)
