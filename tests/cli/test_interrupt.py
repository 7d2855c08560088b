"""What Ctrl-C and its kin leave: no query on the server, no table, no model, and an exit code that tells."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import psycopg
import pytest
from terminal import SCRIPT, Terminal, environment, run, start
from waiting import PATIENCE, wait_until, wait_until_blocked

from madtree.cli.exits import InterruptError
from madtree.cli.interrupt import interruptible

LEVEL = r"level [2-9]"
GATE = 7_040_031  # an advisory lock
MAX_DEPTH = 25
MAKE = """
    SELECT setseed(0.5);
    CREATE TABLE {0}.numbers AS SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d,
        random() < 0.4 AS y FROM generate_series(1, 100000) AS i;
    CREATE VIEW {0}.viewed AS SELECT * FROM {0}.numbers
"""


@pytest.fixture(scope="module")
def viewed(dsn: str, shared_schema: str) -> str:
    """A view of many rows: they are staged in a table first."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(MAKE.format(shared_schema))
    return f"{shared_schema}.viewed"


@pytest.fixture
def training(viewed: str, dsn: str, schema: str) -> list[str]:
    """A training that takes some seconds on any machine."""
    return (
        f"train {viewed} {schema}.model --id id -y y --dsn {dsn_uri(dsn)} "
        f"--folds 20 --max-depth {MAX_DEPTH} --bins 1000 --min-split 2"
    ).split()


def dsn_uri(dsn: str) -> str:
    """The DSN without blanks."""
    info = psycopg.conninfo.conninfo_to_dict(dsn)
    return f"postgresql://{info['user']}@/{info['dbname']}?host={info['host']}&port={info['port']}"


INTERRUPTED_LOADING = """
import sys

class Finder:
    def find_spec(name, *more):
        if name == "madtree.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder)
import madtree.cli
"""


def test_an_interrupt_while_modules_are_loaded_is_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_LOADING], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")


# A session shows more than its name while it trains.
BUSY = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
    "AND starts_with(application_name, 'madtree') AND backend_type = 'client backend'"
)
OTHERS: set[int] = set()  # processes of sessions that this process's estimators keep
TABLES = (
    "SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_class c "
    "WHERE c.relkind IN ('r', 'v') AND c.relnamespace = %s::regnamespace"
)


@pytest.fixture(autouse=True)
def before(db: psycopg.Connection) -> None:
    OTHERS.clear()
    OTHERS.update(pid for (pid,) in db.execute(BUSY))


def processes(db: psycopg.Connection, also: str = "true") -> set[int]:
    """The processes of the command's sessions of which `also` is true, too."""
    return {pid for (pid,) in db.execute(f"{BUSY} AND {also}")} - OTHERS


def sessions(db: psycopg.Connection, also: str = "true") -> int:
    """How many they are."""
    return len(processes(db, also))


def wait_for_query(db: psycopg.Connection, command: subprocess.Popen[str]) -> None:
    """Until the command's training is under way on the server."""

    def is_training() -> int:
        assert command.poll() is None, command.communicate()
        return sessions(db, "state = 'active' AND query LIKE '%tree_train%'")

    wait_until(is_training, "the command never asked for a training")


def assert_nothing_is_left(db: psycopg.Connection, schema: str, viewed: str) -> None:
    """The command's session ends without a table, and without a lock on what it read.

    A training that had gone on to its end would have left its model.
    """
    wait_until(lambda: not sessions(db), "a session of the command's never ended")
    assert db.execute(TABLES, [schema]).fetchone() == (None,)
    with db.transaction(force_rollback=True):
        db.execute("SET LOCAL lock_timeout = '60s'")  # an autovacuum gives way
        db.execute(f"LOCK TABLE {viewed} IN ACCESS EXCLUSIVE MODE")  # of the view, and of its table


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_ctrl_c_stops_the_training(
    db: psycopg.Connection, schema: str, viewed: str, training: list[str], engine: str
) -> None:
    terminal = Terminal("--engine", engine, *training)
    terminal.wait_for(LEVEL)
    assert sessions(db) == 1
    terminal.press("\x03")
    said = terminal.end()

    assert said.code == 130
    assert max(map(int, re.findall(r"level (\d+)", terminal.plain))) < MAX_DEPTH // 2
    assert "interrupted: nothing was changed" in terminal.plain
    assert said.out.endswith("\n")
    assert said.out.rindex("\x1b[?25h") > said.out.rindex("\x1b[?25l"), "the cursor is shown again"
    assert_nothing_is_left(db, schema, viewed)


