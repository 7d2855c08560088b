"""An extension as the catalogue describes it, to compare two ways of getting there."""

from __future__ import annotations

import psycopg

# One row per object: what it is, and everything that its definition says. No object identifiers, which differ.
OBJECTS = """
SELECT pg_describe_object(d.classid, d.objid, 0) AS object,
       CASE WHEN d.classid = 'pg_proc'::regclass THEN (
           SELECT jsonb_build_object('acl', p.proacl::text, 'result', pg_get_function_result(p.oid),
                      'parallel', p.proparallel, 'volatile', p.provolatile, 'strict', p.proisstrict,
                      'definer', p.prosecdef, 'cost', p.procost,
                      'definition', CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END,
                      'aggregate', (SELECT to_jsonb(a) FROM pg_aggregate a WHERE a.aggfnoid = p.oid))
           FROM pg_proc p WHERE p.oid = d.objid)
       WHEN d.classid = 'pg_class'::regclass THEN (
           SELECT jsonb_build_object('kind', c.relkind, 'acl', c.relacl::text, 'view', pg_get_viewdef(c.oid),
                      'columns', (SELECT jsonb_agg(ARRAY[attname, format_type(atttypid, atttypmod)] ORDER BY attnum)
                                  FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped))
           FROM pg_class c WHERE c.oid = d.objid)
       WHEN d.classid = 'pg_type'::regclass THEN (
           SELECT jsonb_agg(ARRAY[attname, format_type(atttypid, atttypmod)] ORDER BY attnum)
           FROM pg_attribute JOIN pg_type t ON t.typrelid = attrelid
           WHERE t.oid = d.objid AND attnum > 0 AND NOT attisdropped)
       END AS definition,
       obj_description(d.objid, (SELECT relname FROM pg_class WHERE oid = d.classid)) AS comment
FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE e.extname = 'madtree' AND d.deptype = 'e'
ORDER BY 1
"""
SCHEMAS = "SELECT nspname, nspacl::text FROM pg_namespace WHERE nspname IN ('madtree', 'madtree_internal')"


def describe(connection: psycopg.Connection) -> dict[str, object]:
    """Every object of the extension: its description to its definition and comment."""
    described: dict[str, object] = {row[0]: row[1:] for row in connection.execute(OBJECTS)}
    described["rights on the schemas"] = dict(connection.execute(SCHEMAS).fetchall())
    described["version"] = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'madtree'"
    ).fetchone()
    return described
