"""Growing: known trees are found again, and every bound is kept."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.packing import RawRows, prepare
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import problem_of, sample_rows, train


def test_a_known_tree_is_recovered() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 100, (3, 5_000)).astype(np.float64)
    target = np.where(x[1] <= 40, np.where(x[2] <= 70, 0, 2), np.where(x[0] <= 25, 10, 13)).astype(np.float64)
    rows = RawRows(x, target, None, None)
    problem, block = prepare(rows, 1, 0, [FeatureKind.ORDERED] * 3, Parameters("mse", min_split=2, min_bucket=1))
    tree = train(problem, block)
    splits = zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True)
    found = dict(zip(tree.node_id.tolist(), splits, strict=True))
    assert [found[node] for node in (0, 1, 2)] == [(1, 40.5), (2, 70.5), (0, 25.5)]
    assert len(found) == 7
    assert tree.risk[tree.is_leaf].tolist() == [0.0] * 4
    assert tree.prediction[tree.is_leaf].tolist() == [0, 2, 10, 13]


def test_an_unordered_split_of_two_classes_puts_less_of_the_first_class_left() -> None:
    levels = np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    target = np.array([0] * 9 + [1] + [1] * 10 + [0] * 8 + [1] * 2 + [1] * 9 + [0], float)
    problem, block = prepare(
        RawRows(levels[None], target, None, None),
        1,
        2,
        [FeatureKind.UNORDERED],
        Parameters(max_depth=1, min_split=2, min_bucket=1),
    )
    tree = train(problem, block)
    assert tree.left_codes[0].tolist() == [2, 4]
    assert tree.right_codes[0].tolist() == [1, 3]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("min_bucket", [1, 5, 40])
def test_bounds_are_kept(n_classes: int, min_bucket: int) -> None:
    parameters = Parameters("gini" if n_classes else "mse", max_depth=4, min_split=30, min_bucket=min_bucket)
    tree = train(*problem_of(sample_rows(1_500, n_classes), n_classes, parameters))
    assert tree.depth.max() <= 4
    inner = ~tree.is_leaf
    assert tree.n_rows[inner].min() >= 30
    assert tree.n_rows[tree.depth > 0].min() >= min_bucket
    assert (tree.improvement[inner] > 0).all()


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_children_share_out_their_parents_rows(n_classes: int) -> None:
    tree = train(*problem_of(sample_rows(1_500, n_classes), n_classes, Parameters("gini" if n_classes else "mse")))
    rows = dict(zip(tree.node_id.tolist(), tree.n_rows.tolist(), strict=True))
    risk = dict(zip(tree.node_id.tolist(), tree.risk.tolist(), strict=True))
    for node in tree.node_id[~tree.is_leaf].tolist():
        left, right = 2 * node + 1, 2 * node + 2
        assert rows[left] + rows[right] == rows[node]
        assert risk[left] + risk[right] <= risk[node] * (1 + 1e-12)


def test_equal_targets_are_not_split() -> None:
    """Not even where weights make sums of equal values differ in their last bits."""
    rng = np.random.default_rng(0)
    x = rng.random((2, 300))
    for target, weight in ((np.full(300, 0.1), None), (np.full(300, 0.1), rng.random(300))):
        problem, block = prepare(
            RawRows(x, target, weight, None),
            1,
            0,
            [FeatureKind.CONTINUOUS] * 2,
            Parameters("mse", min_split=2, min_bucket=1),
        )
        tree = train(problem, block)
        assert tree.node_id.tolist() == [0]
        assert tree.risk[0] == pytest.approx(0, abs=1e-15)
        assert tree.prediction[0] == pytest.approx(0.1, rel=1e-15)


def test_risk_survives_a_large_mean() -> None:
    rng = np.random.default_rng(0)
    target = 1e9 + rng.normal(size=500)
    problem, block = prepare(
        RawRows(rng.random((1, 500)), target, None, None),
        1,
        0,
        [FeatureKind.CONTINUOUS],
        Parameters("mse", max_depth=0),
    )
    tree = train(problem, block)
    exact = sum((float(v) - 1e9 - float(np.mean(target - 1e9))) ** 2 for v in target)
    assert tree.risk[0] == pytest.approx(exact, rel=1e-9)
