"""A criterion is an object: adding one takes no change to the search, and no function for a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.learn import criteria
from madtree.learn.binning.bins import MISSING
from madtree.learn.criteria import Criterion, criterion_of
from madtree.learn.criteria.classes import of_classes
from madtree.learn.criteria.gini import GINI, gini_impurity
from madtree.learn.criteria.squares import MSE
from madtree.learn.data.block import Block
from madtree.learn.data.types import Floats, Ints
from madtree.learn.grow import feature_span
from madtree.learn.packing import RawRows
from madtree.learn.problem.channels import over_classes
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.prune.outcome import Outcome
from madtree.learn.split import screen
from madtree.trees import CLASSES, CRITERIA, NUMBERS, OF_BOOSTING, DeclaredCriterion, OutcomeKind, Parameters
from tests.unit.learn.binned import ManyBlocks, at_hand, grown_by, problem_of, sample_rows, train


def twoing_gain(left: Floats, right: Floats) -> Floats:
    """W p_l p_r / 4 (sum_k |p_lk - p_rk|)**2 (Breiman et al. 1984, section 4.3.1)."""
    left_weight, right_weight = over_classes(left), over_classes(right)
    distance = over_classes(np.abs(left / left_weight - right / right_weight))
    gain: Floats = left_weight * right_weight / (left_weight + right_weight) / 4 * np.square(distance)
    return gain


def double_gain(left: Floats, right: Floats) -> Floats:
    return 2 * GINI.gain(left, right)


TWOING = of_classes("twoing", twoing_gain, gini_impurity, rounding=1e-24)
DOUBLE = replace(
    TWOING,
    name="double",
    gain=double_gain,
    two_class_gain=lambda left, right: 2 * GINI.two_class_gain(left, right),  # type: ignore[misc]
    quick_gain=lambda upto, exact: 2 * GINI.quick_gain(upto, exact),  # type: ignore[misc]
    rough_bin_gains=lambda *given: (2 * GINI.rough_bin_gains(*given)[0], GINI.rough_bin_gains(*given)[1]),  # type: ignore[misc]
)


def make_known(monkeypatch: pytest.MonkeyPatch, criterion: Criterion, outcome: OutcomeKind) -> None:
    """All that a new criterion needs: a declaration, and itself."""
    monkeypatch.setitem(CRITERIA, criterion.name, DeclaredCriterion(criterion.name, outcome))
    monkeypatch.setitem(criteria.KNOWN, criterion.name, criterion)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for made_up in (TWOING, DOUBLE):
        make_known(monkeypatch, made_up, CLASSES)


def trained(
    rows: RawRows, n_classes: int, name: str, tuning: SearchTuning | None = None, **given: int
) -> tuple[Problem, Block, Outcome]:
    parameters = Parameters(name, 7, min_split=6, min_bucket=3, **given)
    problem, block = problem_of(rows, n_classes, parameters, tuning=tuning)
    return problem, block, train(problem, block)


def children(tree: Outcome) -> tuple[Ints, Ints, Ints]:
    """Positions of the inner nodes of a single tree, and of their left and right children."""
    inner = np.flatnonzero(~tree.is_leaf)
    left, right = (np.searchsorted(tree.node_id, 2 * tree.node_id[inner] + side) for side in (1, 2))
    return inner, left, right


def best_cut(problem: Problem, block: Block, feature: int) -> float:
    """Largest twoing gain at the root behind a code of an ordered feature, row by row."""
    code, n_classes = block.codes.column(feature), problem.n_classes
    gains = [0.0]
    for cut in np.unique(code[code != MISSING])[:-1].tolist():
        sides = [(code != MISSING) & (code <= cut), code > cut]
        left, right = (np.bincount(block.target[side], minlength=n_classes).astype(float)[:, None] for side in sides)
        if min(left.sum(), right.sum()) >= 3:
            gains.append(float(twoing_gain(left, right)[0]))
    return max(gains)


@pytest.mark.parametrize("n_classes", [2, 4, 20])
def test_a_made_up_criterion_chooses_the_splits(n_classes: int) -> None:
    rows = sample_rows(1_200, n_classes)
    target = np.random.default_rng(3).permutation(n_classes)[rows.target.astype(int)].astype(float)
    rows = replace(rows, features=np.nan_to_num(rows.features), target=target)
    problem, block, tree = trained(rows, n_classes, "twoing")
    assert len(tree.tree) > 20
    assert tree.class_weights is not None
    inner, left, right = children(tree)
    gains = twoing_gain(tree.class_weights[left].T, tree.class_weights[right].T)
    np.testing.assert_allclose(tree.improvement[inner], gains)
    ordered = np.flatnonzero(~problem.unordered).tolist()
    assert tree.improvement[0] >= max(best_cut(problem, block, f) for f in ordered) * (1 - 1e-9)
    counted = grown_by(problem, ManyBlocks([block]))
    assert np.array_equal(counted.threshold, grown_by(problem, at_hand([block])).threshold, equal_nan=True)
    if n_classes > 2:  # of two classes twoing is Gini's gain, but for a factor
        assert not np.array_equal(tree.node_id, trained(rows, n_classes, "gini")[2].node_id)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n_classes", [2, 5, 30])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("pruned", [False, True])
def test_a_scaled_criterion_gives_the_same_tree(
    n_classes: int, weighted: bool, pruned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without the functions that the pruners ask for; twice a gain is exact."""
    tuning = SearchTuning(coarse_codes=20, coarse_rows=12, coarse_width=8)
    if not pruned:
        plain = replace(DOUBLE, two_class_gain=None, quick_gain=None, rough_bin_gains=None)
        make_known(monkeypatch, plain, CLASSES)
    rows = sample_rows(1_500, n_classes, weighted=weighted)
    _, _, expected = trained(rows, n_classes, "gini", tuning, n_bins=0)
    problem, _, found = trained(rows, n_classes, "double", tuning, n_bins=0)
    assert len(found.tree) > 20
    for name in ("node_id", "feature", "threshold", "n_rows", "risk", "impurity", "prediction"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes(), name
    assert np.array_equal(found.improvement, 2 * expected.improvement, equal_nan=True)
    spans = feature_span.spans_of(problem, True)
    assert any(span.coarse for span in spans) == (pruned and n_classes == 2)
    assert screen.applies(problem) == (pruned and n_classes == 30)


def test_a_made_up_criterion_of_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees weight and mean; here the squared difference of means counts alone, whatever the weights."""
    means_apart = replace(MSE, name="means apart", gain=lambda left, right: np.square(left[1] - right[1]))
    make_known(monkeypatch, means_apart, NUMBERS)
    rows = sample_rows(800, 0)
    rows = replace(rows, features=np.nan_to_num(rows.features))
    tree = trained(rows, 0, "means apart")[2]
    assert len(tree.tree) > 10
    assert not np.array_equal(tree.node_id, trained(rows, 0, "mse")[2].node_id)
    inner, left, right = children(tree)
    np.testing.assert_allclose(tree.improvement[inner], np.square(tree.prediction[left] - tree.prediction[right]))


def test_what_is_declared_is_known_and_the_other_way_round() -> None:
    assert {name: criterion.name for name, criterion in criteria.KNOWN.items()} == {
        name: name for name in (*CRITERIA, *OF_BOOSTING)
    }


def test_a_criterion_must_fit_the_target() -> None:
    problem, _ = problem_of(sample_rows(50, 2), 2, Parameters("mse"))
    with pytest.raises(ValueError, match="does not fit a target with 2 classes"):
        criterion_of(problem)


@pytest.mark.parametrize("name", ["gini", "entropy", "misclassification"])
def test_quick_gains_are_the_gains(name: str) -> None:
    found = criteria.KNOWN[name]
    assert found.quick_gain
    upto = np.random.default_rng(0).integers(1, 50, (3, 4, 9, 5)).cumsum(axis=2).astype(np.float64)
    right = upto[:, :, -1:] - upto
    expected = found.gain(upto[:, :, :-1].reshape(-1, 5).T, right[:, :, :-1].reshape(-1, 5).T)
    for exact in (False, True):
        with np.errstate(invalid="ignore", divide="ignore"):
            quick = found.quick_gain(upto, exact)[:, :, :-1]
        np.testing.assert_allclose(quick.reshape(-1), expected, rtol=1e-9, atol=1e-9)
        assert not found.quick_is_exact or np.array_equal(quick.reshape(-1), expected)


@pytest.mark.parametrize("name", ["gini", "entropy", "misclassification"])
def test_two_class_gains_are_convex(name: str) -> None:
    """On the line between any two splits of a node no gain lies above the line between theirs."""
    found = criteria.KNOWN[name]
    assert found.two_class_gain
    rng = np.random.default_rng(1)
    whole = np.array([[30.0], [50.0]])
    one, other = whole * rng.random((2, 500)), whole * rng.random((2, 500))
    gains = [found.two_class_gain(left, whole - left) for left in (one, other, (one + other) / 2)]
    assert (gains[2] <= (gains[0] + gains[1]) / 2 + 1e-9).all()
    np.testing.assert_allclose(gains[0], found.gain(one, whole - one), rtol=1e-9, atol=1e-9)
