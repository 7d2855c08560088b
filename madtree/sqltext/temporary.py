"""Where the session's temporary files belong."""

from __future__ import annotations

# Its limit in bytes, -1 for none; the OIDs of its temporary tablespaces in which it may create, 0 for the database's
# own place; and the server's major version. Making the list of all settings takes half a millisecond.
TEMPORARY_PLACE = """
SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('temp_file_limit')) AS limit_bytes,
       pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog./) 10000 AS major,
       (SELECT pg_catalog.array_agg(CASE WHEN t.spcname OPERATOR(pg_catalog.=) 'pg_default' THEN 0::pg_catalog.oid
                                         ELSE t.oid END)
        FROM pg_catalog.unnest(
            pg_catalog.string_to_array(pg_catalog.current_setting('temp_tablespaces'), ',')
        ) AS n(name)
        JOIN pg_catalog.pg_tablespace AS t ON t.spcname::pg_catalog.text OPERATOR(pg_catalog.=)
            pg_catalog.replace(pg_catalog.btrim(pg_catalog.btrim(n.name), '"'), '""', '"')
        WHERE pg_catalog.has_tablespace_privilege(t.oid, 'CREATE')) AS tablespaces"""
