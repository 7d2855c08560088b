"""Forests on rows at hand, against trees that are grown and counted by the general ways, and against plain Python."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from shares import share

from madtree.learn.at_hand import node_order
from madtree.learn.counting import CountRequest, PlacedBlock, RowsByNode, final, transition
from madtree.learn.data import Array, Block, Bools, Coroutine, Ints, finished
from madtree.learn.ensemble import DrawnFeatures, Forest, OutOfBag, drawn_splits, train_forest, wave_counts
from madtree.learn.ensemble.out_of_bag import Tally, nowhere
from madtree.learn.ensemble.row_order import RowOrder
from madtree.learn.grow import GrowingTrees, SplitFinder, grow, may_split
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Bootstrap, Problem, SearchTuning, identities
from madtree.learn.prune import CategorySets, Outcome, TrainedTrees, conclude
from madtree.learn.requests import Program, Provider, driven
from madtree.learn.route import Positions
from madtree.learn.split import BestSplits, SmallNodes, search_screened
from madtree.learn.waves import HeldOutRequest, Targets, TargetsRequest, WaveRequest
from madtree.trees import FEW_ROWS, ForestParameters, Parameters
from tests.unit.learn.binned import KINDS, SCREENED, at_hand, cut, sample_rows
from tests.unit.learn.unpacked import unpacked

N_TREES = 6


def forest_problem(
    n_rows: int, n_classes: int, parameters: Parameters, *, weighted: bool = False, n_trees: int = 1, seed: int = 0
) -> tuple[Problem, Block, RawRows]:
    rows = sample_rows(n_rows, n_classes, weighted=weighted, n_trees=n_trees, seed=seed)
    rows = replace(rows, identity=identities(np.arange(len(rows.target), dtype=float)))
    if parameters.criterion == "poisson":
        rows = replace(rows, target=np.floor(3 * rows.target.clip(0)))
    many = np.full(n_trees, FEW_ROWS + 1)
    problem, block = prepare(rows, n_trees, n_classes, KINDS, parameters, many, Bootstrap(1, 0, 1))
    return problem, block, rows


def forest_of(problem: Problem, blocks: list[Block], forest: ForestParameters) -> tuple[TrainedTrees, OutOfBag]:
    waves: list[TrainedTrees] = []
    program = train_forest(Forest.of(problem, forest, np.arange(problem.n_groups)), waves.append)
    said = finished(driven(program, at_hand(blocks)))
    trees = TrainedTrees.join(waves)
    return replace(trees, nodes=unpacked(trees, problem.node_layout)), said


def members(trees: TrainedTrees) -> dict[tuple[int, int], dict[str, Any]]:
    """All that is known of how each tree grew, by group and member, as text: NaN is like NaN."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for table, columns in (("trees", trees.trees), ("nodes", trees.nodes), ("surrogates", trees.surrogates)):
        for key in zip(columns.key.group.tolist(), columns.key.member.tolist(), strict=True):
            found.setdefault(key, {})
        for f in fields(columns):
            values = getattr(columns, f.name)
            if isinstance(values, CategorySets):
                values = np.split(values.indices, np.cumsum(values.sizes)[:-1]) if len(values.sizes) else []
            elif f.name in ("key", "oob_error", "is_tested"):
                continue
            for (group, member), of_tree in found.items():
                mine = np.flatnonzero((columns.key.group == group) & (columns.key.member == member))
                of_tree[f"{table}.{f.name}"] = repr([np.asarray(values[i]).tolist() for i in mine])
    return found


