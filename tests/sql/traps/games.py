"""A game of locks: the attacker has a reader wait, changes what it has looked at or not yet seen, and lets it go on.

Nothing here goes by time: each step waits until the reader waits for the attacker's lock, or has ended.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import psycopg
from ground import Ground
from psycopg import sql
from trap_objects import spring
from waiting import wait_until

# A table that the model has not, is there when the reader goes on: with the trap on it, or to be trapped later.
COLUMNS = {
    "_surrogates": "tree_id int4, node_id int8, rank int4, feature text, threshold float8, left_levels text[], "
    "low_goes_left bool, agreement float8, adjusted_agreement float8, right_levels text[]",
    "_competitors": "tree_id int4, node_id int8, rank int4, feature text, threshold float8, left_levels text[], "
    "right_levels text[], improvement float8",
    "_cv": "cp float8, n_splits int4, rel_error float8, cv_error_avg float8, cv_error_stddev float8, xerror float8, "
    "xstd float8, chosen bool",
    "_group": "gid int4, success bool, message text, n_trees int4, n_rows int8, oob_error float8, "
    "oob_var_importance float8[], oob_var_importance_sd float8[], impurity_var_importance float8[]",
    "_packed": "tree_id int4, category_sets text[], nodes bytea",
    "_statistics": "feature text, kind text, place int4, low float8, high float8, category text, n int8",
    "_outcomes": "tree_id int4, outcomes float8[]",
    "_conformal": "tree_id int4, level float8, n int8, quantile float8",
}


@dataclass(frozen=True)
class Move:
    """What the attacker does while the reader waits.

    Attributes:
        now: statements, done at once.
        hold: a table that she holds from then on, so that the reader waits again if it reads it; "" for none.
        later: done while the reader waits for that one.
    """

    now: tuple[str, ...]
    hold: str = ""
    later: tuple[str, ...] = ()


def trap_on(table: str) -> str:
    return f"CREATE INDEX ON {table} (({spring('planted')}))"


def moves(model: str, parts: tuple[str, ...]) -> dict[str, Move]:
    """By what they are; `model` has the tables `parts`."""
    schema, name = model.split(".")
    found: dict[str, Move] = {}
    for part in parts:
        table = model + part
        found[f"an index on {part or 'the trees'}"] = Move((trap_on(table),))
        copy = (f"ALTER TABLE {table} RENAME TO {name}{part}_old",
                f"CREATE TABLE {table} AS TABLE {table}_old", f"GRANT SELECT ON {table} TO public")  # fmt: skip
        found[f"another {part or 'table of trees'}, with an index"] = Move((*copy, trap_on(table)))
        found[f"another {part or 'table of trees'}, and an index later"] = Move(copy, table, (trap_on(table),))
    for part, columns in COLUMNS.items():
        if part in parts:
            continue
        table = model + part
        make = (f"CREATE TABLE {table} ({columns})", f"GRANT SELECT ON {table} TO public")
        found[f"a new {part}, with an index"] = Move((*make, trap_on(table)))
        found[f"a new {part}, and an index later"] = Move(make, table, (trap_on(table),))
    other = [f"ALTER SCHEMA {schema} RENAME TO {schema}_old", f"CREATE SCHEMA {schema}",
             f"GRANT USAGE ON SCHEMA {schema} TO public"]  # fmt: skip
    copies = [f"CREATE TABLE {model}{part} AS TABLE {schema}_old.{name}{part}" for part in parts]
    traps = [trap_on(model + part) for part in parts]
    readable = f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO public"
    found["another schema, with indexes"] = Move((*other, *copies, readable, *traps))
    found["another schema, and an index later"] = Move((*other, *copies, readable), model + "_summary", tuple(traps))
    return found


@dataclass
class Reader:
    """A call that runs by itself."""

    db: psycopg.Connection
    work: Callable[[psycopg.Connection], object]
    error: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.work(self.db)
        except Exception as error:
            self.error.append(error)

    def waits_for(self, admin: psycopg.Connection, pid: int) -> bool:
        """Whether the reader waits for that session; False once it has ended."""
        asked = "SELECT %s = ANY (pg_blocking_pids(%s))"
        reader = self.db.info.backend_pid
        return wait_until(
            lambda: (not self.thread.is_alive() and "ended")
            or (admin.execute(asked, [pid, reader]).fetchone() == (True,) and "waits"),
            "the reader neither ended nor waited",
        ) == "waits"  # fmt: skip


@dataclass(frozen=True)
class Hold:
    """What has the reader wait.

    Attributes:
        begin: takes the lock, in a transaction.
        end: lets go.
        on_model: whether a table of the model is held. Then what the attacker does is done in the same transaction, as
            it may be about that table.
    """

    begin: str
    end: str = "COMMIT"
    on_model: bool = True


def hold_table(table: str, on_model: bool = True) -> Hold:
    return Hold(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE", on_model=on_model)


def hold_name(table: str) -> Hold:
    """Who makes a table of the same name waits until this one is there or not."""
    return Hold(f"CREATE TABLE {table} ()", "ROLLBACK", on_model=False)


@dataclass(frozen=True)
class Played:
    """How a game went.

    Attributes:
        errors: the reader's, if any.
        waited: whether the reader waited for what was held. If not, it knows nothing of any move.
        moved: whether the locks let the attacker make the move.
    """

    errors: list[BaseException]
    waited: bool
    moved: bool


def play(
    ground: Ground, db: psycopg.Connection, hold: Hold, move: Move, work: Callable[[psycopg.Connection], object]
) -> Played:
    """Play. A move that the locks forbid is no move."""
    attacker, second, admin = ground.sessions["attacker"], ground.sessions["second"], ground.sessions["admin"]
    attacker.execute("BEGIN")
    attacker.execute(hold.begin)  # type: ignore[arg-type]
    reader, moved = Reader(db, work), False
    try:
        waits = reader.waits_for(admin, attacker.info.backend_pid)
        mover = attacker if hold.on_model and not move.hold else second
        moved = waits and _try(mover, move.now)
        if moved and move.hold:
            second.execute("BEGIN")
            if not _try(second, (f"LOCK TABLE {move.hold} IN ACCESS EXCLUSIVE MODE",)):
                second.execute("ROLLBACK")
    finally:
        attacker.execute(hold.end)  # type: ignore[arg-type]
    if second.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
        if reader.waits_for(admin, second.info.backend_pid):
            _try(second, move.later)
        second.execute("COMMIT")
    reader.thread.join()
    return Played(reader.error, waits, moved)


def _try(db: psycopg.Connection, statements: tuple[str, ...]) -> bool:
    try:
        with db.transaction():  # a savepoint, where there is a transaction
            db.execute("SET LOCAL lock_timeout = '20ms'")  # who holds it waits in this game, and lets nothing go
            for statement in statements:
                db.execute(sql.SQL(statement))  # type: ignore[arg-type]
    except psycopg.Error as error:
        if error.sqlstate not in ("55P03", "40P01"):
            raise
        return False
    return True
