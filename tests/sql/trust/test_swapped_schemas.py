"""Another role's schema is not swapped for another one while a superuser writes to it, or reads a model there.

The client engine runs the same statements as the server's functions. Here its host lets the owner of the schema act
before a statement, so that nothing goes by time.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from waiting import wait_until

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

SWAP = "ALTER SCHEMA hers_{0} RENAME TO was_{1}_{0}; CREATE SCHEMA hers_{0}; GRANT ALL ON SCHEMA hers_{0} TO PUBLIC"
WRITES = {
    "tree_train": ("data", "{}.out", "id", "y", "x, k"),
    "forest_train": ("data", "{}.out", "id", "y", "x, k"),
    "tree_predict": ("m", "data", "{}.out"),
    "forest_predict": ("f", "data", "{}.out"),
    "tree_prune": ("m", "{}.out", 0.1),
    "get_var_importance": ("m", "{}.out"),
    "tree_statistics": ("{}.own", "data", True),  # of her own model, which has such a table already
    "conformal_train": ("{}.own", "data", "0.9", True),  # as above
    "calibrate": ("m", "data", "{}.out"),
    "tree_refresh": ("m", "data", "{}.out"),
    "tree_tune": ("data", "{}.out", "id", "y", "x, k", "tree", "max_depth=1,2"),
    "tree_shap": ("m", "data", "{}.out"),
}
OF_OWN = ("tree_statistics", "conformal_train")
MADE_AT_ONCE = ("tree_predict", "get_var_importance")  # by one statement that fills the table, too


class Interrupted(PsycopgHost):
    """A host that has something else happen before each statement that matches."""

    def __init__(self, connection: psycopg.Connection, pattern: str, event: Callable[[re.Match[str]], None]) -> None:
        super().__init__(connection)
        self._pattern, self._event = re.compile(pattern, re.DOTALL), event

    def _run(self, sql: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        if found := self._pattern.search(sql):
            self._event(found)
        return super()._run(sql, types, params, **how)


@pytest.fixture
def hers(data: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> Iterator[str]:
    """The ordinary user's schema, in which everybody may make tables; dropped at the end, with those that it was."""
    role, database = user_db.info.user, data.info.dbname
    data.execute(f"CREATE SCHEMA hers_{schema} AUTHORIZATION {role}; GRANT CREATE ON DATABASE {database} TO {role}")
    user_db.execute(f"GRANT ALL ON SCHEMA hers_{schema} TO PUBLIC".encode())
    user_db.execute("SET lock_timeout = '200ms'")
    yield f"hers_{schema}"
    made = data.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ %s", [f"^(hers|was_[0-9]+)_{schema}$"])
    names = ", ".join(name for (name,) in made.fetchall())
    data.execute(f"SET client_min_messages = error; DROP SCHEMA {names} CASCADE".encode())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("function", WRITES)
def test_a_superusers_rows_go_to_the_tables_that_she_has_made(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    hers: str,
    schema: str,
    function: str,
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k')")
    data.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2)")
    if function in OF_OWN:
        data.execute(f"SELECT tree_train('data', '{hers}.own', 'id', 'y', 'x, k')".encode())
        data.execute(f"SELECT tree_statistics('{hers}.own', 'data'), conformal_train('{hers}.own', 'data')".encode())
    swapped: list[str] = []

    def swap(found: re.Match[str]) -> None:
        """Put another schema there, with a table of the columns that are filled, and a trigger."""
        if swapped:
            return
        table = found[1]
        swapped.append(table)
        columns = data.execute(
            "SELECT string_agg(format('%%I %%s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) "
            "FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
            [table],
        ).fetchone()
        assert columns
        trap = f"BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION sprung_by_trigger()"
        try:
            with user_db.transaction():
                user_db.execute(SWAP.format(schema, 1).encode())
                user_db.execute(f"CREATE TABLE {table} ({columns[0]}); CREATE TRIGGER trap {trap}".encode())
                user_db.execute(f"GRANT ALL ON {table} TO PUBLIC".encode())
        except psycopg.errors.LockNotAvailable:
            swapped.append("held")

    user_db.execute(
        "CREATE FUNCTION sprung_by_trigger() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM spring(); RETURN NULL; END $$"
    )
    host = Interrupted(data, rf'INSERT INTO ("{hers}"."[a-z_]+"|{hers}\.[a-z_]+)', swap)
    given = [each.format(hers) if isinstance(each, str) else each for each in WRITES[function]]
    with data.transaction(force_rollback=True):
        call(host, function, given)
        assert canary() == set()
    assert swapped[1:] == ["held"] or (not swapped and function in MADE_AT_ONCE)
    if function in OF_OWN:
        data.execute(f"SELECT tree_drop('{hers}.own')".encode())


