"""Boosted models: the same wherever rows are; as scikit-learn grows them; and as found by looking at every split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from shares import share
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from madtree.errors import MadtreeError
from madtree.host import TemporaryFile, TemporaryPlace
from madtree.learn.data import Array, Block, Coroutine, Floats, codec, finished, nested
from madtree.learn.ensemble import Boosting, train_boosted
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Problem, identities
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import (
    NoAnswerError,
    Provider,
    RememberRequest,
    ReplaceRequest,
    Request,
    SampleRequest,
    SumsRequest,
    driven,
)
from madtree.storage.all_rows import AllRows
from madtree.storage.blocks import BlockLimits, BlockStore
from madtree.trees import BoostParameters, FeatureKind, NodeLayout, Parameters
from tests.rounds import Limits, boosted
from tests.unit.learn.binned import at_hand, cut, problem_of, sample_rows

ANYWHERE = TemporaryPlace(None, None)
Grown = tuple[list[TrainedTrees], TrainedTrees]
_WRITE = TemporaryFile.write


def store_of(blocks: Sequence[Block], problem: Problem, memory_bytes: int, place: TemporaryPlace) -> BlockStore:
    store = BlockStore(problem, BlockLimits(200, memory_bytes, 2**20), place)
    for block in blocks:
        store.add(block)
    store.finish()
    return store


PROVIDERS: dict[str, Callable[[Problem, list[Block]], Provider]] = {
    "one block": lambda problem, blocks: at_hand([Block.join(blocks)]),
    "blocks": lambda problem, blocks: at_hand(blocks),
    "file": lambda problem, blocks: store_of(blocks, problem, 0, ANYWHERE),
    "both": lambda problem, blocks: store_of(blocks, problem, 60_000, ANYWHERE),
    "memory": lambda problem, blocks: store_of(blocks, problem, 2**30, ANYWHERE),
}


def finished_by(provider: Provider, request: Request | None) -> Any:
    assert request is not None
    return finished(provider.answer(request))


def grown_by(problem: Problem, provider: Provider, parameters: BoostParameters) -> Grown:
    trees: list[TrainedTrees] = []
    boosting = Boosting(problem, parameters, np.arange(1, problem.n_trees + 1))
    said = finished(driven(train_boosted(boosting, trees.append, rows_at_hand=True), provider))
    return trees, said


def bytes_of(grown: Grown) -> bytes:
    return b"".join(codec.dump(nested.flatten(part)) for part in [*grown[0], grown[1]])


def nodes_of(trees: TrainedTrees, problem: Problem) -> np.ndarray[Any, Any]:
    """The nodes of one tree."""
    layout = NodeLayout(False, 0, True, bool(problem.unordered.any()))
    return np.frombuffer(trees.packed.records.tobytes(), np.dtype(layout.big_endian))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("turn", "loss", "n_classes", "weighted", "n_trees", "more"),
    [
        (0, "squared_error", 0, False, 1, {}),
        (1, "squared_error", 0, True, 3, {"held_out": 0.3, "patience": 2}),
        (2, "log_loss", 2, False, 3, {"subsample": 0.6, "feature_fraction": 0.5}),
        (3, "log_loss", 4, True, 1, {"held_out": 0.2, "subsample": 0.8}),
        (4, "exponential", 2, True, 1, {}),
        (5, "absolute_error", 0, False, 1, {"held_out": 0.3, "patience": 2}),
        (6, "quantile", 0, True, 3, {"subsample": 0.7, "loss_quantile": 0.8}),
        (7, "huber", 0, False, 3, {"held_out": 0.2, "subsample": 0.8, "loss_quantile": 0.9}),
        (8, "huber", 0, True, 1, {"loss_quantile": 0.7}),
    ],
)
def test_a_model_is_the_same_wherever_rows_are(
    turn: int, loss: str, n_classes: int, weighted: bool, n_trees: int, more: dict[str, Any]
) -> None:
    criterion = "gini" if n_classes else "mse"
    parameters = Parameters(criterion, 60, min_split=20, min_bucket=8, cp=-1.0, max_leaf_nodes=9)
    rows = sample_rows(2_000, n_classes, weighted=weighted, n_trees=n_trees)
    rows = replace(rows, identity=identities(np.arange(2_000.0)))
    problem, block = problem_of(rows, n_classes, parameters, n_trees)
    order = np.random.default_rng(2).permutation(block.codes.n_rows)
    blocks = cut(block, np.arange(block.codes.n_rows), 9)
    of_model = BoostParameters(loss, 2 if n_classes > 2 else 4, **more)  # of many classes a round is as many trees
    names = ["one block", *share([name for name in PROVIDERS if name != "one block"], 2, turn)]
    found = {name: bytes_of(grown_by(problem, PROVIDERS[name](problem, blocks), of_model)) for name in names}
    found["shuffled"] = bytes_of(grown_by(problem, at_hand(cut(block, order, 5)), of_model))
    assert len(set(found.values())) == 1, {name: len(data) for name, data in found.items()}
    assert block.scores is None  # the caller's blocks are as they were


def raw_scores(
    features: Floats,
    target: Floats,
    n_classes: int,
    loss: str,
    n_rounds: int,
    weight: Floats | None = None,
    min_bucket: int = 20,
    kinds: Sequence[FeatureKind] | None = None,
    **more: Any,
) -> Floats:
    """(n_rows, n_scores) of the training rows; of features (n_rows, n_features), continuous where `kinds` is None."""
    kinds = kinds or [FeatureKind.CONTINUOUS] * features.shape[1]
    given = {"max_leaf_nodes": 31, "n_bins": 255, "cp": -1.0, "min_split": 2 * min_bucket, "min_bucket": min_bucket}
    parameters = Parameters("gini" if n_classes else "mse", 60, **{**given, **more})
    raw = RawRows(features.T.copy(), target.astype(float), weight, None)
    problem, block = prepare(raw, 1, n_classes, kinds, parameters)
    store = store_of([block], problem, 2**30, ANYWHERE)
    grown_by(problem, store, BoostParameters(loss, n_rounds))
    (kept,) = store._kept
    lines = np.asarray(kept.columns["scores"])
    first = 1 + (weight is not None)
    return lines[first : first + (n_classes if n_classes > 2 else 1)].T


@pytest.mark.one_in(3)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "n_classes"), [("log_loss", 2), ("log_loss", 4), ("squared_error", 0), ("poisson", 0), ("gamma", 0)]
)
def test_it_is_scikit_learns(loss: str, n_classes: int, weighted: bool) -> None:
    """Scores after 20 rounds, of features with at most 255 values. scikit-learn's gradients are of single precision."""
    rng = np.random.default_rng(11)
    features = rng.integers(0, 200, (3_000, 4)).astype(float)
    x = features / 200
    z = 4 * x[:, 0] * x[:, 1] - 3 * x[:, 2] + rng.normal(size=len(x)) / 2
    target = {
        "squared_error": z,
        "poisson": rng.poisson(np.exp(z / 2)).astype(float),
        "gamma": rng.gamma(2, np.exp(z / 3)),
    }.get(loss, np.digitize(z, [-0.5] if n_classes == 2 else [-1.5, -0.5, 0.5]))
    weight = rng.random(len(x)) + 0.5 if weighted else None
    make = HistGradientBoostingClassifier if n_classes else HistGradientBoostingRegressor
    other = make(loss=loss, max_iter=20, early_stopping=False).fit(features, target, sample_weight=weight)
    expected = other._raw_predict(features)
    found = raw_scores(features, target, n_classes, loss, 20, weight)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_it_is_scikit_learns_with_an_l2_penalty_and_few_leaves() -> None:
    rng = np.random.default_rng(5)
    features = rng.integers(0, 90, (2_000, 3)).astype(float)
    target = (features[:, 0] > 40) * 2.0 + features[:, 1] / 50 + rng.normal(size=2_000) / 3
    other = HistGradientBoostingRegressor(
        max_iter=5,
        early_stopping=False,
        l2_regularization=3.0,
        max_leaf_nodes=6,
        min_samples_leaf=30,
        learning_rate=0.3,
    ).fit(features, target)
    more = {"l2": 3.0, "max_leaf_nodes": 6, "learning_rate": 0.3}
    found = raw_scores(features, target, 0, "squared_error", 5, min_bucket=30, **more)
    np.testing.assert_allclose(found, other._raw_predict(features), rtol=1e-5, atol=1e-6)


