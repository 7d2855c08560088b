"""Connections of every kind, and where their transactions end."""

from __future__ import annotations

import copy
import inspect
import logging
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
import sqlalchemy
from joblib.externals.loky.backend.reduction import dumps as loky_dumps
from processes import heed_signals
from psycopg.pq import TransactionStatus
from psycopg.types.json import JsonbLoader, JsonLoader
from waiting import PATIENCE, wait_until_blocked

import madtree
from madtree.client.calls import CallError
from madtree.client.session import open_session
from madtree.interface import FUNCTIONS

TRAIN = ("flowers", "m", "id", "kind", ["length", "Width", "colour"])


def models(db: psycopg.Connection) -> list[str]:
    """Tables of models in the test's schema, as another session sees them."""
    rows = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
    )
    return sorted(row[0] for row in rows if row[0].startswith("m"))


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("kind", ["string", "url", "sqlalchemy url", "engine"])
def test_what_the_client_opens_commits_each_call_and_is_closed(db: psycopg.Connection, url: str, kind: str) -> None:
    info = psycopg.conninfo.conninfo_to_dict(url)
    alchemy = sqlalchemy.URL.create("postgresql+psycopg", query={k: str(v) for k, v in info.items()})
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    target = {
        "string": url,
        "url": "postgresql+psycopg://?" + "&".join(f"{key}={quote(str(value))}" for key, value in info.items()),
        "sqlalchemy url": alchemy,
        "engine": engine,
    }[kind]
    with madtree.connect(target) as client:
        client.tree_train(*TRAIN)
        assert models(db) == ["m", "m_nodes", "m_statistics", "m_summary"]
        opened = client.connection
    if kind == "engine":
        assert engine.pool.checkedin() == 1  # type: ignore[attr-defined]
        with engine.connect() as again:
            assert again.connection.driver_connection.autocommit is False  # type: ignore[union-attr]
    else:
        assert opened.closed


@pytest.mark.usefixtures("flowers")
def test_a_connection_of_yours_is_never_committed_or_closed(db: psycopg.Connection, url: str) -> None:
    with psycopg.connect(url) as mine:
        with madtree.connect(mine) as client:
            client.tree_train(*TRAIN)
            assert client.model("m").predict("flowers")
        assert not mine.closed
        assert mine.info.transaction_status == TransactionStatus.INTRANS
        assert models(db) == []
        mine.rollback()
        client.tree_train(*TRAIN)
        mine.commit()
    assert models(db) == ["m", "m_nodes", "m_statistics", "m_summary"]


@pytest.mark.usefixtures("flowers")
def test_a_call_that_fails_leaves_your_transaction_as_it_was(db: psycopg.Connection, url: str) -> None:
    with psycopg.connect(url) as mine:
        mine.execute("CREATE TABLE made_before (x int)")
        client = madtree.connect(mine)
        with pytest.raises(madtree.MadtreeError, match="list_of_features: column nothing does not exist"):
            client.tree_train("flowers", "m", "id", "kind", "nothing")
        with pytest.raises(ValueError, match="min_samples_split must be an integer of at least 2, or a share"):
            madtree.DecisionTreeClassifier(client, min_samples_split=-1).fit([[0.0], [1.0]], [0, 1])
        assert mine.execute("SELECT count(*) FROM made_before").fetchone() == (0,)


@pytest.mark.usefixtures("flowers")
def test_sqlalchemys_connection_commits_what_was_done_when_it_commits(db: psycopg.Connection, url: str) -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    with engine.connect() as connection:
        client = madtree.connect(connection)
        client.tree_train(*TRAIN)
        assert connection.in_transaction()
        connection.rollback()
        assert models(db) == []
        client.tree_train(*TRAIN)
        connection.commit()
        assert models(db) == ["m", "m_nodes", "m_statistics", "m_summary"]
    with engine.begin() as connection:
        madtree.connect(connection).tree_drop("m")
        assert models(db)
    assert models(db) == []


