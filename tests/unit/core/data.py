"""Binned data for the tests of the learner, and a statistics source over several blocks that needs no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madtree.learn.data.block import Block, CodeLayout, Codes
from madtree.learn.data.parameters import Parameters
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.grow.grow import grow
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.inhand import BlocksInHand
from madtree.learn.histogram.histogram import HistogramLayout, add_block, add_totals, merge
from madtree.learn.histogram.powers import LIMBS, add_powers, join_powers
from madtree.learn.problem.prepare import RawRows, prepare
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import held_out, slots_of, taught
from madtree.learn.prune.outcome import Outcome, conclude
from madtree.learn.route.positions import AssignmentCache
from madtree.learn.split.node_rows import RowsOfNodes
from madtree.trees.model import Kind

KINDS = (Kind.CONTINUOUS, Kind.CONTINUOUS, Kind.ORDERED, Kind.UNORDERED, Kind.UNORDERED)


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
    rows = RawRows(features, target, weight, tree)
    return rows.select(rows.usable())


def problem_of(rows: RawRows, n_classes: int, parameters: Parameters, n_trees: int = 1) -> tuple[Problem, Block]:
    return prepare(rows, n_trees, n_classes, KINDS, parameters)


def train(problem: Problem, block: Block) -> Outcome:
    source = BlocksInHand(problem, [block])
    return conclude(problem, grow(problem, source), source)


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
    )


class ManyBlocks:
    """Statistics of several blocks, merged in a given order: what the SQL aggregate does with partial states."""

    def __init__(self, problem: Problem, blocks: Sequence[Block], cache_bytes: int = 2**20) -> None:
        self._problem, self._blocks = problem, list(blocks)
        self._cache = AssignmentCache(cache_bytes)

    @property
    def in_hand(self) -> bool:
        return False

    def rows(self, growing: GrowingTrees, slot_of_node: Ints) -> RowsOfNodes:
        raise NotImplementedError

    def statistics(
        self, growing: GrowingTrees, slot_of_node: Ints, layout: HistogramLayout, *, by_side: bool = False
    ) -> Array:
        total = layout.zeros(layout.channels.dtype(self._problem.most_rows))
        for i, block in enumerate(self._blocks):
            state = np.zeros_like(total)
            for copy in range(self._problem.n_replicas):
                node = self._nodes(i, growing, copy)
                target = growing.routing.primary_side(node, block.codes) if by_side else block.target
                slots = slots_of(node, slot_of_node, block, copy, testing=False)
                add_block(state, layout, replace(block, target=target), slots)
            total = merge(total, state)
        return total

    def totals(self, growing: GrowingTrees, slot_of_node: Ints, n_slots: int, *, testing: bool = False) -> Floats:
        state = np.zeros((self._problem.channels.count, n_slots))
        for i, block in enumerate(self._blocks):
            for copy in range(self._problem.n_replicas):
                slots = slots_of(self._nodes(i, growing, copy), slot_of_node, block, copy, testing=testing)
                add_totals(state, self._problem.channels, block, slots)
        return state

    def powers(self, growing: GrowingTrees, means: Floats, powers: Sequence[int], *, testing: bool = False) -> Floats:
        state = np.zeros((len(powers) * LIMBS, growing.n_nodes))
        for i, block in enumerate(self._blocks):
            for copy in range(self._problem.n_replicas):
                keep = held_out(block, copy) if testing else taught(block, copy)
                add_powers(state, self._problem, powers, block, self._nodes(i, growing, copy), means, keep)
        return join_powers(self._problem, powers, state, growing.tree)

    def _nodes(self, i: int, growing: GrowingTrees, copy: int) -> Ints:
        depth = int(growing.depth.max())
        return self._cache.nodes(i, self._blocks[i], growing.routing, depth, copy, self._problem.n_groups)


def with_memory(problem: Problem, n_bytes: int) -> Problem:
    return replace(problem, parameters=replace(problem.parameters, memory_bytes=n_bytes))
