"""The suite's options and shared fixtures; fixtures live in ``fix_*.py``, one file per concern."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import HealthCheck, settings
from shares import is_in_turn, is_one_in

pytest_plugins = ["fix_container", "fix_server", "fix_directory", "plain_database", "stopping_rows"]

# Tests run at the same time: threads of one that wait for each other by looking again and again take the others' time.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# The package shap would compile loops for longer than they take on the few rows that tests have.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# Collecting makes a million objects that all stay: to look among them for garbage takes a fifth of its time.
gc.disable()

# How long an example takes says nothing on a machine that is busy with other things.
settings.register_profile("madtree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("madtree")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--test-dsn",
        help="a server to test against (superuser, with madtree installed); default: $MADTREE_TEST_DSN, a container, "
        "or a private server that lives as long as the test session",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases of tests marked `in_turn` that `is_in_turn` does, and of what is left, where marked `one_in`, all
    but one in so many, unless all are asked for.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("in_turn") or item.get_closest_marker("one_in"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left = {item for of_test in cases.values() for item in left_out(of_test)}
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = [item for item in items if item not in left]


def left_out(cases: list[pytest.Item]) -> list[pytest.Item]:
    """Of all cases of a test those that are not tried."""
    placed = places_of(cases)
    tried = list(zip(cases, placed, strict=True))
    if cases[0].get_closest_marker("in_turn"):
        sizes = [1 + max(places) for places in zip(*placed, strict=True)]
        longest = sizes.index(max(sizes))
        tried = [(item, [places[longest]]) for item, places in tried if is_in_turn(places, sizes)]
    if mark := cases[0].get_closest_marker("one_in"):
        tried = [(item, places) for item, places in tried if is_one_in(places, mark.args[0])]
    kept = {item for item, _ in tried}
    return [item for item in cases if item not in kept]


def places_of(cases: list[pytest.Item]) -> list[list[int]]:
    """Of each case of a test the places of its values in their lists; one of the lists may be a fixture's."""
    lists: dict[int, dict[tuple[int, ...], int]] = {}
    placed = []
    for item in cases:
        marks = [mark.args[0] for mark in item.iter_markers("parametrize")]
        names = [mark.replace(" ", "").split(",") if isinstance(mark, str) else mark for mark in marks]
        names += [[name] for name in item.callspec.params if not any(name in each for each in names)]
        values = [tuple(id(item.callspec.params[name]) for name in each) for each in names]
        known = [lists.setdefault(number, {}) for number in range(len(values))]
        placed.append([own.setdefault(value, len(own)) for own, value in zip(known, values, strict=True)])
    return placed


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays to the end: no collection of garbage need walk it."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)  # tests leave little garbage, and many objects that it is looked for among
