"""Trainings side by side: what the others do shows in no model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from training import left_behind, read_model, train
from waiting import PATIENCE, wait_until_blocked

N_ROWS = 70_000  # more than a block
DATA = f"""
    CREATE TABLE data AS SELECT
        i AS id, i % 3 AS grp, sin(i) AS x1, cos(i * 1.7) AS x2, i * 7919 % 1009 AS n, 'level ' || i * 31 % 17 AS level,
        (sin(i) + cos(i * 1.7) > 0.3) <> (i % 11 = 0) AS label, sin(i) * 2 + i % 11 AS target
    FROM generate_series(1, {N_ROWS}) i
"""
WHAT = ("label", "x1, x2, n, level")


@pytest.fixture(autouse=True)
def _data(db: psycopg.Connection) -> None:
    db.execute(DATA)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as executor:
        yield executor


def test_different_outputs_do_not_wait_for_each_other(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection]
) -> None:
    """The first training's transaction is still open while the second runs from beginning to end."""
    with db.transaction():
        train(db, "data", "one", *WHAT)
        other = connect()
        other.execute("SET lock_timeout = '10s'")
        train(other, "data", "two", *WHAT)
    assert read_model(db, "one") == read_model(other, "two")


def test_trainings_at_the_same_time_give_what_each_gives_alone(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor
) -> None:
    train(db, "data", "alone", *WHAT)
    for future in [pool.submit(train, connect(), "data", f"model{number}", *WHAT) for number in range(4)]:
        future.result(PATIENCE)

    alone = read_model(db, "alone")
    for number in range(4):
        assert read_model(db, f"model{number}") == alone


def test_of_two_with_the_same_output_the_first_to_commit_wins(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor
) -> None:
    """The second waits for the first, and is told as if it had come later."""
    first, second = connect(), connect()
    first.execute("BEGIN")
    train(first, "data", "model", *WHAT)
    waiting = pool.submit(train, second, "data", "model", "target", "n")
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("COMMIT")

    with pytest.raises(psycopg.errors.DuplicateTable, match=r'output_table_name: .*"model" exists already'):
        waiting.result(PATIENCE)
    train(db, "data", "reference", *WHAT)
    assert read_model(db, "model") == read_model(db, "reference")


def test_of_two_with_the_same_output_the_second_trains_where_the_first_is_rolled_back(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], pool: ThreadPoolExecutor
) -> None:
    first, second = connect(), connect()
    first.execute("BEGIN")
    train(first, "data", "model", "target", "n")
    waiting = pool.submit(train, second, "data", "model", *WHAT)
    wait_until_blocked(db, second.info.backend_pid)
    first.execute("ROLLBACK")

    waiting.result(PATIENCE)
    train(db, "data", "reference", *WHAT)
    assert read_model(db, "model") == read_model(db, "reference")


@pytest.mark.parametrize("replace", [False, True])
def test_a_training_leaves_its_model_and_nothing_else(db: psycopg.Connection, replace: bool) -> None:
    if replace:
        train(db, "data", "model", "target", "n", pruning_params="n_folds=2")
        db.execute("SELECT madtree.tree_drop('model')")
    before = left_behind(db)
    train(db, "data", "model", *WHAT, replace=replace)
    db.execute("SELECT madtree.tree_drop('model')")
    assert left_behind(db) == before


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("dependent", "options"),
    [
        ("label", {}),
        ("target", {"split_criterion": "mse"}),
        ("label", {"split_criterion": "entropy", "n_bins": 0}),
        ("label", {"grouping_cols": "grp"}),
        ("label", {"weights": "1 + id % 3"}),
    ],
    ids=["gini", "mse", "entropy, exact", "grouped", "weighted"],
)
def test_workers_do_not_change_a_bit(db: psycopg.Connection, dependent: str, options: dict[str, object]) -> None:
    for workers in (0, 2):
        train(db, "data", f"workers{workers}", dependent, WHAT[1], max_depth=6, parallel_workers=workers, **options)
    assert read_model(db, "workers2") == read_model(db, "workers0")
