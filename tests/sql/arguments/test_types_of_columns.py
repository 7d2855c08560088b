"""What is known of types: PostgreSQL's own are looked at once, others in each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from madtree.host import Row
from madtree.host.psycopg import PsycopgHost
from madtree.request.catalog import find_types
from madtree.sqltext import catalog

INTEGER, TEXTS = 23, 1009


class Asking(PsycopgHost):
    """A client that remembers which types it has asked for."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.asked: list[list[int]] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if sql == catalog.TYPES:
            self.asked.append(list(params[0]))
        return super().query(sql, types, params)


def test_postgresqls_own_types_are_looked_at_once_over_a_connection(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        host = Asking(connection)
        found = find_types(host, [INTEGER, TEXTS])
        assert (found[INTEGER].name, found[INTEGER].typtype, found[INTEGER].category) == ("integer", "b", "N")
        assert (found[TEXTS].base, found[TEXTS].is_array, found[TEXTS].own) == ("text", True, True)
        again = Asking(connection)
        assert find_types(again, [TEXTS, INTEGER]) == found
        assert (host.asked, again.asked) == ([[INTEGER, TEXTS]], [])
    with psycopg.connect(dsn) as connection:  # to a server that might say something else
        other = Asking(connection)
        assert find_types(other, [INTEGER]) == {INTEGER: found[INTEGER]}
        assert other.asked == [[INTEGER]]


def test_others_are_looked_at_each_time(db: psycopg.Connection) -> None:
    db.execute("CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN few AS int4; CREATE TABLE t (m mood, f few)")
    rows = db.execute("SELECT 'mood'::regtype::oid::int8, 'few'::regtype::oid::int8").fetchall()
    mood, few = rows[0]
    host = Asking(db)
    before = find_types(host, [mood, few, INTEGER])
    assert before[mood].labels == ("sad",)
    assert (before[few].base, before[few].typtype) == ("integer", "b")
    db.execute("ALTER TYPE mood ADD VALUE 'glad'")
    assert find_types(host, [mood, INTEGER])[mood].labels == ("sad", "glad")
    assert host.asked[-1] == [mood]
