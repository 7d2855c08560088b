"""Whatever bytes a user hands to the internal functions: an answer or an error in a sentence, soon, in bounded memory.

Real plans, requests, states and images are changed at random, from a fixed seed: in their bytes, and value by value.
"""

from __future__ import annotations

import resource
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.columns.columns import block_columns
from madtree.learn.counting.count_request import CountRequest, What
from madtree.learn.counting.frontier import frontier_values
from madtree.learn.data import MOST_BLOCK_ROWS, codec, finished
from madtree.learn.data.block import Block
from madtree.learn.data.postgres_bytes import HEADER_BYTES
from madtree.learn.data.types import Ints
from madtree.learn.grow.grow import grow
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.packing.packing import pack_images, pack_values
from madtree.learn.packing.row_format import RowFormat
from madtree.learn.problem.bootstrap import Bootstrap
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import Folds, roots
from madtree.learn.requests import ReplaceRequest, SumsRequest
from madtree.learn.requests.provider import driven
from madtree.learn.route.positions import Positions
from madtree.learn.route.routing import Routing
from madtree.learn.route.stored_nodes import NewSplits, node_bytes
from madtree.learn.walk import FlatSplits, FlatTrees, SplitCategories
from madtree.score.additive import LeafNumbers
from madtree.score.block_plan import Drawn, LeafDraws, MemberValues, ScoreValues, SummedLeaves, build_plan
from madtree.score.block_scorer import score_block
from madtree.score.member_scorer import (
    EVALUATED,
    INTERVAL,
    LEAF_OUTCOMES,
    LEAF_SUMS,
    OF_KEPT,
    OF_SCORES,
    OUT_OF_BAG,
    SHAP,
    STAGED,
)
from madtree.score.shap_plan import ShapValues, explained_values
from madtree.storage.aggregate_functions import (
    moved_nodes,
    new_column,
    node_statistics_final,
    node_statistics_merge,
    node_statistics_transition,
    row_sums,
)
from madtree.storage.whole_trees import GrowPlan, grow_block
from madtree.train.kinds import OfDividedRows
from madtree.trees import LOSSES, ClassParams, FeatureKind, Parameters
from tests.unit.learn.binned import at_hand, problem_of, sample_rows

SECONDS = 10.0  # of the processor, of one call: hardly any takes a tenth of that
MEMORY = 2**30  # bytes that a call may add
HUGE = [-(2**63), -(2**31), -2, -1, 0, 1, 2, 255, 256, 65_535, 65_536, 2**20, 2**31 - 1, 2**31, 2**40, 2**63 - 1]
ODD: list[Any] = [*HUGE, None, True, "", "x" * 99, [], [-1], [0] * 9, {}, 1e308, float("nan"), float("inf"), [[[]]]]
DTYPES = ["|b1", "|u1", "<i2", "<u2", "<i4", "<i8", "<u8", "<f4", "<f8"]
KINDS = [FeatureKind.CONTINUOUS, FeatureKind.UNORDERED, FeatureKind.CONTINUOUS]


def images_of(rows: np.ndarray) -> bytes:
    """Rows (n_rows, n_columns) as PostgreSQL's images of float8 arrays."""
    header = np.array([1, 0, 701, rows.shape[1], 1], "<i4").tobytes()
    assert len(header) == HEADER_BYTES
    return b"".join(header + row.astype("<f8").tobytes() for row in rows)


def pack_plan(n_classes: int) -> tuple[bytes, bytes]:
    """A plan for packing, and images of rows: class or number, weight, three features, of which one has categories."""
    parameters = Parameters("gini" if n_classes else "mse", 4)
    problem, _ = problem_of(sample_rows(300, n_classes, weighted=True), n_classes, parameters)
    n_categories = [
        int(size) if kind else -1 for kind, size in zip(problem.unordered, problem.bins.sizes[0], strict=True)
    ]
    keys = [None if n < 0 else np.arange(float(n)) * 7 for n in n_categories]
    classes = np.arange(float(n_classes)) if n_classes else None
    row_format = RowFormat(frozenset({"target", "weight"}), classes, keys)
    rows = np.random.default_rng(1).integers(0, 3, (50, row_format.n_columns)).astype(float)
    return codec.dump(pack_values(problem, row_format, None)), images_of(rows)


