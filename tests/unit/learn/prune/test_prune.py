"""Pruning by rpart's recursion."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.prune import pruning
from madtree.learn.prune.pruning import prune, prune_at


def tree(risks: list[float], left: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array(risks), np.array(left), np.zeros(len(risks), int)


def test_splits_that_lower_no_risk_go_even_at_cp_0() -> None:
    # The root's split helps; the left child's does not.
    pruned = prune(*tree([10, 4, 2, 3, 1], [1, 3, -1, -1, -1]), 0.0)
    assert pruned.keep.tolist() == [True, True, True, False, False]
    assert pruned.is_leaf.tolist()[:3] == [False, True, True]
    assert pruned.complexity[0] == pytest.approx(0.4)


@pytest.mark.parametrize("cp", [-1.0, -1e-300])
def test_below_0_no_split_goes(cp: float) -> None:
    """Not even one that seems to raise the risk, by rounding."""
    pruned = prune(*tree([10, 4, 2, 3, 1 + 1e-15], [1, 3, -1, -1, -1]), cp)
    assert pruned.is_leaf.tolist() == [False, False, True, True, True]
    assert pruned.complexity[[0, 1]] == pytest.approx([0.4, 0.0])
    assert pruned.complexity[[2, 3, 4]] == pytest.approx(cp)


def test_a_leaf_whose_split_was_rounding_has_at_most_the_cp_asked_for() -> None:
    risk = np.array([0.8, 0.1, 0.7])
    assert risk[0] - (risk[1] + risk[2]) > 0  # a rounding error
    pruned = prune(risk, np.array([1, -1, -1]), np.zeros(3, np.int64), 0.0)
    assert pruned.keep.tolist() == [True, False, False]
    assert pruned.complexity[0] == 0


def test_a_useless_split_stays_where_its_children_repay_it() -> None:
    pruned = prune(*tree([10, 6, 4, 0, 0, 0, 0], [1, 3, 5, -1, -1, -1, -1]), 0.0)
    assert pruned.keep.all()
    # All three splits go together: ten errors less for three splits.
    assert pruned.complexity[0] == pytest.approx(10 / 3 / 10)


def test_a_larger_cp_gives_a_subtree() -> None:
    rng = np.random.default_rng(0)
    left = np.full(127, -1)
    left[:63] = 2 * np.arange(63) + 1
    risk = np.zeros(127)
    risk[63:] = rng.random(64)
    for node in range(62, -1, -1):
        risk[node] = risk[left[node]] + risk[left[node] + 1] + rng.random() ** 3
    before = np.ones(127, bool)
    sizes = []
    for cp in np.linspace(0, 0.03, 40):
        keep = prune(risk, left, np.zeros(127, int), float(cp)).keep
        assert (before | ~keep).all()
        sizes.append(int(keep.sum()))
        before = keep
    assert sizes[0] > sizes[2] > sizes[-1]


def test_trees_are_pruned_apart() -> None:
    risk = np.array([10.0, 1000.0, 2, 2, 999, 0.5])
    pruned = prune(risk, np.array([2, 4, -1, -1, -1, -1]), np.array([0, 1, 0, 0, 1, 1]), 0.05)
    assert pruned.is_leaf.tolist() == [False, True, True, True, True, True]
    assert pruned.keep.tolist() == [True, True, True, True, False, False]


def test_trees_that_stay_as_they_are_get_the_recursion_s_complexities() -> None:
    """A cp of 0 prunes nothing that is worth anything, so it leaves the complexities that a cp below 0 does."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        left, risk = [-1, -1], rng.random(2).tolist()
        tree = [0, 1]
        for node in range(60):
            if node < len(left) and (node < 2 or rng.random() < 0.6):
                left[node] = len(left)
                left += [-1, -1]
                tree += [tree[node]] * 2
                risk += (risk[node] * rng.random() * np.array([0.6, 0.35])).tolist()
        arrays = np.array(risk), np.array(left), np.array(tree)
        by_levels, by_recursion = prune_at(*arrays, np.full(2, -1e-300)), prune_at(*arrays, np.zeros(2))
        inner = np.array(left) >= 0
        assert by_recursion.keep.all()
        assert np.array_equal(by_levels.complexity[inner], by_recursion.complexity[inner])
        assert np.array_equal(by_levels.is_leaf, ~inner)


def test_many_trees_are_pruned_as_each_alone_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level by level, but for those in which ancestors allow a node less than it is worth: such are among them."""
    rng = np.random.default_rng(12)
    limited: list[int] = []
    find = pruning._limited
    monkeypatch.setattr(pruning, "_limited", lambda *args: [limited.append(len(got := find(*args))), got][1])
    for turn in range(100):
        left, tree, risk = [-1] * 3, [0, 1, 2], rng.integers(20, 60, 3).astype(float).tolist()
        for node in range(100):
            if node < len(left) and (node < 3 or rng.random() < 0.6):
                left[node] = len(left)
                left += [-1, -1]
                tree += [tree[node]] * 2
                rest = risk[node] * (rng.integers(2, 5) / 4 if turn % 2 else rng.random())
                risk += [rest * (part := rng.random()), rest - rest * part]
        alpha = rng.choice([-1.0, 0, 0.001, 0.02, 0.1, 0.4], 3) * np.array(risk[:3])
        arrays = np.array(risk), np.array(left), np.array(tree), alpha
        monkeypatch.setattr(pruning, "_MANY_NODES", 10**9)
        alone = prune_at(*arrays)
        monkeypatch.setattr(pruning, "_MANY_NODES", 0)
        together = prune_at(*arrays)
        for name in ("complexity", "is_leaf", "keep"):
            assert np.array_equal(getattr(alone, name), getattr(together, name), equal_nan=name == "complexity"), name
    assert sum(limited) > 20


def test_trees_without_risk_are_left_as_they_are_beside_one_that_has_some() -> None:
    """Two of three trees; the third one, which has risk or not, is left out, and so is a node that no tree has."""
    left = np.array([3, -1, 5, -1, 7, -1, -1, -1, -1, -1])
    tree, alpha = np.array([0, 1, 2, 0, 0, 2, 2, 0, 0, 1]), np.array([-1e-300, -2e-300])
    beside = np.zeros(10)
    beside[[2, 5]] = 1.0, 0.2
    alone, together = (prune_at(risk, left, tree, alpha) for risk in (np.zeros(10), beside))
    known = tree < 2
    for name in ("complexity", "is_leaf", "keep"):
        own, other = getattr(alone, name)[known], getattr(together, name)[known]
        assert np.array_equal(own, other, equal_nan=name == "complexity"), name
    assert alone.keep.tolist() == [True, True, False, True, True, False, False, True, True, False]
    assert alone.complexity[[0, 1, 3, 4, 7]].tolist() == [0.0, -2e-300, -1e-300, 0.0, -1e-300]