class ByGeneralWays:
    """The drawn features as a mask over all features, which are counted and searched as for any tree."""

    def __init__(self, problem: Problem, draws: DrawnFeatures) -> None:
        self.problem, self.draws = problem, draws

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        found = yield from self.among(growing, frontier, self.draws.drawn(growing, frontier))
        others = self.draws.others(growing, frontier)
        for place in np.flatnonzero((found.gain == 0) & may_split(self.problem, growing, frontier)).tolist():
            for feature in others[place].tolist():
                part = yield from self.among(growing, frontier[[place]], np.array([[feature]]))
                if part.gain[0] > 0:
                    found.enter(np.array([place]), part)
                    break
        return found

    def among(self, growing: GrowingTrees, nodes: Ints, features: Ints) -> Program[BestSplits]:
        allowed = np.zeros((len(nodes), self.draws.n), np.bool_)
        np.put_along_axis(allowed, features, True, axis=1)

        def mask(growing: GrowingTrees, nodes: Ints) -> Bools:
            return allowed

        return (yield from SplitFinder(self.problem, True, mask).best_splits(growing, nodes))


def by_general_ways(problem: Problem, block: Block, forest: ForestParameters) -> TrainedTrees:
    """The trees of a single wave."""
    seed = problem.parameters.seed
    wave = problem.with_replicas(Bootstrap(seed, 0, forest.n_trees, forest.sampling, forest.kept))
    draws = DrawnFeatures(seed, 0, wave.n_groups, len(KINDS), forest.n_drawn)

    def program() -> Program[Outcome]:
        growing = yield from grow(wave, True, finder_of=partial(ByGeneralWays, draws=draws))
        return (yield from conclude(wave, growing))

    group, member = (part.ravel() for part in np.meshgrid(np.arange(wave.n_groups), np.arange(forest.n_trees)))
    trees = TrainedTrees.of(finished(driven(program(), at_hand([block]))), wave, group, member).pack(wave)
    return replace(trees, nodes=unpacked(trees, problem.node_layout))


SETTINGS = {
    "two classes": (2, Parameters(min_split=2, min_bucket=1, cp=-1, n_bins=20), False, 1),
    "weighted classes": (3, Parameters(min_split=4, min_bucket=2, cp=-1, n_bins=16), True, 1),
    "entropy": (3, Parameters("entropy", min_split=2, min_bucket=1, cp=-1, n_bins=20), False, 1),
    "many classes": (12, Parameters(min_split=2, min_bucket=1, cp=-1, n_bins=20), False, 1),
    "many weighted classes": (9, Parameters("entropy", min_split=4, min_bucket=2, cp=-1, n_bins=16), True, 2),
    "surrogates": (2, Parameters(min_split=20, min_bucket=5, cp=-1, n_bins=20, max_surrogates=2), False, 1),
    "numbers": (0, Parameters("mse", min_split=5, min_bucket=1, cp=-1, n_bins=20), False, 1),
    "weighted numbers": (0, Parameters("mse", min_split=5, min_bucket=3, cp=-1, n_bins=20), True, 1),
    "weighted counts": (0, Parameters("poisson", min_split=5, min_bucket=3, cp=-1, n_bins=20), True, 2),
    "groups": (2, Parameters(min_split=2, min_bucket=1, cp=-1, n_bins=20), False, 3),
    "deep": (2, Parameters(max_depth=60, min_split=2, min_bucket=1, cp=-1, n_bins=20), False, 1),
}


