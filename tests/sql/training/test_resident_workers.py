"""Resident workers: they stay from the first row to the last round; what they change, and what they leave behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import psycopg
import pytest
from kept_sessions import KeptSessions
from shares import share
from training import Tables, left_behind, read_model, without_branches
from training import train as train_on
from waiting import wait_until

from madtree.wording import count_text

N_ROWS = 100_000  # more than a block, so that passes count them
N_SAMPLED = 220_000  # more than are looked at for their bins
MAKE = f"""
    CREATE TABLE {{0}}.sampled AS SELECT i AS id, i % 3 AS g, (i % 1013 * 7919 % 1013 > 500) <> (i % 7 = 0) AS y,
        i * 31 % 977 / 977.0::float8 AS a, i * 17 % 211 AS b, 'level ' || i * 13 % 19 AS c, i % 5 AS w
    FROM generate_series(1, {N_SAMPLED}) i;
    CREATE TABLE {{0}}.t AS SELECT * FROM {{0}}.sampled WHERE id <= {N_ROWS};
    ANALYZE {{0}}.t, {{0}}.sampled
"""


@pytest.fixture(scope="module")
def rows(dsn: str, shared_schema: str, sessions: KeptSessions) -> str:
    """The table of all rows, and `t` of some, that tests read only."""
    with sessions.session(dsn) as admin:
        admin.execute(MAKE.format(shared_schema))
    return f"{shared_schema}.sampled"


@pytest.fixture(scope="module")
def many(dsn: str, rows: str, sessions: KeptSessions) -> str:
    """A table with every row five times, which tests read only, too."""
    with sessions.session(dsn) as admin:
        admin.execute(f"CREATE TABLE {rows}_many AS SELECT t.* FROM {rows} AS t, generate_series(1, 5)")
        admin.execute(f"ANALYZE {rows}_many")
    return "sampled_many"


@pytest.fixture(autouse=True)
def _on_the_path(db: psycopg.Connection, schema: str, shared_schema: str, rows: str) -> None:
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")


@pytest.fixture
def connect(
    connect: Callable[[], psycopg.Connection], schema: str, shared_schema: str
) -> Callable[[], psycopg.Connection]:
    """More sessions, which find the table, too."""

    def session() -> psycopg.Connection:
        connection = connect()
        connection.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
        return connection

    return session


def own_table(db: psycopg.Connection, rows: str) -> None:
    """A table `t` of this test's own, with every row."""
    db.execute(f"CREATE TABLE t AS TABLE {rows}; ANALYZE t")


def train(
    db: psycopg.Connection, workers: int | None, features: str = "a, b, c", table: str = "t", **more: Any
) -> None:
    arguments = {"max_depth": 6, "replace": True, "verbose": True, "parallel_workers": workers, **more}
    train_on(db, table, "m", "y", features, **arguments)


