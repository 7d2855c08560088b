"""`make bench` against the figures that were committed last."""

from __future__ import annotations

from dataclasses import replace

import pytest
from measure.compare import Change, changes, newly_failing, slower
from measure.result import Figure, Result

RATIO = Figure("tree_train / scan", "x", 5.0, goal=5)


def case(*figures: Figure, error: str | None = None) -> dict[str, Result]:
    return {"reading": Result({}, {}, figures, error)}


def worse(before: Figure, now: Figure) -> list[Change]:
    return slower(changes(case(before), case(now)))


@pytest.mark.parametrize(("now", "is_worse"), [(4.0, False), (5.9, False), (6.0, False), (6.1, True), (50.0, True)])
def test_a_ratio_is_worse_when_it_grows_by_more_than_a_fifth(now: float, is_worse: bool) -> None:
    found = worse(RATIO, replace(RATIO, reached=now))
    assert bool(found) is is_worse
    assert not found or found[0].factor == pytest.approx(now / 5)


@pytest.mark.parametrize(("now", "is_worse"), [(3.0, False), (2.1, False), (2.0, True), (0.5, True)])
def test_a_speed_up_is_worse_when_it_shrinks(now: float, is_worse: bool) -> None:
    before = Figure("one process / 3 workers", "x", 2.5, goal=2.5, at_least=True)
    assert bool(worse(before, replace(before, reached=now))) is is_worse


def test_what_is_better_is_told_as_such() -> None:
    (change,) = changes(case(RATIO), case(replace(RATIO, reached=2.5)))
    assert change.factor == 0.5
    assert change.line() == "reading: tree_train / scan: 5 x -> 2.5 x (2.00 x better)"


def test_the_worst_comes_first() -> None:
    other = replace(RATIO, name="other")
    found = changes(case(RATIO, other), case(replace(RATIO, reached=7.0), replace(other, reached=50.0)))
    assert [change.figure for change in found] == ["other", "tree_train / scan"]
    assert found[0].line() == "reading: other: 5 x -> 50 x (10.00 x worse)"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (replace(RATIO, reached=None), RATIO),
        (RATIO, replace(RATIO, reached=None)),
        (RATIO, replace(RATIO, reached=50.0, compared=False)),
        (RATIO, replace(RATIO, reached=50.0, unit="MB")),
        (RATIO, replace(RATIO, reached=50.0, name="renamed")),
    ],
    ids=["was not measured", "is not measured", "depends on the machine", "another unit", "renamed"],
)
def test_figures_that_cannot_be_compared_are_left_alone(before: Figure, now: Figure) -> None:
    assert changes(case(before), case(now)) == []


def test_cases_of_one_side_only_are_left_alone() -> None:
    assert changes({}, case(replace(RATIO, reached=50.0))) == []
    assert changes(case(RATIO), {}) == []


def test_an_error_is_told_whether_or_not_it_is_new() -> None:
    failing = case(error="QueryCanceled: statement timeout")
    assert list(newly_failing(case(RATIO), failing)) == ["reading: QueryCanceled: statement timeout"]
    assert list(newly_failing(failing, failing)) == ["reading: QueryCanceled: statement timeout (as before)"]
    assert list(newly_failing(failing, case(RATIO))) == []