IN_SMALL_STACKS = replace(SCREENED, stack_values=300, copied_codes=700)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", SETTINGS)
def test_trees_are_those_of_the_general_ways(name: str) -> None:
    """Whatever counting takes over at which size, and however many trees are grown together."""
    n_classes, parameters, weighted, n_groups = SETTINGS[name]
    problem, block, _ = forest_problem(300, n_classes, parameters, weighted=weighted, n_trees=n_groups)
    forest = ForestParameters(N_TREES, 2)
    expected = members(by_general_ways(problem, block, forest))
    assert len(expected) == n_groups * N_TREES
    others = (
        SearchTuning(wave_rows=1, stretch_rows=50, node_rows=20, piece_rows=7, counted_cells=0),
        SearchTuning(wave_nodes=1, bins_per_row=1e9, node_rows=1, drawn_bytes=1),
        SearchTuning(bins_per_row=1e-9, counted_cells=0),
        IN_SMALL_STACKS,
    )
    for tuning in (SearchTuning(), *share(others, 4, [*SETTINGS].index(name) // 2)):
        grown, _ = forest_of(replace(problem, tuning=tuning), [block], forest)
        assert members(grown) == expected


class BlocksElsewhere(Provider):
    """Counts, and has no single rows but for those that are out of bag."""

    def __init__(self, blocks: list[Block]) -> None:
        positions = Positions(2**20)
        self._placed = [PlacedBlock(number, block, positions) for number, block in enumerate(blocks)]
        self._at_hand = at_hand(blocks)

    def wave(self, request: WaveRequest) -> Coroutine[Any]:
        return (yield from driven(request.ensemble.grow(request.number, rows_at_hand=False), self))

    def count(self, request: CountRequest) -> Coroutine[Array]:
        yield
        return final(transition(None, self._placed, request))

    def out_of_bag(self, request: HeldOutRequest | TargetsRequest) -> Coroutine[Any]:
        return (yield from self._at_hand.answer(request))

    held_out = targets = out_of_bag


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "memory_mb"), [(name, size) for turn, name in enumerate(SETTINGS) for size in share((1, 64), 2, turn)]
)
def test_trees_are_the_same_where_rows_are_not_at_hand(name: str, memory_mb: int) -> None:
    n_classes, parameters, weighted, n_groups = SETTINGS[name]
    parameters = replace(parameters, memory_bytes=memory_mb * 2**20)
    problem, block, _ = forest_problem(300, n_classes, parameters, weighted=weighted, n_trees=n_groups)
    forest = ForestParameters(N_TREES, 2, n_permutations=1)
    expected, said = forest_of(problem, [block], forest)
    waves: list[TrainedTrees] = []
    spread = Forest.of(problem, forest, np.arange(problem.n_groups), rows_at_hand=False)
    assert spread.n_waves == (N_TREES if memory_mb == 1 else 1)
    halves = [block.take(np.arange(150)), block.take(np.arange(150, block.codes.n_rows))]
    found = finished(driven(train_forest(spread, waves.append), BlocksElsewhere(halves)))
    trees = TrainedTrees.join(waves)
    assert members(replace(trees, nodes=unpacked(trees, problem.node_layout))) == members(expected)
    for name in ("error", "score", "importance", "importance_sd", "votes", "seen"):
        np.testing.assert_array_equal(getattr(found, name), getattr(said, name))


def test_nodes_of_many_classes_are_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above has tried it."""
    n_classes, parameters, *_ = SETTINGS["many classes"]
    problem, block, _ = forest_problem(300, n_classes, parameters)
    screened = []

    def noted(problem: Problem, small: SmallNodes, *others: Any) -> None:
        screened.append(len(small.tree))
        search_screened(problem, small, *others)

    monkeypatch.setattr(drawn_splits, "search_screened", noted)
    grown, _ = forest_of(replace(problem, tuning=IN_SMALL_STACKS), [block], ForestParameters(N_TREES, 2))
    n_split = np.count_nonzero(grown.nodes.feature >= 0)
    assert sum(screened) > n_split - N_TREES > N_TREES  # all but the roots, and some that cannot be split


@pytest.mark.in_turn
@pytest.mark.parametrize("rows_of_an_id", [1, 3])
@pytest.mark.parametrize("name", ["weighted classes", "weighted numbers", "groups"])
def test_nothing_depends_on_how_rows_lie(name: str, rows_of_an_id: int) -> None:
    n_classes, parameters, weighted, n_groups = SETTINGS[name]
    problem, block, _ = forest_problem(700, n_classes, parameters, weighted=weighted, n_trees=n_groups)
    number = np.arange(block.codes.n_rows) // rows_of_an_id
    block = replace(block, identity=identities(number.astype(float)))
    forest = ForestParameters(N_TREES, 2, kept=0.8, n_permutations=2)
    grown, said = forest_of(problem, [block], forest)
    order = np.random.default_rng(5).permutation(block.codes.n_rows)
    shuffled, said_too = forest_of(replace(problem, tuning=SearchTuning(wave_rows=1)), cut(block, order, 4), forest)
    assert members(shuffled) == members(grown)
    for field in ("error", "score", "importance", "importance_sd"):
        assert getattr(said_too, field).tobytes() == getattr(said, field).tobytes()
    for field in ("votes", "prediction"):
        assert np.array_equal(getattr(said_too, field), getattr(said, field)[order])


def test_only_so_many_rows_are_counted_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be they of a node that is large, or of its children that they have just come to."""
    problem, block, _ = forest_problem(2_000, 2, SETTINGS["two classes"][1])
    problem = replace(problem, tuning=replace(problem.tuning, stretch_rows=500, piece_rows=200))
    sizes = []

    def watched(state: Array | None, rows: RowsByNode, request: CountRequest) -> Array:
        sizes.append((len(rows.nodes) > 1, len(rows.rows)))
        return transition(state, rows, request)

    monkeypatch.setattr(node_order, "transition", watched)
    forest_of(problem, [block], ForestParameters(3, 2))
    assert 150 < max(size for is_several, size in sizes if not is_several) <= 200
    assert 200 < max(size for is_several, size in sizes if is_several) <= 500