def count_request(what: What, n_folds: int, *, n_drawn: int = 0) -> tuple[bytes, tuple[int, list[bytes | None]]]:
    """A request for nodes of grown trees, and the block of their rows; powers with folds are those of counts.

    `n_drawn`: features that were drawn for each node; 0 where all are counted.
    """
    n_classes = 0 if what in ("limbs", "powers") else 3
    of_counts = what == "powers" and n_folds > 0
    criterion = "gini" if n_classes else "poisson" if of_counts else "mse"
    parameters = Parameters(criterion, 4, min_split=10, min_bucket=4, n_folds=n_folds, max_surrogates=2)
    rows = sample_rows(400, n_classes, weighted=True)
    if of_counts:
        rows = replace(rows, target=np.round(rows.target.clip(0)), exposure=rows.weight)
    problem, block = problem_of(rows, n_classes, parameters)
    growing = grown(problem, block)
    request = CountRequest(
        what,
        problem,
        growing.routing,
        growing.slots(np.arange(growing.n_nodes)),
        growing.n_nodes,
        (0, 3),
        np.full(growing.n_nodes, 0.5),
        (1, 2) if what == "powers" else (),
        drawn=np.arange(growing.n_nodes * n_drawn).reshape(-1, n_drawn) % 5 if n_drawn else None,
    )
    moved = moved_by(problem, growing.routing, growing.n_trees)
    columns = block_columns(block)
    nodes = finished(moved_nodes(moved, block.codes.n_rows, columns, None))
    return codec.dump(frontier_values(request)), (block.codes.n_rows, [*columns, nodes])


def moved_by(problem: Problem, routing: Routing, n_nodes: int, *, from_roots: bool = False) -> bytes:
    """A plan that moves rows on from when there were `n_nodes` nodes."""
    splits = NewSplits.since(routing, 0, n_nodes, problem.bins.widths, from_roots=from_roots)
    return codec.dump({**problem.counting_values(), **splits.to_values()})


def moving_plan() -> tuple[bytes, tuple[int, list[bytes | None]]]:
    """A plan that moves rows by the splits of grown trees, and a block with its rows at the roots."""
    parameters = Parameters("gini", 4, min_split=10, min_bucket=4, n_folds=2, max_surrogates=2)
    problem, block = problem_of(sample_rows(400, 3, weighted=True), 3, parameters)
    growing = grown(problem, block)
    at_roots = b"".join(node_bytes(roots(block, r, problem.n_groups), 3) for r in range(problem.n_replicas))
    return moved_by(problem, growing.routing, growing.n_trees), (400, [*block_columns(block), at_roots])


def grown(problem: Problem, block: Block) -> GrowingTrees:
    return finished(driven(grow(problem, rows_at_hand=True), at_hand([block])))


def column_plan(function: str) -> tuple[bytes, tuple[int, list[bytes | None]]]:
    """A plan by which rows get new columns, or are summed, and a block with the nodes and the scores of its rows."""
    if function == "random_folds":
        problem, block = problem_of(sample_rows(200, 3), 3, Parameters())
        values = {"ends": np.array([[2**30, 2**31]]), "seed": 1}
        made = {**problem.counting_values(), **ReplaceRequest(function, values).function_values()}
        return codec.dump(made), (200, [*block_columns(block), None, None])
    if function == "voted":
        problem, block = problem_of(sample_rows(200, 3, weighted=True), 3, Parameters("votes", 4, min_split=10))
        growing = grown(problem, block)
        values = {"loss": "exponential", "n_scores": 3, "weighted": False, "added_to": 2, "next": 0}
        values |= {"next_weight_exponents": np.array([[-20]], np.int32), "node_value": np.arange(growing.n_nodes) / 8}
        voted = ReplaceRequest(function, values, problem, growing.routing)
        columns = block_columns(block)
        nodes = finished(moved_nodes(moved_by(problem, growing.routing, 1), 200, columns, None))
        lines = np.concatenate((np.arange(200) % 3, np.arange(600) / 600)).tobytes()
        made = {**problem.counting_values(), **voted.function_values()}
        return codec.dump(made), (200, [*columns, nodes, lines])
    problem, block = problem_of(sample_rows(200, 0, weighted=True), 0, Parameters("mse", 4, min_split=10))
    growing = grown(problem, block)
    exponents = np.array([[-20]], np.int32)
    of_loss = {"loss": "squared_error", "n_scores": 1, "weighted": False}
    request: ReplaceRequest | SumsRequest
    if function == "loss":
        request = SumsRequest(function, {**of_loss, "sum_loss_exponents": exponents}, problem, growing.routing)
    elif function in ("residuals", "clipped"):
        of_loss = {**of_loss, "loss": "quantile", "quantile": 0.9, "place": np.arange(growing.n_nodes) % 3}
        more: dict[str, Any] = {"middle": np.arange(3.0), "threshold": np.ones(1), "sum_residual_exponents": exponents}
        if function == "residuals":
            prefix = np.array([[1, 2, 3], [1, 2, 2]])
            more = {"absolute": False, "known_bits": 2, "digit_bits": 3, "prefix": prefix}
        request = SumsRequest(function, {**of_loss, **more}, problem, growing.routing)
    else:
        grids = {f"next_{name}_exponents": exponents for name in ("target", "weight")}
        moved = {"node_value": np.arange(growing.n_nodes) / 8, "added_to": 0, "next": 0}
        request = ReplaceRequest(function, {**of_loss, **grids, **moved}, problem, growing.routing)
    columns = block_columns(block)
    nodes = finished(moved_nodes(moved_by(problem, growing.routing, 1), 200, columns, None))
    scores = np.arange(400.0).tobytes()
    made = {**problem.counting_values(), **request.function_values()}
    return codec.dump(made), (200, [*columns, nodes, scores])