def test_a_weight_of_three_is_three_copies() -> None:
    rng = np.random.default_rng(3)
    features, times = rng.integers(0, 60, (500, 3)).astype(float), rng.integers(1, 4, 500)
    target = features[:, 0] / 9 + rng.normal(size=500)
    by_weight = raw_scores(features, target, 0, "squared_error", 6, times.astype(float), min_bucket=1)
    copies = np.repeat(np.arange(500), times)
    by_copies = raw_scores(features[copies], target[copies], 0, "squared_error", 6, min_bucket=1)
    np.testing.assert_allclose(by_weight[copies], by_copies, rtol=1e-6, atol=1e-7)


def test_two_rounds_are_those_that_are_found_by_looking_at_every_split() -> None:
    rng = np.random.default_rng(7)
    features = rng.integers(0, 25, (3, 400)).astype(float)
    target = np.round(np.sin(features[0] / 4) * 8 + features[1] * (features[2] > 11) / 3 + rng.normal(size=400), 3)
    target -= target.mean()  # the first tree is grown on what the mean leaves
    expected = boosted(features.tolist(), target.tolist(), Limits(3, 20, 7), 2)
    assert min(len(nodes) for nodes in expected) > 10
    parameters = Parameters("mse", 3, min_split=20, min_bucket=7, cp=-1.0, learning_rate=1.0)
    raw = RawRows(features, target, None, None)
    problem, block = prepare(raw, 1, 0, [FeatureKind.CONTINUOUS] * 3, parameters)
    trees, _ = grown_by(problem, at_hand([block]), BoostParameters("squared_error", 2))
    for of_round, nodes in zip(trees, expected, strict=True):
        found = nodes_of(of_round, problem)
        assert found["node_id"].tolist() == sorted(nodes)
        for node in found:
            n_rows, mean = nodes[int(node["node_id"])]
            assert node["n_rows"] == n_rows
            assert float(node["prediction"]) == pytest.approx(mean, abs=1e-6)


