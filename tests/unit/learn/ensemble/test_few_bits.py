"""Growth by gradients of few bits: the same bytes however rows are counted, and as good a model as by all bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from shares import share

from madtree.learn.at_hand.row_columns import RowColumns
from madtree.learn.counting.joint_tables import add_joint, joint_pairs, lines_together
from madtree.learn.data import Array, Block, CodeLayout, Floats, Grid, finished, in_memory
from madtree.learn.ensemble import boosting, few_bits
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.packing import RawRows
from madtree.learn.problem import Channels, Problem, Rounding, identities
from madtree.learn.requests import SampleRequest
from madtree.trees import BoostParameters, Parameters
from tests.unit.learn.binned import at_hand, cut, problem_of, sample_rows
from tests.unit.learn.ensemble.test_boosting import ANYWHERE, bytes_of, grown_by, raw_scores, store_of

N = 2_000


LEAST = {"some groups": 1_000, "all groups": 0, "no group": N}
MODELS: list[tuple[int, bool, int, dict[str, Any]]] = [
    (2, False, 1, {}),
    (2, True, 1, {"subsample": 0.6, "feature_fraction": 0.5}),
    (2, False, 3, {"held_out": 0.3}),
    (4, True, 2, {}),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("least", "n_classes", "weighted", "n_trees", "more"),
    [
        pytest.param(LEAST[which], *model, id=f"{which}-{turn}")
        for turn, model in enumerate(MODELS)
        for which in share([*LEAST], 2, turn)
    ],
)
def test_a_model_is_the_same_wherever_rows_are(
    least: int, n_classes: int, weighted: bool, n_trees: int, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_bits, "PRECISE_ROWS", least)
    monkeypatch.setattr(boosting, "ORDERED_ROWS", 1)
    parameters = Parameters("gini", 60, min_split=20, min_bucket=8, cp=-1.0, max_leaf_nodes=9)
    rows = sample_rows(N, n_classes, weighted=weighted, n_trees=n_trees)
    problem, block = problem_of(replace(rows, identity=identities(np.arange(float(N)))), n_classes, parameters, n_trees)
    order = np.random.default_rng(2).permutation(N)
    of_model = BoostParameters("log_loss", 2 if n_classes > 2 else 3, **more)

    def grown(blocks: Sequence[Block], in_order: bool = True) -> bytes:
        provider = at_hand(list(blocks)) if in_order else where_they_are(problem, list(blocks))
        return bytes_of(grown_by(problem, provider, of_model))

    expected = grown([block])
    assert grown(cut(block, np.arange(N), 9)) == expected
    assert grown(cut(block, order, 5)) == expected
    assert grown(cut(block, order, 5), in_order=False) == expected
    for changes in (
        {"joint_rows": 1},
        {"joint_rows": 300, "joint_piece_rows": 128, "node_rows": 1},
        {"large_tree": 1},
        {"large_tree": 1, "joint_rows": 300, "joint_piece_rows": 128, "node_rows": 1},
    ):
        problem = replace(problem, tuning=replace(problem.tuning, **changes))
        assert grown(cut(block, order, 3)) == expected
    monkeypatch.setattr(boosting, "ORDERED_ROWS", N + 1)
    assert grown(cut(block, order, 3)) == expected


@pytest.mark.parametrize("share_chosen", [0, 0.05, 0.3])
def test_chosen_rows_are_copied(share_chosen: float) -> None:
    n = 40_003  # few of many are looked for eight at a time
    rows = RowColumns(np.arange(n, dtype=np.uint16)[None], False, (), [np.arange(float(n))])
    chosen = np.random.default_rng(1).random(n) < share_chosen
    chosen[-2:] = True, False
    expected = np.flatnonzero(chosen)
    copied = rows.empty(len(expected), in_memory, 1)
    rows.put(chosen, copied)
    assert copied.limbs[0].tolist() == copied.codes[0].tolist() == expected.tolist()


@pytest.mark.parametrize(("crowd", "lines"), [(3, [256, 256]), (3_990, [128, 128]), (4_000, [4, 8]), (12_000, [0, 0])])
@pytest.mark.parametrize("is_packed", [True, False])
def test_two_features_are_counted_at_once(crowd: int, lines: list[int], is_packed: bool) -> None:
    """Of five features, of which the first four make two pairs, where no more rows than fit have the same two codes."""
    rng = np.random.default_rng(crowd)
    codes = np.concatenate((rng.integers(0, 256, (5_000, 5)), np.full((crowd, 5), 255)))
    gradient, hessian = rng.integers(-256, 257, len(codes)), rng.integers(0, 513, len(codes))
    layout = HistogramLayout(Channels(0, 1, 1), np.full(5, 256), 2)
    both = [(codes[:, k] + 256 * codes[:, k + 1]).astype(np.uint16) for k in (0, 2)]
    assert list(map(lines_together, both)) == lines  # of 20 rows a code, and the crowd
    pairs = joint_pairs(layout, lines, is_packed)
    assert pairs == [k for k in (0, 1) if lines[k] or not is_packed]
    histograms = Histograms(layout, layout.zeros(np.dtype(np.float64)))
    if pairs:
        limbs = [hessian.astype(float), gradient.astype(float)]
        values = [packed(*limbs[::-1])] if is_packed else [np.ones(len(codes)), *limbs]
        add_joint(histograms, 1, {pair: both[pair] for pair in pairs}, values, min(lines), is_packed)
    for feature in range(5):
        found = histograms.feature(feature)
        assert not found[:, 0].any()
        for own, values in zip(found[:, 1], (np.ones(len(codes)), hessian, gradient), strict=True):
            expected = [values[codes[:, feature] == code].sum() for code in range(256)]
            assert own.tolist() == (expected if feature // 2 in pairs else [0.0] * 256)


def test_memory_of_fewer_rows_says_nothing_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all rows too many for a packed number have the same two codes; of those that were drawn before not so many."""
    monkeypatch.setattr(few_bits, "PRECISE_ROWS", 0)
    monkeypatch.setattr(boosting, "ORDERED_ROWS", 1)
    n, rng = 42_000, np.random.default_rng(1)
    crowded = rng.random(n) < 0.11
    features = np.stack([crowded, np.where(crowded, 0, rng.integers(1, 50, n)), rng.random(n)])
    target = np.where(crowded, rng.random(n) < 0.97, rng.random(n) < features[2] / 2).astype(float)
    rows = RawRows(np.vstack((features, np.zeros((2, n)))), target, identity=identities(np.arange(float(n))))
    problem, block = problem_of(rows, 2, Parameters("gini", 8, cp=-1.0, max_leaf_nodes=15))
    problem = replace(problem, tuning=replace(problem.tuning, large_tree=1, joint_rows=1))
    provider, of_model = at_hand([block]), BoostParameters("log_loss", 2)
    for drawn in (0.55, 1.0):
        finished(provider.sample(SampleRequest(drawn, 3)))
        found = bytes_of(grown_by(problem, provider, of_model))
    assert found == bytes_of(grown_by(problem, at_hand([block]), of_model))