def test_each_split_is_the_best_among_the_drawn_features() -> None:
    """In exact fractions, by the rows of the node; on going, where none of the drawn ones can split."""
    parameters = Parameters(max_depth=6, min_split=2, min_bucket=2, cp=-1, n_bins=8, seed=3)
    rng = np.random.default_rng(2)
    features = np.floor(rng.random((4, 250)) * 8)
    features[3] = 0  # can split nothing
    target = ((features[0] + features[1] > 7) ^ (rng.random(250) < 0.1)).astype(float)
    rows = RawRows(features, target, None, None, identity=identities(np.arange(250.0)))
    problem, block = prepare(rows, 1, 2, KINDS[:1] * 4, parameters, replicas=Bootstrap(3, 0, 1))
    grown, _ = forest_of(problem, [block], ForestParameters(3, 1))
    nodes, bags = grown.nodes, Bootstrap(3, 0, 3)
    draws = DrawnFeatures(3, 0, 1, 4, 1)
    n_drawn_on = 0
    for member in range(3):
        times = bags.multiplicity(block, member)
        assert times is not None
        mine = np.flatnonzero(nodes.key.member == member)
        of_node = {int(nodes.node_id[i]): i for i in mine}
        todo = [(0, np.flatnonzero(times))]
        for node_id, own in todo:
            at = of_node[node_id]
            asked = as_growing(member, node_id)
            order = [*draws.drawn(asked, np.array([0]))[0].tolist(), *draws.others(asked, np.array([0]))[0].tolist()]
            gains = {feature: dict(gains_of(features[feature][own], target[own], times[own])) for feature in order}
            possible = [feature for feature in order if any(gain > 0 for gain in gains[feature].values())]
            if nodes.feature[at] < 0:
                assert not possible or nodes.depth[at] == 6 or len(set(target[own])) == 1
                continue
            n_drawn_on += possible[0] != order[0]
            best = max(gains[possible[0]].values())
            assert nodes.feature[at] == possible[0]
            right = features[possible[0]][own] > nodes.threshold[at]
            assert gains[possible[0]][float(features[possible[0]][own[~right]].max())] == best
            assert nodes.improvement[at] == pytest.approx(float(best))
            todo += [(2 * node_id + 1, own[~right]), (2 * node_id + 2, own[right])]
    assert n_drawn_on > 5


def as_growing(member: int, node_id: int) -> GrowingTrees:
    growing = GrowingTrees(1, 1)
    growing.tree, growing.node_id = np.array([member], np.int32), np.array([node_id])
    return growing


