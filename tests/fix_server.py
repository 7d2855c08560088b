"""A real PostgreSQL server for the tests, and databases and connections in it.

The server is, in this order: the one that ``--test-dsn`` or ``MADTREE_TEST_DSN`` names; a container, where
``MADTREE_TEST_IMAGE`` names an image with PostgreSQL and madtree, or is ``build`` for the checkout's own Dockerfile; a
private server in a temporary directory; and where this machine has no PostgreSQL for one, but a container engine, again
a container of the Dockerfile's image. Workers of one session (pytest-xdist) share the server and have a database each;
of containers, each worker has its own.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from fix_container import build_image, engine_answers, running
from kept_schemas import KeptSchemas
from kept_sessions import KeptSessions
from leftovers import begin_session, clear_leftovers, end_session
from pooler import kept
from psycopg import sql
from psycopg.conninfo import make_conninfo

from madtree.embedded import PrivateServer
from madtree.install import NoPostgresError, find_installation
from madtree.install.files import compile_modules

# Nothing in a test's server outlives the session: no need to wait for disks. A test that asks for workers gets them,
# whatever others have at the time, and one that asks for a standby can make it.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_worker_processes": "32",
    "max_parallel_workers": "32",
    "wal_level": "replica",
    "max_wal_senders": "2",
    "max_wal_size": "512MB",  # it may be kept in memory
}
HOME = pytest.StashKey[Path]()
ByteCode = dict[Path, bytes]  # by the place below a server's Python directory


@dataclass(frozen=True)
class Server:
    """A running server, reached as superuser by `dsn`; `home` is set if it is a private server of this session."""

    dsn: str
    home: Path | None = None

    def dsn_of(self, **changes: str) -> str:
        """The DSN with another database, user or password."""
        return make_conninfo(self.dsn, **changes)


def pytest_configure(config: pytest.Config) -> None:
    """One home per session: made by the controlling process, known to its workers.

    Sessions that were killed before are cleared away.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None:
        clear_leftovers()
        config.stash[HOME] = begin_session()
    else:
        config.stash[HOME] = Path(worker["madtree_home"])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    node.workerinput["madtree_home"] = str(node.config.stash[HOME])  # type: ignore[attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    home = config.stash.get(HOME, None)
    if home is not None and not hasattr(config, "workerinput"):
        end_session(home)


def container_image(home: Path) -> str | None:
    """The image to test in, built if it is the checkout's own; None for a private server."""
    named = os.environ.get("MADTREE_TEST_IMAGE")
    if named and named != "build":
        return named
    return build_image(home) if named or (not postgres_is_here() and engine_answers()) else None


def postgres_is_here() -> bool:
    """Whether this machine has a PostgreSQL that a private server can be made of."""
    try:
        find_installation()
    except NoPostgresError:
        return False
    return True


@pytest.fixture(scope="session", autouse=True)
def _byte_code_made_once() -> Iterator[None]:
    """Servers that are made in this process have the same modules, unless a test changes one: byte code that an
    interpreter has made of them is the next server's, too. It tells no place.
    """
    made: dict[str | None, tuple[ByteCode, ByteCode]] = {}

    def compile_or_copy(directory: Path, python: str | None) -> None:
        sources, known = _files(directory, "*.py"), made.get(python)
        if known is None or known[0] != sources:
            compile_modules(directory, python)
            made[python] = sources, _files(directory, "*.pyc")
            return
        for place, content in known[1].items():
            path = directory / place
            path.parent.mkdir(mode=0o755, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o644)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("madtree.embedded.server.compile_modules", compile_or_copy)
        yield