def grow_plan(n_classes: int) -> tuple[bytes, bytes]:
    classes = np.arange(float(n_classes)) if n_classes else None
    row_format = RowFormat(frozenset({"tree", "target", "identity"}), classes, [None, np.arange(5.0), None])
    by_class = ClassParams(prior=(0.5, 0.25, 0.25), loss=(0, 1, 2, 1, 0, 2, 1, 1, 0)) if n_classes == 3 else None
    parameters = Parameters(
        "gini" if n_classes else "mse",
        4,
        min_split=4,
        min_bucket=1,
        n_folds=2,
        max_surrogates=1,
        class_params=by_class,
    )
    rows = np.random.default_rng(1).integers(0, 3, (60, row_format.n_columns)).astype(float)
    return GrowPlan(row_format, KINDS, n_classes, parameters).dump(), images_of(rows)


def score_plan(categories: bool, surrogates: bool, child: list[int] | None = None) -> tuple[bytes, bytes]:
    """Two trees of seven nodes each, whose `child` may be said to be others."""
    n, none = 14, np.zeros(0, np.int64)
    inner = np.array([True, True, True, False, False, False, False] * 2)
    feature = np.where(inner, np.arange(n) % 2, -1)
    of_surrogates = np.flatnonzero(inner) if surrogates else none
    more = len(of_surrogates)
    splits = FlatSplits(
        np.concatenate((np.arange(n), of_surrogates)),
        np.concatenate((feature, (np.arange(more) + 1) % 2)),
        np.concatenate((np.where(inner & (feature == 0), 0.5, np.nan), np.full(more, 0.5))),
        np.ones(n + more, np.bool_),
    )
    on_second = np.flatnonzero(splits.feature == 1) if categories else none
    named = SplitCategories(
        on_second.repeat(2),
        np.ones(2 * len(on_second), np.int64),
        np.tile([3, 5], len(on_second)),
        np.zeros(2 * len(on_second), np.bool_),
        np.tile([True, False], len(on_second)),
    )
    ids, majority_left = (np.repeat([1, 2], 7), np.tile(np.arange(7), 2)), np.ones(n, np.bool_)
    trees = FlatTrees.of(*ids, majority_left, splits, [False, categories], named)
    plan = build_plan(trees, np.arange(1, n + 1), grouped=True)
    if child is not None:
        plan = codec.dump({**codec.load(plan), "child": np.array(child)})
    rows = np.random.default_rng(1).choice([np.nan, 0, 1, 2, 3, 5], (80, 3))
    return plan, images_of(rows)