def where_they_are(problem: Problem, blocks: list[Block]) -> Any:
    """A provider that does not put rows in the order of nodes."""
    provider = store_of(blocks, problem, 2**30, ANYWHERE)
    count = provider._blocks_at_hand().count
    provider._blocks_at_hand().count = lambda request: count(replace(request, waiting=None))  # type: ignore[method-assign]
    return provider


def packed(gradient: Array, hessian: Array) -> Floats:
    """As `Rounding` packs rows."""
    return np.asarray(gradient * 2.0**21 + hessian + 2.0**-12)


def test_packed_numbers_are_sums_of_their_parts() -> None:
    rng = np.random.default_rng(5)
    n = Rounding.PACKED_ROWS
    for gradient, hessian in (
        (rng.integers(-256, 257, n), rng.integers(0, 513, n)),
        (np.full(n, 256), np.full(n, 512)),
        (np.full(n, -256), np.full(n, 512)),
        (np.full(n, -256), np.zeros(n)),
    ):
        total = packed(gradient, hessian).cumsum()
        rows, hessians, gradients = Rounding.unpacked(total)
        assert np.array_equal(rows, np.arange(1, n + 1))
        assert np.array_equal(hessians, hessian.cumsum())
        assert np.array_equal(gradients, gradient.cumsum())


