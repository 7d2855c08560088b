"""Looking at coarse bins first changes no tree: what is left out could not have been chosen."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.grow.feature_span import spans_of
from madtree.learn.histogram.rows_of_nodes import shifted
from madtree.learn.packing import RawRows
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.split import coarse
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import (
    ManyBlocks,
    assert_identical,
    at_hand,
    cut,
    problem_of,
    sample_rows,
    train_by,
    with_memory,
)

CRITERIA = ("gini", "entropy", "misclassification")
FEW_COARSE_BINS = SearchTuning(coarse_codes=20, coarse_rows=12, coarse_width=8)


def assert_coarse_bins_change_nothing(
    rows: RawRows, parameters: Parameters, n_trees: int = 1, n_bytes: int = 2**26
) -> int:
    """Returns the nodes of the trees."""
    problem, block = problem_of(rows, 2, parameters, n_trees, FEW_COARSE_BINS)
    assert any(span.coarse for span in spans_of(problem, True))
    order = np.random.default_rng(1).permutation(block.codes.n_rows)
    counted = ManyBlocks(cut(block, order, 3))
    expected = train_by(problem, counted)
    problem = with_memory(problem, n_bytes)
    refined = at_hand(cut(block, order, 5))
    assert_identical(expected, train_by(problem, refined))
    return len(expected.tree)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_bins", [0, 300])
@pytest.mark.parametrize("n_bytes", [20_000, 2**26])
def test_features_of_all_kinds_with_missing_values(criterion: str, weighted: bool, n_bins: int, n_bytes: int) -> None:
    parameters = Parameters(criterion, 9, min_split=4, min_bucket=2, n_bins=n_bins)
    assert assert_coarse_bins_change_nothing(sample_rows(2_000, 2, weighted=weighted), parameters, 1, n_bytes) > 20


@pytest.mark.one_in(2)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_ties_everywhere(criterion: str, seed: int) -> None:
    """Features that are replicas of others, or run the other way; a target that depends on none of them."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 90, (5, 500)).astype(np.float64)
    features[1], features[2] = features[0], 90 - features[0]
    features[3:] = rng.integers(0, 4, (2, 500))
    rows = RawRows(features, rng.integers(0, 2, 500).astype(np.float64), None, None)
    assert assert_coarse_bins_change_nothing(rows, Parameters(criterion, 8, 2, 1, n_bins=0)) > 10


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_best_split_inside_of_a_coarse_bin(criterion: str) -> None:
    """The class changes at one value only, in the middle of neighbours that are counted with it."""
    values = np.arange(1_600.0)
    features = np.vstack([values, values % 800, values % 7, values % 2, values % 3])
    rows = RawRows(features, (values > 1_003).astype(np.float64), None, None)
    assert assert_coarse_bins_change_nothing(rows, Parameters(criterion, 4, 2, 1, n_bins=0)) == 3


@pytest.mark.parametrize("min_bucket", [1, 10, 100, 399])
def test_a_least_number_of_rows_on_either_side(min_bucket: int) -> None:
    rows = sample_rows(800, 2)
    parameters = Parameters("gini", 6, 2, min_bucket, n_bins=0)
    assert assert_coarse_bins_change_nothing(rows, parameters) >= 1 + 2 * (min_bucket < 300)


def test_groups_and_folds() -> None:
    parameters = Parameters("gini", 6, min_split=6, min_bucket=2, n_bins=0, n_folds=3, cp=0.001)
    assert assert_coarse_bins_change_nothing(sample_rows(1_200, 2, n_trees=3), parameters, 3) > 20


def test_surrogates() -> None:
    parameters = Parameters("gini", 6, min_split=6, min_bucket=2, n_bins=0, max_surrogates=3)
    assert assert_coarse_bins_change_nothing(sample_rows(1_200, 2), parameters) > 20


def test_no_other_code_becomes_that_of_missing_values() -> None:
    code = np.array([0, 1, 2, 128, 129, 65_000, 65_535], np.uint16)
    assert shifted(code, 7).tolist() == [0, 1, 1, 1, 2, 508, 512]
    assert shifted(np.array([0, 1, 250, 255], np.uint8), 3).tolist() == [0, 1, 32, 32]


def test_coarse_codes_are_as_few_as_wanted() -> None:
    widths = np.array([1, 2, 512, 513, 1_023, 65_001])
    assert coarse.coarse_widths(widths, 512).tolist() == [1, 2, 512, 257, 512, 509]


def test_regression_and_more_classes_are_counted_as_ever() -> None:
    for n_classes, criterion in ((0, "mse"), (3, "gini")):
        parameters = Parameters(criterion, 3, n_bins=0)
        problem, _ = problem_of(sample_rows(300, n_classes), n_classes, parameters, tuning=FEW_COARSE_BINS)
        assert not any(span.coarse for span in spans_of(problem, True))
