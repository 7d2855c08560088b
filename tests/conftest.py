"""The suite's options and shared fixtures; fixtures live in ``fix_*.py``, one file per concern."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["fix_container", "fix_server", "fix_directory", "plain_database", "stopping_rows"]

# How long an example takes says nothing on a machine that is busy with other things.
settings.register_profile("madtree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("madtree")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--test-dsn",
        help="a server to test against (superuser, with madtree installed); default: $MADTREE_TEST_DSN, a container, "
        "or a private server that lives as long as the test session",
    )
