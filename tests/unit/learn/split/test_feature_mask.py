"""Features that a node may not be split by are no candidates, and bar no others, in every way to search a node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from shares import share

from madtree.learn.binning.bins import MISSING
from madtree.learn.criteria import criterion_of
from madtree.learn.data.block import Block
from madtree.learn.data.types import Bools, Floats, Ints
from madtree.learn.grow import feature_span, split_finder
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.tuning import SearchTuning
from madtree.learn.prune.outcome import Outcome
from madtree.learn.split import coarse
from madtree.trees.parameters import FEW_ROWS, Parameters
from tests.unit.learn.binned import KINDS, ManyBlocks, at_hand, cut, grown_by, sample_rows, train_by

FEATURES = range(len(KINDS))


@dataclass(frozen=True)
class Way:
    """A way to search nodes: the function that must have been called, and what makes it the one."""

    name: str
    module: Any
    n_classes: int
    weighted: bool = False
    in_hand: bool = True
    criterion: str = "gini"
    n_bins: int = 30

    @property
    def tuning(self) -> SearchTuning:
        """Leads nodes this way, a little at a time."""
        tuning = SearchTuning(
            chunk_values=3_000,
            rough_bins=3_000,
            shortlist_cells=0,
            rows_together=400,
            bins_per_row=1e-9 if self.name == "search_small" else 1e9,
            many_classes=2 if self.name == "search_screened" else 1_000,
            many_weighted_classes=2 if self.name == "search_screened" else 1_000,
            rows_per_cell=1e9,
            swept_classes=0,
            cells_per_row=1e9,
            stack_cells=8_000,
            stack_values=3_000,
        )
        if self.name == "refined":
            return replace(tuning, coarse_codes=20, coarse_rows=12, coarse_width=8)
        return tuning


WAYS = {
    "row counts of few classes": Way("likely_bins", feature_span, 3, in_hand=False),
    "row counts of two classes": Way("likely_bins", feature_span, 2),
    "weights of few classes": Way("likely_bins", feature_span, 3, weighted=True, criterion="entropy"),
    "misclassification": Way("likely_bins", feature_span, 2, criterion="misclassification"),
    "screened": Way("search_screened", split_finder, 20),
    "screened with weights": Way("search_screened", split_finder, 12, weighted=True, criterion="entropy"),
    "coarse bins": Way("refined", coarse, 2, n_bins=0),
    "coarse bins with weights": Way("refined", coarse, 2, weighted=True, n_bins=0),
    "swept": Way("search_small", feature_span, 2),
    "swept, many classes": Way("search_small", feature_span, 12, criterion="entropy"),
    "swept, regression": Way("search_small", feature_span, 0, weighted=True, criterion="mse"),
    "regression": Way("likely_bins", feature_span, 0, criterion="mse"),
    "weighted regression": Way("likely_bins", feature_span, 0, weighted=True, criterion="mse", in_hand=False),
}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Way]:
    """A way that is taken; fails where it was not."""
    chosen = WAYS[request.param]
    called = []
    function = getattr(chosen.module, chosen.name)

    def noted(*given: Any, **named: Any) -> Any:
        called.append(chosen.name)
        return function(*given, **named)

    monkeypatch.setattr(chosen.module, chosen.name, noted)
    yield chosen
    assert called


def problem_without(rows: RawRows, way: Way, parameters: Parameters, features: set[int]) -> tuple[Problem, Block]:
    kept = [f for f in FEATURES if f not in features]
    some = replace(rows, features=np.asarray(rows.features)[kept])
    many = np.array([FEW_ROWS + 1])
    problem, block = prepare(some, 1, way.n_classes, [KINDS[f] for f in kept], parameters, many)
    return replace(problem, tuning=way.tuning), block


def train(
    way: Way, problem: Problem, block: Block, mask: Callable[[GrowingTrees, Ints], Bools] | None = None
) -> Outcome:
    parts = cut(block, np.random.default_rng(1).permutation(block.codes.n_rows), 3)
    source = at_hand(parts) if way.in_hand else ManyBlocks(parts)
    return train_by(problem, source, mask=mask)


def assert_same_but_for_numbers_of_features(found: Outcome, expected: Outcome, number: Ints) -> None:
    """`number`: (n_features,) of the expected outcome's features in the other one."""
    for f in fields(Outcome):
        a, b = getattr(found, f.name), getattr(expected, f.name)
        if f.name == "feature":
            b = np.where(b >= 0, number[b], -1)
        elif f.name == "importance":
            a = a[:, number]
        elif f.name == "seen":  # by rows, whatever may be split by
            a, b = a[:, np.isin(a[1], number)], np.stack((b[0], number[b[1]], b[2]))
        if isinstance(a, np.ndarray):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), f.name
        else:
            assert repr(a) == repr(b), f.name


HIDDEN: list[set[int]] = [*({f} for f in FEATURES if f), {0, 1}, {0, 3, 4}, {3, 4}]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("way", "hidden"),
    [(name, hidden) for turn, name in enumerate(WAYS) for hidden in ({0}, *share(HIDDEN, 2, turn))],
    indirect=["way"],
    ids=str,
)
def test_hidden_features_might_as_well_be_missing(way: Way, hidden: set[int]) -> None:
    """Above all the winning one, which is always the first."""
    rows = sample_rows(700, way.n_classes, weighted=way.weighted)
    parameters = Parameters(way.criterion, 6, min_split=6, min_bucket=2, n_bins=way.n_bins)
    problem, block = problem_without(rows, way, parameters, set())
    if hidden == {0}:
        assert train(way, problem, block).feature[0] == 0
    allowed = np.array([f not in hidden for f in FEATURES])
    found = train(way, problem, block, lambda growing, nodes: np.tile(allowed, (len(nodes), 1)))
    assert len(found.tree) > 2
    expected = train(way, *problem_without(rows, way, parameters, hidden))
    assert_same_but_for_numbers_of_features(found, expected, np.flatnonzero(allowed))


