"""Reading the server's progress, and the estimate made from it."""

from __future__ import annotations

import pytest
from memory_host import MemoryHost

from madtree.cli.progress import Estimate, TrainingStep, parse
from madtree.host.stopwatch import Stopwatch
from madtree.learn.requests import BlocksReport, RoundReport, WaveReport
from madtree.learn.requests import Progress as Step
from madtree.train.activity import Activity
from madtree.train.progress import ReadingTeller, Teller


def lines(host: MemoryHost) -> list[str]:
    """What it was told."""
    assert {severity for severity, _ in host.said} == {"INFO"}
    return [text for _, text in host.said]


def test_what_the_server_writes_of_levels_is_read() -> None:
    host = MemoryHost()
    tell = Teller(host, Stopwatch("sample"), Activity(), verbose=True).tell
    tell(Step(stage="passes"))
    tell(Step(round=RoundReport(0, 1, 1000)))
    tell(Step(round=RoundReport(1, 2, 900)))
    steps = [parse(message) for message in lines(host)]
    assert [(step.unit, step.done, step.total, step.rows) for step in steps] == [
        ("level", 1, None, 1000),
        ("level", 2, None, 900),
    ]
    assert all(step.seconds is not None for step in steps)


def test_what_the_server_writes_of_blocks_is_read() -> None:
    host = MemoryHost()
    tell = Teller(host, Stopwatch("sample"), Activity(), verbose=True).tell
    tell(Step(blocks=BlocksReport(1, 17)))
    tell(Step(blocks=BlocksReport(2, 17)))
    step = parse(lines(host)[1])
    assert step
    assert (step.unit, step.done, step.total, step.rows) == ("block", 2, 17, None)


def test_what_the_server_writes_of_trees_is_read() -> None:
    host = MemoryHost()
    tell = Teller(host, Stopwatch("sample"), Activity(), verbose=True).tell
    tell(Step(wave=WaveReport(7, 90, 1200)))
    tell(Step(wave=WaveReport(30, 90, 1300)))
    step = parse(lines(host)[1])
    assert step
    assert (step.unit, step.done, step.total, step.rows) == ("tree", 30, 90, None)
    assert step.seconds is not None


def test_what_a_client_says_of_rows_that_it_reads_is_read() -> None:
    """Of a reading that takes longer than a second a line a second: in the time that one row in ten took, so will the
    others.
    """
    host = MemoryHost(has_extension=False)
    clock = iter([0.0, 0.4, 1.0, 1.5, 2.0])
    tell = ReadingTeller(host, Activity(), True, lambda: next(clock)).tell
    for n_read in (4, 10, 15, 20):
        tell(n_read, 100, n_read * 1_000)
    assert lines(host) == ["pack 10 of 100: 10000 rows read, 1.000 s", "pack 20 of 100: 20000 rows read, 1.000 s"]
    estimate = Estimate(now=0.0)
    for number, message in enumerate(lines(host), 1):
        step = parse(message)
        assert step
        estimate.see(step, now=float(number))
    assert estimate.remaining(now=2.0) == pytest.approx(8.0)


@pytest.mark.parametrize(
    "message", ["", "n_bins: x: more than 65000 distinct values, put into quantile bins", "column id: 3 of 4 are NULL"]
)
def test_other_messages_are_no_progress(message: str) -> None:
    assert parse(message) is None


def level(number: int, rows: int, seconds: float) -> TrainingStep:
    step = parse(f"level {number}: 1 frontier node, {rows} rows in play, {seconds:.3f} s")
    assert step
    return step


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
        step = parse(f"block {number} of 12 of small groups: 0.500 s")
        assert step
        estimate.see(step, number / 2)
    assert estimate.remaining(1.5) == pytest.approx(4.5)
    assert estimate.fraction(1.5) == pytest.approx(0.25)


def test_trees_are_estimated_by_their_number_however_many_come_at_a_time() -> None:
    estimate = Estimate(None, now=0.0)
    now = 0.0
    for done, seconds in ((4, 2.0), (12, 4.0), (20, 4.0)):
        now += seconds
        step = parse(f"tree {done} of 100: {seconds:.3f} s")
        assert step
        estimate.see(step, now)
        assert estimate.remaining(now) == pytest.approx((100 - done) * 0.5)
    assert estimate.step == step
    assert estimate.fraction(now) == pytest.approx(0.2)
