"""Running a case: make its tables, time, look at the memory, compare the trees."""

from __future__ import annotations

import math
from collections.abc import Mapping

import psycopg

from measure import machine, memory, table
from measure.case import Case, Ratio, Seconds
from measure.result import Figure, Result
from measure.result import Seconds as Timings
from measure.session import Session
from measure.table import SCHEMA
from measure.timing import Timing, interleaved, paired

QUICK = 4.0  # seconds after which two rounds are enough for a quick look


def run(session: Session, case: Case, about: dict[str, object], *, quick: bool = False) -> Result:
    """Measure a case. An error of the database is a result, too: it is told, and other cases go on."""
    about = {**about, "load": machine.load()}
    try:
        table.drop_others(session.db, case.tables)
        for needed in case.tables:
            table.make(session.db, needed)
        timings = _time(session, case, quick)
        figures = [figure_of(case, figure, timings) for figure in case.figures]
        for name in case.peaks:
            figures += _peaks(session, case, name)
        error = _differing(session, case)
    except psycopg.Error as failure:
        return Result(about, error=f"{type(failure).__name__}: {str(failure).splitlines()[0]}")
    seconds = {
        name: Timings(
            _rounded(timing.median),
            _rounded(min(timing.seconds)),
            _rounded(max(timing.seconds)),
            len(timing.seconds),
            case.timed[name].table.n_rows,
            case.timed[name].table.total_bins,
            {part: _rounded(value) for part, value in timing.part_medians.items()},
        )
        for name, timing in timings.items()
    }
    return Result(about, seconds, tuple(figures), error)


def _time(session: Session, case: Case, quick: bool) -> dict[str, Timing]:
    rounds = {name: (case.fewer or {}).get(name, case.rounds) for name in case.timed}
    actions = {name: timed.action(session) for name, timed in case.timed.items()}
    return interleaved(actions, rounds, QUICK if quick else math.inf)


def figure_of(case: Case, figure: Ratio | Seconds, timings: Mapping[str, Timing]) -> Figure:
    """A case's figure from its timings: the median of the rounds' ratios, or of the seconds."""
    if isinstance(figure, Seconds):
        timing = timings[figure.of]
        low, high = min(timing.seconds), max(timing.seconds)
        return Figure(
            figure.title, "s", _rounded(timing.median), figure.goal, False, _rounded(low), _rounded(high), False
        )
    scale = figure.scale
    if figure.per == "cell":
        scale *= case.timed[figure.above].table.total_bins / case.timed[figure.below].table.total_bins
    ratios = Timing([ratio / scale for ratio in paired(timings[figure.above], timings[figure.below])])
    low, high = min(ratios.seconds), max(ratios.seconds)
    return Figure(
        figure.title,
        "x",
        _rounded(ratios.median),
        figure.goal,
        figure.at_least,
        _rounded(low),
        _rounded(high),
    )


def _peaks(session: Session, case: Case, name: str) -> list[Figure]:
    training = case.training(name)
    peak = memory.peak_of(session.dsn, training)
    goal = case.most_memory or round(memory.allowed(training.table) / memory.MEGABYTE)
    own, resident = (None, None) if peak is None else (peak.own, peak.resident)
    return [
        Figure(f"memory at its peak, {name}", "MB", _megabytes(own), goal),
        Figure(f"with shared buffers (VmHWM), {name}", "MB", _megabytes(resident), compared=False),
    ]


def _differing(session: Session, case: Case) -> str | None:
    """Tells if trainings that should yield the same nodes do not."""
    digests = {}
    for name in case.same_trees:
        nodes = f"{SCHEMA}.{case.training(name).model}_nodes"
        query = f"SELECT md5(string_agg(n::text, ' ' ORDER BY tree_id, node_id)) FROM {nodes} n"
        digests[name] = session.db.execute(query).fetchone()
    if len(set(digests.values())) > 1:
        return "the trees differ: " + ", ".join(f"{name} {digest}" for name, digest in digests.items())
    return None


def _megabytes(size: int | None) -> float | None:
    return None if size is None else round(size / memory.MEGABYTE, 1)


def _rounded(value: float) -> float:
    """Four digits: more are noise."""
    return float(f"{value:.4g}")
