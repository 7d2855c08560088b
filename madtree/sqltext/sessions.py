"""A session's settings, and what others must have in common with one whose rows they read for it: snapshot, settings,
role.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.query import Lasting, look_up
from madtree.sqltext.quote import ident, literal

# Whether the transaction has written nothing yet, so that all that it sees is seen by others, too; and how many
# processes the server would let share a query of this session's, beside its own.
STATE = """
SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NULL AS unwritten,
       pg_catalog.current_setting('transaction_isolation') AS isolation,
       pg_catalog.current_setting('application_name') AS application_name,
       LEAST(pg_catalog.current_setting('max_parallel_workers_per_gather')::pg_catalog.int4,
             pg_catalog.current_setting('max_parallel_workers')::pg_catalog.int4) AS workers"""

# Whether policies choose the rows of any of these tables; they may ask for settings that no list shows.
ROW_SECURITY = """
SELECT pg_catalog.bool_or(pg_catalog.row_security_active(t.oid)) AS active
FROM pg_catalog.unnest($1) AS t(oid)"""

# All parameters that a session may set, with their values in this one: the database's owner may have set others since
# for sessions that begin later. Of libraries' parameters, as another session may not have loaded the library, those
# alone that were set in the session or by a connection string. What no extension has declared is in no list.
SETTINGS = """
SELECT pg_catalog.array_agg(s.name::pg_catalog.text) AS names,
       pg_catalog.array_agg(s.setting::pg_catalog.text) AS settings,
       session_user::pg_catalog.text AS session_user,
       pg_catalog.current_setting('role') AS role,
       pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time()) AS started
FROM pg_catalog.pg_settings AS s
WHERE (s.source OPERATOR(pg_catalog.=) ANY ('{session,client}'::pg_catalog.text[])
    OR pg_catalog.strpos(s.name, '.') OPERATOR(pg_catalog.=) 0)
  AND s.context OPERATOR(pg_catalog.=) ANY ('{user,superuser}'::pg_catalog.text[])
  AND s.name OPERATOR(pg_catalog.!~) '^transaction_'"""

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
EXPORT = "SELECT pg_catalog.pg_export_snapshot() AS snapshot"
LOCK_TIMEOUT = "SET LOCAL lock_timeout = '1s'"

# Takes the settings of another session until the transaction's end: $1 their names, $2 their values.
TAKE_SETTINGS = """
SELECT pg_catalog.count(pg_catalog.set_config(t.name, t.setting, true))
FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) AS t(name, setting)
LEFT JOIN pg_catalog.pg_settings AS s ON s.name OPERATOR(pg_catalog.=) t.name
WHERE COALESCE(s.setting OPERATOR(pg_catalog.<>) t.setting, true)"""

# The role comes last: before it, the session may have set more than the role may.
TAKE_ROLE = """
SELECT CASE WHEN session_user::pg_catalog.text OPERATOR(pg_catalog.<>) $1::pg_catalog.text
            THEN pg_catalog.set_config('session_authorization', $1::pg_catalog.text, true) END,
       CASE WHEN pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) $2::pg_catalog.text
            THEN pg_catalog.set_config('role', $2::pg_catalog.text, true) END,
       pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time()) AS started"""


def import_snapshot(name: str) -> str:
    """The statement by which a transaction sees what another one does; `name` as `EXPORT` says it."""
    return f"SET TRANSACTION SNAPSHOT {literal(name)}"


SET_LOCAL = Lasting("SELECT pg_catalog.set_config($1, $2, true)")
# Settings of Citus's: whether it reads this server's rows by this session, and tells its servers of what is made.
READS_BY_ITSELF, TELLS_SERVERS = "citus.enable_local_execution", "citus.enable_ddl_propagation"


@look_up
def setting_if_any(name: str) -> str:
    """A query of a setting's value, `setting`; NULL where there is no such setting."""
    return f"SELECT pg_catalog.current_setting('{name}', true) AS setting"


@look_up
def current_settings(names: Sequence[str]) -> str:
    """A query with one row: the values of settings, a column of each one's name."""
    return "SELECT " + ", ".join(f"pg_catalog.current_setting('{name}') AS {ident(name)}" for name in names)


# Its limit in bytes, -1 for none; the OIDs of its temporary tablespaces in which it may create, 0 for the database's
# own place; and the server's major version. Making the list of all settings takes half a millisecond.
TEMPORARY_PLACE = Lasting("""
SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('temp_file_limit')) AS limit_bytes,
       pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog./) 10000 AS major,
       (SELECT pg_catalog.array_agg(CASE WHEN t.spcname OPERATOR(pg_catalog.=) 'pg_default' THEN 0::pg_catalog.oid
                                         ELSE t.oid END)
        FROM pg_catalog.unnest(
            pg_catalog.string_to_array(pg_catalog.current_setting('temp_tablespaces'), ',')
        ) AS n(name)
        JOIN pg_catalog.pg_tablespace AS t ON t.spcname::pg_catalog.text OPERATOR(pg_catalog.=)
            pg_catalog.replace(pg_catalog.btrim(pg_catalog.btrim(n.name), '"'), '""', '"')
        WHERE pg_catalog.has_tablespace_privilege(t.oid, 'CREATE')) AS tablespaces""")
