"""What is read of the session's settings, whatever units they are given in."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

from madtree.sqltext.sessions import TEMPORARY_PLACE
from madtree.sqltext.waiting import LOCK_TIMEOUT


def _setting(db: psycopg.Connection, name: str, value: str) -> int:
    """What the server says of it, in the unit of `pg_settings`."""
    db.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
    found = db.execute("SELECT setting FROM pg_settings WHERE name = %s", [name]).fetchone()
    assert found is not None
    return int(found[0])


@pytest.mark.parametrize("value", ["-1", "0", "1", "1000", "1024", "3GB", "2147483647"])
def test_the_limit_of_temporary_files(db: psycopg.Connection, value: str) -> None:
    kilobytes = _setting(db, "temp_file_limit", value)
    found = db.execute(TEMPORARY_PLACE).fetchone()
    assert found is not None
    assert found[0] == (kilobytes * 1024 if kilobytes >= 0 else -1)


@pytest.mark.parametrize("style", ["postgres", "iso_8601", "sql_standard"])
@pytest.mark.parametrize("value", ["0", "1", "1500", "61s", "90min", "3h", "2d", "2147483647"])
def test_the_lock_timeout(db: psycopg.Connection, value: str, style: str) -> None:
    db.execute(sql.SQL("SET intervalstyle = {}").format(sql.Literal(style)))
    milliseconds = _setting(db, "lock_timeout", value)
    assert db.execute(LOCK_TIMEOUT).fetchone() == (milliseconds,)
