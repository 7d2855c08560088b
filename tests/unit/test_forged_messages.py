"""What the leader of resident workers tells them: the same after its journey; changed at random, an error in a
sentence, or another message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_forged_bytes import changed_bytes, changed_values, grow_plan, grown, refused

from madtree.errors import MadtreeError
from madtree.host import TemporaryPlace
from madtree.learn.counting import CountRequest
from madtree.learn.data import codec
from madtree.learn.ensemble import Forest
from madtree.learn.packing import Packer, RowFormat, prepare
from madtree.learn.problem import Bootstrap, FoldHashes, identities
from madtree.learn.requests import FoldHashesRequest, ReplaceRequest, RowsRequest, SumsRequest
from madtree.storage.blocks import BlockLimits
from madtree.storage.workers.growers import GrowBlocks
from madtree.storage.workers.messages import (
    GrowEnsemble,
    GrowWave,
    KeepRows,
    MessageReader,
    MessageWriter,
    ShareRows,
    TakeRows,
)
from madtree.trees import ForestParameters, Parameters
from tests.unit.learn.binned import KINDS, problem_of, sample_rows

ANYWHERE = TemporaryPlace(None, None)
SOMEWHERE = TemporaryPlace("base/pgsql_tmp", 2**30)


def _messages() -> dict[str, Any]:
    parameters = Parameters("gini", 4, min_split=10, min_bucket=4)
    rows = sample_rows(300, 3, weighted=True)
    problem, block = problem_of(rows, 3, parameters)
    growing = grown(problem, block)
    slots = growing.slots(np.arange(growing.n_nodes))
    count = CountRequest("histograms", problem, growing.routing, slots, growing.n_nodes, (0, 3))
    drawn = np.arange(2 * growing.n_nodes).reshape(-1, 2) % 5
    folds = {"ends": np.array([[2**30, 2**31]]), "seed": 1}
    keys = [None, None, None, np.arange(6.0), np.arange(14.0)]
    of_numbers, block = problem_of(sample_rows(300, 0), 0, Parameters("mse", 4, min_split=10))
    numbers = grown(of_numbers, block)
    exponents = np.array([[-20]], np.int32)
    grids = {f"next_{name}_exponents": exponents for name in ("target", "weight")}
    of_loss = {"loss": "squared_error", "n_scores": 1, "weighted": False}
    moved = {"base": np.zeros((1, 1)), "node_value": np.arange(float(numbers.n_nodes)), "added_to": 0, "next": 0}
    told_apart = replace(rows, identity=identities(np.arange(300.0)))
    for_forest, _ = prepare(told_apart, 1, 3, KINDS, parameters, replicas=Bootstrap(1, 0, 1))
    forest = Forest.of(for_forest, ForestParameters(9, 2), np.arange(1))
    return {
        "keep rows": KeepRows(
            Packer(problem, RowFormat(frozenset({"target", "weight"}), np.arange(3.0), keys), None),
            [("SELECT 1", "SELECT 2")],
            [(0, "(0,0)", "(9,0)"), (0, "(9,0)", "(20,0)")],
            BlockLimits(1_000, 2**20, 2**10),
            SOMEWHERE,
            True,
        ),
        "grow blocks": GrowBlocks(grow_plan(3)[0], "SELECT ", 7, ANYWHERE),
        "share rows": ShareRows(1_000, [0, 400]),
        "take rows": TakeRows.of(1, block),
        "ensemble": GrowEnsemble(forest),
        "wave": GrowWave(1, 3),
        "histograms": count,
        "drawn": replace(count, features=(0, 0), drawn=drawn),
        "rows": RowsRequest(problem, growing.routing, slots, (1, 4)),
        "fold hashes": FoldHashesRequest(FoldHashes(np.array([300, 20]), 3, 1)),
        "folds": ReplaceRequest("random_folds", folds),
        "boosted": ReplaceRequest(
            "boosted", {**of_loss, **grids, **moved, "sum_loss_exponents": exponents}, of_numbers, numbers.routing
        ),
        "sums": SumsRequest("loss", {**of_loss, "sum_loss_exponents": exponents}, of_numbers),
    }


MESSAGES = _messages()
PLANS: dict[str, Any] = {"keep rows": KeepRows.from_values, "grow blocks": GrowBlocks.from_values}


def dumped(message: Any) -> bytes:
    """A message that is the first one about its problem, or a plan."""
    return MessageWriter().dump(message)


def read(name: str, data: bytes) -> Any:
    return PLANS[name](codec.load(data)) if name in PLANS else MessageReader().read(data)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_the_same_after_its_journey(name: str) -> None:
    sent = dumped(MESSAGES[name])
    found = read(name, sent)
    assert type(found) is type(MESSAGES[name])
    assert dumped(found) == sent


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("change", [changed_bytes, changed_values])
def test_a_changed_message_is_refused_or_another_one(name: str, change: Callable[..., bytes]) -> None:
    sent = dumped(MESSAGES[name])
    rng = np.random.default_rng(4714)
    n_refused = 0
    for _ in range(150):
        changed = change(sent, rng)
        n_refused += refused(lambda changed=changed: read(name, changed))  # type: ignore[misc]
    assert n_refused > 30


@pytest.mark.parametrize("name", [name for name, each in MESSAGES.items() if getattr(each, "problem", None)])
def test_what_a_problem_says_is_read_once(name: str) -> None:
    writer, reader, told = MessageWriter(), MessageReader(), MESSAGES[name]
    found = [reader.read(writer.dump(told)) for _ in range(2)]
    assert dumped(found[0]) == dumped(told)
    assert found[0].problem is found[1].problem
    other = replace(told, problem=replace(told.problem, rows=told.problem.rows + 1))
    again = reader.read(writer.dump(other))
    assert again.problem.rows.tolist() == (told.problem.rows + 1).tolist()
    assert reader.read(writer.dump(told)).problem is found[0].problem


@pytest.mark.parametrize("change", [changed_bytes, changed_values])
def test_a_changed_first_message_about_a_problem_is_refused_or_another_one(change: Callable[..., bytes]) -> None:
    sent, rng = MessageWriter().dump(MESSAGES["histograms"]), np.random.default_rng(4715)
    n_refused = 0
    for _ in range(150):
        changed = change(sent, rng)
        n_refused += refused(lambda changed=changed: MessageReader().read(changed))  # type: ignore[misc]
    assert n_refused > 30


def test_a_message_about_a_problem_that_nobody_has_told_of_is_refused() -> None:
    writer = MessageWriter()
    writer.dump(MESSAGES["histograms"])
    later = writer.dump(MESSAGES["histograms"])
    assert refused(lambda: MessageReader().read(later))


@pytest.mark.parametrize("other", [{"features": (0, 0)}, {"what": "totals"}, {"drawn": MESSAGES["drawn"].drawn}])
def test_rows_in_order_say_histograms_of_features_alone(other: dict[str, Any]) -> None:
    in_order = replace(MESSAGES["histograms"], waiting=np.arange(3))
    assert read("in order", dumped(in_order)).waiting.tolist() == [0, 1, 2]
    asked = dumped(replace(in_order, **other))
    with pytest.raises(MadtreeError, match="waiting must be of histograms"):
        read("in order", asked)
