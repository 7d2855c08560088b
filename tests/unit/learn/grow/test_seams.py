"""Seams for what comes: multiplicities of rows, orders of growth, columns that are replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from shares import share

from madtree.host.temporary_place import TemporaryPlace
from madtree.learn.columns.new_columns import COLUMN_FUNCTIONS, ChangingRows, NewColumns
from madtree.learn.data import Values, finished
from madtree.learn.data.block import Block
from madtree.learn.data.grid import Grid
from madtree.learn.data.types import Array, Ints
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import Replicas
from madtree.learn.prune.outcome import Outcome
from madtree.learn.prune.program import train_trees
from madtree.learn.requests import Program, ReplaceRequest
from madtree.learn.requests.provider import driven
from madtree.records import dataclass
from madtree.storage.blocks import BlockLimits, BlockStore
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import ManyBlocks, assert_identical, at_hand, cut, problem_of, sample_rows, train, train_by


@dataclass(frozen=True)
class Repeated(Replicas):
    """Every row counts so often."""

    times: int

    def multiplicity(self, block: Block, replica: int) -> Array:
        return np.full(block.codes.n_rows, self.times, np.uint8)


@dataclass(frozen=True)
class ByCode(Replicas):
    """Rows count 0 to 3 times, by their code of a feature, like a bootstrap."""

    feature: int

    def multiplicity(self, block: Block, replica: int) -> Array:
        return (block.codes.column(self.feature) % 4).astype(np.uint8)


def _for_more_rows(problem: Problem, replicas: Replicas, times: int) -> Problem:
    """The problem with these replicas, and grids that are exact for so many times the rows."""

    def wider(grid: Grid | None) -> Grid | None:
        return grid and Grid((grid.exponents + times.bit_length()).astype(np.int32))

    return replace(
        problem.with_replicas(replicas),
        rows=problem.rows * times,
        weight_grid=wider(problem.weight_grid),
        target_grid=wider(problem.target_grid),
    )


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize(("n_classes", "weighted"), [(2, False), (3, True), (0, False), (0, True), (12, False)])
@pytest.mark.parametrize("times", [2, 3])
def test_rows_of_multiplicity_two_are_a_table_that_is_doubled(n_classes: int, weighted: bool, times: int) -> None:
    parameters = Parameters("gini" if n_classes else "mse", 6, min_split=12, min_bucket=6, max_surrogates=1)
    problem, block = problem_of(sample_rows(1_500, n_classes, weighted=weighted), n_classes, parameters)
    once = _for_more_rows(problem, Replicas(), times)
    # The same numbers on the wider grids.
    block = replace(
        block,
        weight=None if block.weight is None else _on(once.weight_grid, problem.weight_grid, block.weight),
        target=block.target if n_classes else _on(once.target_grid, problem.target_grid, block.target),
    )
    again = cut(block, np.tile(np.arange(block.codes.n_rows), times), 1)[0]
    expected = train(once, again)
    assert len(expected.tree) > 15
    repeated = _for_more_rows(problem, Repeated(times), times)
    for provider in (at_hand([block]), at_hand(cut(block, np.arange(block.codes.n_rows), 9))):
        assert_identical(expected, train_by(repeated, provider))
    counted = train_by(repeated, ManyBlocks(cut(block, np.arange(block.codes.n_rows), 4)))
    assert_identical(train_by(once, ManyBlocks([again])), counted)


def _on(wider: Grid | None, grid: Grid | None, limbs: Array) -> Array:
    assert wider is not None
    assert grid is not None
    return wider.split(grid.join(limbs))


def test_multiplicities_of_zero_leave_rows_out() -> None:
    parameters = Parameters("gini", 6, min_split=10, min_bucket=4)
    problem, block = problem_of(sample_rows(1_500, 3), 3, parameters)
    times = (block.codes.column(2) % 4).astype(int)
    chosen = cut(block, np.repeat(np.arange(block.codes.n_rows), times), 1)[0]
    bound = replace(problem, rows=problem.rows * 3)
    replicas = replace(bound.with_replicas(ByCode(2)), rows=bound.rows)
    assert_identical(train(bound, chosen), train_by(replicas, at_hand(cut(block, np.arange(block.codes.n_rows), 5))))


class _OneByOne:
    """Splits one node a round; the deepest first, or the shallowest, or any."""

    def __init__(self, order: str) -> None:
        self.order, self.rng = order, np.random.default_rng(3)
        self.depths: list[int] = []

    def choose(self, growing: GrowingTrees) -> Ints:
        candidates = growing.candidates
        if len(candidates) == 0:
            return candidates
        depth = growing.depth[candidates]
        if self.order == "any":
            at = int(self.rng.integers(len(candidates)))
        else:
            at = int(depth.argmax() if self.order == "deepest" else depth.argmin())
        self.depths.append(int(depth[at]))
        return candidates[at : at + 1]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("n_classes", "max_surrogates", "order"),
    [
        (*case, order)
        for turn, case in enumerate([(2, 0), (3, 2), (0, 1), (12, 0)])
        for order in share(("deepest", "shallowest", "any"), 3, turn)
    ],
)
def test_the_order_of_growth_changes_no_tree(order: str, n_classes: int, max_surrogates: int) -> None:
    """A shallow leaf is split after a deep one: growth counts rounds, not depth."""
    parameters = Parameters(
        "gini" if n_classes else "mse", 5, min_split=20, min_bucket=8, max_surrogates=max_surrogates, n_folds=2
    )
    problem, block = problem_of(sample_rows(1_200, n_classes, n_trees=2), n_classes, parameters, 2)
    # One of two siblings is searched when the other has been split: its histogram is no difference any more.
    problem = replace(problem, tuning=replace(problem.tuning, subtracted_values=0))
    expected = train(problem, block)
    policy = _OneByOne(order)
    assert_identical(expected, train_by(problem, at_hand(cut(block, np.arange(block.codes.n_rows), 3)), policy))
    if order == "deepest":
        assert any(later < earlier for earlier, later in zip(policy.depths, policy.depths[1:], strict=False))
    counted = train_by(problem, ManyBlocks(cut(block, np.arange(block.codes.n_rows), 3)), _OneByOne(order))
    assert_identical(expected, counted)


def _flipped(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """Classes in reverse."""
    return {"target": (values["n_classes"] - 1 - rows.block.target).astype(rows.block.target.dtype)}


def _n_classes(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    return {"n_classes": given.integer("n_classes", 1, 9)}


@pytest.mark.parametrize("memory_bytes", [0, 10_000, 2**30], ids=["file", "both", "memory"])
def test_a_column_is_replaced_wherever_blocks_are(memory_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COLUMN_FUNCTIONS, "flipped", NewColumns(("target",), _flipped, _n_classes))
    parameters = Parameters("gini", 5, min_split=10, min_bucket=4)
    problem, block = problem_of(sample_rows(1_500, 3), 3, parameters)
    flipped = train(problem, replace(block, target=(2 - block.target).astype(block.target.dtype)))
    store = BlockStore(problem, BlockLimits(200, memory_bytes, 2**20), TemporaryPlace(None, None))
    for some in cut(block, np.arange(block.codes.n_rows), 10):
        store.add(some)
    store.finish()

    def program() -> Program[list[Outcome]]:
        found = []
        for _ in range(2):
            found.append((yield from train_trees(problem, rows_at_hand=True, folds_known=True))[0])
            yield ReplaceRequest("flipped", {"n_classes": 3})
        return found

    first, second = finished(driven(program(), store))
    assert_identical(train(problem, block), first)
    assert_identical(flipped, second)
    assert {f.name for f in fields(Outcome)} >= {"tree", "node_id"}