def test_rows_are_rounded_to_what_they_are_on_average_and_packed_alike() -> None:
    """As often up as they are near to it. What is on the grid already stays as it is, and so do groups of few rows."""
    n, rng = 40_000, np.random.default_rng(6)
    codes = CodeLayout.for_widths(np.full(3, 200)).empty(n)
    codes.narrow[:] = rng.integers(0, 200, codes.narrow.shape)
    gradient, hessian = (np.repeat([-256, -200, -0.75, 0, 0.25, 100.5, 255.5, 256], n // 8) * k for k in (2**24, 2**25))
    block = Block(codes, gradient[None], np.abs(hessian)[None])
    before, after = [grid(-32), grid(-33)], [grid(-8), grid(-8)]
    rounding = Rounding(1, 2, *before, everywhere=True)
    found = rounding.rounded(block, *after)
    assert np.array_equal(rounding.packed_rows(block, *after), packed(found.target[0], found.weight[0]))
    other = replace(rounding, tree=3).rounded(block, *after)
    errors = [each.target[0] - gradient / 2**24 for each in (found, other)]
    assert abs(np.corrcoef(*errors)[0, 1]) < 4 / np.sqrt(n / 2)
    rows = rng.permutation(n)[:1_000]
    assert np.array_equal(rounding.packed_rows(block, *after, rows), rounding.packed_rows(block, *after)[rows])
    for own, unit, limbs in ((gradient, 2**24, found.target), (np.abs(hessian), 2**25, found.weight)):
        difference = limbs[0] - own / unit
        assert np.abs(difference).max() < 1
        assert not difference[own % unit == 0].any()
        assert (np.abs(difference.reshape(8, -1).mean(axis=1)) < 4 * 0.5 / np.sqrt(n / 8)).all()
    tree = np.repeat([0, 1], n // 2).astype(np.int32)
    of_two = replace(block, target=block.target * 2**18 + 1, weight=np.abs(hessian)[None] * 2**16 + 1, tree=tree)
    mixed = Rounding(1, 2, grid(-50, -50), grid(-50, -50), everywhere=False)
    some = mixed.rounded(of_two, grid(-8, -50), grid(-8, -50))
    for limbs, own in ((some.target, of_two.target), (some.weight, of_two.weight)):
        assert own is not None
        assert np.array_equal(limbs[:, tree == 1], own[:, tree == 1])
        assert np.abs(limbs - own / 2**42)[:, tree == 0].max() < 1


def grid(*exponents: int) -> Grid:
    """Of one limb, by tree."""
    return Grid(np.array(exponents, np.int32)[:, None])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounded_gradients_make_as_good_a_model(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss that is left is within 0.2 % of that by all bits, of three classes 1 %; the trees are others."""
    rng = np.random.default_rng(9)
    features = rng.random((20_000, 5))
    z = 5 * np.sin(6 * features[:, 0]) * features[:, 1] + 3 * (features[:, 2] > 0.5) + rng.normal(size=20_000)
    target = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    losses, scores = [], []
    for least in (10**6, 1_000):
        monkeypatch.setattr(few_bits, "PRECISE_ROWS", least)
        score = raw_scores(features, target, n_classes, "log_loss", 8)
        every = np.hstack((np.zeros_like(score), score)) if n_classes == 2 else score
        own = every[np.arange(len(every)), target]
        losses.append(float((np.log(np.exp(every).sum(axis=1)) - own).mean()))
        scores.append(score)
    assert not np.array_equal(*scores)
    assert losses[1] == pytest.approx(losses[0], rel=2e-3 if n_classes == 2 else 1e-2)
