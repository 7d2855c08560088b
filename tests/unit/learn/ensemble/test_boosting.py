"""Rounds of trees on rows that the rounds before have changed: wherever rows are, the same, and as by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.host import TemporaryPlace
from madtree.learn.columns.new_columns import COLUMN_FUNCTIONS, ChangingRows, NewColumn
from madtree.learn.data import Array, Block, Grid, finished
from madtree.learn.ensemble import by_squared_error, grow_boosted
from madtree.learn.grow import GrowingTrees
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Problem
from madtree.learn.requests import NoAnswerError, Provider, ReplaceRequest, driven
from madtree.storage.all_rows import AllRows
from madtree.storage.blocks import BlockStore
from madtree.trees import FEW_ROWS, FeatureKind, Parameters
from tests.rounds import Limits, boosted
from tests.unit.learn.binned import at_hand, cut, problem_of, sample_rows

ANYWHERE = TemporaryPlace(None, None)
Rounds = list[tuple[Problem, GrowingTrees]]


def store_of(blocks: Sequence[Block], problem: Problem, memory_bytes: int, place: TemporaryPlace) -> BlockStore:
    store = BlockStore(problem, 200, memory_bytes, 2**20, place)
    for block in blocks:
        store.add(block)
    store.finish()
    return store


PROVIDERS: dict[str, Callable[[Problem, list[Block]], Provider]] = {
    "one block": lambda problem, blocks: at_hand([Block.join(blocks)]),
    "blocks": lambda problem, blocks: at_hand(blocks),
    "file": lambda problem, blocks: store_of(blocks, problem, 0, ANYWHERE),
    "both": lambda problem, blocks: store_of(blocks, problem, 30_000, ANYWHERE),
    "memory": lambda problem, blocks: store_of(blocks, problem, 2**30, ANYWHERE),
}


def rounds_by(problem: Problem, provider: Provider, n_rounds: int = 2) -> Rounds:
    return finished(driven(grow_boosted(problem, n_rounds, by_squared_error(problem), rows_at_hand=True), provider))


def bytes_of(rounds: Rounds) -> list[bytes]:
    return [
        b"".join(part.tobytes() for part in (of.node_id, of.n_rows, of.sums, of.feature, of.threshold, of.improvement))
        for _, of in rounds
    ]


@pytest.mark.parametrize(("weighted", "n_trees"), [(False, 1), (True, 1), (False, 3), (True, 3)])
def test_rounds_are_the_same_wherever_rows_are(weighted: bool, n_trees: int) -> None:
    parameters = Parameters("mse", 4, min_split=20, min_bucket=8, max_surrogates=1)
    rows = sample_rows(2_000, 0, weighted=weighted, n_trees=n_trees)
    problem, block = problem_of(rows, 0, parameters, n_trees)
    blocks = cut(block, np.arange(block.codes.n_rows), 9)
    found = {name: bytes_of(rounds_by(problem, make(problem, blocks), 3)) for name, make in PROVIDERS.items()}
    assert len(set(map(tuple, found.values()))) == 1
    first, second, third = found["memory"]
    assert first != second != third
    assert block.scores is None  # the caller's blocks are as they were


def test_two_rounds_are_those_that_are_found_by_looking_at_every_split() -> None:
    rng = np.random.default_rng(7)
    features = rng.integers(0, 25, (3, 400)).astype(float)
    target = np.round(np.sin(features[0] / 4) * 8 + features[1] * (features[2] > 11) / 3 + rng.normal(size=400), 3)
    parameters = Parameters("mse", 3, min_split=20, min_bucket=7)
    raw = RawRows(features, target, None, None)
    problem, block = prepare(raw, 1, 0, [FeatureKind.CONTINUOUS] * 3, parameters, np.array([FEW_ROWS + 1]))
    expected = boosted(features.tolist(), target.tolist(), Limits(3, 20, 7), 2)
    assert min(len(nodes) for nodes in expected) > 10
    for make in PROVIDERS.values():
        rounds = rounds_by(problem, make(problem, cut(block, rng.permutation(400), 3)))
        for (of_round, growing), nodes in zip(rounds, expected, strict=True):
            assert set(growing.node_id.tolist()) == nodes.keys()
            means = of_round.means(growing.sums, growing.tree) + of_round.centre[growing.tree]
            for node, n_rows, mean in zip(growing.node_id.tolist(), growing.n_rows.tolist(), means, strict=True):
                assert n_rows == nodes[node][0]
                assert mean == pytest.approx(nodes[node][1], abs=1e-9)


def _packed_bytes(block: Block) -> int:
    return sum(column.nbytes for column in block.columns if column is not None)


def test_a_column_in_a_file_is_written_over() -> None:
    """The file has the packed rows and their scores: a limit that leaves no place for more holds for many rounds."""
    problem, block = problem_of(sample_rows(3_000, 0), 0, Parameters("mse", 3))
    blocks = cut(block, np.arange(block.codes.n_rows), 3)
    limit = _packed_bytes(block) + 16 * block.codes.n_rows + 8 * 3 * 7
    store = store_of(blocks, problem, 0, TemporaryPlace(None, limit))
    assert bytes_of(rounds_by(problem, store, 6)) == bytes_of(rounds_by(problem, at_hand(blocks), 6))


def test_new_columns_count_as_memory() -> None:
    problem, block = problem_of(sample_rows(3_000, 0), 0, Parameters("mse", 3))
    blocks = cut(block, np.arange(block.codes.n_rows), 3)
    nowhere = TemporaryPlace(None, 0)  # files would be an error
    packed, scores = _packed_bytes(block), 16 * block.codes.n_rows
    with pytest.raises(MadtreeError, match="temp_file_limit"):
        rounds_by(problem, store_of(blocks, problem, packed + scores - 8, nowhere))
    assert len(rounds_by(problem, store_of(blocks, problem, packed + scores, nowhere), 6)) == 6


def test_rows_that_all_processes_share_are_not_replaced_in_silence() -> None:
    problem, block = problem_of(sample_rows(500, 0), 0, Parameters("mse", 3))
    store = store_of([block], problem, 2**30, ANYWHERE)

    class _File:
        def write(self, data: bytes, at: int) -> None: ...

    store.write_to(AllRows(problem, 500, grouped=False), _File(), 0)  # type: ignore[arg-type]
    with pytest.raises(NoAnswerError, match="ReplaceRequest"):
        store.answer(ReplaceRequest("scores", {}))


# ---- Newton's steps: the gradient is the target, the hessian the weight ------------------------------------------


def _probability(rows: ChangingRows) -> tuple[Array, Array]:
    """Of the second class by the score, and whether it is the row's."""
    scores = rows.block.scores
    assert scores is not None
    return 1 / (1 + np.exp(-scores[1])), scores[0]


