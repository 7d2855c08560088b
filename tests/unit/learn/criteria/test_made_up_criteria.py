"""Criteria that only this file knows, grown by every way of counting and searching, against plain Python.

Each is made known by a declaration and a `Criterion`. The first is of two classes; the second sees a gradient and a
hessian, as boosting does, with rows without a value on the side that gains more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

from madtree.learn import criteria
from madtree.learn.criteria import Criterion, Nodes, NodeValues
from madtree.learn.criteria.classes import of_classes
from madtree.learn.criteria.gini import GINI, gini_impurity
from madtree.learn.data import Array, Block, Bools, Floats, Ints, codec, finished
from madtree.learn.ensemble import DrawnFeatures, DrawnSplits
from madtree.learn.grow import Finder, GrowingTrees, SplitFinder, grow
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Bootstrap, Problem, SearchTuning, identities
from madtree.learn.prune import conclude, leaf_predictions
from madtree.learn.requests import Program, driven
from madtree.trees import CLASSES, CRITERIA, FEW_ROWS, DeclaredCriterion, FeatureKind, OutcomeKind, Parameters
from tests.unit.learn.binned import ManyBlocks, at_hand, cut

KINDS = (FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED, FeatureKind.CONTINUOUS)
L2, LEAST_HESSIAN = 1.5, 2.0
GRADIENTS = OutcomeKind("gradients", has_second=True)


def hellinger_gain(left: Floats, right: Floats) -> Floats:
    """W sum_k (sqrt(p_lk) - sqrt(p_rk))**2 over both sides' shares of each class (Cieslak and Chawla 2008), weighted so
    that it is 0 where both sides look alike.
    """
    left_weight, right_weight = left.sum(axis=0), right.sum(axis=0)
    distance = np.square(np.sqrt(left / left_weight) - np.sqrt(right / right_weight)).sum(axis=0)
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) * distance
    return gain


def newton_gain(left: Floats, right: Floats) -> Floats:
    """G_l**2 / (H_l + l2) + G_r**2 / (H_r + l2) - G**2 / (H + l2), 0 where a side has too little of the hessian."""
    worth = [np.square(g) / (h + L2) for g, h in (left, right, left + right)]
    gain: Floats = worth[0] + worth[1] - worth[2]
    return np.where(np.minimum(left[1], right[1]) >= LEAST_HESSIAN, np.maximum(gain, 0.0), 0.0)


def sums_of_both(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    return np.stack((problem.events(sums, tree), problem.exposures(sums, tree)))


def mean_gradient(problem: Problem, sums: Floats, tree: Ints) -> Floats:
    gradient, hessian = sums_of_both(problem, sums, tree)
    return np.asarray(gradient / hessian)


class ByNewton:
    """Leaf values are -G / (H + l2); all follows from what is summed anyway."""

    needs_rows = False

    def predictions(self, problem: Problem, nodes: Nodes) -> Array:
        gradient, hessian = sums_of_both(problem, nodes.sums, nodes.tree)
        return np.asarray(-gradient / (hessian + L2))

    def may_be_split(self, problem: Problem, sums: Floats, tree: Ints) -> Bools:
        return np.ones(len(tree), np.bool_)

    def values(self, problem: Problem, nodes: Nodes) -> Program[NodeValues]:
        yield from ()
        gradient, hessian = sums_of_both(problem, nodes.sums, nodes.tree)
        risk = -np.square(gradient) / (hessian + L2)
        value = self.predictions(problem, nodes)
        return NodeValues(problem.weights(nodes.sums, nodes.tree), risk / hessian, risk, value, value)

    def held_out_errors(
        self, problem: Problem, nodes: Nodes, values: NodeValues, held_out: Floats
    ) -> Program[tuple[Floats, Floats]]:
        raise NotImplementedError

    def fold_error(self, mean_error: Floats) -> Floats:
        return mean_error


HELLINGER = of_classes("hellinger", hellinger_gain, gini_impurity, rounding=1e-15)
NEWTON = Criterion(
    name="steps of newton",
    gain=newton_gain,
    judging=ByNewton(),
    moments=sums_of_both,
    category_scores=mean_gradient,
    finds_missing_side=True,
)
# With every bound that there is, none of which may be taken: they know nothing of rows without a value.
GINI_AND_SIDES = replace(GINI, name="gini and sides", finds_missing_side=True)
OUTCOMES = {"hellinger": CLASSES, "gini and sides": CLASSES, "steps of newton": GRADIENTS}


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for criterion in (HELLINGER, NEWTON, GINI_AND_SIDES):
        monkeypatch.setitem(CRITERIA, criterion.name, DeclaredCriterion(criterion.name, OUTCOMES[criterion.name]))
        monkeypatch.setitem(criteria.KNOWN, criterion.name, criterion)


def rows_of(name: str, n_rows: int, seed: int) -> RawRows:
    """Half of the features have missing values, which tell of the target."""
    rng = np.random.default_rng(seed)
    features = np.vstack(
        [rng.normal(size=n_rows), rng.integers(0, 9, n_rows), rng.integers(0, 7, n_rows), rng.normal(size=n_rows)]
    ).astype(np.float64)
    signal = features[0] + np.sin(features[1]) + 0.3 * features[2] + rng.normal(0, 0.5, n_rows)
    for feature, share in ((0, 0.1), (2, 0.15)):
        features[feature, (rng.random(n_rows) < share) & (signal > np.median(signal))] = np.nan
        features[feature, rng.random(n_rows) < 0.03] = np.nan
    identity = identities(np.arange(n_rows, dtype=float))
    if OUTCOMES[name].of_classes:
        return RawRows(features, (signal > 1.5).astype(np.float64), None, None, identity=identity)
    gradient, hessian = signal - signal.mean(), rng.uniform(0.05, 0.25, n_rows)
    return RawRows(features, gradient, None, None, exposure=hessian, identity=identity)


# ---- plain Python: the same trees, row by row ------------------------------------------------------------------------
@dataclass
class PlainSplit:
    gain: float
    feature: int
    left: frozenset[int]  # codes
    missing_left: bool


def plain_best(name: str, codes: Ints, numbers: Floats, unordered: Bools, min_bucket: int) -> PlainSplit | None:
    """The best split of rows with these codes (n_features, m), 0 where missing, and numbers (2, m): each class's rows,
    or gradient and hessian.
    """
    criterion, best = criteria.KNOWN[name], None

    def gain(left: Bools, right: Bools) -> float:
        if min(left.sum(), right.sum()) < min_bucket:
            return 0.0
        sides = [np.array([[math.fsum(row[side])] for row in numbers]) for side in (left, right)]
        return float(criterion.gain(*sides)[0])

    for feature, code in enumerate(codes):
        missing = code == 0
        there = np.unique(code[~missing]).tolist()
        if unordered[feature]:
            totals = {c: numbers[:, code == c].sum(axis=1) for c in there}
            by_class = OUTCOMES[name].of_classes
            score = {c: v[0] / v.sum() if by_class else v[0] / v[1] for c, v in totals.items()}
            there.sort(key=lambda c: (score[c], c))
        finds_side = criterion.finds_missing_side and missing.any()
        for n in range(1, len(there) + finds_side):  # with them rows without a value may be alone on the right
            left = np.isin(code, there[:n])
            right = ~left & ~missing
            larger_left = bool(left.sum() >= right.sum())
            found = gain(left, right), larger_left
            if finds_side:
                on_left, on_right = gain(left | missing, right), gain(left, right | missing)
                found = max(on_left, on_right), larger_left
                if abs(on_left - on_right) > 1e-10 * max(on_left, on_right):
                    found = max(on_left, on_right), on_left > on_right
            if found[0] > 1e-12 and (best is None or found[0] > best.gain * (1 + 1e-10)):
                best = PlainSplit(found[0], feature, frozenset(there[:n]), found[1])
    return best


def plain_tree(
    name: str, codes: Ints, numbers: Floats, unordered: Bools, parameters: Parameters
) -> dict[int, tuple[int, PlainSplit | None, float]]:
    """Of each node, by its id: rows, split and prediction."""
    found: dict[int, tuple[int, PlainSplit | None, float]] = {}

    def visit(node: int, depth: int, rows: Ints) -> None:
        mine, total = codes[:, rows], numbers[:, rows].sum(axis=1)
        said = float(total.argmax()) if OUTCOMES[name].of_classes else -total[0] / (total[1] + L2)
        wanted = len(rows) >= parameters.min_split and depth < parameters.max_depth
        pure = OUTCOMES[name].of_classes and total.min() == 0
        split = None
        if wanted and not pure:
            split = plain_best(name, mine, numbers[:, rows], unordered, parameters.min_bucket)
        found[node] = len(rows), split, said
        if split is not None:
            code = mine[split.feature]
            left = np.where(code == 0, split.missing_left, np.isin(code, list(split.left)))
            visit(2 * node + 1, depth + 1, rows[left])
            visit(2 * node + 2, depth + 1, rows[~left])

    visit(0, 0, np.arange(codes.shape[1]))
    return found


# ---- ways ------------------------------------------------------------------------------------------------------------
SMALL = SearchTuning(bins_per_row=1e-9)
COUNTED = SearchTuning(bins_per_row=1e9)
# As if all bounds paid.
BOUNDS = SearchTuning(
    bins_per_row=1e9,
    coarse_codes=8,
    coarse_rows=4,
    coarse_width=4,
    many_classes=2,
    rows_per_cell=1e9,
    swept_classes=0,
    cells_per_row=1e9,
)
MakeFinder = Callable[[Problem], Finder]


def in_process(problem: Problem, block: Block, tuning: SearchTuning) -> GrowingTrees:
    problem = replace(problem, tuning=tuning)
    parts = cut(block, np.random.default_rng(1).permutation(block.codes.n_rows), 3)
    return finished(driven(grow(problem, True), at_hand(parts)))


def apart(problem: Problem, block: Block) -> GrowingTrees:
    """As the SQL aggregate counts, by problems that were sent."""
    sent = Problem.from_values(codec.load(codec.dump(problem.to_values())))
    parts = cut(block, np.random.default_rng(2).permutation(block.codes.n_rows), 4)
    return finished(driven(grow(sent, False), ManyBlocks(parts)))


def in_node_order(problem: Problem, block: Block, tuning: SearchTuning) -> GrowingTrees:
    """As a forest's rows are counted: of a single tree of all rows, with all features drawn."""
    whole = replace(problem, tuning=tuning).with_replicas(Bootstrap(1, 0, 1, "none", 1.0))
    draws = DrawnFeatures(1, 0, 1, len(KINDS), len(KINDS))
    finder_of: MakeFinder = partial(DrawnSplits, draws=draws)
    return finished(driven(grow(whole, True, finder_of=finder_of), at_hand([block])))


