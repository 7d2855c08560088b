"""Where the session's temporary files belong."""

from __future__ import annotations

# Its limit in kilobytes, -1 for none; the OIDs of its temporary tablespaces in which it may create, 0 for the
# database's own place; and the server's major version.
TEMPORARY_PLACE = """
SELECT s.limit_kb,
       pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog./) 10000 AS major,
       (SELECT pg_catalog.array_agg(CASE WHEN t.spcname OPERATOR(pg_catalog.=) 'pg_default' THEN 0::pg_catalog.oid
                                         ELSE t.oid END)
        FROM pg_catalog.unnest(pg_catalog.string_to_array(s.places, ',')) AS n(name)
        JOIN pg_catalog.pg_tablespace AS t ON t.spcname::pg_catalog.text OPERATOR(pg_catalog.=)
            pg_catalog.replace(pg_catalog.btrim(pg_catalog.btrim(n.name), '"'), '""', '"')
        WHERE pg_catalog.has_tablespace_privilege(t.oid, 'CREATE')) AS tablespaces
FROM (SELECT setting::pg_catalog.int8 AS limit_kb, pg_catalog.current_setting('temp_tablespaces') AS places
      FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) 'temp_file_limit') AS s"""