def test_ctrl_c_before_the_first_level_stops_it_too(
    db: psycopg.Connection, schema: str, viewed: str, training: list[str]
) -> None:
    terminal = Terminal(*training)
    terminal.wait_for("training")
    terminal.press("\x03")
    assert terminal.end().code == 130
    assert_nothing_is_left(db, schema, viewed)


def test_a_second_ctrl_c_does_not_wait(db: psycopg.Connection, schema: str, viewed: str, training: list[str]) -> None:
    terminal = Terminal(*training)
    terminal.wait_for(LEVEL)
    terminal.press("\x03")
    terminal.press("\x03")
    assert terminal.end().code == 130
    assert_nothing_is_left(db, schema, viewed)


def end_by(number: signal.Signals) -> Callable[[int], None]:
    return lambda pid: os.kill(pid, number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_other_ways_to_end_it(
    db: psycopg.Connection, schema: str, viewed: str, training: list[str], number: signal.Signals
) -> None:
    """A script's, in which nobody watches."""
    command = start(*training)
    wait_for_query(db, command)
    command.send_signal(number)
    out, err = command.communicate(timeout=PATIENCE)

    assert command.returncode == 128 + number
    assert out == ""
    assert "nothing was changed" in err
    assert_nothing_is_left(db, schema, viewed)


def test_a_window_that_is_closed(db: psycopg.Connection, schema: str, viewed: str, training: list[str]) -> None:
    terminal = Terminal(*training)
    terminal.wait_for(LEVEL)
    terminal.close()
    os.kill(terminal.pid, signal.SIGHUP)  # as Linux does itself; not so the kernels of some sandboxes
    assert terminal.exit_code() == 128 + signal.SIGHUP
    assert_nothing_is_left(db, schema, viewed)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_the_code_is_the_signals_though_words_are_left_that_nobody_can_read(stream: str) -> None:
    script = (
        "import sys; from madtree.cli import app\n"
        "def stopped():\n"
        f"    sys.{stream} = open(sys.{stream}.fileno(), 'w'); sys.{stream}.write('left')\n"
        f"    raise app.InterruptError({128 + signal.SIGHUP}, '')\n"
        "app.app = stopped; app.main()"
    )
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs) as broken:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: broken}
        done = subprocess.run([sys.executable, "-c", script], **streams, check=False, timeout=PATIENCE)
    assert done.returncode == 128 + signal.SIGHUP


