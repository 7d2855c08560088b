"""A model's name is taken in turn by those who may: strangers cannot hold it, and who waits is told for whom."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest
from training import read_model, train
from waiting import PATIENCE, wait_until, wait_until_blocked

Connect = Callable[[], psycopg.Connection]
WHAT = ("data", "m", "y", "x")


@pytest.fixture(autouse=True)
def _data(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i * 31 % 100 AS z, i * 7919 % 100 > 40 AS y "
        "FROM generate_series(1, 500) i"
    )


@pytest.fixture
def pool(db: psycopg.Connection) -> Iterator[ThreadPoolExecutor]:
    """Whoever still waits at the end, as the test has failed, is let go."""
    with ThreadPoolExecutor() as executor:
        yield executor
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'"
        )


def heard(session: psycopg.Connection) -> list[str]:
    """What the server says to the session from now on."""
    lines: list[str] = []
    session.add_notice_handler(lambda notice: lines.append(notice.message_primary or ""))
    return lines


def begin(session: psycopg.Connection, isolation: str = "READ COMMITTED") -> None:
    session.execute(f"BEGIN ISOLATION LEVEL {isolation}")


@pytest.mark.parametrize("replace", [False, True])
def test_a_stranger_with_every_advisory_lock_stops_nobody(
    db: psycopg.Connection, connect: Connect, user_db: psycopg.Connection, schema: str, replace: bool
) -> None:
    """She knows the name, and all ways to make a key of it; she holds small numbers and the tables' OIDs, too."""
    if replace:
        train(db, *WHAT)
    plain = [f"{schema}.m", f'"{schema}"."m"', "m", "madtree", f"{schema}.m_summary"]
    names = [*plain, *(f"madtree {name}" for name in plain)]
    for name in names:
        digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
        user_db.execute(
            "SELECT pg_advisory_lock(hashtextextended(%(name)s, 0)), pg_advisory_lock(hashtext(%(name)s)), "
            "pg_advisory_lock(%(digest)s), pg_advisory_lock(0, hashtext(%(name)s)), "
            "pg_advisory_lock(oid::int, hashtext(%(name)s)) FROM pg_roles",
            {"name": name, "digest": digest},
        )
    user_db.execute(
        "SELECT pg_advisory_lock(key) FROM (SELECT generate_series(0, 99) UNION ALL SELECT oid::int8 FROM pg_namespace "
        "UNION ALL SELECT oid::int8 FROM pg_class WHERE relname ^@ 'm') AS k(key)"
    )
    session = connect()
    session.execute("SET lock_timeout = '5s'")
    train(session, *WHAT, replace=replace)
    train(session, *WHAT, replace=True)
    session.execute("SELECT tree_drop('m')")


@pytest.mark.parametrize("call", ["tree_predict('m', 'data', 'n'{})", "tree_shap('m', 'data', 'n'{})"])
@pytest.mark.parametrize("more", ["", ", replace => true"])
def test_the_second_to_make_a_table_of_rows_is_told_that_it_is_there(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, call: str, more: str
) -> None:
    train(db, *WHAT)
    first, second = connect(), connect()
    begin(first)
    first.execute(f"SELECT {call.format('')}")
    waiting = pool.submit(second.execute, f"SELECT {call.format(more)}")
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")
    with pytest.raises(
        psycopg.errors.DuplicateTable, match=r"output_table: .*n.* exists already: another session"
    ) as told:
        waiting.result(PATIENCE)
    assert told.value.diag.message_hint == "Choose another name, or call again with replace => true."


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_the_second_to_replace_waits_and_then_replaces(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, there: bool
) -> None:
    if there:
        train(db, *WHAT)
    first, second = connect(), connect()
    begin(first)
    train(first, "data", "m", "z", "x", replace=True, pruning_params="n_folds=2")
    waiting = pool.submit(train, second, *WHAT, replace=True)
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")
    waiting.result(PATIENCE)

    train(db, "data", "reference", "y", "x")
    assert read_model(db, "m") == read_model(db, "reference")


def test_the_second_to_replace_finds_the_model_dropped(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor
) -> None:
    train(db, *WHAT)
    first, second = connect(), connect()
    begin(first)
    first.execute("SELECT tree_drop('m')")
    waiting = pool.submit(train, second, *WHAT, replace=True)
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")
    waiting.result(PATIENCE)
    assert len(read_model(db, "m")["_summary"]) == 1


def test_what_came_in_the_meantime_is_not_replaced_unless_it_is_a_model(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor
) -> None:
    first, second = connect(), connect()
    begin(first)
    first.execute("CREATE TABLE m (mine text)")
    waiting = pool.submit(train, second, *WHAT, replace=True)
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")
    with pytest.raises(psycopg.errors.DuplicateTable, match="not part of a madtree model"):
        waiting.result(PATIENCE)
    assert db.execute("SELECT count(*) FROM m").fetchone() == (0,)


