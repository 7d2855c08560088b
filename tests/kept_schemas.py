"""Schemas that tests use one after the other.

Where a schema is made or dropped, or the search path names another one, PostgreSQL plans all anew that its sessions
have prepared, which is a tenth of what calls of madtree take. So a test's schema is emptied, and the next test has it.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from kept_sessions import KeptSessions

# The schema's owner, rights and comment, and the statements that drop what is in it.
_FOUND = """
    SELECT (n.nspowner, n.nspacl::text, obj_description(n.oid, 'pg_namespace'))::text, (
        SELECT string_agg(format('DROP %%s IF EXISTS %%s CASCADE', o.type, o.identity), '; ' ORDER BY o.type <> 'table')
        FROM pg_depend AS d, pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid
    )
    FROM pg_namespace AS n WHERE n.nspname = %s
"""


class KeptSchemas:
    """Empty schemas, by what their names begin with and who may create in them."""

    def __init__(self, dsn: str, sessions: KeptSessions) -> None:
        self._dsn, self._sessions = dsn, sessions
        self._idle: defaultdict[tuple[str, str | None], list[tuple[str, str]]] = defaultdict(list)

    @contextmanager
    def schema(self, prefix: str, user: str | None = None) -> Iterator[str]:
        """The name of an empty schema, in which `user` may create, too. A test may leave it in any state."""
        idle = self._idle[prefix, user]
        with self._sessions.session(self._dsn) as admin:
            name, as_made = idle.pop() if idle else _made(admin, prefix, user)
        yield name
        with self._sessions.session(self._dsn) as admin:
            if _is_emptied(admin, name, as_made):
                idle.append((name, as_made))
            else:
                admin.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def _made(admin: psycopg.Connection, prefix: str, user: str | None) -> tuple[str, str]:
    """A new schema, and what it is like."""
    name = f"{prefix}_{secrets.token_hex(6)}"
    admin.execute(f"CREATE SCHEMA {name}")
    if user is not None:
        admin.execute(f"GRANT USAGE, CREATE ON SCHEMA {name} TO {user}")
    return name, admin.execute(_FOUND, [name]).fetchone()[0]


def _is_emptied(admin: psycopg.Connection, name: str, as_made: str) -> bool:
    """Whether the schema is as it was made, and what is in it could be dropped; what cannot, goes with the schema."""
    try:
        found = admin.execute(_FOUND, [name]).fetchone()
        if found is None or found[0] != as_made:
            return False
        admin.execute(found[1] or "")
    except (psycopg.Error, UnicodeError):  # names may be bytes that are no text
        return False
    return True