def _files(directory: Path, pattern: str) -> ByteCode:
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob(pattern)}


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The server of this session, running."""
    if dsn := pytestconfig.getoption("--test-dsn") or os.environ.get("MADTREE_TEST_DSN"):
        yield Server(dsn)
    elif image := container_image(pytestconfig.stash[HOME]):
        with running(image, settings=FAST) as dsn:
            yield Server(dsn)
    else:
        # `up` starts it for the first worker that comes here and finds it running for the others.
        home = pytestconfig.stash[HOME] / "server"
        yield Server(PrivateServer(home).up(settings=FAST), home)


@pytest.fixture(scope="session")
def sessions() -> Iterator[KeptSessions]:
    """Sessions that this worker's tests use one after the other."""
    kept = KeptSessions()
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def dsn(server: Server) -> Iterator[str]:
    """DSN of this worker's own database, with the extension created and its schema on the search path."""
    name = f"madtree_test_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(f'ALTER DATABASE {name} SET search_path = "$user", public, madtree')
    database = server.dsn_of(dbname=name)
    with psycopg.connect(database) as connection:
        connection.execute("CREATE EXTENSION madtree CASCADE")
    yield database
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def schemas(dsn: str, sessions: KeptSessions) -> KeptSchemas:
    """Schemas that this worker's tests use one after the other."""
    return KeptSchemas(dsn, sessions)


@pytest.fixture(scope="session")
def kept_dsn(dsn: str) -> Iterator[str]:
    """The same DSN for other programs, by way of sessions that have loaded what calls need, where that is possible."""
    with kept(dsn) as through:
        yield through


@pytest.fixture
def schema(request: pytest.FixtureRequest, schemas: KeptSchemas) -> Iterator[str]:
    """Name of a schema of this test's own, empty at first, in which `user_db` may create tables."""
    user = request.getfixturevalue("ordinary_user")[0] if "user_db" in request.fixturenames else None
    with schemas.schema("test", user) as name:
        yield name


@pytest.fixture(scope="module")
def shared_schema(schemas: KeptSchemas) -> Iterator[str]:
    """Name of a schema for what the tests of a module read only, emptied after the last of them."""
    with schemas.schema("shared") as name:
        yield name


@pytest.fixture(scope="module")
def shared_db(dsn: str, shared_schema: str, sessions: KeptSessions) -> Iterator[psycopg.Connection]:
    """A superuser's connection as `db`, to make what the tests of a module read only, in a schema of the module's."""
    with sessions.session(dsn) as connection:
        connection.execute(f"SET search_path = {shared_schema}, public, madtree")
        yield connection


@pytest.fixture
def db(dsn: str, schema: str, sessions: KeptSessions) -> Iterator[psycopg.Connection]:
    """A superuser's connection in autocommit mode; unqualified names are made in the test's own schema.

    Nothing is prepared behind a test's back: a test may drop a table and make another one of the same name.
    """
    with sessions.session(dsn) as connection:
        connection.execute(f"SET search_path = {schema}, public, madtree")
        yield connection


@pytest.fixture
def notices(db: psycopg.Connection) -> list[str]:
    """What the server says to `db` from now on besides its answers, in order."""
    lines: list[str] = []
    db.add_notice_handler(lambda notice: lines.append(notice.message_primary or ""))
    return lines


@pytest.fixture
def connect(dsn: str, schema: str, sessions: KeptSessions) -> Iterator[Callable[[], psycopg.Connection]]:
    """More sessions like `db`'s."""
    with ExitStack() as opened:

        def open_one() -> psycopg.Connection:
            connection = opened.enter_context(sessions.session(dsn))
            connection.execute(f"SET search_path = {schema}, public, madtree")
            return connection

        yield open_one


@pytest.fixture
def other_database(server: Server) -> Iterator[str]:
    """DSN of an empty database without madtree."""
    name = f"madtree_other_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    yield server.dsn_of(dbname=name)
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def ordinary_user(server: Server, dsn: str) -> Iterator[tuple[str, str]]:
    """Name and password of a role that is no superuser and owns nothing."""
    name, password = f"madtree_user_{os.getpid()}", secrets.token_hex(16)
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), sql.Literal(password)))
    yield name, password
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(name)))


@pytest.fixture
def user_db(
    dsn: str, schema: str, sessions: KeptSessions, db: psycopg.Connection, ordinary_user: tuple[str, str]
) -> Iterator[psycopg.Connection]:
    """An ordinary user's connection, who may create tables in the test's schema and sees no other's tables in it."""
    name, password = ordinary_user
    login = make_conninfo(dsn, user=name, password=password)
    with sessions.session(login) as connection:
        connection.execute(f"SET search_path = {schema}, public, madtree")
        yield connection