def test_a_transaction_that_cannot_see_the_newcomer_is_told_to_begin_anew(
    db: psycopg.Connection, connect: Connect
) -> None:
    session = connect()
    begin(session, "REPEATABLE READ")
    session.execute("SELECT")
    session.execute("SELECT count(*) FROM data")
    train(db, *WHAT)
    with pytest.raises(psycopg.errors.SerializationFailure, match="since this transaction began"):
        train(session, *WHAT, replace=True)


def test_two_that_prune_into_one_name(db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor) -> None:
    train(db, *WHAT)
    first, second = connect(), connect()
    begin(first)
    prune = "SELECT tree_prune('m', 'pruned', 0.5)"
    first.execute(prune)
    waiting = pool.submit(second.execute, prune)
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")
    with pytest.raises(psycopg.errors.DuplicateTable, match=r'new_model: .*pruned"? exists already'):
        waiting.result(PATIENCE)


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_who_waits_for_one_that_makes_it_is_told_so(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, isolation: str
) -> None:
    first, second = connect(), connect()
    lines = heard(second)
    begin(first)
    train(first, *WHAT)
    begin(second, isolation)
    waiting = pool.submit(train, second, *WHAT)
    wait_until(lambda: lines, "nothing was said")
    # Other tests' transactions on this server may make tables, too, but not in this database.
    assert lines[0].endswith(f'"m": waiting for process {first.info.backend_pid}, which is making a table of that name')
    first.execute("ROLLBACK")
    waiting.result(PATIENCE)
    assert [line for line in lines if "waiting for" in line] == lines[:1]
    assert second.execute("SHOW lock_timeout").fetchone() == ("0",)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("doing", "said"),
    [
        ("SELECT * FROM m_nodes", "is reading it"),
        ("SELECT tree_train('data', 'm', 'id', 'y', 'x', replace => true)", "is replacing or dropping it"),
    ],
)
@pytest.mark.parametrize(
    "change", ["SELECT tree_train('data', 'm', 'id', 'y', 'z', replace => true)", "SELECT tree_drop('m')"]
)
def test_who_waits_for_one_that_uses_it_is_told_so(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor, doing: str, said: str, change: str
) -> None:
    train(db, *WHAT)
    first, second = connect(), connect()
    lines = heard(second)
    begin(first)
    first.execute(doing)
    waiting = pool.submit(second.execute, change)
    wait_until(lambda: lines, "nothing was said")
    assert lines[0].endswith(f'"m": waiting for process {first.info.backend_pid}, which {said}')
    first.execute("COMMIT")
    waiting.result(PATIENCE)


@pytest.mark.in_turn
@pytest.mark.parametrize("milliseconds", [200, 1500])
@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_lock_timeout_is_kept(db: psycopg.Connection, connect: Connect, there: bool, milliseconds: int) -> None:
    if there:
        train(db, *WHAT)
    first, second = connect(), connect()
    begin(first)
    train(first, *WHAT, replace=True)
    second.execute(f"SET lock_timeout = {milliseconds}")
    lines = heard(second)
    with pytest.raises(psycopg.errors.LockNotAvailable):
        train(second, *WHAT, replace=True)
    assert len(lines) == (milliseconds > 1000)
    first.execute("COMMIT")
    train(second, *WHAT, replace=True)
    assert second.execute("SHOW lock_timeout").fetchone() == (f"{milliseconds}ms",)


def test_two_that_replace_two_models_in_different_order(
    db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor
) -> None:
    """PostgreSQL ends one of them; the other one goes on, and the models are whole."""
    for model in ("m", "n"):
        train(db, "data", model, "y", "x")
    sessions = {"mn": connect(), "nm": connect()}
    for order, session in sessions.items():
        begin(session)
        train(session, "data", order[0], "z", "x", replace=True)
    futures = [
        pool.submit(train, session, "data", order[1], "z", "x", replace=True) for order, session in sessions.items()
    ]
    errors = [future.exception(PATIENCE) for future in futures]
    assert [type(error) for error in errors if error] == [psycopg.errors.DeadlockDetected]
    for session in sessions.values():
        session.execute("COMMIT")  # the one that failed rolls back
    train(db, "data", "reference", "z", "x")
    for model in ("m", "n"):
        assert read_model(db, model) == read_model(db, "reference")


def test_of_two_who_drop_a_model_one_does(db: psycopg.Connection, connect: Connect, pool: ThreadPoolExecutor) -> None:
    """The other one is told that there is none, and neither is thrown out of a deadlock."""
    sessions = [connect(), connect()]
    for _ in range(20):
        train(db, *WHAT)
        start = Barrier(len(sessions))

        def drop(session: psycopg.Connection, start: Barrier = start) -> str:
            start.wait(PATIENCE)
            try:
                return str(session.execute("SELECT tree_drop('m')").fetchone())
            except psycopg.errors.UndefinedTable as error:
                return error.diag.message_primary or ""

        answers = sorted(pool.map(drop, sessions))
        assert answers[0].startswith("('tree_drop: dropped ")
        assert "does not exist" in answers[1]