def _gradients(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    probability, outcome = _probability(rows)
    return Grid(values["gradient_exponents"]).split(outcome - probability)


def _hessians(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    probability, _ = _probability(rows)
    return Grid(values["hessian_exponents"]).split(probability * (1 - probability))


def newton(problem: Problem, growing: GrowingTrees) -> tuple[list[ReplaceRequest], Problem]:
    """The next round by the log loss of two classes; the first one is by the squared error of 0 and 1."""
    gradient, hessian = (Grid.choose(np.array([most]), problem.rows, 2) for most in (1.0, 0.25))
    values = {"gradient_exponents": gradient.exponents, "hessian_exponents": hessian.exponents}
    value = {"node_value": problem.means(growing.sums, growing.tree)}
    changes = [
        ReplaceRequest("scores", value, problem, growing.routing),
        ReplaceRequest("gradients", values, problem, growing.routing),
        ReplaceRequest("hessians", values, problem, growing.routing),
    ]
    largest = np.array([4.0])  # of a gradient divided by its hessian, where a row is not decided
    return changes, replace(problem, target_grid=gradient, weight_grid=hessian, largest_target=largest)


def test_gradients_and_hessians_are_summed_as_targets_and_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where rows had no weight before: it is a new column in each store."""
    for name, column, function in (("gradients", "target", _gradients), ("hessians", "weight", _hessians)):
        monkeypatch.setitem(COLUMN_FUNCTIONS, name, NewColumn(column, function, lambda given, problem, n_nodes: {}))
    rows = sample_rows(2_000, 2)
    problem, block = problem_of(rows, 0, Parameters("mse", 3, min_split=40, min_bucket=15))
    blocks = cut(block, np.arange(block.codes.n_rows), 9)
    found = []
    for make in PROVIDERS.values():
        program = grow_boosted(problem, 4, newton, rows_at_hand=True)
        found.append(finished(driven(program, make(problem, blocks))))
    assert len({tuple(bytes_of(rounds)) for rounds in found}) == 1
    # By hand: sums of gradients and hessians over the leaves of the second round's tree, from the first round's scores.
    (first_problem, first), (second_problem, second) = found[0][:2]
    in_first, in_second = (_leaves(growing, block) for growing in (first, second))
    score = first_problem.means(first.sums, first.tree)[in_first]
    probability = 1 / (1 + np.exp(-score))
    for leaf in np.unique(in_second):
        mine = in_second == leaf
        gradient = (rows.target[mine] - probability[mine]).sum()
        hessian = (probability * (1 - probability))[mine].sum()
        tree = np.zeros(1, np.int64)
        assert second_problem.events(second.sums[:, [leaf]], tree)[0] == pytest.approx(gradient, abs=1e-9)
        assert second_problem.weights(second.sums[:, [leaf]], tree)[0] == pytest.approx(hessian, abs=1e-9)


def _leaves(growing: GrowingTrees, block: Block) -> Array:
    node = np.zeros(block.codes.n_rows, np.int32)
    for _ in range(growing.routing.rounds):
        node = growing.routing.advance(node, block.codes)
    return node