def forest_plan(what: str, n_groups: int) -> tuple[bytes, bytes]:
    """Forests of two trees of seven nodes each, whose splits are said by codes."""
    n = 14 * n_groups
    inner = np.array([True, True, True, False, False, False, False] * 2 * n_groups)
    feature = np.where(inner, np.arange(n) % 2, -1)
    splits = FlatSplits(np.arange(n), feature, np.where(inner, np.arange(n) / 8, np.nan), np.ones(n, np.bool_))
    trees = FlatTrees.of(
        np.repeat(np.arange(1, 2 * n_groups + 1), 7),
        np.tile(np.arange(7), 2 * n_groups),
        np.arange(n) % 3 == 0,
        splits,
        [False, False],
    )
    values = np.arange(n)[:, None] % 3 + 1
    if what == INTERVAL:
        values = np.stack([np.arange(n) / 8, np.arange(n) % 5 / 4], axis=1)
    scores = ScoreValues(np.ones((n_groups, 1)), LOSSES["log_loss"]) if what in OF_SCORES else None
    fractions = what in ("means", "oob_means") or scores is not None
    forest = MemberValues(2, what, 2 if scores else 3, values / 4 if fractions else values, scores=scores)
    if what == INTERVAL:
        forest = replace(forest, level=0.9)
    if what in EVALUATED:
        forest = replace(forest, values=np.concatenate([values, np.tile(values / 4, (1, 3))], axis=1))
    if what in OUT_OF_BAG:
        forest = replace(forest, drawn=Drawn(Bootstrap(1, 0, 2), np.arange(2 * n_groups) > 0, ""))
    if what == LEAF_OUTCOMES:
        forest = replace(forest, draws=LeafDraws(1, n_groups > 1, 0, 2))
    if what == LEAF_SUMS:
        forest = replace(
            forest, draws=SummedLeaves(3 * (n_groups - 1), weighted=True, first=0, last=2, with_some=n_groups == 1)
        )
    if what == SHAP:
        cover, groups = np.arange(n, 0, -1) / 2.0, np.repeat(np.arange(n_groups), 2)
        first, base = np.zeros(2 * n_groups, np.int64), np.zeros((n_groups, 1))
        share, said, unit, expected = explained_values(trees, LeafNumbers(values / 4, cover, first, groups, base))
        shap = ShapValues(share, said, unit, expected, first, 2 * (n_groups - 1), np.array([0, 2]), 3)
        forest = replace(forest, shap=shap)
    plan = build_plan(trees, forest, grouped=n_groups > 1)
    assert "cut" in codec.load(plan)
    n_numbers = 2 + (n_groups > 1) + 2 * (what in (STAGED, LEAF_SUMS)) + 3 * (what == LEAF_OUTCOMES)
    n_numbers += what in OUT_OF_BAG
    rows = np.random.default_rng(1).choice([np.nan, 0, 1, 2, 3, 5], (600, n_numbers))
    return plan, images_of(rows)


def more_of_shap(n_groups: int) -> dict[str, dict[str, object]]:
    """Of a plan of `forest_plan` what makes it tell of pairs, or against rows of a background."""
    others = np.random.default_rng(2).choice([0, 1, 2, 3, 5, np.nan], (9, 2))
    grouped = np.concatenate((np.arange(9)[:, None] % 2 + 1, others), axis=1)
    pairs = {"with_pairs": True, "places": np.array([2, 0, 1])}
    background = {"background": grouped if n_groups > 1 else others}
    return {"pairs": pairs, "background": background, "both": {**pairs, **background}}


def changed_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    """With some bits flipped, a piece cut out, the end missing, or a piece twice."""
    how, at = rng.integers(5), int(rng.integers(max(len(data), 1)))
    if how < 2:
        flipped = bytearray(data)
        for place in rng.integers(0, max(len(data), 1), int(rng.integers(1, 8))):
            if len(flipped):
                flipped[place] ^= 1 << int(rng.integers(8))
        return bytes(flipped)
    if how == 2:
        return data[:at]
    size = int(rng.integers(1, 64))
    return data[:at] + data[at + size :] if how == 3 else data[: at + size] + data[at:]


def changed_values(data: bytes, rng: np.random.Generator) -> bytes:
    """With one value or two that are not what they were."""
    values = codec.load(data)
    for _ in range(int(rng.integers(1, 3))):
        name = list(values)[int(rng.integers(len(values)))]
        value = values[name]
        if isinstance(value, np.ndarray):
            values[name] = changed_array(value, values, rng)
        elif isinstance(value, dict) and value and rng.random() < 0.9:
            inner = list(value)[int(rng.integers(len(value)))]
            values[name] = {**value, inner: ODD[int(rng.integers(len(ODD)))]}
        elif isinstance(value, list) and value and rng.random() < 0.7:
            values[name] = [*value[:-1], ODD[int(rng.integers(len(ODD)))]]
        elif rng.random() < 0.1:
            del values[name]
        else:
            values[name] = ODD[int(rng.integers(len(ODD)))]
    return codec.dump(values)


