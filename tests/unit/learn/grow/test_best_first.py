"""Trees of at most so many leaves: scikit-learn's, in as many passes as they have levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from madtree.learn.data.types import Array
from madtree.learn.grow.policy import BestFirst, LevelWise, inner_nodes
from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune.outcome import Outcome
from madtree.learn.prune.program import train_at_hand
from madtree.learn.requests import Progress
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import (
    ManyBlocks,
    assert_identical,
    at_hand,
    cut,
    grown_by,
    problem_of,
    sample_rows,
    train,
    train_by,
)

CRITERIA = {"gini": "gini", "entropy": "entropy", "mse": "squared_error"}


def numbers(n_classes: int, seed: int, n_rows: int = 400) -> RawRows:
    """Features of 25 values. Weights are such that no two splits of different rows gain the same."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 25, (4, n_rows)).astype(float)
    y = 0.3 * x[0] + np.sin(x[1]) + (x[2] > 10) * 0.1 * x[3] + rng.normal(0, 0.5, n_rows)
    if n_classes:
        y = np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y).astype(float)
    return RawRows(x, y, rng.gamma(2.0, size=n_rows), None)


def trained(rows: RawRows, n_classes: int, **limits: Any) -> Outcome:
    parameters = Parameters(max_depth=30, min_split=2, min_bucket=3, cp=-1.0, **limits)
    return train(*prepare(rows, 1, n_classes, [FeatureKind.CONTINUOUS] * len(rows.features), parameters))


def nodes_of(tree: Outcome) -> dict[int, tuple[int, float, int]]:
    """Feature, threshold and rows by node id."""
    columns = (tree.node_id, tree.feature, np.nan_to_num(tree.threshold, nan=-2.0), tree.n_rows)
    return {node: tuple(rest) for node, *rest in zip(*(column.tolist() for column in columns), strict=True)}


def scikit_learns(rows: RawRows, criterion: str, **limits: Any) -> dict[int, tuple[int, float, int]]:
    kind = DecisionTreeRegressor if criterion == "mse" else DecisionTreeClassifier
    fitted = kind(criterion=CRITERIA[criterion], min_samples_leaf=3, random_state=0, **limits)
    tree = fitted.fit(np.asarray(rows.features).T, rows.target, rows.weight).tree_
    found, waiting = {}, [(0, 0)]
    while waiting:
        place, node = waiting.pop()
        is_leaf = tree.children_left[place] < 0
        feature = -1 if is_leaf else int(tree.feature[place])
        found[node] = (feature, float(tree.threshold[place]), int(tree.n_node_samples[place]))
        if not is_leaf:
            waiting += [(tree.children_left[place], 2 * node + 1), (tree.children_right[place], 2 * node + 2)]
    return found


@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("gini", 3), ("entropy", 4), ("mse", 0)])
def test_the_tree_is_scikit_learns(criterion: str, n_classes: int) -> None:
    sizes = set()
    for seed, (leaves, decrease) in enumerate([(2, 0.0), (3, 0.0), (9, 1e-3), (17, 0.0), (24, 4e-2), (27, 0.0)]):
        rows, limits = numbers(n_classes, seed), {"max_leaf_nodes": leaves, "min_impurity_decrease": decrease}
        tree = nodes_of(trained(rows, n_classes, criterion=criterion, **limits))
        assert tree == scikit_learns(rows, criterion, **limits)
        sizes.add(len(tree) == 2 * leaves - 1)
    assert sizes == {True, False}  # the least decrease stops some trees before their leaves are used up


@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("entropy", 3), ("mse", 0)])
def test_the_least_decrease_without_a_number_of_leaves(criterion: str, n_classes: int) -> None:
    rows = numbers(n_classes, 7)
    sizes = []
    for decrease in (4e-3, 1e-2, 5e-2):
        tree = nodes_of(trained(rows, n_classes, criterion=criterion, min_impurity_decrease=decrease))
        assert tree == scikit_learns(rows, criterion, min_impurity_decrease=decrease)
        sizes.append(len(tree))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > 1


