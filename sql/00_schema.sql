-- The schemas: madtree holds what users call, madtree_internal what only madtree's own SQL calls. Everybody may
-- look into both: functions are executable by everybody by default, and all of them, with the SQL that they write, run
-- with the caller's rights (SECURITY INVOKER), so this gives nobody access to anyone's data.

DO $do$
DECLARE
    schemas CONSTANT pg_catalog.oid DEFAULT 'pg_catalog.pg_namespace'::pg_catalog.regclass;
    changed_here pg_catalog.bool;
BEGIN
    -- What is looked at below is what the name means in all that follows: a schema that is held keeps its name, its
    -- owner and its rights until the transaction ends.
    PERFORM FROM pg_catalog.pg_namespace AS n WHERE n.nspname OPERATOR(pg_catalog.=) 'madtree' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'schema "madtree" has just been renamed by somebody else'
            USING HINT = 'Drop that schema, or rename it for good, then create or update the extension again.';
    END IF;

    -- What somebody has made there, and not committed, nobody sees. And a right that was taken away is had as long as the
    -- transaction lasts that takes it away, and in others that are open then: these look anew only where they lock
    -- something. So where that schema is there before the extension is made, none of either may be open.
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        INNER JOIN pg_catalog.pg_extension AS e ON d.refobjid OPERATOR(pg_catalog.=) e.oid
        WHERE
            d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
            AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND e.extname OPERATOR(pg_catalog.=) 'madtree'
    ) THEN
        -- A transaction has locked its own number, and those of its savepoints.
        PERFORM FROM pg_catalog.pg_namespace AS n
        INNER JOIN pg_catalog.pg_locks AS l ON n.xmin OPERATOR(pg_catalog.=) l.transactionid
        WHERE n.nspname OPERATOR(pg_catalog.=) 'madtree' AND l.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid();
        changed_here := FOUND;
        PERFORM pg_catalog.pg_stat_clear_snapshot();
        IF changed_here AND pg_catalog.pg_stat_get_xact_tuples_updated(schemas) OPERATOR(pg_catalog.>) 0
            AND pg_catalog.pg_stat_get_xact_tuples_inserted(schemas) OPERATOR(pg_catalog.=) 0
            OR NOT changed_here AND EXISTS (
                SELECT FROM (
                    SELECT s.datname, s.usename FROM pg_catalog.pg_stat_activity AS s
                    WHERE COALESCE(s.xact_start::pg_catalog.text, s.backend_xid::pg_catalog.text) IS NOT NULL
                    UNION ALL SELECT x.database, x.owner FROM pg_catalog.pg_prepared_xacts AS x
                ) AS t (datname, rolname)
                INNER JOIN pg_catalog.pg_roles AS r ON t.rolname OPERATOR(pg_catalog.=) r.rolname
                WHERE t.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND NOT r.rolsuper
            )
        THEN
            RAISE EXCEPTION 'others may have made objects in schema "madtree" in transactions that have not ended yet'
                USING HINT = 'Create the extension in a transaction of its own when theirs have ended, or drop that schema before.';
        END IF;
    END IF;

    -- PostgreSQL makes the schema madtree, as the control file names it. This one is ours to make, so that it is a
    -- member of the extension: DROP EXTENSION drops it, and pg_dump leaves it to CREATE EXTENSION.
    IF pg_catalog.to_regnamespace('madtree_internal') IS NULL THEN
        CREATE SCHEMA madtree_internal;
    ELSIF NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        INNER JOIN pg_catalog.pg_extension AS e ON d.refobjid OPERATOR(pg_catalog.=) e.oid
        WHERE
            d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regnamespace('madtree_internal')
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
            AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND e.extname OPERATOR(pg_catalog.=) 'madtree'
    ) THEN
        RAISE EXCEPTION 'schema "madtree_internal" exists and does not belong to the extension madtree'
            USING HINT = 'Drop or rename that schema, then create or update the extension again.';
    END IF;

    -- Whoever may create in the schema could add a function of a name of ours that a call of a superuser's means instead.
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace AS n
        CROSS JOIN LATERAL pg_catalog.aclexplode(n.nspacl) AS a
        LEFT JOIN pg_catalog.pg_roles AS r ON a.grantee OPERATOR(pg_catalog.=) r.oid
        WHERE
            n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY['madtree', 'madtree_internal'])
            AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'
            AND NOT COALESCE(r.rolsuper OR r.rolname OPERATOR(pg_catalog.=) current_user, false)
    ) THEN
        RAISE EXCEPTION 'others may create objects in schema "madtree" or "madtree_internal"'
            USING HINT = 'REVOKE CREATE ON that schema from them, or drop or rename it, then create the extension again.';
    END IF;

    -- The owner of a schema could replace our functions with their own and wait for a superuser to call them. What others
    -- made there while they could stays: a call whose arguments fit it better would mean it.
    IF EXISTS (
        SELECT FROM (
            SELECT m.oid, m.nspowner FROM pg_catalog.pg_namespace AS m
            UNION ALL SELECT p.pronamespace, p.proowner FROM pg_catalog.pg_proc AS p
            UNION ALL SELECT o.oprnamespace, o.oprowner FROM pg_catalog.pg_operator AS o
            UNION ALL SELECT t.typnamespace, t.typowner FROM pg_catalog.pg_type AS t
        ) AS a (schema, owner)
        INNER JOIN pg_catalog.pg_namespace AS n ON a.schema OPERATOR(pg_catalog.=) n.oid
        INNER JOIN pg_catalog.pg_roles AS r ON a.owner OPERATOR(pg_catalog.=) r.oid
        WHERE
            n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY['madtree', 'madtree_internal'])
            AND NOT (r.rolsuper OR r.rolname OPERATOR(pg_catalog.=) current_user)
    ) THEN
        RAISE EXCEPTION 'schema "madtree" or "madtree_internal" exists and does not belong to a superuser, or has others'' objects'
            USING HINT = 'Drop or rename that schema, or drop what is not a superuser''s, then create the extension again.';
    END IF;
END
$do$;

COMMENT ON SCHEMA madtree_internal IS 'internal: functions and types of madtree that users do not call';
