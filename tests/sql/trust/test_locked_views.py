"""To lock a view is to lock all that it reads, by the rights of whoever asks where the view says so: whoever swaps a
table for one while a superuser waits could have her lock a catalogue, and so stop everybody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

import psycopg
import pytest
from test_swapped_schemas import Interrupted, hers  # noqa: F401

from madtree.engine import call
from madtree.errors import MadtreeError

# The function, its arguments, and the relation that is swapped.
CALLS: Mapping[str, tuple[str, tuple[object, ...], str]] = {
    "read": ("tree_display", ("{}.m",), "m_nodes"),
    "drop": ("tree_drop", ("{}.m",), "m_nodes"),
    "replace": ("tree_prune", ("own", "{}.m", 0.1, False, True), "m_nodes"),
    "fill": ("tree_predict", ("own", "data", "{}.out", "response", False, True), "out"),
}
STRONG = {"ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("what", CALLS)
def test_a_view_in_a_tables_place_has_nothing_else_locked(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    hers: str,  # noqa: F811
    what: str,
) -> None:
    if data.info.server_version < 150000:
        pytest.skip("a view of PostgreSQL 14 is locked by its owner's rights alone")
    function, given, name = CALLS[what]
    data.execute("CREATE TABLE secret AS SELECT 1 AS node_id; SELECT tree_train('data', 'own', 'id', 'y', 'x, k')")
    ((own_schema,),) = data.execute("SELECT current_schema()").fetchall()
    view = f"CREATE VIEW {hers}.{name} WITH (security_invoker) AS SELECT node_id FROM {own_schema}.secret"
    swapped: list[bool] = []
    locked: set[str] = set()
    n_locks = turn = 0

    def act(found: re.Match[str]) -> None:
        """Look what the statement before has locked; and before the lock of that turn swap the table."""
        nonlocal n_locks
        of_secret = "SELECT mode FROM pg_locks WHERE pid = %s AND relation = %s::regclass"
        locked.update(mode for (mode,) in user_db.execute(of_secret, [data.info.backend_pid, f"{own_schema}.secret"]))
        n_locks += "LOCK TABLE" in found.string
        if n_locks != turn or "LOCK TABLE" not in found.string:
            return
        try:
            with user_db.transaction():
                user_db.execute(f"DROP TABLE {hers}.{name} CASCADE; {view}".encode())
            swapped.append(True)
        except psycopg.errors.LockNotAvailable:
            swapped.append(False)

    while n_locks >= turn:
        n_locks, turn = 0, turn + 1
        data.execute(f"SELECT tree_predict('own', 'data', '{hers}.out')".encode())
        user_db.execute(f"SELECT tree_train('data', '{hers}.m', 'id', 'y', 'x, k')".encode())
        arguments = [each.format(hers) if isinstance(each, str) else each for each in given]
        with suppress(MadtreeError, psycopg.Error), data.transaction(force_rollback=True):
            call(Interrupted(data, "", act), function, arguments)
        data.execute(f"DROP SCHEMA {hers} CASCADE; CREATE SCHEMA {hers} AUTHORIZATION {user_db.info.user}".encode())
        data.execute(f"GRANT ALL ON SCHEMA {hers} TO PUBLIC".encode())
    assert True in swapped
    assert not locked & STRONG
