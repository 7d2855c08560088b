"""The same tree to the bit, however the rows are cut into blocks, ordered, batched or grouped."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from shares import share

from madtree.learn.data.block import Block
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.prune.outcome import Outcome
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import (
    ManyBlocks,
    assert_identical,
    at_hand,
    cut,
    problem_of,
    sample_rows,
    train,
    train_by,
    with_memory,
)

SETTINGS = [
    pytest.param(2, False, "gini", 0, id="two classes"),
    pytest.param(2, True, "entropy", 0, id="weighted"),
    pytest.param(4, False, "gini", 3, id="four classes, surrogates"),
    pytest.param(2, True, "gini", 2, id="weighted, surrogates"),
    pytest.param(0, False, "mse", 0, id="regression"),
    pytest.param(0, True, "mse", 0, id="weighted regression"),
    pytest.param(0, True, "mse", 5, id="weighted regression, surrogates"),
]


@cache
def usual(n_rows: int, n_classes: int, weighted: bool, parameters: Parameters) -> tuple[Problem, Block, Outcome]:
    """A problem, its rows as one block, and what is grown of that in the usual way; nobody may change them."""
    problem, block = problem_of(sample_rows(n_rows, n_classes, weighted=weighted), n_classes, parameters)
    return problem, block, train(problem, block)


each_setting = pytest.mark.parametrize(("n_classes", "weighted", "criterion", "max_surrogates"), SETTINGS)


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@each_setting
@pytest.mark.parametrize("cache_bytes", [0, 5_000, 2**20])
def test_cutting_and_permuting_blocks_changes_nothing(
    n_classes: int, weighted: bool, criterion: str, max_surrogates: int, cache_bytes: int
) -> None:
    parameters = Parameters(criterion, 7, min_split=10, min_bucket=4, max_surrogates=max_surrogates)
    problem, block, expected = usual(3_000, n_classes, weighted, parameters)
    assert len(expected.tree) > 20
    order = np.random.default_rng(1).permutation(block.codes.n_rows)
    source = ManyBlocks(cut(block, order, 7), cache_bytes)
    assert_identical(expected, train_by(problem, source))


@pytest.mark.one_in(3)
@pytest.mark.in_turn
@each_setting
@pytest.mark.parametrize("rule", ["min", "1se"])
def test_cross_validation_does_not_depend_on_the_blocks(
    n_classes: int, weighted: bool, criterion: str, max_surrogates: int, rule: str
) -> None:
    parameters = Parameters(
        criterion, 6, min_split=10, min_bucket=4, n_folds=5, rule=rule, max_surrogates=max_surrogates, cp=0.001
    )
    problem, block = problem_of(sample_rows(1_500, n_classes, weighted=weighted), n_classes, parameters)
    expected = train(problem, block)
    table = expected.cp_tables[0]
    assert len(table.cp) > 5
    assert np.isfinite(table.xerror).all()
    assert expected.complexity[~expected.is_leaf].min() > table.cp[table.chosen]
    order = np.random.default_rng(1).permutation(block.codes.n_rows)
    source = ManyBlocks(cut(block, order, 7))
    assert_identical(expected, train_by(problem, source))


@pytest.mark.one_in(3)
@pytest.mark.in_turn
@each_setting
@pytest.mark.parametrize("n_bytes", [2_000, 20_000, 200_000])
def test_a_small_memory_budget_changes_nothing(
    n_classes: int, weighted: bool, criterion: str, max_surrogates: int, n_bytes: int
) -> None:
    """The smallest budget does not even hold one node's statistics, so features come in batches, too."""
    parameters = Parameters(criterion, 7, min_split=10, min_bucket=4, max_surrogates=max_surrogates)
    problem, block, expected = usual(3_000, n_classes, weighted, parameters)
    assert_identical(expected, train(with_memory(problem, n_bytes), block))


