"""Shapley values of trees, against sums over all subsets of features that share no code with ours."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from madtree.learn.data import finished
from madtree.learn.shap import Background, CoveredTrees, Explained, contributions, shares_of_cover
from madtree.learn.shap.explained import GRID
from madtree.learn.shap.weights import points_and_weights

UNIT = 2.0**50  # of the grid, for values of at most some hundred


@dataclass
class Sides:
    """Rows whose sides at all nodes are known: (n_nodes, n_rows)."""

    right: np.ndarray

    def sides(self, nodes):
        yield
        return self.right[nodes]

    def of(self, rows):
        return Sides(self.right[:, rows])


@dataclass
class Grown:
    """A tree that was made up: nested tuples (feature, cover, left, right) and (cover, value)."""

    root: tuple

    def arrays(self):
        """Columns of nodes by level: child, feature, cover, value; and the nodes in that order."""
        nodes, at = [], [self.root]
        while at:
            nodes += at
            at = [child for node in at if len(node) == 4 for child in node[2:]]
        place = {id(node): number for number, node in enumerate(nodes)}
        child = [place[id(node[2])] if len(node) == 4 else number for number, node in enumerate(nodes)]
        feature = [node[0] if len(node) == 4 else 0 for node in nodes]
        cover = [float(node[1] if len(node) == 4 else node[0]) for node in nodes]
        value = [0.0 if len(node) == 4 else node[1] for node in nodes]
        return np.array(child), np.array(feature), np.array(cover), np.array(value), nodes


def random_tree(rng, n_features, depth, *, leaf=0.15):
    def grow(level):
        if level == depth or (level and rng.random() < leaf):
            return (int(rng.integers(1, 50)), float(rng.normal()))
        left, right = grow(level + 1), grow(level + 1)
        cover = sum(node[1] if len(node) == 4 else node[0] for node in (left, right))
        return (int(rng.integers(n_features)), cover, left, right)

    return Grown(grow(0))


def explained(trees: list[Grown], n_features: int) -> tuple[Explained, list]:
    columns = [tree.arrays() for tree in trees]
    sizes = [len(each[0]) for each in columns]
    roots = np.cumsum([0, *sizes[:-1]])
    child = np.concatenate([each[0] + root for each, root in zip(columns, roots, strict=True)])
    feature, cover, value = (np.concatenate([each[i] for each in columns]) for i in (1, 2, 3))
    covered = CoveredTrees(child, roots, feature, shares_of_cover(child, cover))
    values = (value - covered.expected(value[:, None])[covered.tree, 0])[:, None] * UNIT
    nodes = [node for each in columns for node in each[4]]
    return Explained(covered, values, np.zeros(len(trees), np.int64), 1, n_features), nodes


def expectation(node, known, goes_right):
    """What a tree says of a row whose features `known` are known: elsewhere both ways, by their covers."""
    if len(node) == 2:
        return node[1]
    feature, cover, left, right = node
    if feature in known:
        return expectation(right if goes_right[id(node)] else left, known, goes_right)
    shares = [(child[1] if len(child) == 4 else child[0]) / cover for child in (left, right)]
    return sum(
        share * expectation(child, known, goes_right) for share, child in zip(shares, (left, right), strict=True)
    )


def shapley(n_features, said_by):
    """(n_features,) Shapley's formula; `said_by`: what is said where only some features are known."""
    found = np.zeros(n_features)
    for j in range(n_features):
        others = [i for i in range(n_features) if i != j]
        for size in range(n_features):
            factor = factorial(size) * factorial(n_features - size - 1) / factorial(n_features)
            for known in combinations(others, size):
                found[j] += factor * (said_by({*known, j}) - said_by({*known}))
    return found


def brute_force(tree: Grown, n_features, goes_right):
    """(n_features,) where what is not known goes both ways."""
    return shapley(n_features, lambda known: expectation(tree.root, known, goes_right))


def said(model: Explained, right: np.ndarray) -> np.ndarray:
    trees = range(len(model.trees.roots))
    return finished(contributions(model, trees, Sides(right), right.shape[1]))