def model(db: psycopg.Connection) -> Tables:
    """The tables of the model, but for the summary, which tells how it was asked for."""
    return {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"}


def with_workers(lines: list[str]) -> list[str]:
    """What the trainings told that formed resident workers."""
    return [line for line in lines if "resident worker" in line]


TRAININGS: list[dict[str, Any]] = [
    {"grouping_cols": "g", "surrogate_params": "max_surrogates=2"},
    {},
    {"grouping_cols": "g", "pruning_params": "n_folds=3, fold_col=w"},
    {"weights": "w"},
    # So deep that rows are handed over instead of histograms.
    {"max_depth": 14, "min_split": 2, "min_bucket": 1, "n_bins": 200},
    {"pruning_params": "n_folds=3"},
    {"max_depth": 12, "min_split": 2, "surrogate_params": "max_surrogates=1", "pruning_params": "n_folds=2"},
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "more",
    share(TRAININGS, 2),
    ids=lambda more: ", ".join(more) or "plain",
)
def test_workers_change_nothing(db: psycopg.Connection, told: list[str], more: dict[str, Any]) -> None:
    more = {"table": "sampled", **more}
    train(db, 0, **more)
    alone = model(db)
    assert not with_workers(told)
    counts = share((1, 3), 2, len(more) - 1)
    for workers in counts:
        train(db, workers, **more)
        assert model(db) == alone
    assert len(with_workers(told)) == len(counts)


def train_slowly(db: psycopg.Connection, told: list[str], workers: int) -> None:
    """Return once all these workers have taken part in a training: in the first, as rows take so long to read, four
    seconds in one process, unless the machine or the server's workers are busy.
    """
    db.execute(
        "CREATE FUNCTION slow(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE "
        f"AS 'BEGIN IF id % {N_ROWS // 400} = 0 THEN PERFORM pg_sleep(0.01); END IF; RETURN id % 7; END'"
    )

    def all_took_part() -> bool:
        train(db, workers, "slow(id), a", max_depth=2)
        (told_of,) = with_workers(told)[-1:]
        return f"packed by this process and {count_text(workers, 'resident worker')}" == told_of

    wait_until(all_took_part, f"{workers} never took part together")


def test_as_many_take_part_as_are_asked_for(db: psycopg.Connection, told: list[str]) -> None:
    train_slowly(db, told, 4)


def test_one_takes_part_beside_the_workers_of_others(
    db: psycopg.Connection, told: list[str], connect: Callable[[], psycopg.Connection]
) -> None:
    other = connect()
    forced = "debug_parallel_query" if other.info.server_version >= 160000 else "force_parallel_mode"
    other.execute(f"SET {forced} = on; SET statement_timeout = '1min'")
    worker = "SELECT pid FROM pg_stat_activity WHERE leader_pid = %s AND pid <> leader_pid"
    with ThreadPoolExecutor() as pool:
        sleeping = pool.submit(other.execute, "SELECT pg_sleep(600)")
        try:
            wait_until(lambda: db.execute(worker, [other.info.backend_pid]).fetchone(), "the other had no worker")
            train_slowly(db, told, 1)
        finally:
            other.cancel()
        with pytest.raises(psycopg.errors.QueryCanceled):
            sleeping.result()


def test_a_regression_with_missing_values(db: psycopg.Connection, rows: str) -> None:
    """NULLs that the sample had none of, too: in one row of a late page."""
    own_table(db, rows)
    db.execute(f"UPDATE t SET b = NULL WHERE id % 11 = 0; UPDATE t SET a = NULL WHERE id = {N_SAMPLED}")
    models = []
    for workers in (0, 2):
        db.execute(
            "SELECT madtree.tree_train('t', 'm', 'id', 'a + b', 'a, b, c', max_depth => 6, replace => true, "
            f"surrogate_params => 'max_surrogates=3', parallel_workers => {workers})"
        )
        models.append(model(db))
    assert models[0] == models[1]


def test_a_class_that_the_sample_missed(db: psycopg.Connection, rows: str) -> None:
    own_table(db, rows)
    db.execute(f"ALTER TABLE t ALTER y TYPE text; UPDATE t SET y = 'rare' WHERE id = {N_SAMPLED}; ANALYZE t")
    models = []
    for workers in (0, 2):
        train(db, workers)
        models.append(model(db))
    assert models[0] == models[1]
    assert db.execute("SELECT dependent_var_levels FROM m_summary").fetchone() == (["false", "rare", "true"],)


def test_a_partitioned_table(db: psycopg.Connection, told: list[str], rows: str) -> None:
    db.execute(
        f"CREATE TABLE t (LIKE {rows}) PARTITION BY LIST (g);"
        "CREATE TABLE t0 PARTITION OF t FOR VALUES IN (0); CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1, 2);"
        f"INSERT INTO t SELECT * FROM {rows} WHERE id <= {N_ROWS}; ANALYZE t"
    )
    train(db, 0)
    alone = model(db)
    train(db, 2)
    assert model(db) == alone
    assert len(with_workers(told)) == 1


def test_workers_are_taken_where_they_pay(db: psycopg.Connection, told: list[str]) -> None:
    db.execute("SET max_parallel_workers_per_gather = 2")
    train(db, None, table="sampled")
    assert not with_workers(told)
    many = ", ".join(f"a * {n}" for n in range(60))
    train(db, None, many, "sampled")
    assert len(with_workers(told)) == 1  # of one worker or two: other tests want some, too
    db.execute("SET max_parallel_workers_per_gather = 0")
    train(db, None, many, "sampled")
    assert len(with_workers(told)) == 1


def test_where_no_worker_can_be_started_the_leader_does_it_all(db: psycopg.Connection, told: list[str]) -> None:
    train(db, 0)
    alone = model(db)
    db.execute("SET max_parallel_workers = 0; SET parallel_leader_participation = off")
    train(db, 2)
    assert with_workers(told) == ["packed by this process and 0 resident workers"]
    assert model(db) == alone


def test_functions_that_workers_may_not_run_keep_the_packing_in_one_process(
    db: psycopg.Connection, told: list[str]
) -> None:
    db.execute(
        "CREATE FUNCTION doubled(v int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE "
        "AS 'BEGIN RETURN 2 * v; END'"
    )
    train(db, 2, "doubled(b), a")
    assert not with_workers(told)


def test_an_error_in_a_row_is_told_and_leaves_nothing_behind(db: psycopg.Connection) -> None:
    before = left_behind(db)
    with pytest.raises(psycopg.errors.DivisionByZero):
        train(db, 2, f"1 / (id - {N_ROWS}), b")
    assert left_behind(db) == before


def test_a_training_that_is_cancelled_leaves_nothing_behind(db: psycopg.Connection, told: list[str]) -> None:
    """At every sixth of its lines: while it packs, in its levels and between them."""
    more = {"pruning_params": "n_folds=2", "max_depth": 6}
    train(db, 2, **more)
    n_lines = len(told)
    assert n_lines > 8
    before = left_behind(db)
    cancel_at = 0

    def cancel(_: psycopg.errors.Diagnostic) -> None:
        if len(told) == cancel_at:
            db.cancel()

    db.add_notice_handler(cancel)
    # The last lines come when the work is done.
    for line in share(range(1, n_lines - 3), 6):
        cancel_at = line
        told.clear()
        with pytest.raises(psycopg.errors.QueryCanceled):
            train(db, 2, **more)
        assert left_behind(db) == before, f"cancelled at: {told[-1]}"
    told.clear()
    cancel_at = 0
    train(db, 0, **more)
    alone = model(db)
    train(db, 2, **more)
    assert model(db) == alone


def _helped(
    db: psycopg.Connection, session: psycopg.Connection, pool: ThreadPoolExecutor, table: str = "t"
) -> tuple[Future[None], int]:
    """A training under way in a session, and the process id of one of its workers. On a busy machine a training may be
    over before it has one: then the next.
    """
    query, pid = "SELECT pid FROM pg_stat_activity WHERE leader_pid = %s AND pid <> %s", session.info.backend_pid
    begin = partial(pool.submit, train, session, 2, table=table, pruning_params="n_folds=10", max_depth=12)
    training = begin()

    def worker() -> tuple[int] | None:
        nonlocal training
        if training.done():
            training.result()
            training = begin()
        return db.execute(query, [pid, pid]).fetchone()

    found = wait_until(worker, f"session {pid} never had a worker")
    assert found
    return training, found[0]


@pytest.mark.parametrize("delay", [0, 0.4], ids=["at once", "later"])
def test_a_worker_that_is_terminated_ends_the_training(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], many: str, delay: float
) -> None:
    session = connect()
    before = left_behind(db, session.info.backend_pid)
    with ThreadPoolExecutor() as pool:
        training, worker = _helped(db, session, pool, many)
        time.sleep(delay)
        db.execute("SELECT pg_terminate_backend(%s)", [worker])
        with pytest.raises(psycopg.Error, match=r"terminat|ended|lost connection|failed to initialize"):
            training.result()
    assert left_behind(db, session.info.backend_pid) == before
    train(session, 2)