@pytest.mark.parametrize("leaves", [2, 3, 7, 20, 60])
@pytest.mark.parametrize("n_classes", [2, 0])
def test_a_pass_for_each_level_and_none_for_nodes_that_are_out_of_reach(leaves: int, n_classes: int) -> None:
    criterion = "gini" if n_classes else "mse"
    parameters = Parameters(criterion, 40, min_split=4, min_bucket=2, cp=-1.0, max_leaf_nodes=leaves)
    problem, block = problem_of(sample_rows(2_000, n_classes), n_classes, parameters)
    told: list[Progress] = []
    tree = train_at_hand(problem, [block], told.append)[0]
    sizes = [progress.step.n_nodes for progress in told if progress.step is not None]
    assert tree.is_leaf.sum() == leaves
    assert len(sizes) <= int(tree.depth.max()) + 1
    assert max(sizes) <= 2 * (leaves - 1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("n_classes", "max_surrogates"), [(2, 0), (3, 2), (0, 1), (12, 0)])
def test_groups_folds_and_ways_of_counting(n_classes: int, max_surrogates: int) -> None:
    """The queue is each tree's own; how rows lie and in which order nodes were split changes nothing."""
    parameters = Parameters(
        "gini" if n_classes else "mse", 12, 8, 3, n_folds=2, max_surrogates=max_surrogates, max_leaf_nodes=8
    )
    rows = sample_rows(1_500, n_classes, n_trees=3)
    problem, block = problem_of(rows, n_classes, parameters, 3)
    expected = train(problem, block)
    blocks = cut(block, np.random.default_rng(0).permutation(block.codes.n_rows), 4)
    assert_identical(expected, train_by(problem, ManyBlocks(blocks)))
    n_found = []
    for share, n_rows in ((0.01, np.inf), (0.5, 100), (0.5, np.inf), (1.0, 100), (1.0, np.inf)):
        policy = BestFirst(8, share, n_rows)
        found = train_by(problem, at_hand(blocks), policy)
        # Squares are added up from the leaves that have grown, fewer ones here than of what is expected.
        if not n_classes and (share, n_rows) != (1.0, np.inf):
            for name in ("impurity", "risk"):
                np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14, err_msg=name)
            found = replace(found, impurity=expected.impurity, risk=expected.risk)
        assert_identical(expected, found)
        n_found.append(np.count_nonzero(grown_by(problem, at_hand(blocks), policy).feature >= 0))
    assert n_found[0] <= n_found[1] <= n_found[2] < n_found[4]
    assert n_found[1] <= n_found[3] <= n_found[4]
    whole = train_by(problem, at_hand(blocks), LevelWise())
    for name in ("tree", "node_id", "feature", "n_rows", "prediction", "complexity", "importance"):
        np.testing.assert_allclose(getattr(whole, name), getattr(expected, name), rtol=1e-12, err_msg=name)
    assert np.bincount(expected.tree[expected.is_leaf]).max() <= 8
    for t in range(3):
        alone = train(*problem_of(replace(rows.select(rows.tree == t), tree=None), n_classes, parameters))
        mine = expected.tree == t
        assert expected.node_id[mine].tolist() == alone.node_id.tolist()
        assert expected.feature[mine].tolist() == alone.feature.tolist()


def _mirrored() -> tuple[Array, Array]:
    """A root split, below which both children can be split alike, and four more splits alike below these."""
    x = np.arange(64, dtype=float)
    return x, (x >= 32) * 100.0 + (x % 32 >= 16) * 10.0 + (x % 16 >= 8)


@pytest.mark.parametrize(
    ("leaves", "ids"),
    [
        (3, [0, 1, 2, 3, 4]),
        (4, [0, 1, 2, 3, 4, 5, 6]),
        (5, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (7, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ],
)
def test_of_equal_gains_the_lower_node_id_goes_first(leaves: int, ids: list[int]) -> None:
    x, y = _mirrored()
    order = np.random.default_rng(leaves).permutation(64)
    rows = RawRows(x[None, order], y[order], None, None)
    parameters = Parameters("mse", 6, 2, 1, cp=-1.0, max_leaf_nodes=leaves)
    problem, block = prepare(rows, 1, 0, [FeatureKind.CONTINUOUS], parameters)
    assert train(problem, block).node_id.tolist() == ids
    growing = grown_by(problem, at_hand([block]))
    # Gains that differ by rounding are equal, too.
    growing.improvement *= 1 + 1e-13 * np.arange(growing.n_nodes)
    assert np.sort(growing.node_id[inner_nodes(growing, leaves)]).tolist() == [i for i in ids if 2 * i + 1 in ids]