def gains_of(values: Any, target: Any, times: Any) -> Iterator[tuple[float, Fraction]]:
    """Gini gains, weighted by rows, of the splits behind each value that leave two rows on either side."""
    total = [int(times[target == k].sum()) for k in (0, 1)]
    for value in sorted(set(values.tolist()))[:-1]:
        left = [int(times[(target == k) & (values <= value)].sum()) for k in (0, 1)]
        right = [t - own for t, own in zip(total, left, strict=True)]
        if min(sum(left), sum(right)) >= 2:
            impurity = [
                sum(side) * (1 - sum(Fraction(n, sum(side)) ** 2 for n in side)) for side in (total, left, right)
            ]
            yield value, impurity[0] - impurity[1] - impurity[2]


@pytest.mark.parametrize("n_classes", [0, 3])
def test_out_of_bag_rows_are_asked_of_the_trees_that_have_not_seen_them(n_classes: int) -> None:
    """Row by row in plain Python, on raw values."""
    parameters = Parameters("gini" if n_classes else "mse", max_depth=4, min_split=4, min_bucket=2, cp=-1, n_bins=20)
    rng = np.random.default_rng(4)
    features = rng.normal(size=(3, 120))
    signal = features[0] - features[1]
    target = np.digitize(signal, [-0.8, 0.8]).astype(float) if n_classes else signal
    weight = rng.integers(1, 4, 120).astype(float)
    rows = RawRows(features, target, weight, None, identity=identities(np.arange(120.0)))
    problem, block = prepare(rows, 1, n_classes, KINDS[:1] * 3, parameters, replicas=Bootstrap(1, 0, 1))
    grown, said = forest_of(problem, [block], ForestParameters(7, 2))
    nodes, bags = grown.nodes, Bootstrap(1, 0, 7)
    answers: list[list[float]] = [[] for _ in range(120)]
    for member in range(7):
        of_node = {int(nodes.node_id[i]): i for i in np.flatnonzero(nodes.key.member == member)}
        for row in np.flatnonzero(bags.multiplicity(block, member) == 0).tolist():
            node = 0
            while nodes.feature[at := of_node[node]] >= 0:
                node = 2 * node + 1 + int(features[nodes.feature[at], row] > nodes.threshold[at])
            answers[row].append(float(nodes.prediction[at]))
    asked = [row for row in range(120) if answers[row]]
    assert [len(own) for own in answers] == said.votes.tolist()
    assert grown.trees.oob_error[-1] == said.error[0]
    assert grown.trees.is_tested.all()
    assert 60 < len(asked) < 120
    total = sum(weight[row] for row in asked)
    if n_classes:
        chosen = {row: max(range(3), key=lambda k: (answers[row].count(k), -k)) for row in asked}
        wrong = sum(weight[row] for row in asked if chosen[row] != target[row])
        assert said.error[0] == pytest.approx(wrong / total)
        assert said.score[0] == pytest.approx(1 - wrong / total)
        assert all(said.prediction[row] == chosen[row] for row in asked)
    else:
        mean = {row: sum(answers[row]) / len(answers[row]) for row in asked}
        squares = sum(weight[row] * (target[row] - mean[row]) ** 2 for row in asked)
        middle = sum(weight[row] * target[row] for row in asked) / total
        spread = sum(weight[row] * (target[row] - middle) ** 2 for row in asked)
        assert said.error[0] == pytest.approx(squares / total)
        assert said.score[0] == pytest.approx(1 - squares / spread)