def test_a_terminated_session_leaves_nothing(db: psycopg.Connection, connect: Callable[[], psycopg.Connection]) -> None:
    session = connect()
    pid = session.info.backend_pid
    with ThreadPoolExecutor() as pool:
        training, _ = _helped(db, session, pool, "sampled")
        db.execute("SELECT pg_terminate_backend(%s)", [pid])
        with pytest.raises(psycopg.OperationalError):
            training.result()
    left = "SELECT count(*) FROM pg_stat_activity WHERE %s IN (pid, leader_pid)"
    wait_until(lambda: db.execute(left, [pid]).fetchone() == (0,), "the session or one of its workers is still there")
    assert not {name for name in left_behind(db, pid) if name.startswith("pgsql_tmp")}


def test_they_can_be_switched_off(db: psycopg.Connection, told: list[str]) -> None:
    """For a server, a database or a role; here for the session."""
    db.execute("SET madtree.resident_workers = off")
    train(db, 2)
    assert not with_workers(told)
    with pytest.raises(
        psycopg.Error, match=r"resident workers are not possible here: .*madtree.resident_workers is off"
    ):
        train(db, 2, strategy="workers")
    db.execute("SET madtree.resident_workers = on")
    train(db, 2)
    assert len(with_workers(told)) == 1


