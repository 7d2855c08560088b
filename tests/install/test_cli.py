"""The command line as a person or a script uses it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from fix_server import FAST

from madtree import __version__
from madtree.embedded import PrivateServer
from madtree.install.script import PACKAGE

MADTREE = [sys.executable, "-m", "madtree"]


def run(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MADTREE_HOME": str(home)}
    return subprocess.run(
        [*MADTREE, *words], env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def home(open_directory):
    yield open_directory / "home"
    PrivateServer(open_directory / "home").down()


def test_up_prints_the_uri_as_its_last_line_and_psql_takes_it(standing):
    said = run("up", home=standing.home.root)
    assert said.returncode == 0, said.stderr
    uri = said.stdout.splitlines()[-1]
    answer = subprocess.run(
        ["psql", uri, "-XAtc", "SELECT extname FROM pg_extension WHERE extname = 'madtree'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == "madtree\n"


def test_status_tells_by_its_exit_code_whether_the_server_runs(standing, home):
    assert "not created yet" in run("status", home=home).stdout
    home = standing.home.root
    standing.up(settings=FAST)
    running = run("status", home=home)
    assert running.returncode == 0
    assert str(home) in running.stdout
    assert run("down", home=home).returncode == 0
    stopped = run("status", home=home)
    assert stopped.returncode == 3
    assert "down" in stopped.stdout
    assert run("down", home=home).returncode == 0


def test_psql_starts_the_server_and_passes_its_arguments_on(standing):
    standing.down()
    said = run("psql", "-XAt", "-c", "SELECT 6 * 7", home=standing.home.root)
    assert said.stdout == "42\n", said.stderr


def test_an_error_is_a_message_and_no_traceback(home):
    home.mkdir()
    (home / "data").mkdir()
    (home / "data" / "precious").touch()
    said = run("up", home=home)
    assert said.returncode == 1
    assert said.stdout == ""
    assert "was not made by madtree" in said.stderr
    assert "Traceback" not in said.stderr


def test_version_has_one_home(home):
    assert run("--version", home=home).stdout == f"madtree {__version__}\n"


def test_an_environment_made_for_other_servers_changes_nothing(standing, monkeypatch):
    standing.down()
    for name, value in {
        "PGPORT": "1",
        "PGHOST": "nowhere",
        "PGDATA": "/nowhere",
        "PGUSER": "x",
        "PYTHONHOME": "",
    }.items():
        monkeypatch.setenv(name, value)
    uri = run("up", home=standing.home.root).stdout.splitlines()[-1]
    with psycopg.connect(uri) as connection:
        connection.execute(
            "CREATE FUNCTION prefix() RETURNS text LANGUAGE plpython3u AS 'import sys; return sys.prefix'"
        )
        (prefix,) = connection.execute("SELECT prefix()").fetchone()
    assert not prefix.startswith(sys.prefix), "PL/Python runs in the client's virtual environment"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_runs_a_server_of_their_own(open_directory):
    """With no right to write to the system's PostgreSQL; other ordinary users stay outside."""
    nobody = pwd.getpwnam("nobody")
    package = open_directory / "package"
    package.mkdir(mode=0o755)
    shutil.copytree(PACKAGE, package / "madtree")
    for name in ("sql", "migrations"):
        shutil.copytree(PACKAGE.parent / name, package / name)
    shutil.copy(PACKAGE.parent / "madtree.control", package)
    mine = open_directory / "nobody"
    mine.mkdir(mode=0o755)
    os.chown(mine, nobody.pw_uid, nobody.pw_gid)
    packages = [path for path in sys.path if path.endswith("site-packages")]

    def as_user(user: str, *command: str) -> subprocess.CompletedProcess[str]:
        account = pwd.getpwnam(user)
        return subprocess.run(
            command,
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
            cwd=mine,
            env={
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": ":".join([str(package), *packages]),
                "MADTREE_HOME": str(mine / "home"),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def can_run(python: str) -> bool:
        try:
            return as_user("nobody", python, "-c", "import psycopg, typer").returncode == 0
        except (PermissionError, FileNotFoundError):
            return False

    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    pythons = [python for python in (sys.executable, f"/usr/bin/{version}") if can_run(python)]
    if not pythons:
        pytest.skip(f"nobody may run neither {sys.executable} nor /usr/bin/{version} with this suite's packages")
    madtree = [pythons[0], "-m", "madtree"]
    try:
        up = as_user("nobody", *madtree, "up")
        assert up.returncode == 0, up.stderr
        uri = up.stdout.splitlines()[-1]
        question = ["psql", uri, "-XAtc", "SELECT extversion FROM pg_extension WHERE extname = 'madtree'"]
        assert as_user("nobody", *question).stdout == f"{__version__}\n"
        stranger = as_user("daemon", *question)
        assert stranger.returncode != 0
        assert "Permission denied" in stranger.stderr
    finally:
        as_user("nobody", *madtree, "down")
