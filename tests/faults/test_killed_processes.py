"""Processes killed in mid-training: the server recovers, nothing is left, and the next training is the same."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from breakable import BreakableServer, at_notice
from runs import RUNS, TRAININGS, outcome
from waiting import PATIENCE, wait_until

from madtree.embedded import PrivateServerError

SMALL_FILES = 1_000_000  # bytes of relations that no transaction committed, after a crash of the server
CLIENT = """
import psycopg, sys
session = psycopg.connect(sys.argv[1], autocommit=True)
session.add_notice_handler(lambda notice: print(notice.message_primary, flush=True))
session.execute("SET search_path = public, madtree; SET client_min_messages = info")
session.execute("SET client_connection_check_interval = '50ms'")
print(session.info.backend_pid, flush=True)
session.execute(sys.argv[2])
"""
BROKEN = (psycopg.OperationalError, psycopg.errors.AdminShutdown, psycopg.errors.InternalError_)


def workers(breakable: BreakableServer) -> list[int]:
    return [pid for pid, title in breakable.children().items() if "parallel worker" in title]


def check(breakable: BreakableServer, before: set[str], expected: str, name: str) -> None:
    """All is as it was: in a new session, whose process has another id."""
    with breakable.session() as session:
        assert breakable.traces(session) == before
        assert outcome(session, name) == expected


def state(breakable: BreakableServer, name: str) -> tuple[set[str], str]:
    with breakable.session() as session:
        expected = outcome(session, name)
    with breakable.session() as session:
        return breakable.traces(session), expected


@pytest.mark.parametrize("name", ["memory", "workers", "aggregate", "groups"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["terminated", "killed"])
@pytest.mark.parametrize("whom", ["leader", "worker"])
def test_a_process_of_a_training(breakable: BreakableServer, name: str, how: signal.Signals, whom: str) -> None:
    if whom == "worker" and name != "workers":
        pytest.skip("only resident workers are sure to be there when a line comes")
    before, expected = state(breakable, name)
    orphans = breakable.orphans()
    with breakable.session() as session:
        pid = session.info.backend_pid
        victims: list[int] = []

        def strike() -> None:
            victims.extend([pid] if whom == "leader" else workers(breakable)[:1])
            assert victims
            os.kill(victims[0], how)

        at_notice(session, "block " if name == "groups" else "level 1", strike)
        with pytest.raises(psycopg.Error):
            session.execute(RUNS[name])
    # Until the postmaster has seen it, it lets sessions in, and ends them when it has.
    breakable.wait_for_end(victims)
    breakable.wait_for_recovery()
    wait_until(lambda: pid not in breakable.children() and not workers(breakable), "a process stays")
    check(breakable, before, expected, name)
    # A crash leaves files of what was not committed, as PostgreSQL does: they must be small.
    left = {name: size for name, size in breakable.orphans().items() if name not in orphans}
    assert sum(left.values()) < SMALL_FILES, left


@pytest.mark.parametrize("name", TRAININGS)
def test_the_whole_server(breakable: BreakableServer, name: str) -> None:
    before, expected = state(breakable, name)
    orphans = breakable.orphans()
    with breakable.session() as session:
        at_notice(session, "block " if name == "groups" else "level 1", breakable.kill_all)
        with pytest.raises(BROKEN):
            session.execute(RUNS[name])
    breakable.start()
    check(breakable, before, expected, name)
    left = {name: size for name, size in breakable.orphans().items() if name not in orphans}
    assert sum(left.values()) < SMALL_FILES, left


@pytest.mark.parametrize("name", ["memory", "workers", "spilled", "spilled by workers"])
def test_the_postmaster_alone(breakable: BreakableServer, name: str) -> None:
    """Its processes find out and end, or end what they do first."""
    before, expected = state(breakable, name)
    with breakable.session() as session:

        def strike() -> None:
            pids.extend(breakable.children())
            pids.append(breakable.postmaster)
            os.kill(breakable.postmaster, signal.SIGKILL)

        pids: list[int] = []
        at_notice(session, "level 1", strike)
        with contextlib.suppress(*BROKEN):
            session.execute(RUNS[name])
    assert pids
    breakable.wait_for_end(pids)
    breakable.start()
    with breakable.session() as session:
        made = "out, out_nodes, out_statistics, out_summary, out_surrogates, out_cv"  # it may have ended
        session.execute(f"DROP TABLE IF EXISTS {made}")
    check(breakable, before, expected, name)


def test_a_client_that_is_gone(breakable: BreakableServer) -> None:
    """The server looks for it between two rounds, as client_connection_check_interval says."""
    deep = RUNS["memory"].replace("max_depth => 7", "max_depth => 40, min_split => 2, pruning_params => 'n_folds=20'")
    before, expected = state(breakable, "memory")
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, breakable.dsn, deep], stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout
        backend = int(client.stdout.readline())
        assert any(line.startswith("level 1") for line in client.stdout)
        client.kill()
    wait_until(lambda: backend not in breakable.children(), "the session goes on without its client")
    check(breakable, before, expected, "memory")


def test_the_cure_of_a_server_that_does_not_start(breakable: BreakableServer) -> None:
    """The page on limits says what to do where PostgreSQL finds a file that it means to make.

    A transaction that made an UNLOGGED table is rolled back, and the server dies before this has been written down.
    """
    before, expected = state(breakable, "aggregate")
    (writer,) = [pid for pid, title in breakable.children().items() if "walwriter" in title]
    with breakable.session() as session, breakable.session() as other:
        session.execute("BEGIN")
        session.execute("CREATE UNLOGGED TABLE work AS SELECT i, repeat('x', 100) FROM generate_series(1, 1000) AS i")
        os.kill(writer, signal.SIGSTOP)
        other.execute("CREATE TABLE written (); DROP TABLE written")  # takes along what is to be written
        session.execute("ROLLBACK")
        breakable.kill_all()
    with pytest.raises(PrivateServerError, match=r'could not create file "(.+)": File exists') as caught:
        breakable.start()
    name = str(caught.value).partition('could not create file "')[2].partition('"')[0]
    assert (breakable.data / name).stat().st_size == 0
    (breakable.data / name).unlink()
    breakable.start()
    check(breakable, before, expected, "aggregate")


def test_sessions_beside_a_crash_can_go_on(breakable: BreakableServer) -> None:
    """Another training, which the crash of the first one ends, runs as before when it is asked again."""
    before, expected = state(breakable, "workers")
    with breakable.session() as one, breakable.session() as other, ThreadPoolExecutor() as pool:
        killed = one.info.backend_pid
        at_notice(one, "level 1", lambda: os.kill(killed, signal.SIGKILL))
        futures = [pool.submit(session.execute, text) for session, text in
                   ((one, RUNS["memory"]), (other, RUNS["workers"].replace("'out'", "'another'")))]  # fmt: skip
        errors = [future.exception(PATIENCE) for future in futures]
    assert errors[0] is not None
    breakable.wait_for_end([killed])
    breakable.wait_for_recovery()
    with breakable.session() as session:
        session.execute("DROP TABLE IF EXISTS another, another_nodes, another_summary, another_cv")  # if it was quicker
    check(breakable, before, expected, "workers")
