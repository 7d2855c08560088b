"""What a training tells of its steps, in words and as values, and the estimate made from these."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from memory_host import MemoryHost

from madtree.cli.progress import Estimate
from madtree.host import Message, StepDone, Stopwatch
from madtree.learn.requests import Progress, StepReport
from madtree.train.activity import Activity
from madtree.train.progress import ProgressReporter, ReadingReporter


def told(*steps: StepReport) -> MemoryHost:
    """A host that has been told of some steps."""
    host = MemoryHost()
    teller = ProgressReporter(host, Stopwatch("sample"), Activity(), verbose=True)
    for step in steps:
        teller.report(Progress(step=step))
    assert {severity for severity, _ in host.said} == {"INFO"}
    return host


def figures(step: StepDone) -> tuple[str, int, int | None, int | None]:
    return step.unit, step.n_done, step.n_total, step.n_rows


@pytest.mark.parametrize(
    ("step", "line", "expected"),
    [
        (
            StepReport("level", 1, n_nodes=1, n_rows=1000),
            "level 0: 1 frontier node, 1000 rows in play,",
            ("level", 1, None, 1000),
        ),
        (
            StepReport("level", 2, n_nodes=2, n_rows=900),
            "level 1: 2 frontier nodes, 900 rows in play,",
            ("level", 2, None, 900),
        ),
        (StepReport("block", 2, 17), "block 2 of 17 of small groups:", ("block", 2, 17, None)),
        (StepReport("tree", 30, 90, 1300), "tree 30 of 90: 1300 nodes in the last ones,", ("tree", 30, 90, None)),
        (
            StepReport("round", 3, 90, 61, losses=(0.5, 0.625)),
            "round 3 of 90: training loss 0.5, validation loss 0.625, 61 nodes,",
            ("round", 3, 90, None),
        ),
        (StepReport("setting", 2, 4, seconds=1.5), "setting 2 of 4: tried,", ("setting", 2, 4, None)),
    ],
)
def test_a_step_is_told_in_words_and_as_values(step: StepReport, line: str, expected: tuple[Any, ...]) -> None:
    host = told(step)
    (done,) = host.steps
    assert host.said == [("INFO", f"{line} {done.seconds:.3f} s")]
    assert figures(done) == expected
    assert step.seconds in (None, done.seconds)


def test_what_a_client_says_of_rows_that_it_reads() -> None:
    """Of a reading that takes longer than a second a line a second: in the time that one row in ten took, so will the
    others.
    """
    host = MemoryHost(has_extension=False)
    clock = iter([0.0, 0.4, 1.0, 1.5, 2.0])
    report = ReadingReporter(host, Activity(), True, lambda: next(clock)).report
    for n_read in (4, 10, 15, 20):
        report(n_read, 100, n_read * 1_000)
    lines = [text for _, text in host.said]
    assert lines == ["pack 10 of 100: 10000 rows read, 1.000 s", "pack 20 of 100: 20000 rows read, 1.000 s"]
    assert [step.n_rows for step in host.steps] == [10_000, 20_000]
    estimate = Estimate(now=0.0)
    for number, step in enumerate(host.steps, 1):
        estimate.see(step, now=float(number))
    assert estimate.remaining(now=2.0) == pytest.approx(8.0)


def diagnostic(**fields: str | None) -> Any:
    """A message as psycopg has it."""
    names = ("severity_nonlocalized", "message_primary", "message_hint", "schema_name", "table_name", "column_name")
    return SimpleNamespace(**{**dict.fromkeys(names), "severity_nonlocalized": "INFO", **fields})


def test_a_step_comes_as_it_was_sent() -> None:
    step = StepDone("tree", 3, 90, None, 0.25)
    message = Message.of(diagnostic(message_primary="tree 3 of 90", **step.to_fields()))
    assert message == Message("INFO", "tree 3 of 90", None, step)


VALID = json.loads(StepDone("tree", 3, 90, 7, 0.25).to_fields()["column_name"])


@pytest.mark.parametrize(
    "fields",
    [
        {"schema_name": None},
        {"schema_name": "public"},
        {"table_name": "flights"},
        {"column_name": None},
        {"column_name": "delay"},
        {"column_name": "[1, 2]"},
        {"column_name": "[" * 100_000},
        *(
            {"column_name": json.dumps({**VALID, **wrong})}
            for wrong in (
                {"unit": "\x1b[2J"},
                {"unit": ["tree"]},
                {"n_done": "3"},
                {"n_done": -1},
                {"n_done": True},
                {"n_done": None},
                {"n_total": 10**400},
                {"n_rows": 0.5},
                {"seconds": None},
                {"seconds": -1.0},
                {"seconds": float("nan")},
                {"seconds": float("inf")},
                {"validation_loss": float("nan")},
                {"training_loss": "low"},
                {"more": 1},
            )
        ),
    ],
)
def test_other_messages_are_no_progress(fields: dict[str, str | None]) -> None:
    """Any function of anybody's may say anything."""
    sent = {**StepDone("tree", 3, 90, 7, 0.25).to_fields(), "message_primary": "tree 3 of 90: 0.250 s"}
    assert Message.of(diagnostic(**sent)).step is not None
    assert Message.of(diagnostic(**{**sent, **fields})).step is None


