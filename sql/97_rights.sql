-- What everybody may look into. Once, as pg_init_privs tells: an update leaves it to an administrator who has taken
-- such a right from PUBLIC.

DO $do$
DECLARE
    catalogue pg_catalog.regclass;
    object pg_catalog.oid;
    granted pg_catalog.text;
BEGIN
    FOR catalogue, object, granted IN
        SELECT 'pg_catalog.pg_namespace', n.oid, pg_catalog.format('USAGE ON SCHEMA %I', n.nspname)
        FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY['madtree', 'madtree_internal'])
        UNION ALL
        SELECT 'pg_catalog.pg_class', v.view::pg_catalog.oid, pg_catalog.format('SELECT ON %s', v.view)
        FROM pg_catalog.unnest(
            '{madtree.models, madtree.model_list, madtree.activity}'::pg_catalog.regclass[]
        ) AS v (view)
    LOOP
        IF NOT EXISTS (
            SELECT FROM pg_catalog.pg_init_privs AS i
            WHERE i.classoid OPERATOR(pg_catalog.=) catalogue AND i.objoid OPERATOR(pg_catalog.=) object
        ) THEN
            EXECUTE pg_catalog.format('GRANT %s TO public', granted);
        END IF;
    END LOOP;
END
$do$;
