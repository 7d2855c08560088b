"""How the benchmarks take turns, and what they make of the seconds."""

from __future__ import annotations

from typing import Any

import pytest
from measure.case import Case, Ratio, Seconds
from measure.inside import Train
from measure.runner import figure_of
from measure.table import Table
from measure.timing import Action, Timing, interleaved, paired


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def timed(clock: Clock, *arguments: Any, **more: float) -> dict[str, Timing]:
    """By that clock."""
    return interleaved(*arguments, **more, clock=lambda: clock.now)


class Recorded:
    """Actions that write down when they ran."""

    def __init__(self, clock: Clock) -> None:
        self.order: list[str] = []
        self._clock = clock

    def action(self, name: str, seconds: float = 0.0) -> Action:
        def run() -> dict[str, float]:
            self.order.append(name)
            self._clock.sleep(seconds)
            return {"part": seconds}

        return Action(run)


def test_actions_take_turns_after_a_round_that_does_not_count(clock: Clock) -> None:
    ran = Recorded(clock)
    timings = timed(clock, {name: ran.action(name) for name in "ab"}, {"a": 2, "b": 2})
    assert ran.order == list("ababab")
    assert [len(timing.seconds) for timing in timings.values()] == [2, 2]


def test_an_action_of_fewer_rounds_takes_part_in_the_first_ones(clock: Clock) -> None:
    ran = Recorded(clock)
    timings = timed(clock, {name: ran.action(name) for name in "ab"}, {"a": 3, "b": 1})
    assert ran.order == list("ababaa")
    assert [len(timing.seconds) for timing in timings.values()] == [3, 1]


def test_a_long_warming_up_is_the_first_round(clock: Clock) -> None:
    ran = Recorded(clock)
    timings = timed(clock, {"a": ran.action("a"), "b": ran.action("b", 0.02)}, {"a": 2, "b": 2}, long=0.01)
    assert ran.order == list("abaab")
    assert len(timings["b"].seconds) == len(timings["b"].parts["part"]) == 2


def test_two_rounds_are_run_however_long_they_take(clock: Clock) -> None:
    ran = Recorded(clock)
    timings = timed(clock, {"a": ran.action("a", 0.01)}, {"a": 9}, enough=0.0)
    assert len(timings["a"].seconds) == 2


def test_what_comes_before_a_run_is_not_timed(clock: Clock) -> None:
    timings = timed(clock, {"a": Action(lambda: clock.sleep(2.0), lambda: clock.sleep(5.0))}, {"a": 1})
    assert timings["a"].seconds == [2.0]


def test_ratios_are_of_the_same_round() -> None:
    assert paired(Timing([2.0, 30.0, 5.0]), Timing([1.0, 10.0])) == [2.0, 3.0]


def table(name: str, n_rows: int, n_columns: int) -> Table:
    return Table(name, n_rows, tuple(f"x{i}" for i in range(n_columns)), n_rows * n_columns, "")


CASE = Case("c", {"plain": Train(table("small", 10, 1)), "wide": Train(table("large", 10, 10))})
TIMINGS = {"plain": Timing([1.0, 10.0, 1.0]), "wide": Timing([30.0, 200.0, 10.0])}


def test_a_ratio_is_the_median_of_the_rounds() -> None:
    figure = figure_of(CASE, Ratio("wide", "plain", 5), TIMINGS)
    assert (figure.reached, figure.low, figure.high, figure.met) == (20.0, 10.0, 30.0, False)


def test_a_ratio_per_cell_takes_the_tables_sizes_out() -> None:
    figure = figure_of(CASE, Ratio("wide", "plain", 5, per="cell"), TIMINGS)
    assert (figure.name, figure.reached, figure.met) == ("wide / plain, per cell", 2.0, True)
    assert figure_of(CASE, Ratio("wide", "plain", per="cell", scale=2.0), TIMINGS).reached == 1.0


def test_seconds_are_not_compared_with_other_runs() -> None:
    figure = figure_of(CASE, Seconds("plain", 2.0), TIMINGS)
    assert (figure.reached, figure.unit, figure.met, figure.compared) == (1.0, "s", True, False)


def test_a_figure_of_something_that_is_not_timed_is_an_error() -> None:
    with pytest.raises(KeyError):
        figure_of(CASE, Ratio("wide", "narrow"), TIMINGS)