WAYS: dict[str, Callable[[Problem, Block], GrowingTrees]] = {
    "blocks": partial(in_process, tuning=COUNTED),
    "small nodes": partial(in_process, tuning=SMALL),
    "as if bounds paid": partial(in_process, tuning=BOUNDS),
    "apart": apart,
    "node order": partial(in_node_order, tuning=COUNTED),
    "node order, small nodes": partial(in_node_order, tuning=SMALL),
    "node order, as if bounds paid": partial(in_node_order, tuning=BOUNDS),
}


def each_node(growing: GrowingTrees, predictions: Array) -> Iterator[tuple[int, int, int, float, float]]:
    for node in range(growing.n_nodes):
        yield (
            int(growing.node_id[node]),
            int(growing.n_rows[node]),
            int(growing.feature[node]),
            float(growing.improvement[node]),
            float(predictions[node]),
        )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", OUTCOMES)
def test_the_tree_is_that_of_plain_python(name: str, seed: int, way: str) -> None:
    parameters = Parameters(name, 5, min_split=12, min_bucket=5, n_bins=16, cp=-1.0)
    rows = rows_of(name, 400, seed)
    rows = rows.select(rows.usable())
    n_classes = 2 if OUTCOMES[name].of_classes else 0
    problem, block = prepare(
        rows, 1, n_classes, KINDS, parameters, np.array([FEW_ROWS + 1]), Bootstrap(1, 0, 1, "none", 1.0)
    )
    growing = WAYS[way](problem, block)
    predictions = leaf_predictions(replace(problem, n_trees=1), growing)
    codes = np.stack([block.codes.column(f) for f in range(len(KINDS))]).astype(np.int64)
    if n_classes:
        numbers = np.stack([rows.target == k for k in range(2)]).astype(np.float64)
    else:
        assert rows.exposure is not None
        numbers = np.stack((rows.target, rows.exposure))
    expected = plain_tree(name, codes, numbers, problem.unordered, parameters)
    assert len(expected) > 9
    assert set(growing.node_id.tolist()) == set(expected)
    found_sides = set()
    for node, (node_id, n_rows, feature, gain, said) in enumerate(each_node(growing, predictions)):
        plain_rows, split, plain_said = expected[node_id]
        assert n_rows == plain_rows
        assert said == pytest.approx(plain_said, rel=1e-9)
        if split is None:
            assert feature == -1
            continue
        assert feature == split.feature
        assert gain == pytest.approx(split.gain, rel=1e-9)
        assert bool(growing.majority_left[node]) == split.missing_left
        found_sides.add(split.missing_left)
    assert found_sides == {True, False}