# ---- rows that are held out ---------------------------------------------------------------------------------------


def held_out_example(patience: int = 3, rounds: int = 40, seed: int = 1) -> tuple[Problem, Block]:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 50, (3, 600)).astype(float)
    target = (rng.random(600) < 0.3 + 0.4 * (features[0] > 25)).astype(float)
    parameters = Parameters("gini", 60, min_split=10, min_bucket=5, cp=-1.0, max_leaf_nodes=8, learning_rate=0.5)
    rows = RawRows(features, target, None, None, identity=identities(np.arange(600.0)))
    return prepare(rows, 1, 2, [FeatureKind.CONTINUOUS] * 3, parameters)


def test_growth_stops_and_the_model_ends_at_the_least_loss_of_rows_held_out() -> None:
    problem, block = held_out_example()
    trees, said = grown_by(problem, at_hand([block]), BoostParameters("log_loss", 40, held_out=0.3, patience=3))
    losses = said.rounds.held_out
    assert len(losses) < 41
    assert said.rounds.number.tolist() == list(range(len(losses)))
    best = int(losses.argmin())
    assert said.boosted.n_rounds.tolist() == [best] == [len(trees)]
    assert len(losses) == best + 3 + 1  # three rounds without a lower one
    assert (np.diff(said.rounds.training) < 0).all()
    assert 0.2 < said.boosted.n_held_out[0] / said.boosted.n_rows[0] < 0.4
    # The same rounds without looking at the loss.
    longer = BoostParameters("log_loss", best, held_out=0.3, patience=40)
    again = grown_by(problem, at_hand([block]), longer)[0]
    assert [tree.packed.records.tobytes() for tree in again] == [tree.packed.records.tobytes() for tree in trees]


