"""The project's own image, built from the checkout's Dockerfile, and servers that run it; needs a container engine.

testcontainers starts a container of its own, which removes the others if this process dies. Where its image cannot be
pulled, set ``TESTCONTAINERS_RYUK_DISABLED=true``.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

ROOT = Path(__file__).parents[1]
TAG = "madtree-test"
PASSWORD = "of-a-server-that-lives-for-one-test-session"
READY_SECONDS = 90


def engine_answers() -> bool:
    """Whether a container engine can be reached, by ``DOCKER_HOST`` or at its usual place."""
    import docker

    try:
        client = docker.from_env()
    except docker.errors.DockerException:
        return False
    try:
        return bool(client.ping())
    except (docker.errors.DockerException, OSError):
        return False
    finally:
        client.close()


def build_image(directory: Path) -> str:
    """Build the server's image from the checkout; workers that share `directory` build it one after another.

    All but the first find every step in the engine's cache. Raises docker.errors.BuildError with the engine's log.
    """
    import docker

    with (directory / "image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        client = docker.from_env()
        try:
            client.images.build(path=str(ROOT), tag=TAG, target="server", rm=True)
        except docker.errors.BuildError as error:
            log = "".join(part.get("stream", "") for part in error.build_log)
            raise RuntimeError(f"{error}\n{log[-3000:]}") from error
        finally:
            client.close()
    return TAG


@contextmanager
def running(image: str, database: str = "madtree", settings: dict[str, str] | None = None) -> Iterator[str]:
    """Run a server in a container; the superuser's DSN of the database that it made at its first start."""
    from testcontainers.core.container import DockerContainer

    command = ["postgres"]
    for name, value in (settings or {}).items():
        command += ["-c", f"{name}={value}"]
    container = (
        DockerContainer(image, shm_size="1g")
        .with_env("POSTGRES_PASSWORD", PASSWORD)
        .with_env("POSTGRES_DB", database)
        .with_env("POSTGRES_INITDB_ARGS", "--locale=C.UTF-8")  # as the private server, which other sessions test with
        .with_exposed_ports(5432)
        .with_command(command)
    )
    with container:
        yield when_ready(container, database)


def when_ready(container, database: str) -> str:
    """Wait for the server; while its first start prepares the database, it listens to nobody outside."""
    dsn = psycopg.conninfo.make_conninfo(
        host=container.get_container_host_ip(),
        port=container.get_exposed_port(5432),
        user="postgres",
        password=PASSWORD,
        dbname=database,
    )
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            psycopg.connect(dsn, connect_timeout=5).close()
            return dsn
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                log = b"\n".join(container.get_logs()).decode(errors="replace")
                raise TimeoutError(f"{error}; the container said:\n{log[-3000:]}") from error
            time.sleep(0.2)


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tag of the server's image; skips where no container engine answers."""
    if not engine_answers():
        pytest.skip("no container engine answers")
    return build_image(tmp_path_factory.getbasetemp().parent)