def changed_array(array: np.ndarray, others: dict[str, Any], rng: np.random.Generator) -> Any:
    how = int(rng.integers(7))
    if how == 0:
        return ODD[int(rng.integers(len(ODD)))]
    if how == 1:
        return array.astype(DTYPES[int(rng.integers(len(DTYPES)))])
    if how == 2:
        return array.reshape(-1)[: int(rng.integers(array.size + 1))]
    if how == 3:
        return array[::-1]
    if how == 4:
        arrays = [value for value in others.values() if isinstance(value, np.ndarray)]
        return arrays[int(rng.integers(len(arrays)))]
    found = array.copy().reshape(-1)
    for place in rng.integers(0, max(found.size, 1), int(rng.integers(1, 4))):
        if found.size:
            if found.dtype.kind == "f":
                found[place] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0])
            else:
                low, high = (
                    (0, 1) if found.dtype.kind == "b" else (np.iinfo(found.dtype).min, np.iinfo(found.dtype).max)
                )
                near = int(found[place]) + int(rng.integers(-3, 4))
                odd = HUGE[int(rng.integers(len(HUGE)))] if rng.random() < 0.5 else near
                found[place] = min(max(odd, int(low)), int(high))
    return found.reshape(array.shape)


@contextmanager
def bounded() -> Iterator[None]:
    """No more time and no more memory than a call may take."""

    def too_long(*_: Any) -> None:
        raise TimeoutError(f"a call took more than {SECONDS} s")

    before = signal.signal(signal.SIGPROF, too_long)
    old = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, old[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, old)
        signal.signal(signal.SIGPROF, before)


