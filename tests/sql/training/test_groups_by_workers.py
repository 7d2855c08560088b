"""Small groups by resident workers: each process grows the blocks that it takes; what that changes, what is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from kept_sessions import KeptSessions
from shares import share
from training import left_behind, train, without_branches
from waiting import wait_until

N_BLOCKS = 3
MAKE = f"""
    CREATE TABLE {{0}}.t AS SELECT i AS id, i % {N_BLOCKS * 20} AS g, (i * 7919 % 1013 > 500) <> (i % 7 = 0) AS y,
        sin(i) AS a, cos(i * 3.7) AS b, 'level ' || i % 19 AS c, CASE WHEN i % 11 > 0 THEN i % 101 END AS d
    FROM generate_series(1, {N_BLOCKS * 20_000}) AS i;
    -- No row of this group can be used, and there is none of the last one.
    UPDATE {{0}}.t SET y = NULL WHERE g = 7;
    ANALYZE {{0}}.t
"""
BLOCK = re.compile(rf"block (\d) of {N_BLOCKS} of small groups: ")
NOTE = re.compile(r"small groups grown by this process and (\d+) resident workers?")
HELPERS = (
    "SELECT pid FROM pg_stat_activity WHERE leader_pid = %s AND pid <> leader_pid AND query LIKE '%%resident_worker%%'"
)


@pytest.fixture(scope="module")
def path(dsn: str, shared_schema: str, sessions: KeptSessions) -> str:
    """Where the table is, which tests read only, and what they need besides."""
    with sessions.session(dsn) as admin:
        admin.execute(MAKE.format(shared_schema))
    return f"{shared_schema}, public, madtree"


@pytest.fixture(scope="module")
def alone(dsn: str, path: str, sessions: KeptSessions) -> list[Any]:
    """The forest of one process."""
    with sessions.session(dsn) as admin:
        admin.execute(f"SET search_path = {path}")
        forest(admin, 0)
        return model(admin)


@pytest.fixture(autouse=True)
def _on_the_path(db: psycopg.Connection, schema: str, path: str) -> None:
    db.execute(f"SET search_path = {schema}, {path}")


def forest(db: psycopg.Connection, workers: int, n_trees: int = 13, **more: Any) -> None:
    """Of as many trees as make N_BLOCKS blocks."""
    given = {"max_tree_depth": 3, "importance": False, "replace": True, "verbose": True, "parallel_workers": workers}
    given |= {"num_trees": n_trees, "grouping_cols": "g", **more}
    named = ", ".join(f"{name} => %({name})s" for name in given)
    db.execute(f"SELECT madtree.forest_train('t', 'm', 'id', 'y', 'a, b, c, d', {named})", given)  # type: ignore[arg-type]


def model(db: psycopg.Connection) -> list[Any]:
    """The tables of the forest, but for the summary, which tells how it was asked for."""
    rows = "SELECT array_agg(m::text ORDER BY m::text) FROM {} AS m"
    return [db.execute(rows.format(part)).fetchone() for part in ("m", "m_packed", "m_group")]  # type: ignore[arg-type]


def helped(lines: list[str]) -> list[int]:
    """Of each training that was shared out, how many workers took part."""
    return [int(match[1]) for line in lines if (match := NOTE.fullmatch(line))]


@pytest.mark.parametrize(("importance", "workers"), share([(True, 3), (True, 1), (False, 3), (False, 1)], 4))
def test_workers_change_nothing(db: psycopg.Connection, told: list[str], importance: bool, workers: int) -> None:
    forest(db, 0, importance=importance)
    alone = model(db)
    assert not helped(told)
    assert [int(match[1]) for line in told if (match := BLOCK.match(line))] == list(range(1, N_BLOCKS + 1))
    told.clear()

    def trained_with_help() -> bool:
        forest(db, workers, importance=importance)
        assert model(db) == alone
        return helped(told)[-1] > 0

    # On a busy machine the session may be done before a worker has started.
    wait_until(trained_with_help, "no worker came in time")
    trainings = len(helped(told))
    done = [int(match[1]) for line in told if (match := BLOCK.match(line))]
    assert 0 < len(done) < trainings * N_BLOCKS
    assert max(done) <= N_BLOCKS
    assert db.execute("SELECT count(*) FROM m_group WHERE NOT success").fetchone() == (1,)


def test_single_trees_too(db: psycopg.Connection, told: list[str]) -> None:
    more = {"grouping_cols": "g", "max_depth": 5, "surrogate_params": "max_surrogates=1", "replace": True}
    more |= {"pruning_params": "n_folds=2", "verbose": True}
    rows = "SELECT array_agg(n::text ORDER BY n::text) FROM m_nodes AS n"
    train(db, "t", "m", "y", "a, b, c, d", parallel_workers=0, **more)
    alone = db.execute(rows).fetchone()
    train(db, "t", "m", "y", "a, b, c, d", parallel_workers=1, **more)
    assert db.execute(rows).fetchone() == alone
    assert len(helped(told)) == 1


def test_they_can_be_switched_off(db: psycopg.Connection, told: list[str]) -> None:
    db.execute("SET madtree.resident_workers = off")
    forest(db, 2, n_trees=2)
    assert not helped(told)
    db.execute("SET madtree.resident_workers = on")
    forest(db, 2, n_trees=2)
    assert len(helped(told)) == 1


def test_where_nobody_gets_a_branch_the_session_grows_all(
    db: psycopg.Connection, told: list[str], alone: list[Any]
) -> None:
    with without_branches(db):
        forest(db, 2)
        assert helped(told) == [0]
        assert model(db) == alone


def test_more_workers_than_there_can_be_are_not_asked_for(db: psycopg.Connection, told: list[str]) -> None:
    db.execute("SET max_parallel_workers = 3")
    forest(db, 40, n_trees=2)
    assert len(helped(told)) == 1


def test_where_no_worker_can_be_started_the_session_grows_all(
    db: psycopg.Connection, told: list[str], alone: list[Any]
) -> None:
    db.execute("SET max_parallel_workers = 0")
    forest(db, 2)
    assert helped(told) == [0]
    assert model(db) == alone


def test_temporary_tables_keep_the_session_to_itself(db: psycopg.Connection, told: list[str]) -> None:
    """Workers cannot read what such a model's tables stand beside."""
    db.execute("CREATE TEMP TABLE own AS SELECT * FROM t WHERE id < 40000")
    db.execute(
        "SELECT madtree.forest_train('own', 'pg_temp.f', 'id', 'y', 'a, b', grouping_cols => 'g', num_trees => 20, "
        "max_tree_depth => 3, importance => false, parallel_workers => 2, verbose => true)"
    )
    assert not helped(told)