def test_under_nohup_it_goes_on(db: psycopg.Connection, dsn: str, schema: str) -> None:
    """Its rows wait for a lock, until the signal has come."""
    db.execute("CREATE TABLE numbers AS SELECT i AS id, i::float8 AS x, i > 30 AS y FROM generate_series(1, 60) AS i")
    db.execute(
        f"CREATE FUNCTION {schema}.gated(x float8) RETURNS float8 LANGUAGE plpgsql AS "
        f"'BEGIN PERFORM pg_advisory_xact_lock_shared({GATE}); RETURN x; END'"
    )
    words = ["train", f"{schema}.numbers", f"{schema}.model", "--id", "id", "-y", "y", "-x", f"{schema}.gated(x)"]
    db.execute("SELECT pg_advisory_lock(%s)", [GATE])
    command = subprocess.Popen(
        ["nohup", *SCRIPT, *words, "--dsn", dsn_uri(dsn)],
        env=environment({}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_query(db, command)
    command.send_signal(signal.SIGHUP)
    db.execute("SELECT pg_advisory_unlock(%s)", [GATE])
    out, err = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, err
    assert "60 rows, 1 tree, 2 leaves" in out


def test_a_client_that_is_killed(db: psycopg.Connection, schema: str, viewed: str, training: list[str]) -> None:
    """It cannot cancel anything; the server notices that it has nobody to tell."""
    terminal = Terminal(*training)
    terminal.wait_for(LEVEL)
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.exit_code() == -signal.SIGKILL
    assert_nothing_is_left(db, schema, viewed)


@pytest.mark.parametrize("function", ["pg_terminate_backend", "pg_cancel_backend"])
def test_an_administrator_ends_it(
    db: psycopg.Connection, schema: str, viewed: str, training: list[str], function: str
) -> None:
    terminal = Terminal(*training)
    terminal.wait_for(LEVEL)
    db.execute(f"SELECT {function}(pid) FROM unnest(%s) AS pid", [list(processes(db))])
    said = terminal.end()
    lost = function == "pg_terminate_backend"
    assert said.code == (3 if lost else 1)
    assert ("terminating connection" if lost else "canceling statement due to user request") in terminal.plain
    assert_nothing_is_left(db, schema, viewed)


def test_a_statement_timeout_is_the_servers_sentence(
    db: psycopg.Connection, schema: str, viewed: str, training: list[str]
) -> None:
    said = run(*training, PGOPTIONS="-c statement_timeout=1s")
    assert (said.code, said.out) == (1, "")
    assert "error: canceling statement due to statement timeout" in said.err
    assert_nothing_is_left(db, schema, viewed)


def test_work_of_many_short_statements_is_stopped(dsn: str, db: psycopg.Connection, schema: str) -> None:
    """Where a request to cancel may come while no statement runs."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        done: list[int] = []

        def work(look: Callable[[], None]) -> None:
            connection.execute(f"CREATE TABLE {schema}.begun ()")
            for number in range(10_000):
                connection.execute("SELECT pg_sleep(0.05)")
                time.sleep(0.05)
                done.append(number)

        def tick() -> None:
            if done:
                raise KeyboardInterrupt

        said: list[str] = []
        with pytest.raises(InterruptError, match="nothing was changed"):
            interruptible([connection], work, tick, said.append)
        assert len(done) < 1_000
        assert said == ["stopping: the server has been asked to cancel"]
        assert connection.info.transaction_status.name == "IDLE"
    assert db.execute(TABLES, [schema]).fetchone() == (None,)


def test_no_request_to_cancel_meets_the_rollback(dsn: str) -> None:
    """Which it would stop instead of the work: the transaction would stay open."""
    meanwhile: list[str] = []

    class Slow(psycopg.Connection):
        def cancel_safe(self, *, timeout: float = 30.0) -> None:
            super().cancel_safe(timeout=timeout)
            time.sleep(0.3)  # as on a slow network
            meanwhile.append(self.info.transaction_status.name)

    with Slow.connect(dsn, autocommit=True) as connection:
        begun = threading.Event()

        def work(look: Callable[[], None]) -> None:
            begun.set()
            connection.execute("SELECT pg_sleep(600)")

        def tick() -> None:
            if begun.is_set():
                raise KeyboardInterrupt

        with pytest.raises(InterruptError, match="nothing was changed"):
            interruptible([connection], work, tick, print)
        assert connection.info.transaction_status.name == "IDLE"
    assert set(meanwhile) <= {"ACTIVE", "INERROR"}, "rolled back before the request had come to its end"


def test_what_ends_before_the_signal_is_kept(dsn: str, db: psycopg.Connection, schema: str) -> None:
    """A signal during the commit is too late, and the answer is told."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        db.execute("CREATE TABLE slow (i int)")
        db.execute(
            f"CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS "
            f"'BEGIN PERFORM pg_advisory_xact_lock({GATE}); RETURN NULL; END'"
        )
        db.execute(
            f"CREATE CONSTRAINT TRIGGER late AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            f"EXECUTE FUNCTION {schema}.wait()"
        )
        db.execute("SELECT pg_advisory_lock(%s)", [GATE])

        def tick() -> None:
            wait_until_blocked(db, connection.info.backend_pid)  # by the trigger, within COMMIT
            db.execute("SELECT pg_advisory_unlock(%s)", [GATE])
            raise KeyboardInterrupt

        def work(look: Callable[[], None]) -> str:
            connection.execute(f"INSERT INTO {schema}.slow VALUES (1)")
            return "done"

        assert interruptible([connection], work, tick, print) == "done"
    assert db.execute("SELECT count(*) FROM slow").fetchone() == (1,)
