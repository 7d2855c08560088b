"""A test session that is killed leaves nothing for longer than until the next one begins."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from leftovers import begin_session, clear_leftovers, end_session

from madtree.embedded import PrivateServer

# A session that starts a server of its tests', tells so, and waits to be killed.
SESSION = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from fix_server import FAST
from leftovers import begin_session
from madtree.embedded import PrivateServer
home = begin_session(Path({parent!r}))
PrivateServer(home / "server").up(settings=FAST)
print(home, flush=True)
time.sleep(3600)
"""


def test_a_killed_sessions_server_and_directory_are_cleared_away_and_a_living_ones_are_not(
    open_directory: Path,
) -> None:
    living = begin_session(open_directory)
    code = SESSION.format(tests=str(Path(__file__).parents[1]), parent=str(open_directory))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as session:
        assert session.stdout is not None
        home = Path(session.stdout.readline().strip())
        server = PrivateServer(home / "server")
        status = server.status()
        assert clear_leftovers(open_directory) == []
        session.send_signal(signal.SIGKILL)
    assert server.status().pid == status.pid is not None  # it outlives its session
    assert status.uri is not None
    # Asked of the server itself: another test's server may have its port by now.
    with psycopg.connect(status.uri) as connection:
        assert clear_leftovers(open_directory) == [home]
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert list(open_directory.iterdir()) == [living]
    end_session(living)
    assert list(open_directory.iterdir()) == []


def test_sessions_are_looked_for_where_they_usually_are() -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r}); import leftovers as l; "
    code += "print(l.begin_session())"
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    home = Path(ended.stdout.strip())
    assert home.name.startswith("madtree-test-")
    clear_leftovers()
    assert not home.exists()