def test_a_training_that_is_cancelled_leaves_nothing_behind(db: psycopg.Connection, told: list[str]) -> None:
    """After its first block, and when all blocks are grown."""
    forest(db, 2, n_trees=2)
    before = left_behind(db)
    line = BLOCK

    def cancel(_: psycopg.errors.Diagnostic) -> None:
        found = [bool(line.match(each)) for each in told]
        if found[-1] and sum(found) == 1:
            db.cancel()

    db.add_notice_handler(cancel)
    for line in (BLOCK, NOTE):  # noqa: B007 - which `cancel` looks for
        told.clear()
        with pytest.raises(psycopg.errors.QueryCanceled):
            forest(db, 2)
        assert BLOCK.match(told[0])
        assert left_behind(db) == before, f"cancelled at: {told[-1]}"


def test_a_worker_that_is_terminated_ends_the_training(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], schema: str, path: str
) -> None:
    session = connect()
    session.execute(f"SET search_path = {schema}, {path}")
    pid = session.info.backend_pid
    before = left_behind(db, pid)
    with ThreadPoolExecutor() as pool:
        training = pool.submit(forest, session, 2, 60)
        worker = wait_until(lambda: db.execute(HELPERS, [pid]).fetchone(), "no worker came")
        db.execute("SELECT pg_terminate_backend(%s)", worker)
        with pytest.raises(psycopg.Error, match=r"terminat|ended|lost connection|failed to initialize"):
            training.result()
    assert left_behind(db, pid) == before
    forest(session, 2, n_trees=2)


@pytest.mark.parametrize("workers", [0, 2])
def test_temp_file_limit_holds(db: psycopg.Connection, workers: int) -> None:
    """What waits for the leader is in temporary files; one process needs none of them, where rows are sorted in
    memory.
    """
    db.execute("SET temp_file_limit = '256kB'")
    before = left_behind(db)
    if not workers:
        forest(db, 0, memory_mb=512)
        return
    with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temp_file_limit"):
        forest(db, workers, memory_mb=512)
    assert left_behind(db) == before
