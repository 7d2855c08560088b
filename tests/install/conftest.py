"""Fixtures for the tests of installation: homes of their own, and directories that a server can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fix_server import FAST

from madtree.embedded import PrivateServer


@pytest.fixture
def foreign_python_dir(open_directory: Path) -> Path:
    """A Python directory with a madtree of another version."""
    package = open_directory / "madtree"
    package.mkdir()
    (package / "__init__.py").write_text('__version__ = "0.0.1"\n')
    (package / "entry").mkdir()
    (package / "entry" / "__init__.py").write_text("")
    (package / "entry" / "functions.py").write_text("from madtree import __version__ as __version__\n")
    for path in (package, *package.rglob("*")):
        path.chmod(0o755)
    return open_directory


@pytest.fixture
def new_server(open_directory: Path) -> Iterator[Callable[[str], PrivateServer]]:
    """Makes private servers by name, in homes of this test's own; stops them at the end."""
    made: dict[str, PrivateServer] = {}

    def make(name: str = "home") -> PrivateServer:
        return made.setdefault(name, PrivateServer(open_directory / name))

    yield make
    for server in made.values():
        server.down()


@pytest.fixture
def running(new_server: Callable[[str], PrivateServer]) -> PrivateServer:
    """A private server of this test's own, up."""
    server = new_server("home")
    server.up(settings=FAST)
    return server