@pytest.mark.parametrize("n_classes", [0, 2])
def test_permuting_noise_costs_about_nothing_and_signal_much(n_classes: int) -> None:
    rng = np.random.default_rng(7)
    features = rng.normal(size=(5, 1500))
    signal = 2 * features[0] + features[1]
    target = (signal > 0).astype(float) if n_classes else signal
    parameters = Parameters("gini" if n_classes else "mse", max_depth=60, min_split=2, min_bucket=1, cp=-1)
    rows = RawRows(features, target, None, None, identity=identities(np.arange(1500.0)))
    problem, block = prepare(rows, 1, n_classes, KINDS[:1] * 5, parameters, replicas=Bootstrap(1, 0, 1))
    _, said = forest_of(problem, [block], ForestParameters(40, 2, n_permutations=1))
    assert said.importance is not None
    assert said.importance_sd is not None
    first, second, *noise = said.importance[0].tolist()
    assert first > 2 * second > 10 * max(map(abs, noise))
    # The mean of forty trees; noise may be negative, and is not moved.
    assert min(noise) < 0.01 * second
    assert all(
        abs(one) < 5 * sd / 40**0.5 + 0.01 * second for one, sd in zip(noise, said.importance_sd[0, 2:], strict=True)
    )


def test_of_each_tree_only_features_that_it_asks_for_are_permuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of a wave ask for different ones, of a wide table each for a few of all."""
    rng = np.random.default_rng(7)
    features = rng.normal(size=(300, 60))
    rows = RawRows(features, (features[0] > 0).astype(float), None, None, identity=identities(np.arange(60.0)))
    parameters = Parameters(min_split=2, min_bucket=1, cp=-1)
    problem, block = prepare(rows, 1, 2, KINDS[:1] * 300, parameters, replicas=Bootstrap(1, 0, 1))
    n_permuted = 0

    def counted(order: RowOrder, hashed: Ints) -> Ints:
        nonlocal n_permuted
        n_permuted += 1
        return permutation(order, hashed)

    permutation = RowOrder.permutation
    monkeypatch.setattr(RowOrder, "permutation", counted)
    grown, said = forest_of(problem, [block], ForestParameters(N_TREES, 17, n_permutations=2))
    inner = grown.nodes.feature >= 0
    asked = set(zip(grown.nodes.key.member[inner].tolist(), grown.nodes.feature[inner].tolist(), strict=True))
    assert n_permuted == 2 * len(asked)
    assert said.importance is not None
    assert set(np.flatnonzero(said.importance[0]).tolist()) <= {feature for _, feature in asked}


def test_a_group_s_forest_is_that_of_its_rows_alone() -> None:
    n_classes, parameters, _, n_groups = SETTINGS["groups"]
    problem, block, rows = forest_problem(800, n_classes, parameters, n_trees=n_groups)
    forest = ForestParameters(N_TREES, 2, n_permutations=1)
    grown, said = forest_of(problem, [block], forest)
    together = members(grown)
    assert rows.tree is not None
    for group in range(n_groups):
        own = rows.select(rows.tree == group)
        prepared = partial(prepare, replace(own, tree=None), 1, n_classes, KINDS, parameters)
        alone, mine = prepared(np.array([FEW_ROWS + 1]), Bootstrap(1, 0, 1))
        of_group, says = forest_of(alone, [mine], forest)
        for member in range(N_TREES):
            assert members(of_group)[0, member] == together[group, member]
        assert says.error[0] == said.error[group]
        assert says.importance is not None
        assert said.importance is not None
        assert np.array_equal(says.importance[0], said.importance[group])


@pytest.mark.parametrize("n_classes", [0, 2])
def test_sums_are_exact_however_often_a_row_is_drawn(n_classes: int) -> None:
    """A group of one row, which many trees draw several times."""
    parameters = Parameters("gini" if n_classes else "mse", min_split=2, min_bucket=1, cp=-1)
    rows = sample_rows(200, n_classes, weighted=True)
    assert rows.weight is not None
    rows = replace(
        rows,
        weight=rows.weight / 3,
        tree=np.minimum(np.arange(200), 1),
        identity=identities(np.arange(200.0)),
    )
    problem, block = prepare(rows, 2, n_classes, KINDS, parameters, replicas=Bootstrap(1, 0, 1))
    trees, _ = forest_of(problem, [block], ForestParameters(300, 2))
    alone = trees.nodes.key.group == 0
    times = trees.nodes.n_rows[alone]
    assert times.max() > 4
    assert trees.nodes.weight[alone] == pytest.approx(times * rows.weight[0])


@pytest.mark.parametrize("n_classes", [0, 2])
def test_other_trees_grow_where_none_of_a_group_s_rows_is_drawn(n_classes: int) -> None:
    """Of two groups, one of a single row: also where its tree is the last one of a wave."""
    parameters = Parameters("gini" if n_classes else "mse", min_split=2, min_bucket=1, cp=-1)
    rows = replace(sample_rows(60, n_classes, seed=1), tree=np.arange(60) // 59, identity=identities(np.arange(60.0)))
    problem, block = prepare(rows, 2, n_classes, KINDS, parameters, replicas=Bootstrap(1, 0, 1))
    drawn = np.array([Bootstrap(1, 0, 30).multiplicity(block, replica)[-1] for replica in range(30)])
    last = int(np.flatnonzero(drawn == 0)[-1]) + 1
    assert last > 1
    trees = forest_of(problem, [block], ForestParameters(last, 2))[0].trees
    assert trees.n_nodes[trees.key.group == 0].min() > 5
    assert trees.n_nodes[trees.key.group == 1].tolist() == [1] * last


def test_waves_are_as_large_as_may_be_unless_others_are_to_have_some() -> None:
    tuning, one = SearchTuning(wave_rows=1_000), np.array([100])
    of_wave = tuning, one, 3, 2
    assert [wave_counts(*of_wave, n_trees, 1)[0] for n_trees in (1, 10, 11, 100)] == [1, 1, 2, 10]
    assert [wave_counts(*of_wave, n_trees, 2) for n_trees in (1, 10, 11, 100)] == [(1, 1), (1, 4), (2, 4), (10, 10)]
    problem, _, _ = forest_problem(100, 2, Parameters(max_depth=3))
    problem = replace(problem, tuning=tuning)
    for n_processes, n_waves in ((1, 1), (2, 4), (5, 10)):
        assert Forest.of(problem, ForestParameters(10, 2), np.arange(1), n_processes).n_waves == n_waves


def test_no_wave_stays_in_memory_for_what_is_kept_of_it() -> None:
    """What a worker hands over is read as views of one string of bytes."""
    problem, block, _ = forest_problem(50, 2, Parameters())
    n_rows, n_features = block.codes.n_rows, len(problem.unordered)
    tally = Tally(problem, ForestParameters(2, 2, n_permutations=1), Targets(block.target, None, None, n_rows))
    read = np.zeros(n_rows + n_features)
    whole = weakref.ref(read)
    ends = np.full((1, n_rows), nowhere(np.dtype(np.uint16)), np.uint16)
    tally.add(0, np.zeros(1, np.int64), ends, read[:n_features].reshape(1, 1, n_features))
    del read
    assert whole() is None
    assert tally.result().importance is not None


def test_the_spread_of_importance_is_unknown_with_fewer_than_two_trees_with_out_of_bag_rows() -> None:
    problem, block, _ = forest_problem(50, 2, Parameters())
    n_rows, n_features = block.codes.n_rows, len(problem.unordered)
    ends = np.full((1, n_rows), nowhere(np.dtype(np.uint16)), np.uint16)
    tally = Tally(problem, ForestParameters(3, 2, n_permutations=1), Targets(block.target, None, None, n_rows))
    expected = [(np.nan, np.nan), (0.25, np.nan), (0.5, 0.125**0.5)]
    for member, (lost, (mean, spread)) in enumerate(zip([np.nan, 0.25, 0.75], expected, strict=True)):
        tally.add(member, np.zeros(1, np.int64), ends, np.full((1, 1, n_features), lost))
        said = tally.result()
        assert said.importance is not None
        assert said.importance_sd is not None
        np.testing.assert_array_equal(said.importance, np.full((1, n_features), mean))
        np.testing.assert_array_equal(said.importance_sd, np.full((1, n_features), spread))