def test_another_driver_of_sqlalchemys_is_refused() -> None:
    with pytest.raises(TypeError, match=r"driver must be psycopg, as in create_engine\('postgresql\+psycopg://...'\)"):
        madtree.connect(sqlalchemy.create_engine("sqlite://"))


@pytest.mark.parametrize("thing", [42, b"postgresql://", object()])
def test_what_is_no_connection_is_refused(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"connection must be a URL or connection string, a psycopg\.Connection"):
        madtree.connect(thing)


def test_with_no_target_the_variables_are_used(
    monkeypatch: pytest.MonkeyPatch, url: str, db: psycopg.Connection
) -> None:
    for name in ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    names = {"host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER", "password": "PGPASSWORD"}
    for key, value in psycopg.conninfo.conninfo_to_dict(url).items():
        if key in names:
            monkeypatch.setenv(names[key], str(value))
    with madtree.connect() as client:
        assert client.connection.info.dbname == db.info.dbname


def test_without_variables_and_private_server_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MADTREE_HOME", str(tmp_path_factory.mktemp("none") / "home"))
    with pytest.raises(ValueError, match="no server to connect to: give a URL such as"):
        open_session(None)


def test_a_refusal_has_the_servers_sentence_hint_and_sqlstate(client: madtree.Client) -> None:
    with pytest.raises(madtree.MadtreeError, match="does not exist") as caught:
        client.tree_train("nothing", "m", "id", "y", "*")
    assert isinstance(caught.value, CallError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value.__context__, psycopg.Error)
    assert caught.value.__suppress_context__  # one traceback, not two
    assert caught.value.sqlstate == "42P01"
    assert "Traceback" not in str(caught.value)


def test_all_that_madtree_says_is_a_refusal_whatever_its_sqlstate(client: madtree.Client) -> None:
    """Its SQLSTATEs are of classes that psycopg calls InternalError and OperationalError, too."""
    client.query("CREATE TABLE rows AS SELECT i AS id, i % 5 AS x, i % 5 > 2 AS y FROM generate_series(1, 40) i")
    client.tree_train("rows", "m", "id", "y", "x")
    for refused, sqlstate in (
        (lambda: client.tree_path("m", "rows", 99), "P0002"),
        (lambda: client.query(f"SELECT madtree_internal.workers_claim(pg_backend_pid() || '.9.{'0' * 32}')"), "55000"),
    ):
        with pytest.raises(CallError, match=r"^madtree: ") as caught:
            refused()
        assert caught.value.sqlstate == sqlstate
    with pytest.raises(psycopg.errors.QueryCanceled):
        client.query("SET LOCAL statement_timeout = 1; SELECT pg_sleep(10)")


@contextmanager
def gate(db: psycopg.Connection) -> Iterator[None]:
    """A view `gated` of the flowers, which nobody can read within."""
    db.execute("CREATE VIEW gated AS SELECT * FROM flowers WHERE pg_advisory_xact_lock_shared(8051041) IS NOT NULL")
    db.execute("SELECT pg_advisory_lock(8051041)")
    try:
        yield
    finally:
        db.execute("SELECT pg_advisory_unlock(8051041)")


@pytest.mark.usefixtures("flowers")
def test_a_cancelled_call_is_psycopgs_error_and_leaves_nothing(db: psycopg.Connection, url: str) -> None:
    with madtree.connect(url) as client, ThreadPoolExecutor(1) as pool, gate(db):
        training = pool.submit(client.tree_train, "gated", *TRAIN[1:])
        wait_until_blocked(db, client.connection.info.backend_pid)
        client.connection.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            training.result(PATIENCE)
        assert client.query("SELECT 1")[0][0] == 1
    assert models(db) == []