def test_a_leader_that_gets_no_branch_goes_on_alone(db: psycopg.Connection, told: list[str]) -> None:
    """As where workers cannot reach the leader's files: all branches of the query end at once."""
    train(db, 0)
    alone = model(db)
    with without_branches(db):
        train(db, 2)
        assert not with_workers(told)
        assert model(db) == alone


def test_temp_file_limit_holds(db: psycopg.Connection, many: str) -> None:
    """Of the smallest budget, so that blocks go to files."""
    db.execute("SET temp_file_limit = '100kB'")
    for workers in (0, 2):
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temp_file_limit"):
            train(db, workers, table=many, memory_mb=8)


def test_temporary_files_go_to_the_temporary_tablespaces(db: psycopg.Connection) -> None:
    db.execute("SET allow_in_place_tablespaces = on")
    db.execute("CREATE TABLESPACE madtree_elsewhere LOCATION ''")
    try:
        (oid,) = db.execute("SELECT oid FROM pg_tablespace WHERE spcname = 'madtree_elsewhere'").fetchone() or (0,)
        db.execute("SELECT madtree.tree_predict()")  # loads the Python half
        db.execute("""
            CREATE FUNCTION place() RETURNS text LANGUAGE plpython3u AS $$
            from madtree.host import PlpyHost, TemporaryPlace
            return TemporaryPlace.of(PlpyHost(plpy)).directory
            $$""")
        assert db.execute("SELECT place()").fetchone() == ("base/pgsql_tmp",)
        db.execute("SET temp_tablespaces = madtree_elsewhere")
        (found,) = db.execute("SELECT place()").fetchone() or ("",)
        assert found.startswith(f"pg_tblspc/{oid}/PG_")
        train(db, 2, memory_mb=8)
    finally:
        db.execute("SET temp_tablespaces = DEFAULT")
        db.execute("DROP TABLESPACE madtree_elsewhere")


def _key(db: psycopg.Connection, pid: int) -> str | None:
    """The key of the training that the session leads, from its open files; None while it leads none."""
    db.execute("""
        CREATE OR REPLACE FUNCTION board_of(pid int) RETURNS text LANGUAGE plpython3u AS $$
        import os
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{descriptor}"
            try:
                if "madtree_" in os.readlink(path):
                    with open(path, "rb") as file:
                        head = file.read(32)
                    if head.startswith(b"madtree board 2\\n") and len(head) == 32:
                        return f"{pid}.{descriptor}.{head[16:].hex()}"
            except OSError:
                pass
        return None
        $$""")
    (key,) = db.execute("SELECT board_of(%s)", [pid]).fetchone() or (None,)
    return key