@pytest.mark.parametrize("way", ["blocks", "small nodes"])
def test_the_side_is_not_always_the_larger_one(way: str) -> None:
    """Rows without a value are all of the one class; they join its side, though that is the smaller one."""
    feature = np.repeat([1.0, 2.0, np.nan], [60, 30, 10])
    target = np.repeat([0.0, 1.0, 1.0], [60, 30, 10])
    rows = RawRows(feature[None], target, None, None)
    for name, missing_left, n_right in (("gini and sides", False, 40), ("gini", True, 30)):
        problem, block = prepare(rows, 1, 2, [FeatureKind.CONTINUOUS], Parameters(name, 1, min_split=2, min_bucket=1))
        growing = WAYS[way](problem, block)
        assert growing.majority_left[0] == missing_left
        assert growing.n_rows.tolist() == [100, 100 - n_right, n_right]


def test_rows_without_a_value_count_for_min_bucket() -> None:
    """Five rows and six without a value are enough for a side of ten, five alone are not."""
    feature = np.repeat([1.0, 2.0, np.nan], [60, 5, 6])
    target = np.repeat([0.0, 1.0, 1.0], [60, 5, 6])
    rows = RawRows(feature[None], target, None, None)
    for name, n_nodes in (("gini and sides", 3), ("gini", 1)):
        problem, block = prepare(rows, 1, 2, [FeatureKind.CONTINUOUS], Parameters(name, 1, min_split=2, min_bucket=10))
        assert WAYS["blocks"](problem, block).n_nodes == n_nodes


def test_a_made_up_criterion_concludes_trees() -> None:
    """What the model tables would hold: leaf values, risks, and no pass over the rows for them."""
    rows = rows_of("steps of newton", 400, 0)
    rows = rows.select(rows.usable())
    parameters = Parameters("steps of newton", 3, min_split=12, min_bucket=5, n_bins=16, cp=-1.0)
    problem, block = prepare(rows, 1, 0, KINDS, parameters, np.array([FEW_ROWS + 1]))

    def program() -> Program[tuple[GrowingTrees, Floats, Floats]]:
        growing = yield from grow(problem, True, finder_of=lambda known: SplitFinder(known, True))
        asked = []
        concluding = conclude(problem, growing)
        try:
            while True:
                asked.append(next(concluding))
        except StopIteration as done:
            outcome = done.value
        assert asked == []
        return growing, outcome.prediction, outcome.risk

    growing, prediction, risk = finished(driven(program(), at_hand([block])))
    gradient, hessian = sums_of_both(problem, growing.sums, growing.tree)
    order = np.argsort(growing.node_id)
    np.testing.assert_array_equal(prediction, (-gradient / (hessian + L2))[order])
    np.testing.assert_array_equal(risk, (-np.square(gradient) / (hessian + L2))[order])
