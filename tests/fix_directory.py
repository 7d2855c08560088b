"""Directories that a server's own account can reach."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fix_server import HOME


@pytest.fixture
def open_directory(pytestconfig: pytest.Config) -> Iterator[Path]:
    """An empty directory that all users may enter (pytest's own are closed to the account that root's server has)."""
    directory = Path(tempfile.mkdtemp(dir=pytestconfig.stash[HOME]))  # it goes with the session, should that be killed
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)