def test_nobody_else_takes_part(db: psycopg.Connection, connect: Callable[[], psycopg.Connection]) -> None:
    """A member of pg_monitor sees no key; who has one all the same is refused everywhere, and changes nothing."""
    db.execute(
        "CREATE FUNCTION slow(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE "
        "AS 'BEGIN IF id % 500 = 0 THEN PERFORM pg_sleep(0.01); END IF; RETURN id % 7; END'"
    )
    session, spy = connect(), connect()
    pid = session.info.backend_pid
    spy.execute("CREATE ROLE madtree_spy IN ROLE pg_monitor; SET ROLE madtree_spy")
    try:
        with ThreadPoolExecutor() as pool:
            training = pool.submit(train, session, 2, "slow(id), a, b")
            key = wait_until(lambda: _key(db, pid), "the training has no board")
            assert key is not None
            token = key.rsplit(".", 1)[1]
            wait_until(lambda: len(_queries(spy, pid)) > 1, "no worker came")
            assert not [query for query in _queries(spy, pid) if token in query]
            for call in ("join(%s)", "claim(%s)", "keep(%s, 0, NULL)", "grow(%s)", "step(%s)"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="cannot take part in its training"):
                    spy.execute(f"SELECT madtree_internal.workers_{call}", [key])
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="cannot take part in its training"):
                spy.execute("SELECT madtree_internal.resident_worker(%s)", [key])
            assert not training.done(), "it was over too soon"
            training.result()
    finally:
        spy.execute("RESET ROLE; DROP ROLE madtree_spy")
    with_others = model(db)
    db.execute("CREATE OR REPLACE FUNCTION slow(id int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT id % 7'")
    train(db, 0, "slow(id), a, b")
    assert model(db) == with_others


def _queries(db: psycopg.Connection, leader: int) -> list[str]:
    """What pg_stat_activity shows of a session and its workers."""
    rows = db.execute("SELECT query FROM pg_stat_activity WHERE %s IN (pid, leader_pid)", [leader]).fetchall()
    return [query for (query,) in rows]


@pytest.mark.parametrize(
    ("strategy", "more"),
    [("memory", {"memory_mb": 8}), ("workers", {"memory_mb": 8, "parallel_workers": 1}), ("aggregate", {})],
)
def test_no_more_is_kept_in_files_than_temp_file_limit(
    db: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    many: str,
    strategy: str,
    more: dict[str, Any],
) -> None:
    """Looked at from outside while it trains. The table of blocks is a table: it needs no temporary file."""
    session = connect()
    pid = session.info.backend_pid
    db.execute(BYTES_IN_FILES)
    before = left_behind(db, pid)
    session.execute("SET temp_file_limit = '1MB'")
    largest = 0
    with ThreadPoolExecutor() as pool:
        training = pool.submit(train_on, session, many, "m", "y", "a, b, c", strategy=strategy, max_depth=4, **more)
        while not training.done():
            largest = max(largest, _bytes_in_files(db, pid))
            time.sleep(0.01)
        if strategy == "aggregate":
            training.result()
        else:
            with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temp_file_limit"):
                training.result()
    assert largest <= 2**20
    if strategy != "aggregate":
        assert left_behind(db, pid) == before


def test_rows_that_are_read_once_keep_to_temp_file_limit(db: psycopg.Connection) -> None:
    columns = ", ".join(f"sin(i * {n}) AS c{n}" for n in range(1, 13))
    db.execute(f"CREATE TABLE wide AS SELECT i AS id, i % 2 AS y, {columns} FROM generate_series(1, 90000) AS i")
    before = left_behind(db)
    db.execute("ANALYZE wide; SET temp_file_limit = '1MB'")
    with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temp_file_limit"):
        train_on(db, "wide", "m", "y", "*", memory_mb=8, n_bins=20)
    assert left_behind(db) == before


# Of temporary files that a process has open, ours without names and the server's.
BYTES_IN_FILES = """
    CREATE FUNCTION bytes_in_files(pid int) RETURNS bigint LANGUAGE plpython3u AS $$
    import os
    total = 0
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{descriptor}"
            try:
                if "pgsql_tmp" in os.readlink(path):
                    total += os.stat(path).st_size
            except OSError:
                pass
    except OSError:
        pass
    return total
    $$
"""


def _bytes_in_files(db: psycopg.Connection, pid: int) -> int:
    ((found,),) = db.execute("SELECT bytes_in_files(%s)", [pid]).fetchall()
    return int(found)
