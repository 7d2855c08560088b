"""Binned data for the tests of the learner, and ways to train on them that need no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import reduce

import numpy as np

from madtree.learn.at_hand.blocks_at_hand import BlocksAtHand
from madtree.learn.counting.count_request import CountRequest
from madtree.learn.counting.transition import PlacedBlock, final, merge, transition
from madtree.learn.data import Coroutine, finished
from madtree.learn.data.block import Block, CodeLayout, Codes
from madtree.learn.data.types import Array, Ints
from madtree.learn.grow.grow import grow
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.policy import GrowthPolicy
from madtree.learn.grow.split_finder import FeatureMask, SplitFinder
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem.bootstrap import identities
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.prune.outcome import Outcome
from madtree.learn.prune.program import train_at_hand, train_trees
from madtree.learn.requests import Provider
from madtree.learn.requests.provider import driven
from madtree.learn.route.positions import Positions
from madtree.trees import FeatureKind
from madtree.trees.parameters import FEW_ROWS, Parameters

KINDS = (
    FeatureKind.CONTINUOUS,
    FeatureKind.CONTINUOUS,
    FeatureKind.ORDERED,
    FeatureKind.UNORDERED,
    FeatureKind.UNORDERED,
)


# Every node of some classes is screened, in small stacks, as where there are hundreds.
SCREENED = SearchTuning(
    many_classes=2,
    many_weighted_classes=2,
    rows_per_cell=1e9,
    swept_classes=0,
    cells_per_row=1e9,
    stack_cells=8_000,
    stack_values=3_000,
    rows_together=700,
)


def sample_rows(n_rows: int, n_classes: int, *, weighted: bool = False, n_trees: int = 1, seed: int = 0) -> RawRows:
    """Rows with features of all kinds, missing values among them, on which the target depends."""
    rng = np.random.default_rng(seed)
    features = np.vstack(
        [
            rng.normal(size=n_rows),
            np.round(rng.exponential(size=n_rows), 2),
            rng.integers(0, 12, n_rows),
            rng.integers(0, 6, n_rows),
            rng.integers(0, 14, n_rows),
        ]
    ).astype(np.float64)
    signal = features[0] + features[1] * (features[3] > 2) + 0.2 * features[4] + rng.normal(0, 0.3, n_rows)
    features[rng.random(features.shape) < 0.05] = np.nan
    target = signal
    if n_classes:
        target = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal).astype(np.float64)
    weight = rng.gamma(2.0, size=n_rows) if weighted else None
    tree = np.sort(rng.integers(0, n_trees, n_rows)) if n_trees > 1 else None
    rows = RawRows(features, target, weight, tree, identity=identities(np.arange(float(n_rows))))
    return rows.select(rows.usable())


def problem_of(
    rows: RawRows, n_classes: int, parameters: Parameters, n_trees: int = 1, tuning: SearchTuning | None = None
) -> tuple[Problem, Block]:
    """Binned as if each tree had many rows, so that `n_bins` holds. `tuning`: the defaults if None."""
    many = np.full(n_trees, FEW_ROWS + 1)
    problem, block = prepare(rows, n_trees, n_classes, KINDS, parameters, many)
    return replace(problem, tuning=tuning or problem.tuning), block


def at_hand(blocks: Sequence[Block]) -> BlocksAtHand:
    return BlocksAtHand(blocks, 2**30)


def has_rows(provider: Provider) -> bool:
    """Whether it can be asked for single rows."""
    return getattr(provider, "rows_at_hand", True)


def train_by(
    problem: Problem, provider: Provider, policy: GrowthPolicy | None = None, mask: FeatureMask | None = None
) -> Outcome:
    """The trees of a problem whose rows have their folds, by whoever has the rows."""
    program = train_trees(problem, rows_at_hand=has_rows(provider), folds_known=True, policy=policy, mask=mask)
    return finished(driven(program, provider))[0]


def grown_by(
    problem: Problem, provider: Provider, policy: GrowthPolicy | None = None, mask: FeatureMask | None = None
) -> GrowingTrees:
    """The trees as they are grown, before they are pruned."""
    return finished(
        driven(
            grow(problem, has_rows(provider), policy, lambda known: SplitFinder(known, has_rows(provider), mask)),
            provider,
        )
    )


def train(problem: Problem, block: Block) -> Outcome:
    return train_at_hand(problem, [block])[0]


def cut(block: Block, order: Ints, n_blocks: int) -> list[Block]:
    """The block's rows in another order, in several blocks."""
    return [_take(block, rows) for rows in np.array_split(order, n_blocks)]


def _take(block: Block, rows: Ints) -> Block:
    codes = block.codes
    layout: CodeLayout = codes.layout
    return Block(
        Codes(layout, np.ascontiguousarray(codes.narrow[:, rows]), np.ascontiguousarray(codes.wide[:, rows])),
        block.target[..., rows],
        None if block.weight is None else block.weight[:, rows],
        None if block.tree is None else block.tree[rows],
        None if block.fold is None else block.fold[rows],
        None if block.identity is None else block.identity[rows],
    )


class ManyBlocks(Provider):
    """Counts several blocks apart and merges the states: what the SQL aggregate does."""

    rows_at_hand = False

    def __init__(self, blocks: Sequence[Block], position_bytes: int = 2**20) -> None:
        positions = Positions(position_bytes)
        self._blocks = [PlacedBlock(i, block, positions) for i, block in enumerate(blocks)]

    def count(self, request: CountRequest) -> Coroutine[Array]:
        yield
        states = [transition(None, [block], request) for block in self._blocks]
        return final(reduce(merge, states))


def with_memory(problem: Problem, n_bytes: int) -> Problem:
    return replace(problem, parameters=replace(problem.parameters, memory_bytes=n_bytes))


def assert_identical(left: Outcome, right: Outcome) -> None:
    """The same trees, to the bit."""
    for f in fields(Outcome):
        a, b = getattr(left, f.name), getattr(right, f.name)
        if isinstance(a, (dict, list)):
            assert repr(a) == repr(b), f.name
        elif a is None:
            assert b is None
        else:
            assert a.tobytes() == b.astype(a.dtype).tobytes(), f.name
