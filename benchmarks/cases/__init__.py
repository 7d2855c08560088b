"""The cases, suite by suite, as data."""

from __future__ import annotations

from measure.case import Suite

from cases import (
    boosting,
    client,
    explaining,
    forests,
    groups,
    hard,
    job,
    living,
    parallel,
    scaling,
    scoring,
    strategies,
    tuning,
)

SUITES: tuple[Suite, ...] = (
    job.SUITE,
    parallel.SUITE,
    strategies.SUITE,
    client.SUITE,
    groups.SUITE,
    hard.SUITE,
    scoring.SUITE,
    explaining.SUITE,
    living.SUITE,
    scaling.ROWS,
    scaling.COLUMNS,
    forests.SUITE,
    forests.TREES,
    forests.ROWS,
    forests.COLUMNS,
    boosting.SUITE,
    tuning.SUITE,
)
