"""Commands of the client engine that end too early: what is said, and that nothing is left."""

from __future__ import annotations

import signal

import psycopg
import pytest
from stopping_rows import ASLEEP, AT_WORK, LATE, assert_nothing_is_left, count
from terminal import run, start
from waiting import PATIENCE, wait_until


@pytest.mark.parametrize(("connections", "n_sessions"), [("1", 1), ("2", 3)])
def test_ctrl_c_of_the_command(plain: str, admin: psycopg.Connection, connections: str, n_sessions: int) -> None:
    words = ["train", "shop.many", "mine.m", "--id", "id", "-y", "bought", "-x", f"age, shop.sleep_at(id, {LATE})"]
    command = start("--engine", "client", "--connections", connections, "--dsn", plain, *words)
    wait_until(lambda: count(admin, ASLEEP), "never came to the row")
    assert count(admin, AT_WORK) == n_sessions
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=PATIENCE)
    assert (command.returncode, out, err.splitlines()[-1]) == (130, "", "interrupted: nothing was changed")
    assert_nothing_is_left(admin, plain)


def test_the_command_says_what_broke(plain: str, admin: psycopg.Connection) -> None:
    words = ["train", "shop.visits", "mine.m", "--id", "id", "-y", "bought", "-x", "shop.end_at(id, 700)"]
    said = run("--engine", "client", "--dsn", plain, *words)
    assert (said.code, said.out) == (3, "")
    error, hint = said.err.splitlines()
    assert error.endswith("broke in the middle of the call: terminating connection due to administrator command")
    assert hint == "hint: Nothing of it is left in the server. Connect anew and call again."
    assert_nothing_is_left(admin, plain)