@pytest.mark.parametrize("seed", range(6))
def test_contributions_are_those_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(2, 6))
    trees = [random_tree(rng, n_features, 5) for _ in range(3)]
    model, nodes = explained(trees, n_features)
    right = rng.random((len(nodes), 5)) < 0.5
    found = said(model, right)[0] / UNIT
    for row in range(5):
        goes_right = {id(node): right[number, row] for number, node in enumerate(nodes)}
        wanted = sum(brute_force(tree, n_features, goes_right) for tree in trees)
        np.testing.assert_allclose(found[:, row], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n_features", "depth"), [(3, 6), (12, 9), (40, 18)])
def test_contributions_and_expectation_make_the_prediction(n_features, depth):
    rng = np.random.default_rng(depth)
    trees = [random_tree(rng, n_features, depth, leaf=0.4) for _ in range(4)]
    model, nodes = explained(trees, n_features)
    right = rng.random((len(nodes), 700)) < 0.5
    found = said(model, right).sum(axis=1)[0]
    values = model.values[:, 0]
    at = np.repeat(model.trees.roots[:, None], 700, axis=1)
    for _ in range(depth):
        at = np.where(model.trees.is_leaf[at], at, model.trees.child[at] + right[at, np.arange(700)])
    np.testing.assert_allclose(found / UNIT, values[at].sum(axis=0) / UNIT, rtol=0, atol=1e-13 * len(trees))


@pytest.mark.parametrize(("n_features", "depth"), [(4, 5), (25, 14)])
def test_rows_say_the_same_however_many_are_taken_together(n_features, depth):
    rng = np.random.default_rng(1)
    model, nodes = explained([random_tree(rng, n_features, depth, leaf=0.5) for _ in range(2)], n_features)
    right = rng.random((len(nodes), 9_000)) < 0.5
    whole = said(model, right)
    for rows in (range(1), range(1, 300), range(300, 5_000), range(5_000, 9_000)):
        np.testing.assert_array_equal(said(model, right[:, rows]), whole[:, :, rows])


def test_tables_that_are_not_kept_say_the_same(monkeypatch):
    rng = np.random.default_rng(2)
    model, nodes = explained([random_tree(rng, 6, 9, leaf=0.05)], 6)
    right = rng.random((len(nodes), 1_000)) < 0.5
    kept = said(model, right)
    monkeypatch.setattr("madtree.learn.shap.explained._MOST_BYTES", 0)
    np.testing.assert_array_equal(said(replace(model), right), kept)


def test_tables_of_many_values_take_bounded_memory():
    """A leaf of 12 conditions and 400 values had a table of 12 x 4096 numbers for each value: 157 MB."""
    rng = np.random.default_rng(4)
    n_conditions, n_values = 12, 400
    node = (1, 1.0)
    for feature in reversed(range(n_conditions)):
        node = (feature, node[1] + 1 if len(node) == 4 else 2, (1, float(rng.normal())), node)
    one, nodes = explained([Grown(node)], n_conditions)
    factors = rng.integers(-3, 4, n_values)
    model = replace(one, values=one.values * factors, n_outputs=n_values)
    right = rng.random((len(nodes), 4_100)) < 0.5
    found_bytes = n_values * n_conditions * right.shape[1] * 8
    tracemalloc.start()
    found = said(model, right)
    assert tracemalloc.get_traced_memory()[1] < found_bytes + 100 * 2**20
    tracemalloc.stop()
    of_one = said(one, right)[0]
    for value, factor in enumerate(factors.tolist()):
        np.testing.assert_allclose(found[value], of_one * factor, rtol=0, atol=1e4)


def test_xgboosts_and_function():
    """The function of XGBoost's tests/python/test_shap.py: x and y over all four rows, so 0.25 is expected."""
    leaf = lambda value: (1, value)  # noqa: E731
    zero = lambda n: (n, 0.0)  # noqa: E731
    tree = Grown((0, 4, zero(2), (1, 2, leaf(0.0), leaf(1.0))))
    model, nodes = explained([tree], 2)
    right = np.ones((len(nodes), 1), np.bool_)
    assert model.trees.expected(tree.arrays()[3][:, None])[0, 0] == 0.25
    np.testing.assert_array_equal(said(model, right)[0, :, 0] / UNIT, [0.375, 0.375])


def test_nodes_that_no_row_came_to():
    tree = Grown((0, 5, (1, 0, (0, 1.0), (0, 2.0)), (5, 3.0)))
    model, nodes = explained([tree], 2)
    assert np.isfinite(model.values).all()
    right = np.zeros((len(nodes), 1), np.bool_)
    np.testing.assert_allclose(said(model, right)[0].sum() / UNIT, 1.0 - 3.0)


def test_trees_that_are_not_asked_add_nothing():
    rng = np.random.default_rng(3)
    model, nodes = explained([random_tree(rng, 3, 4) for _ in range(2)], 3)
    right = rng.random((len(nodes), 2)) < 0.5
    both, first, second = (said(replace(model, first_output=np.array(o)), right) for o in ([0, 0], [0, -1], [-1, 0]))
    np.testing.assert_array_equal(both, first + second)
    split = said(replace(model, first_output=np.array([1, 0]), n_outputs=2), right)
    np.testing.assert_array_equal(split[::-1], np.concatenate([first, second]))


@pytest.mark.parametrize("n", range(1, 31))
def test_points_are_exact_for_polynomials(n):
    found = np.array(points_and_weights(n))
    for degree in (0, n, 2 * n - 1):
        np.testing.assert_allclose((found[:, 1] * found[:, 0] ** degree).sum(), 1 / (degree + 1), rtol=1e-14)


def test_the_grid_leaves_room_for_all_sums():
    assert 2 * GRID <= 2**62


def interactions_by_brute_force(n_features, said_by):
    """(n_features, n_features) the Shapley interaction index of each two; nothing of a feature with itself.

    `said_by` as in `shapley`.
    """
    found = np.zeros((n_features, n_features))
    for i, j in combinations(range(n_features), 2):
        others = [feature for feature in range(n_features) if feature not in (i, j)]
        for size in range(len(others) + 1):
            factor = factorial(size) * factorial(n_features - size - 2) / factorial(n_features - 1)
            for known in ({*each} for each in combinations(others, size)):
                found[i, j] += factor * (said_by(known | {i, j}) - said_by(known | {i}))
                found[i, j] -= factor * (said_by(known | {j}) - said_by(known))
        found[j, i] = found[i, j]
    return found


def interactions_of(tree: Grown, n_features, goes_right):
    return interactions_by_brute_force(n_features, lambda known: expectation(tree.root, known, goes_right))


def interactions_against(tree: Grown, n_features, own, its):
    """As `against_others`."""
    return interactions_by_brute_force(n_features, lambda known: said_where(tree, known, own, its))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("many", [False, True])
def test_interactions_are_those_of_all_subsets(seed, many):
    """Whether each row has its own terms or finds them in tables, to which belong many rows."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(2, 6))
    trees = [random_tree(rng, n_features, 5) for _ in range(3)]
    model, nodes = explained(trees, n_features)
    right = np.tile(rng.random((len(nodes), 5)) < 0.5, 100 if many else 1)
    alone = said(model, right)[0]
    found = said(replace(model, with_pairs=True), right)[0]
    assert found.sum(axis=0).tolist() == alone.sum(axis=0).tolist()
    pairs = [*combinations(range(n_features), 2)]
    for row in range(5):
        goes_right = {id(node): right[number, row] for number, node in enumerate(nodes)}
        wanted = sum(interactions_of(tree, n_features, goes_right) for tree in trees)
        of_pairs = found[n_features:, row] / UNIT
        np.testing.assert_allclose(of_pairs, [wanted[pair] for pair in pairs], rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            found[:n_features, row] / UNIT, alone[:, row] / UNIT - wanted.sum(axis=1) / 2, rtol=0, atol=1e-12
        )


def test_interactions_of_a_row_are_the_same_alone_and_among_others():
    rng = np.random.default_rng(5)
    trees = [random_tree(rng, 14, 9, leaf=0.05) for _ in range(2)]
    model, nodes = explained(trees, 14)
    model = replace(model, with_pairs=True)
    right = rng.random((len(nodes), 5_000)) < 0.5
    found = said(model, right)
    for row in range(0, 5_000, 700):
        assert said(model, right[:, row : row + 1]).tolist() == found[:, :, row : row + 1].tolist()


def said_where(tree: Grown, known, goes_right, others_right):
    """What a tree says of a row whose features `known` are its own, and all others those of another row."""
    node = tree.root
    while len(node) == 4:
        side = goes_right if node[0] in known else others_right
        node = node[3] if side[id(node)] else node[2]
    return node[1]


def against_others(tree: Grown, n_features, own, its):
    """(n_features,) where one other row stands for what is not known."""
    return shapley(n_features, lambda known: said_where(tree, known, own, its))


def sides_of(right, row, nodes):
    return {id(node): right[number, row] for number, node in enumerate(nodes)}


def model_against(rng, n_features, n_others):
    """Trees, the nodes, and the sides (n_nodes, n) of 3 rows and of others, against which they are explained."""
    trees = [random_tree(rng, n_features, 6, leaf=0.05) for _ in range(2)]
    model, nodes = explained(trees, n_features)
    right, others = (rng.random((len(nodes), n)) < 0.5 for n in (3, n_others))
    background = Background(Sides(others), [np.arange(n_others)], np.zeros(len(trees), np.int64))
    return replace(model, background=background), trees, nodes, right, others


@pytest.mark.parametrize(("seed", "n_features"), [(1, 3), (2, 5), (3, 6)])
def test_contributions_against_a_background_are_those_of_all_subsets(seed, n_features):
    model, trees, nodes, right, others = model_against(np.random.default_rng(seed), n_features, 7)
    found = said(model, right)[0] / UNIT
    for row in range(3):
        own = sides_of(right, row, nodes)
        each = [
            against_others(tree, n_features, own, sides_of(others, other, nodes))
            for other in range(7) for tree in trees
        ]  # fmt: skip
        np.testing.assert_allclose(found[:, row], np.sum(each, axis=0) / 7, rtol=0, atol=1e-12)


@pytest.mark.parametrize("most_bits", [1, 12])
@pytest.mark.parametrize(("seed", "n_features"), [(1, 2), (2, 5), (3, 6)])
def test_interactions_against_a_background_are_those_of_all_subsets(seed, n_features, most_bits, monkeypatch):
    """By tables of all leaves, or of those only that have few conditions."""
    monkeypatch.setattr("madtree.learn.shap.explained.MOST_BITS", most_bits)
    model, trees, nodes, right, others = model_against(np.random.default_rng(seed), n_features, 7)
    found = said(replace(model, with_pairs=True), right)[0]
    alone = said(model, right)[0]
    np.testing.assert_allclose(found.sum(axis=0), alone.sum(axis=0), rtol=0, atol=UNIT * 1e-12)
    pairs = [*combinations(range(n_features), 2)]
    for row in range(3):
        own = sides_of(right, row, nodes)
        each = [
            interactions_against(tree, n_features, own, sides_of(others, other, nodes))
            for other in range(7) for tree in trees
        ]  # fmt: skip
        wanted = np.sum(each, axis=0) / 7
        assert np.abs(wanted).max() > 0.01
        np.testing.assert_allclose(found[n_features:, row] / UNIT, [wanted[pair] for pair in pairs], rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            found[:n_features, row] / UNIT, alone[:, row] / UNIT - wanted.sum(axis=1) / 2, rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("most_bits", [4, 12])
def test_contributions_against_a_background_add_up_and_are_the_same_among_others(most_bits, with_pairs, monkeypatch):
    """Also of leaves that have more conditions than a table may have, of which there are some where it has few."""
    monkeypatch.setattr("madtree.learn.shap.explained.MOST_BITS", most_bits)
    model, trees, nodes, right, others = model_against(np.random.default_rng(4), 14, 7)
    model = replace(model, with_pairs=with_pairs)
    found = said(model, right)
    assert said(model, np.tile(right, 200))[:, :, :3].tolist() == found.tolist()
    features = set(range(14))
    for row in range(3):
        gains = [
            said_where(tree, features, own, its) - said_where(tree, set(), own, its)
            for own in [sides_of(right, row, nodes)]
            for its in (sides_of(others, other, nodes) for other in range(7))
            for tree in trees
        ]
        assert found[0, :, row].sum() / UNIT == pytest.approx(sum(gains) / 7, abs=1e-12)