def test_a_schema_that_is_being_swapped_while_it_is_looked_at_is_looked_at_again(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    hers: str,
    schema: str,
) -> None:
    """The superuser waits for a swap, and there is a second one before she reads."""
    user_db.execute(f"SELECT tree_train('data', '{hers}.m', 'id', 'y', 'x, k')".encode())
    parts = [
        name for (name,) in user_db.execute("SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace "
        "AND relkind = 'r'", [hers]).fetchall()
    ]  # fmt: skip

    def swap(number: int) -> None:
        copies = [f"CREATE TABLE {hers}.{part} AS TABLE was_{number}_{schema}.{part}" for part in parts]
        user_db.execute("; ".join([SWAP.format(schema, number), *copies]).encode())

    def first(found: re.Match[str]) -> None:
        """Begins, and ends once the superuser waits."""
        if not began:
            began.append(True)
            user_db.execute("BEGIN")
            swap(1)
            threading.Thread(target=end).start()

    def end() -> None:
        with psycopg.connect(data.info.dsn, autocommit=True) as admin:
            asked = "SELECT %s = ANY (pg_blocking_pids(%s))"
            pids = [user_db.info.backend_pid, data.info.backend_pid]
            wait_until(lambda: admin.execute(asked, pids).fetchone() == (True,), "the superuser did not wait")
        user_db.execute("COMMIT")
        ended.set()

    def second(found: re.Match[str]) -> None:
        ended.wait(60)
        if not tried:
            tried.append("swapped")
            try:
                with user_db.transaction():
                    swap(2)
                    user_db.execute(f"CREATE INDEX ON {hers}.m_summary ((spring()))".encode())
            except psycopg.errors.LockNotAvailable:
                tried[:] = ["held"]

    began: list[bool] = []
    tried: list[str] = []
    ended = threading.Event()

    def act(found: re.Match[str]) -> None:
        (first if "FOR SHARE" in found[0] else second)(found)

    with data.transaction(force_rollback=True):
        call(Interrupted(data, r"FOR SHARE|SELECT s\.|SELECT f\.fault", act), "tree_display", [f"{hers}.m"])
        assert canary() == set()
    assert tried == ["held"]


def test_who_cannot_hold_the_schema_is_told_so(
    data: psycopg.Connection, hers: str, user_db: psycopg.Connection
) -> None:
    data.execute(
        "SELECT tree_train('data', 'm', 'id', 'y', 'x, k'); GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC"
    )
    role = user_db.info.user
    train = f"SELECT tree_train('data', '{hers}.out', 'id', 'y', 'x, k', replace => true)"
    user_db.execute(
        f"""CREATE FUNCTION {hers}.train() RETURNS text LANGUAGE sql SECURITY DEFINER
        SET search_path FROM CURRENT RETURN ({train})""".encode()
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match='you cannot hold the schema "hers_'):
        data.execute(f"SELECT {hers}.train()".encode())
    try:
        for how in ("ROLE", "SESSION AUTHORIZATION"):
            data.execute(f"SET {how} {role}".encode())
            data.execute(train.encode())
            data.execute("RESET ROLE")
    finally:
        data.execute("RESET SESSION AUTHORIZATION; RESET ROLE")