@pytest.mark.one_in(2)
def test_a_mask_that_allows_everything_changes_nothing(way: Way) -> None:
    rows = sample_rows(700, way.n_classes, weighted=way.weighted)
    parameters = Parameters(way.criterion, 6, min_split=6, min_bucket=2, n_bins=way.n_bins)
    problem, block = problem_without(rows, way, parameters, set())
    found = train(way, problem, block, lambda growing, nodes: np.ones((len(nodes), len(KINDS)), np.bool_))
    assert_same_but_for_numbers_of_features(found, train(way, problem, block), np.arange(len(KINDS)))


def test_nothing_allowed_leaves_the_root_alone(way: Way) -> None:
    rows = sample_rows(300, way.n_classes, weighted=way.weighted)
    problem, block = problem_without(rows, way, Parameters(way.criterion, n_bins=way.n_bins), set())
    found = train(way, problem, block, lambda growing, nodes: np.zeros((len(nodes), len(KINDS)), np.bool_))
    assert found.is_leaf.tolist() == [True]


# Below every node may be split by other features.


def drawn(growing: GrowingTrees, nodes: Ints) -> Bools:
    """By a hash of the node's id; about half of the features, none of some nodes."""
    keys = growing.node_id[nodes][:, None] * 31 + np.arange(4)[None] * 1_009 + 7
    return np.asarray((keys * 2_654_435_761 % 2**32 // 65_536) % 2 == 0)


def rows_by_node(problem: Problem, block: Block, growing: GrowingTrees) -> dict[int, Ints]:
    node = np.zeros(block.codes.n_rows, np.int32)
    for _ in range(int(growing.depth.max())):
        node = growing.routing.advance(node, block.codes)
    members: dict[int, list[int]] = {n: [] for n in range(growing.n_nodes)}
    for row, at in enumerate(node.tolist()):
        while at >= 0:
            members[at].append(row)
            at = int(growing.parent[at])
    return {n: np.array(own, np.int64) for n, own in members.items()}


def moments(problem: Problem, block: Block, rows: Ints) -> Floats:
    """What the criterion sees of rows, (q, 1), without histograms."""
    weight = np.ones(len(rows))
    if block.weight is not None:
        assert problem.weight_grid
        weight = problem.weight_grid.join(block.weight[:, rows].astype(np.float64), np.zeros(len(rows), np.int64))
    if problem.n_classes:
        return np.bincount(block.target[rows], weight, minlength=problem.n_classes)[:, None]
    assert problem.target_grid
    value = problem.target_grid.join(block.target[:, rows].astype(np.float64), np.zeros(len(rows), np.int64))
    return np.array([[weight.sum()], [value.sum() / weight.sum()]])


def best_gain(problem: Problem, block: Block, rows: Ints, feature: int) -> float:
    """Over all cuts of an ordered feature, and all subsets of an unordered one's categories."""
    code = block.codes.column(feature)[rows]
    known = np.unique(code[code != MISSING]).tolist()
    if problem.unordered[feature]:
        sides = itertools.chain.from_iterable(itertools.combinations(known[1:], n) for n in range(1, len(known)))
    else:
        sides = (tuple(known[:n]) for n in range(1, len(known)))
    best = 0.0
    for side in sides:
        is_left = np.isin(code, side)
        left, right = rows[is_left], rows[~is_left & (code != MISSING)]
        if min(len(left), len(right)) >= problem.parameters.min_bucket:
            gain = criterion_of(problem).gain(moments(problem, block, left), moments(problem, block, right))
            best = max(best, float(gain[0]))
    return best


@pytest.mark.one_in(2)
def test_each_node_has_the_best_split_among_its_own_features(way: Way) -> None:
    rows = sample_rows(220, way.n_classes, weighted=way.weighted)
    parameters = Parameters(way.criterion, 5, min_split=20, min_bucket=4, n_bins=way.n_bins)
    problem, block = problem_without(rows, way, parameters, {4})
    source = at_hand([block]) if way.in_hand else ManyBlocks([block])
    growing = grown_by(problem, source, mask=drawn)
    members = rows_by_node(problem, block, growing)
    n_barred = 0
    for node in range(growing.n_nodes):
        own = members[node]
        assert len(own) == growing.n_rows[node]
        target = block.target[own] if problem.n_classes else np.arange(len(own))
        if len(own) < 20 or growing.depth[node] == 5 or len(np.unique(target)) < 2:
            assert growing.feature[node] == -1
            continue
        gains = np.array([best_gain(problem, block, own, f) for f in range(4)])
        allowed = drawn(growing, np.array([node]))[0]
        best = np.where(allowed, gains, 0.0).max()
        n_barred += best < gains.max() * (1 - 1e-9)
        if best < 1e-9:
            assert growing.feature[node] == -1
            continue
        assert growing.improvement[node] == pytest.approx(best, rel=1e-9)
        assert growing.feature[node] == np.flatnonzero(allowed & (gains >= best * (1 - 1e-9)))[0]
    assert n_barred > 1
