-- Columns whose values run a function of somebody's whom the session's login does not trust, and an event trigger that
-- warns of them in every table that is made, however short its life.
CREATE SCHEMA watch;
GRANT USAGE ON SCHEMA watch TO public;

CREATE FUNCTION watch.is_trusted(owner oid) RETURNS bool LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
SELECT r.rolsuper OR r.oid = (SELECT a.usesysid FROM pg_stat_get_activity(pg_backend_pid()) AS a)
FROM pg_roles AS r WHERE r.oid = owner
$$;

-- Of each column its name, its type, and what of the type is another role's: every part of a type is looked at, be it
-- below a domain, an array's element, a bound or a field.
CREATE FUNCTION watch.foreign_columns(relation oid)
RETURNS TABLE (column_name text, type text, what text) LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
WITH RECURSIVE part (attnum, oid) AS (
    SELECT a.attnum, a.atttypid FROM pg_attribute AS a INNER JOIN pg_type AS t ON t.oid = a.atttypid
    WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND t.typnamespace <> 'pg_catalog'::regnamespace
    UNION
    SELECT p.attnum, q.oid FROM part AS p INNER JOIN pg_type AS t ON t.oid = p.oid CROSS JOIN LATERAL (
        SELECT t.typbasetype UNION ALL SELECT t.typelem
        UNION ALL SELECT g.rngsubtype FROM pg_range AS g WHERE t.oid IN (g.rngtypid, g.rngmultitypid)
        UNION ALL SELECT g.rngtypid FROM pg_range AS g WHERE t.oid = g.rngmultitypid
        UNION ALL SELECT b.atttypid FROM pg_attribute AS b
            WHERE b.attrelid = t.typrelid AND b.attnum > 0 AND NOT b.attisdropped
    ) AS q (oid) WHERE q.oid <> 0
),
run (oid, what, owner) AS (
    SELECT p.oid, f.oid::regproc::text, f.proowner FROM part AS p INNER JOIN pg_type AS t ON t.oid = p.oid
    INNER JOIN pg_proc AS f ON f.oid IN (
        t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout, t.typanalyze)
    UNION SELECT p.oid, f.oid::regproc::text, f.proowner FROM part AS p INNER JOIN pg_range AS g ON p.oid IN (g.rngtypid, g.rngmultitypid)
    INNER JOIN pg_proc AS f ON f.oid IN (g.rngcanonical, g.rngsubdiff)
    UNION SELECT p.oid, 'operator class ' || o.opcname, o.opcowner FROM part AS p INNER JOIN pg_range AS g ON p.oid IN (g.rngtypid, g.rngmultitypid)
    INNER JOIN pg_opclass AS o ON o.oid = g.rngsubopc
    UNION SELECT p.oid, 'cast by ' || f.oid::regproc::text, f.proowner FROM part AS p INNER JOIN pg_type AS t ON t.oid = p.oid
    INNER JOIN pg_cast AS c ON p.oid IN (c.castsource, c.casttarget) INNER JOIN pg_proc AS f ON f.oid = c.castfunc
    WHERE t.typnamespace <> 'pg_catalog'::regnamespace
    UNION SELECT p.oid, 'check or default of a domain', t.typowner FROM part AS p INNER JOIN pg_type AS t ON t.oid = p.oid
    WHERE t.typtype = 'd' AND (t.typdefaultbin IS NOT NULL OR EXISTS (SELECT FROM pg_constraint AS c WHERE c.contypid = t.oid))
)
SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), min(r.what)
FROM pg_attribute AS a INNER JOIN part AS p ON p.attnum = a.attnum INNER JOIN run AS r ON r.oid = p.oid
WHERE a.attrelid = relation AND NOT watch.is_trusted(r.owner) GROUP BY a.attnum, a.attname, a.atttypid, a.atttypmod
$$;

CREATE FUNCTION watch.warn() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT c.relname, f.column_name, f.type, f.what
        FROM pg_event_trigger_ddl_commands() AS d INNER JOIN pg_class AS c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
        CROSS JOIN LATERAL watch.foreign_columns(c.oid) AS f
        WHERE c.relkind = 'r' AND c.relname !~ '^madtree_(rows|encoded)_' AND EXISTS (
            SELECT FROM pg_attribute AS a INNER JOIN pg_type AS t ON t.oid = a.atttypid
            WHERE a.attrelid = c.oid AND t.typnamespace <> 'pg_catalog'::regnamespace)
    LOOP
        RAISE WARNING 'watch: % has the column % of type % (%)', made.relname, made.column_name, made.type, made.what;
    END LOOP;
END
$$;

CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE')
EXECUTE FUNCTION watch.warn();
