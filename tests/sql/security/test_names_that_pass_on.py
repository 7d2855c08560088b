"""The name of a superuser's table that is dropped, or given away, may be another role's next, who may create in the
schema: it is not read as hers by whoever sees the catalogue as it was, or has waited in between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg
import pytest
from waiting import wait_until, wait_until_blocked

from madtree.sqltext.owners import CALLER, SCHEMA_TRUSTED, changed_since, is_trusted, made_here, owner_of

PARTS = ("", "_nodes", "_summary", "_cv", "_surrogates", "_statistics")
CALLS = (
    "SELECT tree_display('m')",
    "SELECT tree_surr_display('m')",
    "SELECT * FROM tree_cp('m')",
    "SELECT * FROM tree_drift('m', 't')",
    "SELECT tree_prune('m', 'copied', 0.1)",
    "SELECT * FROM tree_drift('m', 't', trust_owner => true)",
    "SELECT * FROM models",
)
_TRAP = "CREATE INDEX ON {} ((1)) WHERE trap(true)"  # planning a query on the table calls it


@pytest.fixture
def sprung(db: psycopg.Connection, user_db: psycopg.Connection, notices: list[str]) -> Callable[[], bool]:
    """Whether the ordinary role's function has run in the superuser's session, whose model is `m`."""
    body = "BEGIN RAISE WARNING 'sprung as %', current_user; {} END"
    user_db.execute(
        f"CREATE FUNCTION trap(boolean) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS "
        f"$${body.format('RETURN true;')}$$;"
        f"CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $${body.format('RETURN NEW;')}$$"
    )
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i * 7919 % 100 AS x, i % 7 AS z, i * 7919 % 100 > 40 AS y "
        "FROM generate_series(1, 300) AS i"
    )
    more = "pruning_params => 'n_folds=2', null_handling_params => 'max_surrogates=1'"
    db.execute(f"SELECT tree_train('t', 'm', 'id', 'y', 'x, z', {more})")  # type: ignore[arg-type]
    return lambda: any("sprung" in line for line in notices)


def seeing_the_past(db: psycopg.Connection) -> None:
    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    db.execute("SELECT count(*) FROM t")


@pytest.mark.parametrize("given_away", [True, False])
def test_a_part_of_a_model_that_is_anothers_by_now(
    db: psycopg.Connection,
    user_db: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    ordinary_user: tuple[str, str],
    sprung: Callable[[], bool],
    given_away: bool,
) -> None:
    admin = connect()
    owner = admin.execute("SELECT current_user").fetchone()[0]  # type: ignore[index]
    for part in PARTS:
        admin.execute(f"GRANT SELECT ON m{part} TO {ordinary_user[0]}")  # type: ignore[arg-type]
        seeing_the_past(db)
        if given_away:
            admin.execute(f"ALTER TABLE m{part} OWNER TO {ordinary_user[0]}")  # type: ignore[arg-type]
        else:
            admin.execute(f"ALTER TABLE m{part} RENAME TO kept")  # type: ignore[arg-type]
            user_db.execute(f"CREATE TABLE m{part} AS SELECT * FROM kept")  # type: ignore[arg-type]
        user_db.execute(_TRAP.format(f"m{part}"))  # type: ignore[arg-type]
        for call in CALLS:
            db.execute("SAVEPOINT before")
            with suppress(psycopg.errors.SerializationFailure, psycopg.errors.UndefinedTable):
                db.execute(call)  # type: ignore[arg-type]
            db.execute("ROLLBACK TO before")
            assert not sprung(), (part, call)
        db.execute("ROLLBACK")
        if given_away:
            user_db.execute(f"DROP INDEX m{part}_expr_idx")  # type: ignore[arg-type]
            admin.execute(f"ALTER TABLE m{part} OWNER TO {owner}")  # type: ignore[arg-type]
        else:
            user_db.execute(f"DROP TABLE m{part}")  # type: ignore[arg-type]
            admin.execute(f"ALTER TABLE kept RENAME TO m{part}")  # type: ignore[arg-type]
    assert db.execute("SELECT * FROM tree_cp('m')").fetchall()


def test_a_part_that_is_anothers_by_now_of_a_model_that_others_may_write_to(
    db: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    ordinary_user: tuple[str, str],
    sprung: Callable[[], bool],
) -> None:
    """Nobody who may but write to it can put anything on it, so that such a model is read in the past, too."""
    admin = connect()
    admin.execute("GRANT INSERT ON m_summary TO PUBLIC")
    seeing_the_past(db)
    admin.execute(f"ALTER TABLE m_nodes OWNER TO {ordinary_user[0]}; {_TRAP.format('m_nodes')}".encode())
    with pytest.raises(psycopg.errors.SerializationFailure):
        db.execute("SELECT tree_display('m')")
    db.execute("ROLLBACK")
    assert not sprung()


def test_a_part_that_is_anothers_by_now_and_not_to_be_read(
    db: psycopg.Connection,
    user_db: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    ordinary_user: tuple[str, str],
    sprung: Callable[[], bool],
    schema: str,
) -> None:
    """PostgreSQL plans a query, and runs the trap, before it asks whether the table may be read."""
    admin, reader = connect(), f"reader_of_{schema}"
    tables = ", ".join(["t", *(f"m{part}" for part in PARTS)])
    admin.execute(
        f"CREATE ROLE {reader}; GRANT ALL ON SCHEMA {schema} TO {reader}; GRANT SELECT ON {tables} TO {reader}".encode()
    )
    try:
        db.execute(f"SET ROLE {reader}".encode())
        seeing_the_past(db)
        admin.execute(f"ALTER TABLE m_nodes OWNER TO {ordinary_user[0]}".encode())
        user_db.execute(f"REVOKE ALL ON m_nodes FROM {reader}; {_TRAP.format('m_nodes')}".encode())
        for call in CALLS:
            db.execute("SAVEPOINT before")
            with suppress(psycopg.errors.SerializationFailure, psycopg.errors.InsufficientPrivilege):
                db.execute(call)  # type: ignore[arg-type]
            db.execute("ROLLBACK TO before")
            assert not sprung(), call
    finally:
        db.execute("ROLLBACK; RESET ROLE")
        admin.execute(f"DROP OWNED BY {reader}; DROP ROLE {reader}".encode())


def test_a_part_that_the_role_a_superuser_has_taken_may_not_read(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], sprung: Callable[[], bool], schema: str
) -> None:
    """Or of which it may read some columns, so that the table could be held by her own rights alone."""
    admin, reader = connect(), f"reader_of_{schema}"
    tables = ", ".join(f"m{part}" for part in PARTS if part != "_cv")
    admin.execute(f"CREATE ROLE {reader}; GRANT ALL ON SCHEMA {schema} TO {reader}".encode())
    admin.execute(f"GRANT SELECT ON {tables} TO {reader}; SET lock_timeout = '200ms'".encode())
    try:
        for begin in ("BEGIN", "BEGIN READ ONLY"):
            db.execute(f"SET ROLE {reader}; {begin}".encode())
            db.execute("SELECT tree_display('m')")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                admin.execute("ALTER TABLE m_cv RENAME TO kept")
            db.execute("ROLLBACK; RESET ROLE")
        db.execute(f"SET SESSION AUTHORIZATION {reader}; SET ROLE {reader}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="m_cv"):
            db.execute("SELECT tree_display('m')")
    finally:
        db.execute("ROLLBACK; RESET SESSION AUTHORIZATION; RESET ROLE")
        admin.execute(f"DROP OWNED BY {reader}; DROP ROLE {reader}".encode())


@pytest.mark.parametrize("way", ["the table is a new role's", "its owner is no superuser any more"])
def test_an_owner_whom_the_past_does_not_show(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], sprung: Callable[[], bool], way: str
) -> None:
    admin, role = connect(), "madtree_owner_of_now"
    try:
        if "superuser" in way:
            admin.execute(f"CREATE ROLE {role} SUPERUSER")  # type: ignore[arg-type]
            admin.execute(f"ALTER TABLE m_summary OWNER TO {role}")  # type: ignore[arg-type]
        seeing_the_past(db)
        if "superuser" in way:
            admin.execute(f"ALTER ROLE {role} NOSUPERUSER")  # type: ignore[arg-type]
        else:
            admin.execute(f"CREATE ROLE {role}")  # type: ignore[arg-type]
            admin.execute(f"ALTER TABLE m_summary OWNER TO {role}")  # type: ignore[arg-type]
        admin.execute(_TRAP.format("m_summary"))  # type: ignore[arg-type]
        for call in (each for each in CALLS if "trust_owner" not in each):
            db.execute("SAVEPOINT before")
            with suppress(psycopg.errors.SerializationFailure, psycopg.errors.ActiveSqlTransaction):
                db.execute(call)  # type: ignore[arg-type]
            db.execute("ROLLBACK TO before")
            assert not sprung(), call
    finally:
        db.execute("ROLLBACK")
        admin.execute(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}")  # type: ignore[arg-type]


def test_a_trigger_that_was_made_since(
    db: psycopg.Connection, user_db: psycopg.Connection, ordinary_user: tuple[str, str], sprung: Callable[[], bool]
) -> None:
    db.execute("SELECT tree_predict('m', 't', 'p')")
    db.execute(f"GRANT ALL ON p TO {ordinary_user[0]}")  # type: ignore[arg-type]
    seeing_the_past(db)
    user_db.execute("CREATE TRIGGER late BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION trap()")
    with pytest.raises(psycopg.Error, match="perhaps a trigger that others have made"):
        db.execute("SELECT tree_predict('m', 't', 'p', replace => true)")
    db.execute("ROLLBACK")
    assert not sprung()


def test_a_trigger_on_a_table_of_the_role_that_a_superuser_has_taken(
    db: psycopg.Connection, user_db: psycopg.Connection, ordinary_user: tuple[str, str], sprung: Callable[[], bool]
) -> None:
    tables = ", ".join(("t", *(f"m{part}" for part in PARTS)))
    db.execute(f"GRANT SELECT ON {tables} TO {ordinary_user[0]}")  # type: ignore[arg-type]
    db.execute(f"SET ROLE {ordinary_user[0]}")  # type: ignore[arg-type]
    db.execute("SELECT tree_predict('m', 't', 'p')")
    trigger = "CREATE TRIGGER late BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION trap()"
    user_db.execute(f"{trigger}; DROP TRIGGER late ON p")  # type: ignore[arg-type]  # a second one leaves pg_class as it is
    seeing_the_past(db)
    user_db.execute(trigger)  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match="perhaps a trigger that others have made"):
        db.execute("SELECT tree_predict('m', 't', 'p', replace => true)")
    db.execute("ROLLBACK")
    assert not sprung()


def test_a_row_of_anothers_that_several_have_locked(db: psycopg.Connection, ordinary_user: tuple[str, str]) -> None:
    """Its number is one of a set of transactions then, and may be beyond those of all transactions."""
    row = f"SELECT '{ordinary_user[0]}'::regrole::oid AS nspowner, '1000000000'::xid AS xmax"
    looks = f"SELECT {SCHEMA_TRUSTED}, {is_trusted(owner_of('n', 'nspowner'))} FROM ({row}) AS n"
    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    found = db.execute(f"WITH {CALLER} {looks}").fetchall()  # type: ignore[arg-type]
    db.execute("ROLLBACK")
    assert found == [(False, False)]


def test_a_model_that_is_dropped_while_the_list_is_made(
    db: psycopg.Connection,
    user_db: psycopg.Connection,
    connect: Callable[[], psycopg.Connection],
    ordinary_user: tuple[str, str],
    sprung: Callable[[], bool],
) -> None:
    holder, admin = connect(), connect()
    admin.execute("SELECT tree_train('t', 'n', 'id', 'y', 'x')")
    admin.execute(f"GRANT SELECT ON n, n_summary, n_nodes TO {ordinary_user[0]}")  # type: ignore[arg-type]
    for part in ("", "_summary", "_nodes"):
        user_db.execute(f"CREATE TABLE new{part} AS SELECT * FROM n{part}")  # type: ignore[arg-type]
        user_db.execute(_TRAP.format(f"new{part}"))  # type: ignore[arg-type]
    holder.execute("BEGIN")
    holder.execute("LOCK TABLE m_summary")  # as who trains it anew
    listed: list[tuple[str]] = []
    listing = threading.Thread(
        target=lambda: listed.extend(db.execute("SELECT name FROM models WHERE owner = current_user").fetchall())
    )
    listing.start()
    wait_until_blocked(admin, db.info.backend_pid)
    admin.execute("SELECT tree_drop('n')")
    for part in ("", "_summary", "_nodes"):
        user_db.execute(f"ALTER TABLE new{part} RENAME TO n{part}")  # type: ignore[arg-type]
    holder.execute("COMMIT")
    listing.join()
    assert ("m",) in listed
    assert ("n",) not in listed
    assert not sprung()
    db.execute("SELECT * FROM n")
    assert sprung()


def test_a_row_of_a_catalogue_that_was_merely_locked_has_not_changed(db: psycopg.Connection) -> None:
    """As that of the schema, by what makes the extension; vacuum forgets that lock. While a transaction goes on that
    began before the lock, in any database, nobody knows that the lock was taken before the snapshot."""

    def looked_at() -> tuple[bool, bool] | None:
        with db.transaction():
            db.execute("SELECT FROM pg_namespace WHERE nspname = 'madtree' FOR KEY SHARE")
            ((locked_by,),) = db.execute("SELECT pg_current_xact_id()::text::int8").fetchall()
        with db.transaction():
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            ((oldest, locked, changed),) = db.execute(
                "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8, n.xmax <> 0::text::xid, "  # type: ignore[arg-type]
                f"{changed_since('n')} FROM pg_namespace AS n WHERE nspname = 'madtree'"
            ).fetchall()
        return (locked, changed) if oldest > locked_by else None

    assert wait_until(looked_at, "a transaction of long ago goes on") == (True, False)


def test_a_row_of_long_ago_is_not_the_transactions_own(db: psycopg.Connection) -> None:
    """Of rows older than 2,147,483,648 transactions the number is one that PostgreSQL would call one of the future."""
    of_table = f"SELECT {made_here('a')} FROM pg_attribute AS a WHERE attrelid = %s::regclass AND attname = 'ctid'"
    of_number = f"SELECT {made_here('r')} FROM (SELECT %s::xid AS xmin) AS r"
    with db.transaction():
        ((own,),) = db.execute("SELECT pg_current_xact_id()::text::int8").fetchall()
        with db.transaction():  # a savepoint, whose number is the next one
            db.execute("CREATE TABLE made ()")
        for table in ("made", "pg_class"):
            assert db.execute(of_table.encode(), [table]).fetchone() == (table == "made",)
        for behind in (0, 1, 1000, 2**31 - 1, 2**31, 2**31 + 1000, 3 * 10**9, 2**32 - 2 * 10**7):
            found = db.execute(of_number.encode(), [str((own - behind) % 2**32)]).fetchone()
            assert found == (behind == 0,), behind
