"""The tables that calls have made and left."""

from __future__ import annotations

import psycopg

_SINCE = """
SELECT c.oid::regclass::text, c.oid FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relowner <> %s::regrole AND c.oid > %s::oid AND NOT c.relhassubclass
    AND c.relnamespace IN (to_regnamespace('work'), to_regnamespace('traps'))
"""


def left_since(db: psycopg.Connection, attacker: str, last: int) -> tuple[list[str], int]:
    """Others' tables than the attacker's, made after the one of oid `last`; and the oid of the newest.

    The catalogue is full of what tests have dropped: to look through all of it takes longer than many a call.
    """
    found = db.execute(_SINCE, [attacker, last], prepare=True).fetchall()
    return [name for name, _ in found], max((oid for _, oid in found), default=last)