TUNINGS = [
    {"state_share": 2**20},
    {"kept_states": 0},
    {"subtracted_values": 0},
    {"subtracted_values": 2**60},
    {"copied_share": 2**40},
    {"gathered_below": 0.0},
    {"gathered_below": 2.0},
    {"rows_together": 1},
    {"bins_per_row": 1e-9},
    {"bins_per_row": 1e9},
    {"chunk_values": 1},
    {"shortlist_cells": 0},
    {"shortlist_cells": 0, "rough_bins": 1},
    {"coarse_codes": 20, "coarse_rows": 12, "coarse_width": 8},
    {"many_classes": 2, "many_weighted_classes": 2, "rows_per_cell": 1e9, "swept_classes": 0, "cells_per_row": 1e9},
    {"cells_per_row": 0.1},
    {"node_cells": 1},
    {"stack_cells": 1},
    {"stack_values": 1},
    {"stack_nodes": 1},
    {"copied_codes": 1},
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("n_classes", [0, 2, 12])
@pytest.mark.parametrize("changes", TUNINGS, ids=str)
def test_no_threshold_changes_a_tree(n_classes: int, changes: dict[str, float]) -> None:
    parameters = Parameters("gini" if n_classes else "mse", 7, min_split=10, min_bucket=4, n_bins=60, n_folds=2)
    problem, block, expected = usual(1_000, n_classes, False, parameters)
    assert len(expected.tree) > 20
    problem = replace(problem, tuning=replace(problem.tuning, **changes))
    parts = cut(block, np.random.default_rng(1).permutation(block.codes.n_rows), 6)
    for provider in share((at_hand(parts), ManyBlocks(parts)), 2, TUNINGS.index(changes) + n_classes // 2):
        assert_identical(expected, train_by(problem, provider))


def test_a_tree_tells_which_categories_its_rows_have() -> None:
    """One category is had by a single group, and one feature is missing in all of another."""
    rows = sample_rows(900, 2, n_trees=3)
    assert rows.tree is not None
    rows.features[3, (rows.features[3] == 4) & (rows.tree != 1)] = np.nan
    rows.features[4] = np.where(rows.tree == 2, np.nan, rows.features[4])
    problem, block = problem_of(rows, 2, Parameters("gini", 3, n_folds=2), 3)
    tree, feature, code = train(problem, block).seen
    index = problem.bins.lower[problem.bins.offsets[tree, feature] + code - 1]
    expected = {
        (t, f, float(value))
        for t in range(3)
        for f in (3, 4)
        for value in np.unique(rows.features[f, rows.tree == t])
        if value == value
    }
    found = list(zip(tree.tolist(), feature.tolist(), index.tolist(), strict=True))
    assert found == sorted(expected)
    assert (1, 3, 4.0) in expected
    assert not any(f == 4 for t, f, _ in expected if t == 2)


def test_every_threshold_is_tried() -> None:
    of_forests = {
        "wave_rows",
        "wave_nodes",
        "stretch_rows",
        "node_rows",
        "drawn_bytes",
        "counted_cells",
        "piece_rows",
    }  # tests/unit/learn/ensemble/test_forest.py
    of_boosting = {"joint_rows", "joint_piece_rows", "large_tree"}  # tests/unit/learn/ensemble/test_few_bits.py
    of_all = {f.name for f in fields(SearchTuning)}
    assert {name for changes in TUNINGS for name in changes} == of_all - of_forests - of_boosting


@pytest.mark.one_in(3)
@each_setting
def test_a_group_has_the_tree_of_its_rows_alone(
    n_classes: int, weighted: bool, criterion: str, max_surrogates: int
) -> None:
    n_trees = 9
    parameters = Parameters(criterion, 7, min_split=10, min_bucket=4, n_bins=20, max_surrogates=max_surrogates)
    rows = sample_rows(4_000, n_classes, weighted=weighted, n_trees=n_trees)
    problem, block = problem_of(rows, n_classes, parameters, n_trees)
    together = train(problem, block)
    assert rows.tree is not None
    for t in range(n_trees):
        mine = rows.select(rows.tree == t)
        mine.tree[:] = 0  # type: ignore[index]
        alone_problem, alone_block = problem_of(mine, n_classes, parameters)
        alone = train(alone_problem, alone_block)
        of_group = together.tree == t
        for name in ("node_id", "n_rows", "feature", "threshold", "weight", "risk", "complexity", "improvement"):
            assert getattr(together, name)[of_group].tobytes() == getattr(alone, name).tobytes(), name
        assert together.prediction[of_group].tobytes() == alone.prediction.tobytes()
        assert together.importance[t].tobytes() == alone.importance[0].tobytes()


@pytest.mark.parametrize(
    ("n_classes", "weighted", "criterion"),
    [(2, False, "gini"), (4, True, "entropy"), (0, False, "mse"), (0, True, "mse")],
)
def test_the_data_repeated_twenty_times_gives_the_same_tree(n_classes: int, weighted: bool, criterion: str) -> None:
    """Without surrogates, which ask for two rows whatever the size of the data."""
    rows = sample_rows(400, n_classes, weighted=weighted)
    once = train(*problem_of(rows, n_classes, Parameters(criterion, 6, min_split=9, min_bucket=3)))
    repeated = type(rows)(
        np.tile(rows.features, 20),
        np.tile(rows.target, 20),
        None if rows.weight is None else np.tile(rows.weight, 20),
        None,
    )
    often = train(*problem_of(repeated, n_classes, Parameters(criterion, 6, min_split=180, min_bucket=60)))
    assert np.array_equal(once.node_id, often.node_id)
    assert np.array_equal(once.feature, often.feature)
    assert np.array_equal(once.threshold, often.threshold, equal_nan=True)
    assert np.array_equal(20 * once.n_rows, often.n_rows)
    np.testing.assert_allclose(20 * once.risk, often.risk, rtol=1e-9, atol=1e-9)
