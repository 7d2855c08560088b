-- Blocks of a table that is spread over several servers. Internal; tree_train uses it where Citus is.

CREATE FUNCTION madtree_internal.pack_images_steps(
    images bytea, plan bytea, OUT done boolean, OUT result madtree_internal.block, OUT mistake text[]
) RETURNS SETOF record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.pack_images(images, plan)
$python$;
COMMENT ON FUNCTION madtree_internal.pack_images_steps(bytea, bytea) IS 'internal: pack_images, step by step';

-- IMMUTABLE: only then are queries that call it handed to the servers that hold the rows.
CREATE FUNCTION madtree_internal.pack_images(images bytea, plan bytea) RETURNS madtree_internal.block
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    found pg_catalog.record; -- a block cannot be one of several variables
    mistake pg_catalog.text[];
BEGIN
    SELECT (s.step).result, (s.step).mistake INTO found
    FROM (SELECT madtree_internal.pack_images_steps(images, plan) AS step) AS s
    WHERE (s.step).done;
    mistake := found.mistake;
    @raise@
    RETURN found.result;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.pack_images(bytea, bytea) IS 'internal: bin the rows of a part into a block';

CREATE FUNCTION madtree_internal.set_up_servers() RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
@set_up_servers@
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.set_up_servers()
IS 'internal: have the servers of a cluster read statements and write values as this one does';

-- PL/Python does not see an error's context, which is where Citus says whose error it is. Rows are handed over by a
-- cursor that has been to their end once: whatever fails, fails here.
CREATE FUNCTION madtree_internal.run_on_servers(statement text, plan bytea, cursor_name text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $plpgsql$
DECLARE
    found pg_catalog.refcursor := cursor_name;
    n_rows pg_catalog.int8;
    context pg_catalog.text;
    state pg_catalog.text;
    message pg_catalog.text;
    detail pg_catalog.text;
    hint pg_catalog.text;
BEGIN
    PERFORM madtree_internal.set_up_servers();
    IF cursor_name IS NULL THEN
        EXECUTE statement USING plan;
    ELSE
        OPEN found SCROLL FOR EXECUTE statement USING plan;
        MOVE FORWARD ALL IN found;
    END IF;
    GET DIAGNOSTICS n_rows := ROW_COUNT;
    IF cursor_name IS NOT NULL THEN
        MOVE ABSOLUTE 0 IN found;
    END IF;
    RETURN n_rows;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS context := PG_EXCEPTION_CONTEXT, state := RETURNED_SQLSTATE, message := MESSAGE_TEXT,
        detail := PG_EXCEPTION_DETAIL, hint := PG_EXCEPTION_HINT;
    context := pg_catalog."substring"(context, 'while executing command on (\S+)');
    IF context IS NULL THEN
        RAISE;
    END IF;
    detail := pg_catalog.btrim(pg_catalog.format(E'%s\nThe error is one of the server %s.', detail, context), E'\n');
    IF pg_catalog.length(hint) OPERATOR(pg_catalog.=) 0 THEN
        RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail;
    END IF;
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail, HINT = hint;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_on_servers(text, bytea, text)
IS 'internal: run a statement where its rows are, without jit; errors name the server';
