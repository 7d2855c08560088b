"""Locks on a model's tables, and who it is that one waits for."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import qualified

# The session's own, in milliseconds; 0 for none. Making the list of all settings takes half a millisecond.
LOCK_TIMEOUT = Lasting("""
SELECT pg_catalog.round(1000 OPERATOR(pg_catalog.*) EXTRACT(
    epoch FROM pg_catalog.current_setting('lock_timeout')::pg_catalog.interval
)::pg_catalog.numeric)::pg_catalog.int8 AS milliseconds""")

_OTHERS = """
SELECT DISTINCT l.pid, l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock' AS changes
FROM pg_catalog.pg_locks AS l
WHERE l.locktype OPERATOR(pg_catalog.=) 'relation' AND l.granted
AND l.database OPERATOR(pg_catalog.=) (
    SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
)
AND COALESCE(l.pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid(), true)"""

# Who holds a lock on one of the tables $1, quoted and qualified, and whether it is one to change the table. A prepared
# transaction has no process: NULL.
USERS = f"""{_OTHERS}
AND l.relation OPERATOR(pg_catalog.=) ANY (
    SELECT pg_catalog.to_regclass(t.name)::pg_catalog.oid FROM pg_catalog.unnest($1::pg_catalog.text[]) AS t(name)
)
ORDER BY l.pid"""

# Who has made a relation and not committed it: it is locked, and nobody else can see it.
MAKERS = f"""{_OTHERS}
AND l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock'
AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) l.relation)
ORDER BY l.pid"""


def lock_tables(schema: str, tables: Sequence[str], *, lightly: bool = False) -> str:
    """Lock tables, given by their unquoted names, as DROP does, one after the other; or `lightly` as who reads them."""
    names = ", ".join(f"ONLY {qualified(schema, table)}" for table in tables)
    return f"LOCK TABLE {names} IN ACCESS {'SHARE' if lightly else 'EXCLUSIVE'} MODE"
