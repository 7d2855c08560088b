"""Screening drops candidates, and changes no choice: the trees are those that counting every class gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.learn.packing import RawRows
from madtree.learn.problem.tuning import SearchTuning
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import (
    SCREENED,
    ManyBlocks,
    assert_identical,
    at_hand,
    cut,
    problem_of,
    sample_rows,
    train_by,
)

CRITERIA = ("gini", "entropy", "misclassification")


def assert_screening_changes_nothing(
    rows: RawRows, n_classes: int, parameters: Parameters, n_trees: int = 1, tuning: SearchTuning = SCREENED
) -> int:
    """Returns the nodes of the trees."""
    problem, block = problem_of(rows, n_classes, parameters, n_trees, tuning)
    order = np.random.default_rng(1).permutation(block.codes.n_rows)
    counted = ManyBlocks(cut(block, order, 3))
    screened = at_hand(cut(block, order, 5))
    expected = train_by(problem, counted)
    assert_identical(expected, train_by(problem, screened))
    return len(expected.tree)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 5, 60])
def test_features_of_all_kinds_with_missing_values(criterion: str, weighted: bool, n_classes: int) -> None:
    parameters = Parameters(criterion, 7, min_split=4, min_bucket=2, n_bins=30)
    rows = sample_rows(1_500, n_classes, weighted=weighted)
    assert assert_screening_changes_nothing(rows, n_classes, parameters) > 20


@pytest.mark.one_in(2)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_ties_everywhere(criterion: str, seed: int) -> None:
    """Few values, features that are replicas of others, and some that run the other way."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 4, (5, 400)).astype(np.float64)
    features[3], features[4] = features[1], rng.integers(0, 3, 400)
    features[2] = 3 - features[0]
    target = rng.integers(0, 30, 400).astype(np.float64)
    parameters = Parameters(criterion, 8, min_split=2, min_bucket=1, n_bins=10)
    assert assert_screening_changes_nothing(RawRows(features, target, None, None), 30, parameters) > 20


@pytest.mark.parametrize("criterion", CRITERIA)
def test_splits_without_any_gain(criterion: str) -> None:
    """Every value comes with the same classes, so that rounding alone could make a split."""
    cells = np.stack(np.meshgrid(*[np.arange(n) for n in (3, 3, 2, 2, 2, 12)])).reshape(6, -1).astype(np.float64)
    rows = RawRows(cells[:5], cells[5], np.full(cells.shape[1], 0.1), None)
    assert assert_screening_changes_nothing(rows, 12, Parameters(criterion, 5, min_split=2, min_bucket=1)) == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_and_folds(weighted: bool) -> None:
    parameters = Parameters("gini", 5, min_split=6, min_bucket=2, n_bins=20, n_folds=3, cp=0.001)
    rows = sample_rows(900, 20, weighted=weighted, n_trees=3)
    assert assert_screening_changes_nothing(rows, 20, parameters, 3) > 20


def test_surrogates() -> None:
    parameters = Parameters("gini", 6, min_split=6, min_bucket=2, n_bins=20, max_surrogates=3)
    assert assert_screening_changes_nothing(sample_rows(1_200, 25), 25, parameters) > 30


def test_rows_of_more_than_one_stack_and_codes_of_two_bytes() -> None:
    tuning = replace(SCREENED, copied_codes=2_000)
    parameters = Parameters("gini", 7, min_split=6, min_bucket=2, n_bins=700)
    assert assert_screening_changes_nothing(sample_rows(1_500, 15), 15, parameters, tuning=tuning) > 30


@pytest.mark.one_in(4)
@pytest.mark.parametrize("wide", [14, 2_048])
@pytest.mark.parametrize("swept_classes", [0, 24])
@pytest.mark.parametrize("cells_per_row", [0.1, 1, 16])
def test_some_nodes_are_screened_and_others_counted_or_swept(
    wide: int, swept_classes: int, cells_per_row: float
) -> None:
    tuning = replace(
        SCREENED, coarse_codes=wide, rows_per_cell=1.5, swept_classes=swept_classes, cells_per_row=cells_per_row
    )
    parameters = Parameters("gini", 9, min_split=4, min_bucket=1, n_bins=25)
    assert assert_screening_changes_nothing(sample_rows(3_000, 12), 12, parameters, tuning=tuning) > 200


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_fold_that_holds_out_all_rows_of_a_tree(criterion: str) -> None:
    """Such a copy of the tree has no rows to be screened."""
    parameters = Parameters(criterion, 4, min_split=4, min_bucket=2, n_bins=30, n_folds=2)
    problem, block = problem_of(sample_rows(3_000, 5, n_trees=3), 5, parameters, 3, SCREENED)
    assert block.tree is not None
    fold = np.where(block.tree == 1, 0, np.arange(len(block.tree)) % 2).astype(np.uint8)
    block = replace(block, fold=fold)
    counted, screened = ManyBlocks([block]), at_hand([block])
    expected = train_by(problem, counted)
    assert_identical(expected, train_by(problem, screened))