def level(number: int, rows: int, seconds: float) -> StepDone:
    return StepDone("level", number + 1, None, rows, seconds)


def test_nothing_is_estimated_before_anything_is_known() -> None:
    estimate = Estimate(10, now=0.0)
    assert (estimate.remaining(5.0), estimate.fraction(5.0)) == (None, None)


def test_levels_that_take_equally_long_end_when_the_estimate_says() -> None:
    estimate = Estimate(10, now=0.0)
    now = 5.0
    for number in range(10):
        now += 2.0
        estimate.see(level(number, 1_000_000, 2.0 if number else 7.0), now)
        if number:
            assert estimate.remaining(now) == pytest.approx(2.0 * (9 - number), rel=0.5)
    assert estimate.remaining(now) == 0.0


def test_the_estimate_counts_down_between_messages_and_stops_at_nothing() -> None:
    estimate = Estimate(4, now=0.0)
    estimate.see(level(0, 100, 1.0), 1.0)
    estimate.see(level(1, 100, 1.0), 2.0)
    before = estimate.remaining(2.0)
    assert before is not None
    assert estimate.remaining(2.5) == pytest.approx(before - 0.5)
    assert estimate.remaining(60.0) == 0.0


def test_the_bar_never_goes_back_and_is_never_full_while_the_run_lasts() -> None:
    estimate = Estimate(6, now=0.0)
    shares = []
    for number, seconds in enumerate([3.0, 0.1, 5.0, 0.1, 9.0, 0.1]):
        estimate.see(level(number, 1000, seconds), 1.0 + number)
        shares += [estimate.fraction(1.0 + number), estimate.fraction(1.5 + number)]
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] < 1


def test_fewer_rows_in_play_mean_less_time() -> None:
    many, few = Estimate(10, now=0.0), Estimate(10, now=0.0)
    for estimate, rows in ((many, 1000), (few, 100)):
        estimate.see(level(0, 1000, 1.0), 1.0)
        estimate.see(level(1, 1000, 1.0), 2.0)
        estimate.see(level(2, rows, rows / 1000), 3.0)
    assert few.remaining(3.0) == pytest.approx(many.remaining(3.0) / 10)


def test_blocks_are_estimated_by_their_number() -> None:
    estimate = Estimate(None, now=0.0)
    for number in (1, 2, 3):
        estimate.see(StepDone("block", number, 12, None, 0.5), number / 2)
    assert estimate.remaining(1.5) == pytest.approx(4.5)
    assert estimate.fraction(1.5) == pytest.approx(0.25)


def test_trees_are_estimated_by_their_number_however_many_come_at_a_time() -> None:
    estimate = Estimate(None, now=0.0)
    now = 0.0
    for done, seconds in ((4, 2.0), (12, 4.0), (20, 4.0)):
        now += seconds
        step = StepDone("tree", done, 100, None, seconds)
        estimate.see(step, now)
        assert estimate.remaining(now) == pytest.approx((100 - done) * 0.5)
    assert estimate.step == step
    assert estimate.fraction(now) == pytest.approx(0.2)