def refused(call: Callable[[], Any]) -> bool:
    """Whether the call ended in an error in a sentence; all else that it raises is a failure."""
    with bounded(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except MadtreeError:
            return True
    return False


WHATS = ("classes", "votes", "means", "judged", "leaves", *OF_KEPT, *OF_SCORES, *OUT_OF_BAG)
TWO_GROUPS = ("votes", "shares", "staged", LEAF_OUTCOMES, LEAF_SUMS, "oob_judged")


def block_calls() -> dict[str, tuple[bytes, Any, Callable[[bytes, Any], Any]]]:
    """By name: a plan, what it is applied to, and how."""

    def count(request: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes) = block
        return node_statistics_final(bytes(finished(node_statistics_transition(None, n_rows, columns, nodes, request))))

    def move(plan: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes) = block
        return finished(moved_nodes(plan, n_rows, columns, nodes))

    def make(plan: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes, scores) = block
        return new_column(plan, "target", n_rows, [*columns, scores], nodes)

    def vote(plan: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes, scores) = block
        return new_column(plan, "weight", n_rows, [*columns, scores], nodes)

    def fold(plan: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes, scores) = block
        return new_column(plan, "fold", n_rows, [*columns, scores], nodes)

    def add_up(plan: bytes, block: tuple[int, list[bytes | None]]) -> Any:
        n_rows, (*columns, nodes, scores) = block
        return node_statistics_final(bytes(row_sums(plan, n_rows, [*columns, scores], nodes)))

    cases: dict[str, tuple[bytes, Any, Callable[[bytes, Any], Any]]] = {}
    for n_classes in (3, 0):
        cases[f"pack {n_classes}"] = (*pack_plan(n_classes), lambda plan, rows: finished(pack_images(rows, plan)))
        cases[f"grow {n_classes}"] = (*grow_plan(n_classes), lambda plan, rows: finished(grow_block(plan, rows)))
    for what in ("histograms", "sides", "limbs", "powers"):
        cases[f"count {what}"] = (*count_request(what, 2 * (what != "sides")), count)  # type: ignore[arg-type]
    cases["count histograms of drawn features"] = (*count_request("histograms", 2, n_drawn=2), count)
    cases["count powers of a regression"] = (*count_request("powers", 0), count)
    cases["move"] = (*moving_plan(), move)
    added = [("sums", function, add_up) for function in ("loss", "residuals", "clipped")]
    for name, function, made in (
        ("fold", "random_folds", fold),
        ("target", "boosted", make),
        ("weight", "voted", vote),
        *added,
    ):
        cases[f"{name} of {function}"] = (*column_plan(function), made)
    for categories, surrogates in ((False, False), (True, True)):
        plan, images = score_plan(categories, surrogates)
        cases[f"score {categories}"] = (plan, images, lambda plan, rows: finished(score_block(plan, rows)))
    for what, n_groups in (*((what, 1 + (what in TWO_GROUPS)) for what in WHATS), (SHAP, 1), (SHAP, 2)):
        plan, images = forest_plan(what, n_groups)
        cases[f"score {n_groups} forests of {what}"] = (
            plan,
            images,
            lambda plan, rows: finished(score_block(plan, rows)),
        )
        if what == SHAP:
            for told, more in more_of_shap(n_groups).items():
                of_more = codec.dump({**codec.load(plan), **more})
                cases[f"score {n_groups} forests of {what}, {told}"] = (
                    of_more,
                    images,
                    lambda plan, rows: finished(score_block(plan, rows)),
                )
    return cases


CASES = block_calls()


@pytest.mark.parametrize("name", CASES)
def test_what_madtree_makes_is_taken(name: str) -> None:
    plan, rows, call = CASES[name]
    assert call(plan, rows) is not None


@pytest.mark.in_turn
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("change", [changed_bytes, changed_values])
def test_a_changed_plan_is_refused_or_harmless(name: str, change: Callable[..., bytes]) -> None:
    plan, rows, call = CASES[name]
    rng = np.random.default_rng(4711)
    n_refused = 0
    for _ in range(125):
        changed = change(plan, rng)
        n_refused += refused(lambda changed=changed: call(changed, rows))  # type: ignore[misc]
    assert n_refused > 25


@pytest.mark.parametrize("name", CASES)
def test_changed_rows_are_refused_or_harmless(name: str) -> None:
    plan, rows, call = CASES[name]
    rng = np.random.default_rng(4712)
    for _ in range(75):
        if isinstance(rows, bytes):
            refused(lambda: call(plan, changed_bytes(rows, rng)))
            continue
        n_rows, columns = rows
        columns = [c if c is None or rng.random() < 0.5 else changed_bytes(bytes(c), rng) for c in columns]
        n = int(rng.choice([n_rows, n_rows - 1, -1, 0, 2**31 - 1, MOST_BLOCK_ROWS + 1]))
        refused(lambda n=n, columns=columns: call(plan, (n, columns)))  # type: ignore[misc]


def test_changed_states_are_refused_or_harmless() -> None:
    request, (n_rows, (*columns, nodes)) = count_request("histograms", 0)
    state = bytes(finished(node_statistics_transition(None, n_rows, columns, nodes, request)))
    rng = np.random.default_rng(4713)
    for _ in range(500):
        other = changed_bytes(state, rng)
        refused(
            lambda other=other: finished(node_statistics_transition(other, n_rows, columns, nodes, request))  # type: ignore[misc]
        )
        refused(lambda other=other: node_statistics_merge(state, other))  # type: ignore[misc]
        refused(lambda other=other: node_statistics_final(other))  # type: ignore[misc]
    assert refused(lambda: node_statistics_merge(state, state[:-8]))
    assert refused(lambda: node_statistics_final(b"|O      " + bytes(8)))


CIRCLES = [
    [1, 0, 5, 3, 4, 5, 6, 8, 10, 12, 10, 11, 12, 13],
    [0, 3, 5, 3, 1, 5, 6, 8, 10, 12, 10, 11, 12, 13],
    [1, 3, 5, 3, 4, 5, 6, 1, 3, 5, 10, 11, 12, 13],
    [1, 3, 13, 3, 4, 5, 6, 8, 10, 12, 10, 11, 12, 13],
]


@pytest.mark.parametrize("child", CIRCLES, ids=["to the root", "from a leaf", "into another tree", "past the end"])
def test_children_that_lead_anywhere_but_down_are_refused(child: list[int]) -> None:
    plan, images = score_plan(False, False, child)
    with bounded(), pytest.raises(MadtreeError, match="damaged: child must be"):
        finished(score_block(plan, images))


@pytest.mark.parametrize(("name", "value"), [("cut", 0), ("missing_right", 1), ("surrogates", 1)])
def test_a_leaf_that_sends_rows_on_is_refused_or_harmless(name: str, value: int) -> None:
    """From the last node they would go to one that is not there."""
    problem, block = problem_of(sample_rows(400, 3), 3, Parameters("gini", 4, min_split=10, min_bucket=4))
    values = grown(problem, block).routing.to_values()
    changed = values[f"routing_{name}"].copy()
    changed[-1] = value
    more = values["routing_deepest"] + 3
    forged = {**values, f"routing_{name}": changed, "routing_deepest": more, "routing_rounds": more}

    def route() -> Ints:
        routing = Routing.from_values(forged, 1, problem.bins.widths)
        return Positions(0).nodes((0, 0), block, routing, 0, 1)

    refused(route)


@pytest.mark.parametrize(
    ("name", "value"),
    [("nodes", np.array([2, 1], np.int32)), ("n_nodes", 2**40), ("n_nodes", 3), ("new_rounds", 10**9)],
)
def test_splits_that_lead_nowhere_are_refused(name: str, value: Any) -> None:
    plan, (n_rows, (*columns, nodes)) = moving_plan()
    forged = codec.dump({**codec.load(plan), name: value})
    assert refused(lambda: finished(moved_nodes(forged, n_rows, columns, nodes)))


def many_of(images: bytes, n_rows: int, n_numbers: int) -> bytes:
    """The first row of some images, so many times."""
    return images[: HEADER_BYTES + 8 * n_numbers] * n_rows


@pytest.mark.parametrize(
    ("n_outputs", "top", "n_places", "n_rows", "is_refused"),
    [
        (65_536, 1, 2**20, 1, False),
        (65_536, 0, 3, 20_000, True),
        (1, 2**20, 2**20, 20_000, True),
        (512, 512, 2**20, 20_000, True),
        (65_536, 100, 2**20, 1, True),
    ],
)
def test_explained_rows_take_bounded_memory(
    n_outputs: int, top: int, n_places: int, n_rows: int, *, is_refused: bool
) -> None:
    plan, images = forest_plan(SHAP, 1)
    values = codec.load(plan)
    first = np.array([1, n_outputs])  # the last output is that of the second tree
    forged = codec.dump({**values, "first_output": first, "n_outputs": n_outputs, "top": top, "n_places": n_places})
    assert refused(lambda: finished(score_block(forged, many_of(images, n_rows, 2)))) == is_refused


def test_explained_rows_of_many_features_are_ranked_by_those_that_are_asked() -> None:
    plan, images = forest_plan(SHAP, 1)
    values = codec.load(plan)
    forged = codec.dump({**values, "top": 5, "n_places": 2**20, "places": np.array([10, 5])})
    with bounded():
        said = finished(score_block(forged, images))
    found = np.frombuffer(said, [("outcome", "<u1"), ("place", "<u4"), ("term", "<i8")]).reshape(-1, 5)
    assert ({*found["place"][:, 0].tolist()}, {*found["place"][:, 1].tolist()}) == ({5, 10}, {5, 10})
    assert found["place"][:, 2:].tolist() == [[1, 2, 3]] * len(found)
    assert not found["term"][:, 2:].any()
    assert (abs(found["term"][:, 0]) >= abs(found["term"][:, 1])).all()


def test_votes_of_many_rows_take_bounded_memory() -> None:
    plan, images = forest_plan("votes", 1)
    forged = codec.dump({**codec.load(plan), "n_classes": 65_536})
    assert refused(lambda: finished(score_block(forged, many_of(images, 20_000, 2))))


@pytest.mark.parametrize(
    ("name", "of_plan"),
    [
        ("score 1 forests of classes", {"values": np.ones((14, 1), np.uint64), "n_classes": 300}),
        ("score 1 forests of means", {"values": np.ones((14, 0))}),
        ("grow 0", {"parameters": {**codec.load(CASES["grow 0"][0])["parameters"], "criterion": "newton"}}),
    ],
)
def test_a_plan_of_no_training_is_no_defect(name: str, of_plan: dict[str, Any]) -> None:
    plan, rows, call = CASES[name]
    refused(lambda: call(codec.dump({**codec.load(plan), **of_plan}), rows))


def test_nothing_is_made_that_the_bytes_do_not_hold() -> None:
    header = b'{"values":{},"arrays":{"a":["<f8",[1099511627776]]}}'
    with bounded(), pytest.raises(MadtreeError, match=r"end before|no size"):
        codec.load(len(header).to_bytes(8, "little") + header)
    nested = b"[" * 10**6
    with pytest.raises(MadtreeError, match="not JSON"):
        codec.load(len(nested).to_bytes(8, "little") + nested)


def test_a_problem_of_replicas_survives_its_journey() -> None:
    problem, _ = problem_of(sample_rows(100, 3), 3, Parameters())
    problem = problem.with_replicas(Folds(3))
    again = Problem.from_values(codec.load(codec.dump(problem.to_values())))
    assert again.n_replicas == 4
    assert again.to_values().keys() == problem.to_values().keys()


def test_columns_of_forged_sizes_take_bounded_memory() -> None:
    """Plans of some thousand bytes, whose scores, nodes and counts would take 2 to 8 GB."""
    n, n_replicas, n_scores, n_groups = MOST_BLOCK_ROWS, 512, 1_000, 2**19
    codes, identity = bytes(5 * n), bytes(4 * n)
    numbers, weights = codec.load(column_plan("boosted")[0]), bytes(16 * n)
    numbers = {name: value for name, value in numbers.items() if name != "argument_node_value"}
    base = {"argument_base": np.zeros((1, n_scores)), "argument_n_scores": n_scores, "argument_loss": "log_loss"}
    plan = codec.dump({**numbers, **base})
    columns = [codes, weights, weights, None, None, identity, None]
    assert refused(lambda: new_column(plan, "scores", n, columns, None))

    drawn = {"seed": 1, "first": 0, "count": n_replicas, "sampling": "poisson", "kept": 1.0}
    classes = codec.load(column_plan("random_folds")[0])
    classes |= {"replicas": drawn, "rows": np.ones(n_replicas, np.int64), "n_nodes": n_replicas}
    classes |= {name: np.ones(n_replicas) for name in ("centre", "largest_target", "largest_weight")}
    columns = [codes, bytes(n), None, None, None, identity]
    folds = codec.dump(classes)
    assert not refused(lambda: new_column(folds, "fold", n, [*columns, None], None))
    none = NewSplits.since(Routing.leaves(0, n_replicas), 0, n_replicas, np.full(5, 2), from_roots=True)
    still = codec.dump({**classes, **none.to_values()})
    assert refused(lambda: finished(moved_nodes(still, n, columns, None)))

    groups = {name: np.ones(n_groups) for name in ("centre", "largest_target", "largest_weight")}
    groups |= {f"{name}_exponents": np.zeros((n_groups, 1), np.int32) for name in ("target", "weight")}
    groups |= {"rows": np.ones(n_groups, np.int64), "argument_top": np.zeros(n_groups, np.int64), "n_nodes": 0}
    sizes = codec.dump({**numbers, **groups, "function": "gradient_sizes"})
    columns = [bytes(5), bytes(8), bytes(8), bytes(4), None, None, None]
    assert refused(lambda: row_sums(sizes, 1, columns, None))


def test_nodes_of_many_classes_take_bounded_memory() -> None:
    """A block of a few rows for each tree, whose roots alone would take 1.5 GB."""
    n_classes, n_trees = 65_000, 3_000
    row_format = RowFormat(frozenset({"tree", "target"}), np.arange(float(n_classes)), [None])
    plan = GrowPlan(row_format, KINDS[:1], n_classes, Parameters("gini", 4)).dump()
    row = np.arange(2 * n_trees)
    images = images_of(np.stack([row // 2, row, row % 2], axis=1).astype(float))
    with bounded(), pytest.raises(MadtreeError, match="3,000 nodes of trees that grow together, with 65,000 numbers"):
        finished(grow_block(plan, images))
    growing = GrowingTrees(1, 2**26)
    with bounded(), pytest.raises(MadtreeError, match="3 nodes of trees that grow together"):
        growing.add_children(np.arange(1), np.ones(2, np.int64), np.zeros((0, 2)))


def test_histograms_of_many_classes_take_bounded_memory() -> None:
    """Of one feature of one node, of as many bins as rows."""
    n = 9_000
    row_format = RowFormat(frozenset({"target"}), np.arange(float(n)), [None])
    plan = GrowPlan(row_format, KINDS[:1], n, Parameters("gini", 4, n_bins=n)).dump()
    row = np.arange(n)
    with pytest.raises(MadtreeError, match="bins of a feature, with 9,000 numbers each"):
        finished(grow_block(plan, images_of(np.stack([row, row], axis=1).astype(float))))


def test_blocks_of_many_classes_have_few_trees() -> None:
    """Where there are as many groups as rows, the blocks that madtree makes itself are small enough."""
    assert OfDividedRows().rows_together(65_536, 64) == 65_536
    assert OfDividedRows().rows_together(65_536, 65_535) == 64
