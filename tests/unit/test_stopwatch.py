"""Seconds by stage."""

from __future__ import annotations

from madtree.host.stopwatch import Stopwatch


def test_a_stage_that_comes_again_goes_on_counting() -> None:
    times = iter([10.0, 10.5, 12.5, 13.0, 13.25])
    watch = Stopwatch("write", lambda: next(times))
    watch.begin("sample")
    watch.begin("pack")
    watch.begin("write")
    assert watch.line() == "stages: write 0.750 s, sample 2.000 s, pack 0.500 s"