def test_rows_that_are_held_out_teach_nothing() -> None:
    problem, block = held_out_example()
    trees, said = grown_by(problem, at_hand([block]), BoostParameters("log_loss", 5, held_out=0.3, patience=9))
    from madtree.learn.problem.sampled import held_out_rows

    assert block.identity is not None
    taught = np.flatnonzero(held_out_rows(block.identity, 0.3, problem.parameters.seed) == 0)
    assert len(taught) == said.boosted.n_rows[0] - said.boosted.n_held_out[0]
    alone, alone_said = grown_by(problem, at_hand([block.take(taught)]), BoostParameters("log_loss", len(trees)))
    assert np.array_equal(said.boosted.base, alone_said.boosted.base)
    assert [tree.packed.records.tobytes() for tree in alone] == [tree.packed.records.tobytes() for tree in trees]


def test_losses_are_means_of_the_losses_of_rows() -> None:
    problem, block = held_out_example()
    _, said = grown_by(problem, at_hand([block]), BoostParameters("log_loss", 1))
    share = block.target.mean()
    expected = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    assert said.rounds.training[0] == pytest.approx(expected, rel=1e-12)
    assert np.isnan(said.rounds.held_out).all()


# ---- where columns are kept ---------------------------------------------------------------------------------------


def _packed_bytes(block: Block) -> int:
    return sum(column.nbytes for column in block.columns if column is not None)


def _of_numbers() -> tuple[Problem, Block]:
    return problem_of(sample_rows(3_000, 0), 0, Parameters("mse", 60, cp=-1.0, max_leaf_nodes=5))


def test_a_column_in_a_file_is_written_over() -> None:
    """The file has the packed rows, and what they get at first: a limit that leaves no place for more is enough for
    many rounds.
    """
    problem, block = _of_numbers()
    blocks = cut(block, np.arange(block.codes.n_rows), 3)
    got = 8 * 4 * block.codes.n_rows  # two lines of scores, a gradient and a hessian, of which the target is as wide
    limit = _packed_bytes(block) + got + 8 * 3 * 7
    model = BoostParameters("squared_error", 6)
    store = store_of(blocks, problem, 0, TemporaryPlace(None, limit))
    assert bytes_of(grown_by(problem, store, model)) == bytes_of(grown_by(problem, at_hand(blocks), model))


