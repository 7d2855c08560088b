"""The database's side: madtree's functions, and the plain statements that they are held against."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from measure.data import SCHEMA, Table
from measure.timing import Action

SHAPE = "max_depth => 10, n_bins => 100, min_split => 20, min_bucket => 7"


def connect(dsn: str) -> psycopg.Connection:
    """A session in which whatever is not madtree runs in one process and without JIT."""
    db = psycopg.connect(dsn, autocommit=True)
    db.execute("SET jit = off")
    db.execute("SET max_parallel_workers_per_gather = 0")
    return db


def column_sums(db: psycopg.Connection, table: Table) -> Action:
    """Reading every value once: what no learner that reads its rows can beat."""
    sums = ", ".join(f"sum({feature})" for feature in table.features)
    return Action(_execute(db, f"SELECT {sums} FROM {table.name}"))


def train(
    db: psycopg.Connection, table: Table, workers: int | None = 0, model: str = "model", **arguments: str
) -> Action:
    """`tree_train`, in one process or with as many `workers` as it decides (None); `arguments` by name, as text."""
    more = "" if workers is None else f", parallel_workers => {workers}"
    more += "".join(f", {name} => '{value}'" for name, value in arguments.items())
    return Action(
        _execute(
            db,
            f"SELECT madtree.tree_train('{table.name}', '{SCHEMA}.{model}', 'id', 'y',"
            f" '{', '.join(table.features)}', {SHAPE}, replace => true{more})",
        )
    )


def predict(db: psycopg.Connection, table: Table, model: str = "model") -> Action:
    """`tree_predict` into a new table."""
    statement = f"SELECT madtree.tree_predict('{SCHEMA}.{model}', '{table.name}', '{SCHEMA}.scored')"
    return Action(_execute(db, statement), prepare=_execute(db, f"DROP TABLE IF EXISTS {SCHEMA}.scored"))


def write_constant(db: psycopg.Connection, table: Table) -> Action:
    """A new table of as many rows, with nothing computed."""
    statement = f"CREATE TABLE {SCHEMA}.constant AS SELECT id, 1 AS estimated_y FROM {table.name}"
    return Action(_execute(db, statement), prepare=_execute(db, f"DROP TABLE IF EXISTS {SCHEMA}.constant"))


def first_call(dsn: str, table: Table) -> Action:
    """`tree_train` as the first statement of a new session; connecting does not count."""
    session: list[psycopg.Connection] = []

    def prepare() -> None:
        for old in session:
            old.close()
        session[:] = [psycopg.connect(dsn, autocommit=True)]

    def run() -> None:
        train(session[0], table).run()

    return Action(run, prepare)


def _execute(db: psycopg.Connection, statement: str) -> Callable[[], None]:
    def run() -> None:
        db.execute(statement)

    return run
