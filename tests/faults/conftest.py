"""Servers that may be broken: one for each module, of its own, and only by `make test-faults`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from breakable import BreakableServer
from fix_server import HOME

from madtree.embedded import PrivateServer

HERE = Path(__file__).parent
# Small, so that starting and recovering take no time. The data reach the system, and so outlive the server's processes.
SMALL = {
    "fsync": "off",
    "shared_buffers": "32MB",
    "max_connections": "30",
    "max_worker_processes": "8",
    "max_parallel_workers": "8",
    "max_parallel_workers_per_gather": "2",
    "autovacuum": "off",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{HERE}/"
    for item in items:  # all of the suite's: paths' parents would take a third of a second
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.faults)


@pytest.fixture(scope="module")
def breakable(request: pytest.FixtureRequest) -> Iterator[BreakableServer]:
    """A server of this module's own, with the settings that the module has as SETTINGS, and all tables and models."""
    home = Path(tempfile.mkdtemp(prefix="faults-", dir=request.config.stash[HOME]))
    home.chmod(0o755)  # for root's tests: the server's account must reach it
    server = BreakableServer(PrivateServer(home / "server"), {**SMALL, **getattr(request.module, "SETTINGS", {})})
    try:
        server.start()
        server.fill()
        yield server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)
