"""Fixtures for the tests of installation: homes of their own, and directories that a server can read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from fix_server import FAST, HOME

from madtree.embedded import PrivateServer
from madtree.embedded.prefix import Prefix
from madtree.install.postgres import find_installation


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


class CopiedServer(PrivateServer):
    """Whose data directory is a copy of what initdb has made for the first one: it takes a tenth of initdb's time.

    Args:
        made: where the first one leaves its copy; the server's account must be able to write beside it.
    """

    def __init__(self, home: Path, made: Path) -> None:
        super().__init__(home)
        self._made = made

    def _create(self, prefix: Prefix) -> None:
        if not self._made.exists():
            super()._create(prefix)
            self._copy(self.home.data, self._made)
            return
        self.home.passfile.unlink(missing_ok=True)
        self._copy(f"{self._made}/.", self.home.data)

    def _copy(self, source: str | Path, target: Path) -> None:
        done = self.user.run(["cp", "-a", str(source), str(target)], cwd=self.home.data)
        assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def initialized(pytestconfig: pytest.Config) -> Iterator[Path]:
    """Where this process keeps a data directory as initdb makes it."""
    directory = Path(tempfile.mkdtemp(dir=pytestconfig.stash[HOME]))
    directory.chmod(0o777)
    yield directory / "data"
    shutil.rmtree(directory)


@pytest.fixture
def new_server(open_directory: Path, initialized: Path) -> Iterator[Callable[[str], PrivateServer]]:
    """Makes private servers by name, in homes of this test's own; stops them at the end."""
    made: dict[str, PrivateServer] = {}

    def make(name: str = "home") -> PrivateServer:
        return made.setdefault(name, CopiedServer(open_directory / name, initialized))

    yield make
    for server in made.values():
        server.down()


@pytest.fixture
def running(new_server: Callable[[str], PrivateServer]) -> PrivateServer:
    """A private server of this test's own, up."""
    server = new_server("home")
    server.up(settings=FAST)
    return server


@pytest.fixture(scope="module")
def standing(pytestconfig: pytest.Config, initialized: Path) -> Iterator[PrivateServer]:
    """A private server of this module's, for tests that leave it up and as it is, but for objects in its database."""
    directory = Path(tempfile.mkdtemp(dir=pytestconfig.stash[HOME]))
    directory.chmod(0o755)
    server = CopiedServer(directory / "home", initialized)
    server.up(settings=FAST)
    yield server
    server.down()
    shutil.rmtree(directory)


@pytest.fixture
def scratch(standing: PrivateServer) -> Iterator[Callable[[str, dict[str, str]], psycopg.Connection]]:
    """Connects to a new database of a server whose extension directory holds further scripts by then.

    After the test the server has the databases and the scripts that it had before.
    """
    share = standing.home.prefix / "share" / "postgresql" / str(find_installation().major) / "extension"
    if not share.exists():
        (share,) = (path.parent for path in standing.home.prefix.rglob("madtree.control"))
    uri, before = standing.status().uri, {path: path.read_bytes() for path in share.glob("madtree*")}
    databases = names_of_databases(uri)

    def connect(name: str, scripts: dict[str, str]) -> psycopg.Connection:
        for file_name, text in scripts.items():
            (share / file_name).write_text(text)
            (share / file_name).chmod(0o644)
        with psycopg.connect(uri, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}")
        return psycopg.connect(uri, dbname=name, autocommit=True)

    yield connect
    with psycopg.connect(uri, autocommit=True) as admin:
        for name in names_of_databases(uri) - databases:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    for path in set(share.glob("madtree*")) - set(before):
        path.unlink()
    for path, content in before.items():
        path.write_bytes(content)


def names_of_databases(uri: str) -> set[str]:
    with psycopg.connect(uri) as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
