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

-- What Citus sends to the servers that hold the rows, and what it runs of it on this one, is text without the names of
-- schemas that it finds by itself: it is read anew, where a function of somebody else's may fit a name better. So there
-- pg_catalog alone is searched: any other schema may be another role's on one of the servers, who has made it before
-- Citus did. Literals and texts of values mean there what they mean here, whatever is set there. jit goes off
-- because compiling an expression of a thousand branches takes longer than a million rows. The sessions there are idle
-- while this one computes, which is no reason to end them.
-- Citus hands on what SET LOCAL says, if told to, where it begins a transaction on a server; but neither the settings
-- in a function's definition, nor what was set in an earlier subtransaction, of which PL/Python makes one for each
-- statement. So all that users call begins here.
CREATE FUNCTION madtree_internal.set_up_servers() RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
DECLARE
    before pg_catalog.text := pg_catalog.current_setting('citus.propagate_set_commands', true);
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    idle pg_catalog.text := pg_catalog.current_setting('idle_in_transaction_session_timeout');
    name pg_catalog.text;
BEGIN
    IF before IS NULL OR NOT EXISTS (
        SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'citus'
    ) THEN
        RETURN;
    END IF;
    -- Without the third, TRUNCATE would leave the rows on other servers where they are.
    FOREACH name IN ARRAY ARRAY[
        'citus.function_opens_transaction_block', 'citus.select_opens_transaction_block',
        'citus.enable_ddl_propagation'
    ] LOOP
        IF pg_catalog.current_setting(name, true) OPERATOR(pg_catalog.=) 'off' THEN
            PERFORM pg_catalog.set_config(name, 'on', true);
        END IF;
    END LOOP;
    IF EXISTS (
        @others_in_path@
    ) THEN
        -- What Citus would run in this session it would read by its search path: so by a connection of its own.
        PERFORM pg_catalog.set_config('citus.enable_local_execution', 'off', true);
    END IF;
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', 'local', true);
    SET LOCAL jit TO off;
    FOREACH name IN ARRAY ARRAY[
        'standard_conforming_strings', 'array_nulls', 'transform_null_equals', 'datestyle', 'intervalstyle',
        'timezone', 'extra_float_digits', 'bytea_output', 'xmlbinary', 'xmloption'
    ] LOOP
        EXECUTE pg_catalog.format('SET LOCAL %I TO %L', name, pg_catalog.current_setting(name));
    END LOOP;
    SET LOCAL search_path TO pg_catalog;
    PERFORM pg_catalog.set_config('search_path', path, true);
    SET LOCAL idle_in_transaction_session_timeout TO 0;
    PERFORM pg_catalog.set_config('idle_in_transaction_session_timeout', idle, true);
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', before, true);
END
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