INTERRUPTED = """
import sys, madtree
client = madtree.connect(sys.argv[1])
print(client.connection.info.backend_pid, flush=True)
try:
    client.tree_train("gated", "m", "id", "kind", "length")
except KeyboardInterrupt:
    active = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database()"
    running = active + " AND query LIKE '%gat%'"
    print(*client.query(f"SELECT to_regclass('m'), ({running})")[0])
"""


@pytest.mark.usefixtures("flowers")
def test_ctrl_c_cancels_the_call_on_the_server_and_the_client_works_on(db: psycopg.Connection, url: str) -> None:
    """The one query that runs at the end is the one that counts them."""
    command = [sys.executable, "-c", INTERRUPTED, url]
    with gate(db), subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed_signals) as program:
        assert program.stdout is not None
        wait_until_blocked(db, int(program.stdout.readline()))
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out) == (0, "None 1\n")


@pytest.mark.usefixtures("flowers")
def test_messages_go_to_the_caller_or_to_the_log(url: str, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []
    with madtree.connect(url, on_message=heard.append) as client:
        client.tree_train(*TRAIN, verbose=True)
    assert any(line.startswith("level 0: 1 frontier node, 300 rows in play") for line in heard)
    caplog.set_level(logging.INFO, "madtree")
    with madtree.connect(url) as client:
        client.tree_train(*TRAIN, verbose=True, replace=True)
    assert any("level 0" in record.message for record in caplog.records)


def test_queries_leave_no_classes_behind(url: str, caplog: pytest.LogCaptureFixture) -> None:
    """psycopg makes a class of each function that reads JSON, unless it knows the function again; else it warns."""
    counts = []
    with madtree.connect(url) as client:
        for _ in range(3):
            assert client.query("SELECT '{\"a\": 1}'::jsonb AS found")[0].found == {"a": 1}
            counts.append((len(JsonLoader.__subclasses__()), len(JsonbLoader.__subclasses__())))
    assert len(set(counts)) == 1
    assert [record for record in caplog.records if record.name.startswith("psycopg")] == []


def test_copies_share_the_connection_and_pickles_open_their_own(url: str) -> None:
    with madtree.connect(url) as client:
        assert copy.deepcopy(client) is client
        assert copy.copy(client) is client
        client.query("CREATE TEMPORARY TABLE of_this_session ()")
        with pickle.loads(pickle.dumps(client)) as again:
            ask = "SELECT current_database(), current_schemas(false), to_regclass('of_this_session') IS NULL AS other"
            assert again.query(ask)[0][:2] == client.query(ask)[0][:2]
            assert again.query(ask)[0].other
        assert not client.connection.closed


def test_the_pickles_that_a_thread_gets_share_a_session(url: str) -> None:
    def session(pickled: bytes) -> int:
        return int(pickle.loads(pickled).query("SELECT pg_backend_pid()")[0][0])

    with madtree.connect(url) as client, madtree.connect(url, engine="client") as other:
        pickled = pickle.dumps(client)
        first = session(pickled)
        assert first == session(pickle.dumps(client))
        assert first != session(pickle.dumps(other))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(session, pickled).result() != first
        kept = pickle.loads(pickled)
        with pickle.loads(pickled):
            pass
        again = session(pickled)
        assert kept.query("SELECT pg_backend_pid()")[0][0] == again != first
        client.query(f"SELECT pg_terminate_backend({again})")
        with pytest.raises(psycopg.OperationalError):
            kept.query("SELECT 1")
        assert session(pickled) != again


def test_a_pickle_for_a_file_has_no_password_and_one_for_a_child_process_has_it(url: str) -> None:
    with madtree.connect(psycopg.conninfo.make_conninfo(url, password="not for files")) as client:
        assert b"not for files" not in pickle.dumps(client)
        import_module("madtree.client.estimators")
        assert b"not for files" in bytes(ForkingPickler.dumps(client))
        assert b"not for files" in bytes(loky_dumps(client))


def test_a_forked_child_leaves_the_parents_connection_alone(url: str) -> None:
    with madtree.connect(url) as client:
        ours = client.query("SELECT pg_backend_pid()")[0][0]
        read, write = os.pipe()
        if os.fork() == 0:  # the child ends here, whatever happens
            try:
                with client:
                    os.write(write, str(client.query("SELECT pg_backend_pid()")[0][0]).encode())
            finally:
                os._exit(0)
        os.close(write)
        theirs = int(os.read(read, 100) or 0)
        os.wait()
        os.close(read)
        assert theirs not in (0, ours)
        assert client.query("SELECT pg_backend_pid()")[0][0] == ours


def test_importing_madtree_loads_neither_numpy_nor_psycopg() -> None:
    program = "import sys, madtree, madtree.sqltext; print(sorted({'numpy', 'psycopg', 'sklearn'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_client_needs_no_numpy() -> None:
    program = "import sys; sys.modules['numpy'] = None; import madtree; madtree.connect, madtree.Model; print('fine')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("fine\n", "")


@pytest.mark.parametrize("front", ["client", "client.estimators"])
def test_public_names_are_exported_for_strict_type_checkers(front: str) -> None:
    """Of a name that a module imports and does not list they say that it is not exported."""
    assert set(madtree._PUBLIC[front].split()) <= set(import_module(f"madtree.{front}").__all__)


def test_all_public_names_are_there() -> None:
    for name in madtree.__all__:
        assert inspect.isclass(getattr(madtree, name)) or callable(getattr(madtree, name))
    with pytest.raises(AttributeError, match="module 'madtree' has no attribute 'nothing'"):
        madtree.nothing  # noqa: B018


def test_methods_have_the_functions_parameters_and_defaults(db: psycopg.Connection) -> None:
    """Of each function of the SQL interface; its variants without arguments and with 'usage' give help only.

    MADlib's names, of further arguments or of a second form, are for SQL that was written for it. `holdout` is for
    conditions in SQL.
    """
    rows = db.execute(
        """SELECT p.proname, p.proargnames[1:p.pronargs], p.pronargdefaults, pg_get_function_arguments(p.oid)
        FROM pg_proc AS p WHERE p.pronamespace = 'madtree'::regnamespace AND p.pronargs > 0
        AND p.proargnames IS NOT NULL AND p.proargnames[1:p.pronargs] <> '{message}'
        AND 'varchar'::regtype <> ALL (p.proargtypes) AND p.proname <> 'holdout'"""
    ).fetchall()
    assert {"tree_train", "tree_predict", "tree_prune", "tree_evaluate"} <= {row[0] for row in rows}
    for function, all_names, n_all_defaults, text in rows:
        second = set(FUNCTIONS[function].madlib_names.values()) & set(all_names)
        names, n_defaults = [name for name in all_names if name not in second], n_all_defaults - len(second)
        parameters = list(inspect.signature(getattr(madtree.Client, function)).parameters.values())[1:]
        assert [p.name.rstrip("_") for p in parameters] == names, function  # class is a keyword of Python's
        optional = [p for p in parameters if p.default is not inspect.Parameter.empty]
        assert len(optional) == n_defaults, function
        for parameter in optional:
            assert f"{parameter.name.rstrip('_')} {_declared(parameter.default)}" in _without_types(text), function


def _declared(default: Any) -> str:
    if default is None:
        return "DEFAULT NULL"
    return f"DEFAULT '{default}'" if isinstance(default, str) else f"DEFAULT {str(default).lower()}"


QUOTE = '"'


def _without_types(text: str) -> str:
    """Arguments as ``name DEFAULT value``."""
    parts = []
    for part in text.split(", "):
        name, _, default = part.partition(" DEFAULT ")
        parts.append(f"{name.split()[0].strip(QUOTE)} DEFAULT {default.split('::')[0]}")
    return ", ".join(parts)
