"""The suite's options and shared fixtures; fixtures live in ``fix_*.py``, one file per concern."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["fix_container", "fix_server", "fix_directory", "plain_database", "stopping_rows"]

# Tests run at the same time: threads of one that wait for each other by looking again and again take the others' time.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# The package shap would compile loops for longer than they take on the few rows that tests have.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# How long an example takes says nothing on a machine that is busy with other things.
settings.register_profile("madtree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("madtree")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--test-dsn",
        help="a server to test against (superuser, with madtree installed); default: $MADTREE_TEST_DSN, a container, "
        "or a private server that lives as long as the test session",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays to the end: no collection of garbage need walk it again."""
    gc.collect()
    gc.freeze()