@pytest.mark.parametrize("more", [{}, {"top_rate": 0.2, "other_rate": 0.1}])
def test_no_column_is_written_to_a_file_twice(more: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Later rounds write over it where the file is mapped."""
    rows = replace(sample_rows(3_000, 0), identity=identities(np.arange(3_000.0)))
    problem, block = problem_of(rows, 0, Parameters("mse", 60, cp=-1.0, max_leaf_nodes=5))
    blocks = cut(block, np.arange(block.codes.n_rows), 3)
    written: list[int] = []

    def write(self: TemporaryFile, data: bytes | bytearray | memoryview, at: int) -> None:
        written.extend([at] * (len(data) > 0))
        return _WRITE(self, data, at)

    monkeypatch.setattr(TemporaryFile, "write", write)
    # Rows are drawn after ten rounds only.
    grown = grown_by(problem, store_of(blocks, problem, 0, ANYWHERE), BoostParameters("squared_error", 14, **more))
    assert len(grown[0]) == 14
    assert len(set(written)) == len(written) >= 3 * 5


def test_new_columns_count_as_memory() -> None:
    problem, block = _of_numbers()
    blocks = cut(block, np.arange(block.codes.n_rows), 3)
    nowhere = TemporaryPlace(None, 0)  # files would be an error
    target_limbs = block.target.shape[0]
    packed, got = _packed_bytes(block), 8 * (2 + 1 + 1 - target_limbs) * block.codes.n_rows
    model = BoostParameters("squared_error", 3)
    with pytest.raises(MadtreeError, match="temp_file_limit"):
        grown_by(problem, store_of(blocks, problem, packed + got - 8, nowhere), model)
    assert len(grown_by(problem, store_of(blocks, problem, packed + max(got, 16 * 3_000), nowhere), model)[0]) == 3


@pytest.mark.parametrize(
    ("loss", "n_classes", "weighted", "more"),
    [
        ("log_loss", 2, True, {"held_out": 0.3}),
        ("log_loss", 3, False, {}),
        ("exponential", 3, True, {"method": "adaboost"}),
        ("huber", 0, True, {"held_out": 0.3, "loss_quantile": 0.9}),
    ],
)
def test_new_columns_come_with_their_losses(loss: str, n_classes: int, weighted: bool, more: dict[str, Any]) -> None:
    """The same sums as those that are asked for afterwards; and losses take no pass of their own after a round."""
    asked: list[SumsRequest] = []

    class _Asking(BlockStore):
        def answer(self, request: Request) -> Coroutine[Any]:
            found = yield from super().answer(request)
            if isinstance(request, SumsRequest) and request.function == "loss":
                asked.append(request)
            if isinstance(request, ReplaceRequest) and request.then is not None:
                told.append(found)
                np.testing.assert_array_equal(found, (yield from super().answer(request.then)))
            return found

    told: list[Array] = []
    parameters = Parameters("gini" if n_classes else "mse", 3)
    problem, block = problem_of(sample_rows(900, n_classes, weighted=weighted), n_classes, parameters)
    store = _Asking(problem, BlockLimits(200, 2**30, 2**20), ANYWHERE)
    for some in cut(block, np.arange(900), 3):
        store.add(some)
    store.finish()
    grown_by(problem, store, BoostParameters(loss, 4, patience=4, **more))
    assert (len(asked), len(told)) == (1, 4)
    assert {float(sums[:, 0].sum()) for sums in told} == {900.0}


class _Asked(Provider):
    """Keeps what is asked to be replaced.

    It is no class within the test: a class refers to itself, and would keep the provider's files until Python looks for
    garbage. They would count for temp_file_limit in the tests that come next.
    """

    def __init__(self, provider: Provider, asked: list[ReplaceRequest]) -> None:
        self._provider, self._asked = provider, asked

    def answer(self, request: Request) -> Coroutine[Any]:
        if isinstance(request, ReplaceRequest):
            self._asked.append(request)
        return self._provider.answer(request)


@pytest.mark.parametrize("kind", ["blocks", "both", "file"])
def test_new_columns_are_not_written_over_those_that_are_remembered(kind: str) -> None:
    problem, block = problem_of(sample_rows(900, 2), 2, Parameters("gini", 3))
    provider = PROVIDERS[kind](problem, cut(block, np.arange(900), 3))
    asked: list[ReplaceRequest] = []
    grown_by(problem, _Asked(provider, asked), BoostParameters("log_loss", 2))
    ask = partial(finished_by, provider)
    ask(RememberRequest(back=False))
    before = ask(asked[-1].then)
    assert (ask(asked[-1]) != before).any()
    ask(RememberRequest(back=True))
    np.testing.assert_array_equal(ask(asked[-1].then), before)
    ask(RememberRequest(back=False))
    ask(SampleRequest(1.0, 0))  # then nothing is remembered any more
    assert (ask(asked[-1]) != before).any()


def test_rows_that_all_processes_share_are_not_replaced_in_silence() -> None:
    problem, block = problem_of(sample_rows(500, 0), 0, Parameters("mse", 3))
    store = store_of([block], problem, 2**30, ANYWHERE)

    class _File:
        def write(self, data: bytes, at: int) -> None: ...

    store.write_to(AllRows(problem, 500, grouped=False), _File(), 0)  # type: ignore[arg-type]
    with pytest.raises(NoAnswerError, match="ReplaceRequest"):
        store.answer(ReplaceRequest("boosted", {}))
