-- The schema: who owns it, and that everybody may look into it. Functions are executable by everybody by default; they
-- run with the caller's rights (SECURITY INVOKER), so this gives nobody access to anyone's data.

DO $do$
BEGIN
    -- Where the schema was there before the extension, its owner could replace our functions with their own and wait
    -- for a superuser to call them.
    IF NOT (
        SELECT r.rolsuper OR r.rolname = current_user
        FROM pg_catalog.pg_namespace AS n
        INNER JOIN pg_catalog.pg_roles AS r ON n.nspowner OPERATOR(pg_catalog.=) r.oid
        WHERE n.nspname OPERATOR(pg_catalog.=) '@extschema@'
    ) THEN
        RAISE EXCEPTION 'schema "@extschema@" exists and does not belong to a superuser'
            USING HINT = 'Drop or rename that schema, or change its owner, then create the extension again.';
    END IF;
END
$do$;

GRANT USAGE ON SCHEMA @extschema@ TO public;
