-- 00_schema.sql
-- The schemas: @extschema@ holds what users call, madtree_internal what only madtree's own SQL calls. Everybody may
-- look into both: functions are executable by everybody by default, and all of them, with the SQL that they write, run
-- with the caller's rights (SECURITY INVOKER), so this gives nobody access to anyone's data.

DO $do$
BEGIN
    -- PostgreSQL makes the schema @extschema@, as the control file names it. This one is ours to make, so that it is a
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
            n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY['@extschema@', 'madtree_internal'])
            AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'
            AND NOT COALESCE(r.rolsuper OR r.rolname OPERATOR(pg_catalog.=) current_user, false)
    ) THEN
        RAISE EXCEPTION 'others may create objects in schema "@extschema@" or "madtree_internal"'
            USING HINT = 'REVOKE CREATE ON that schema from them, or drop or rename it, then create the extension again.';
    END IF;

    -- The owner of a schema could replace our functions with their own and wait for a superuser to call them.
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace AS n
        INNER JOIN pg_catalog.pg_roles AS r ON n.nspowner OPERATOR(pg_catalog.=) r.oid
        WHERE
            n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY['@extschema@', 'madtree_internal'])
            AND NOT (r.rolsuper OR r.rolname OPERATOR(pg_catalog.=) current_user)
    ) THEN
        RAISE EXCEPTION 'schema "@extschema@" or "madtree_internal" exists and does not belong to a superuser'
            USING HINT = 'Drop or rename that schema, or change its owner, then create the extension again.';
    END IF;
END
$do$;

COMMENT ON SCHEMA madtree_internal IS 'internal: functions and types of madtree that users do not call';

GRANT USAGE ON SCHEMA @extschema@ TO public;
GRANT USAGE ON SCHEMA madtree_internal TO public;

-- 05_types.sql
-- Types of the work tables. CREATE TABLE AS, unlike INSERT, runs in parallel workers, but leaves no say in how a column
-- is stored: only the column's type has. Codes would be compressed, slowly and for nothing, and the padding, too.

DO $do$
BEGIN
    IF pg_catalog.to_regtype('madtree_internal.packed') IS NULL THEN
        -- Bytes that are kept outside the row, as they are.
        CREATE TYPE madtree_internal.packed;
        CREATE FUNCTION madtree_internal.packed_in(cstring) RETURNS madtree_internal.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteain';
        CREATE FUNCTION madtree_internal.packed_out(madtree_internal.packed) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaout';
        CREATE FUNCTION madtree_internal.packed_recv(internal) RETURNS madtree_internal.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'bytearecv';
        CREATE FUNCTION madtree_internal.packed_send(madtree_internal.packed) RETURNS bytea
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
        CREATE TYPE madtree_internal.packed (
            INPUT = madtree_internal.packed_in, OUTPUT = madtree_internal.packed_out,
            RECEIVE = madtree_internal.packed_recv, SEND = madtree_internal.packed_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
        );
        CREATE CAST (madtree_internal.packed AS bytea) WITHOUT FUNCTION AS IMPLICIT;
        CREATE CAST (bytea AS madtree_internal.packed) WITHOUT FUNCTION;

        -- Text that stays in the row, as it is.
        CREATE TYPE madtree_internal.padding;
        CREATE FUNCTION madtree_internal.padding_in(cstring) RETURNS madtree_internal.padding
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
        CREATE FUNCTION madtree_internal.padding_out(madtree_internal.padding) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
        CREATE FUNCTION madtree_internal.padding_recv(internal) RETURNS madtree_internal.padding
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textrecv';
        CREATE FUNCTION madtree_internal.padding_send(madtree_internal.padding) RETURNS bytea
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textsend';
        CREATE TYPE madtree_internal.padding (
            INPUT = madtree_internal.padding_in, OUTPUT = madtree_internal.padding_out,
            RECEIVE = madtree_internal.padding_recv, SEND = madtree_internal.padding_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain
        );
        CREATE CAST (text AS madtree_internal.padding) WITHOUT FUNCTION;
    END IF;
END
$do$;

COMMENT ON TYPE madtree_internal.packed IS 'internal: bytes stored outside the row, uncompressed';
COMMENT ON TYPE madtree_internal.padding IS 'internal: text that fills a page, so that a row has one to itself';
COMMENT ON CAST (madtree_internal.packed AS bytea) IS 'internal: the same bytes';
COMMENT ON CAST (bytea AS madtree_internal.packed) IS 'internal: the same bytes';
COMMENT ON CAST (text AS madtree_internal.padding) IS 'internal: the same text';
COMMENT ON FUNCTION madtree_internal.packed_in(cstring) IS 'internal: input of packed';
COMMENT ON FUNCTION madtree_internal.packed_out(madtree_internal.packed) IS 'internal: output of packed';
COMMENT ON FUNCTION madtree_internal.packed_recv(internal) IS 'internal: binary input of packed';
COMMENT ON FUNCTION madtree_internal.packed_send(madtree_internal.packed) IS 'internal: binary output of packed';
COMMENT ON FUNCTION madtree_internal.padding_in(cstring) IS 'internal: input of padding';
COMMENT ON FUNCTION madtree_internal.padding_out(madtree_internal.padding) IS 'internal: output of padding';
COMMENT ON FUNCTION madtree_internal.padding_recv(internal) IS 'internal: binary input of padding';
COMMENT ON FUNCTION madtree_internal.padding_send(madtree_internal.padding) IS 'internal: binary output of padding';

-- 10_blocks.sql
-- Blocks: how rows are packed and counted. Internal; tree_train drives them.

-- An array's own bytes. Both types are varlenas, so the datum is handed over as it stands.
CREATE FUNCTION madtree_internal.array_image(anyarray) RETURNS bytea
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
COMMENT ON FUNCTION madtree_internal.array_image(anyarray) IS 'internal: the bytes of an array as PostgreSQL holds it';

CREATE TYPE madtree_internal.block AS (
    n_rows integer,
    n_skipped integer,
    n_unknown integer,
    codes bytea,
    target bytea,
    weight bytea,
    tree bytea,
    fold bytea,
    identity bytea
);
COMMENT ON TYPE madtree_internal.block IS 'internal: binned rows, column by column';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION madtree_internal.run_shared(query text, plan bytea) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_shared(text, bytea)
IS 'internal: run a query with one parameter so that workers may share it; it returns one column of bytea';

-- Python code cannot be interrupted, and in a parallel worker it may run no statement. So functions that do much with a
-- block are PL/pgSQL around a query of the steps of their work, some 20 ms each (madtree/entry/blocks.py): between
-- two rows of a query PostgreSQL looks for cancels and timeouts. What is half done belongs to that query, and goes with
-- it, however it ends. The steps stand in a list of results, since PostgreSQL would copy rows of a function in FROM.
CREATE FUNCTION madtree_internal.node_statistics_transition_steps(
    state bytea, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea, identity bytea,
    nodes bytea, request bytea, OUT done boolean, OUT result bytea, OUT mistake text[]
) RETURNS SETOF record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
columns = codes, target, weight, tree, fold, identity
return madtree.blocks.node_statistics_transition(state, n_rows, columns, nodes, request)
$python$;
COMMENT ON FUNCTION madtree_internal.node_statistics_transition_steps(
    bytea, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: count a block, step by step';

CREATE FUNCTION madtree_internal.node_statistics_transition(
    state bytea, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea, identity bytea,
    nodes bytea, request bytea
) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    result pg_catalog.bytea;
    mistake pg_catalog.text[];
BEGIN
    SELECT (s.step).result, (s.step).mistake INTO result, mistake
    FROM (SELECT madtree_internal.node_statistics_transition_steps(
        state, n_rows, codes, target, weight, tree, fold, identity, nodes, request
    ) AS step) AS s
    WHERE (s.step).done;
    @raise@
    RETURN result;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.node_statistics_transition(
    bytea, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: count a block';

CREATE FUNCTION madtree_internal.node_statistics_merge(bytea, bytea) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.node_statistics_merge(args[0], args[1])
$python$;
COMMENT ON FUNCTION madtree_internal.node_statistics_merge(bytea, bytea) IS 'internal: add two states';

CREATE FUNCTION madtree_internal.node_statistics_final(state bytea) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.node_statistics_final(state)
$python$;
COMMENT ON FUNCTION madtree_internal.node_statistics_final(bytea) IS 'internal: check the sums';

-- noqa: disable=CP02,CP05,LT01
CREATE AGGREGATE madtree_internal.node_statistics(integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea) (
    SFUNC = madtree_internal.node_statistics_transition,
    STYPE = bytea,
    COMBINEFUNC = madtree_internal.node_statistics_merge,
    FINALFUNC = madtree_internal.node_statistics_final,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE madtree_internal.node_statistics(
    integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: what growing trees ask of their rows, over blocks';

CREATE AGGREGATE madtree_internal.sum_of_states(bytea) (
    SFUNC = madtree_internal.node_statistics_merge,
    STYPE = bytea,
    COMBINEFUNC = madtree_internal.node_statistics_merge,
    FINALFUNC = madtree_internal.node_statistics_final,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE madtree_internal.sum_of_states(bytea) IS 'internal: states, or pieces of them, added up';
-- noqa: enable=CP02,CP05,LT01

CREATE FUNCTION madtree_internal.new_column(
    plan bytea, column_name text, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea,
    identity bytea, scores bytea, nodes bytea
) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
columns = codes, target, weight, tree, fold, identity, scores
return madtree.blocks.new_column(plan, column_name, n_rows, columns, nodes)
$python$;
COMMENT ON FUNCTION madtree_internal.new_column(
    bytea, text, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: a column of a block anew';

CREATE FUNCTION madtree_internal.row_sums(
    plan bytea, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea, identity bytea,
    scores bytea, nodes bytea
) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.row_sums(plan, n_rows, (codes, target, weight, tree, fold, identity, scores), nodes)
$python$;
COMMENT ON FUNCTION madtree_internal.row_sums(
    bytea, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: what the rows of a block say together';

CREATE FUNCTION madtree_internal.moved_nodes_steps(
    plan bytea, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea, identity bytea,
    nodes bytea, OUT done boolean, OUT result bytea, OUT mistake text[]
) RETURNS SETOF record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.moved_nodes(plan, n_rows, (codes, target, weight, tree, fold, identity), nodes)
$python$;
COMMENT ON FUNCTION madtree_internal.moved_nodes_steps(
    bytea, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: moved_nodes, step by step';

-- IMMUTABLE: only then does Citus hand an UPDATE that calls it to the servers that hold the blocks.
CREATE FUNCTION madtree_internal.moved_nodes(
    plan bytea, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea, identity bytea,
    nodes bytea
) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    result pg_catalog.bytea;
    mistake pg_catalog.text[];
BEGIN
    SELECT (s.step).result, (s.step).mistake INTO result, mistake
    FROM (SELECT madtree_internal.moved_nodes_steps(
        plan, n_rows, codes, target, weight, tree, fold, identity, nodes
    ) AS step) AS s
    WHERE (s.step).done;
    @raise@
    RETURN result;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.moved_nodes(
    bytea, integer, bytea, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: the nodes of the rows of a block after the trees have grown';

CREATE FUNCTION madtree_internal.grow_block_steps(
    plan bytea, images bytea, OUT done boolean, OUT result bytea, OUT mistake text[]
) RETURNS SETOF record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.grow_block(plan, images)
$python$;
COMMENT ON FUNCTION madtree_internal.grow_block_steps(bytea, bytea) IS 'internal: grow_block, step by step';

CREATE FUNCTION madtree_internal.grow_block(plan bytea, images bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    result pg_catalog.bytea;
    mistake pg_catalog.text[];
BEGIN
    SELECT (s.step).result, (s.step).mistake INTO result, mistake
    FROM (SELECT madtree_internal.grow_block_steps(plan, images) AS step) AS s
    WHERE (s.step).done;
    @raise@
    RETURN result;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.grow_block(bytea, bytea)
IS 'internal: train all trees whose rows are in one block';

-- 12_workers.sql
-- Resident workers: processes of one parallel query, from the first row to the last tree (madtree/storage/workers).
-- Internal; for trainings.

CREATE FUNCTION madtree_internal.workers_join(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_join(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_join(text)
IS 'internal: take part in a training; false where that is over';

CREATE FUNCTION madtree_internal.workers_claim(
    key text, OUT part integer, OUT query text, OUT careful text, OUT low tid, OUT high tid
) RETURNS record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_claim(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_claim(text) IS 'internal: the next part to pack; null if none is left';

CREATE FUNCTION madtree_internal.workers_keep(key text, part integer, images bytea) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_keep(key, part, images)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_keep(text, integer, bytea)
IS 'internal: take the rows of a part; false where a number is NULL';

CREATE FUNCTION madtree_internal.workers_grow(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_grow(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_grow(text)
IS 'internal: grow trees of the rows of a part for a short while; true when no more are to be grown of them';

CREATE FUNCTION madtree_internal.workers_step(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_step(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_step(text) IS 'internal: count, or wait a little; true when all is done';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The queries run with the caller's rights.
-- The first one expects no NULL where the sample had none; the careful one is for parts that have one after all.
-- Between statements the server looks for cancels and for errors of workers. The leader's queries may not be shared out
-- again: their rows would come in any order.
CREATE FUNCTION madtree_internal.resident_worker(key text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET max_parallel_workers_per_gather = 0 AS $plpgsql$
DECLARE
    claimed pg_catalog.record;
    images pg_catalog.bytea;
BEGIN
    IF NOT madtree_internal.workers_join(key) THEN
        RETURN false;
    END IF;
    LOOP
        SELECT * INTO claimed FROM madtree_internal.workers_claim(key);
        EXIT WHEN claimed.part IS NULL;
        EXECUTE claimed.query INTO images USING claimed.low, claimed.high;
        IF NOT madtree_internal.workers_keep(key, claimed.part, images) THEN
            EXECUTE claimed.careful INTO images USING claimed.low, claimed.high;
            IF NOT madtree_internal.workers_keep(key, claimed.part, images) THEN
                RAISE EXCEPTION 'madtree: part % has a NULL where its query leaves none', claimed.part
                USING ERRCODE = 'internal_error', HINT = 'This is a defect of madtree. Please report it.';
            END IF;
        END IF;
        LOOP
            EXIT WHEN madtree_internal.workers_grow(key);
        END LOOP;
    END LOOP;
    LOOP
        EXIT WHEN madtree_internal.workers_step(key);
    END LOOP;
    RETURN true;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.resident_worker(text)
IS 'internal: work with others until the trees are grown';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION madtree_internal.run_in_workers(query text, key text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    EXECUTE query USING key;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_in_workers(text, text) IS 'internal: run a query whose workers are resident';

-- 15_distribute.sql
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

-- jit goes off here because compiling an expression of a thousand branches takes longer than a million rows. Citus
-- hands on to the servers that hold the rows what SET LOCAL says, if told to; but neither the settings in a function's
-- definition, nor what was set in an earlier subtransaction, of which PL/Python makes one for each statement. Nor does
-- PL/Python see an error's context, which is where Citus says whose error it is. Rows are handed over by a cursor that
-- has been to their end once: whatever fails, fails here.
CREATE FUNCTION madtree_internal.run_on_servers(statement text, plan bytea, cursor_name text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $plpgsql$
DECLARE
    before pg_catalog.text := pg_catalog.current_setting('citus.propagate_set_commands', true);
    found pg_catalog.refcursor := cursor_name;
    n_rows pg_catalog.int8;
    context pg_catalog.text;
    state pg_catalog.text;
    message pg_catalog.text;
    detail pg_catalog.text;
    hint pg_catalog.text;
BEGIN
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', 'local', true);
    SET LOCAL jit TO off;
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
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', before, true);
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

-- 30_help.sql
-- Help texts. What users call is SQL or PL/pgSQL, and the Python is below: PL/Python shows every error with a
-- traceback, so it returns a user's mistake (SQLSTATE, message, detail, hint), and `@raise@` in PL/pgSQL raises it.

CREATE FUNCTION madtree_internal.answered(answer anyelement, mistake text[])
RETURNS anyelement
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
BEGIN
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.answered(anyelement, text[])
IS 'internal: the answer of a function, or the mistake that it raises';

CREATE FUNCTION madtree_internal.usage(function text, message text, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(function, message)
$python$;

COMMENT ON FUNCTION madtree_internal.usage(text, text)
IS 'internal: the help text of a function, or the mistake that help raises';

CREATE FUNCTION madtree_internal.help(function text, message text)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.usage(function, message);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.help(text, text) IS 'internal: how to use a function';

-- 40_functions.sql
-- What users call. The definitions are made from what madtree/interface declares, by madtree/install/wrappers.py;
-- python3 -m madtree.install --sql prints all of the extension's SQL with them.

CREATE FUNCTION madtree_internal.by_madlibs_name(mistake text[], names json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT AS $plpgsql$
DECLARE
    ours pg_catalog.text;
    theirs pg_catalog.text;
BEGIN
    FOR ours, theirs IN SELECT n.key, n.value FROM pg_catalog.json_each_text(names) AS n LOOP
        mistake[2] := pg_catalog.regexp_replace(
            mistake[2], pg_catalog.concat('^madtree: ', ours, '(:| must )'), pg_catalog.concat('madtree: ', theirs, '\1')
        );
    END LOOP;
    RETURN mistake;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.by_madlibs_name(text[], json)
IS 'internal: a mistake with MADlib''s name of the argument that it begins with; names: ours and MADlib''s';

-- Reached only where the fraction is none: the planner may call it then, before any row is read.
CREATE FUNCTION madtree_internal.refuse_fraction(fraction double precision) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
BEGIN
    RAISE EXCEPTION 'madtree: fraction must be a number from 0 to 1, not %', COALESCE(fraction::pg_catalog.text, 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'A quarter of the rows is 0.25.';
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.refuse_fraction(double precision)
IS 'internal: the mistake that holdout raises';

CREATE FUNCTION madtree_internal.tree_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text,
    split_criterion text,
    grouping_cols text,
    weights text,
    max_depth integer,
    min_split integer,
    min_bucket integer,
    n_bins integer,
    surrogate_params text,
    pruning_params text,
    verbose boolean,
    seed bigint,
    replace boolean,
    parallel_workers integer,
    memory_mb integer,
    strategy text,
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    classification boolean,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    null_handling_params text,
    verbose_mode boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_train", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer, text, integer, double precision, boolean, text, text, double precision, text,
    integer, text, boolean
) IS
'internal: what tree_train answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text DEFAULT NULL,
    split_criterion text DEFAULT 'gini',
    grouping_cols text DEFAULT NULL,
    weights text DEFAULT NULL,
    max_depth integer DEFAULT 10,
    min_split integer DEFAULT NULL,
    min_bucket integer DEFAULT NULL,
    n_bins integer DEFAULT 100,
    surrogate_params text DEFAULT NULL,
    pruning_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL,
    memory_mb integer DEFAULT 64,
    strategy text DEFAULT 'auto',
    max_leaf_nodes integer DEFAULT NULL,
    min_impurity_decrease double precision DEFAULT NULL,
    classification boolean DEFAULT NULL,
    class_params text DEFAULT NULL,
    exposure text DEFAULT NULL,
    shrink double precision DEFAULT NULL,
    feature_costs text DEFAULT NULL,
    max_competitors integer DEFAULT 0,
    null_handling_params text DEFAULT NULL,
    verbose_mode boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_train(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
    $26, $27, $28, $29, $30, $31
) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer, text, integer, double precision, boolean, text, text, double precision, text,
    integer, text, boolean
) IS
'trains a decision tree, or one tree per group, on the rows of a table; SELECT madtree.tree_train() shows how to use it';

CREATE FUNCTION @extschema@.tree_train()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_train', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_train() IS
'how to use tree_train';

CREATE FUNCTION @extschema@.tree_train(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_train', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_train(text) IS
'how to use tree_train: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_predict(
    tree_model text,
    new_data_table text,
    output_table text,
    type text,
    trust_owner boolean,
    replace boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_predict", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_predict(text, text, text, text, boolean, boolean) IS
'internal: what tree_predict answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_predict(
    tree_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE,
    replace boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_predict($1, $2, $3, $4, $5, $6) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict(text, text, text, text, boolean, boolean) IS
'scores a table by a model into a new table; SELECT madtree.tree_predict() shows how to use it';

CREATE FUNCTION @extschema@.tree_predict()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_predict', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict() IS
'how to use tree_predict';

CREATE FUNCTION @extschema@.tree_predict(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_predict', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict(text) IS
'how to use tree_predict: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.tree_predict(
    model varchar,
    source varchar,
    output varchar,
    pred_type varchar DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE,
    replace boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, madtree_internal.by_madlibs_name(a.mistake, '{"tree_model": "model", "new_data_table": "source", "output_table": "output", "type": "pred_type"}'))
FROM madtree_internal.tree_predict($1, $2, $3, $4, $5, $6) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict(varchar, varchar, varchar, varchar, boolean, boolean) IS
'tree_predict by MADlib''s argument names';

CREATE FUNCTION madtree_internal.tree_sql(
    model text,
    type text,
    tree_id integer,
    trust_owner boolean,
    class text,
    dialect text,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_sql", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_sql(text, text, integer, boolean, text, text) IS
'internal: what tree_sql answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_sql(
    model text,
    type text DEFAULT 'response',
    tree_id integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE,
    class text DEFAULT NULL,
    dialect text DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_sql($1, $2, $3, $4, $5, $6) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_sql(text, text, integer, boolean, text, text) IS
'writes a model as an SQL expression, for a view or a generated column; SELECT madtree.tree_sql() shows how to use it';

CREATE FUNCTION @extschema@.tree_sql()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_sql', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_sql() IS
'how to use tree_sql';

CREATE FUNCTION madtree_internal.tree_evaluate(tree_model text, test_table text, trust_owner boolean)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    metric text,
    value double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "tree_evaluate", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_evaluate(text, text, boolean) IS
'internal: what tree_evaluate answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_evaluate(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    metric text,
    value double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, metric, value, mistake IN
        SELECT * FROM madtree_internal.tree_evaluate($1, $2, $3)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text, text, boolean) IS
'measures how well a model predicts a table whose outcomes are known; SELECT madtree.tree_evaluate() shows how to use it';

CREATE FUNCTION @extschema@.tree_evaluate()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_evaluate', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate() IS
'how to use tree_evaluate';

CREATE FUNCTION @extschema@.tree_evaluate(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_evaluate', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text) IS
'how to use tree_evaluate: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_confusion(tree_model text, test_table text, trust_owner boolean)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    actual text,
    predicted text,
    n bigint,
    weight double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "tree_confusion", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_confusion(text, text, boolean) IS
'internal: what tree_confusion answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_confusion(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    actual text,
    predicted text,
    n bigint,
    weight double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, actual, predicted, n, weight, mistake IN
        SELECT * FROM madtree_internal.tree_confusion($1, $2, $3)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text, text, boolean) IS
'counts how often a classification model predicts each class for each actual class; SELECT madtree.tree_confusion() shows how to use it';

CREATE FUNCTION @extschema@.tree_confusion()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_confusion', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_confusion() IS
'how to use tree_confusion';

CREATE FUNCTION @extschema@.tree_confusion(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_confusion', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text) IS
'how to use tree_confusion: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_curve(
    tree_model text,
    test_table text,
    trust_owner boolean,
    class text,
    max_points integer
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    threshold double precision,
    n bigint,
    estimated double precision,
    actual double precision,
    share double precision,
    recall double precision,
    false_positive_rate double precision,
    "precision" double precision,
    lift double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 100
AS $python$
@load@
return madtree.call(plpy, "tree_curve", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_curve(text, text, boolean, text, integer) IS
'internal: what tree_curve answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_curve(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE,
    class text DEFAULT NULL,
    max_points integer DEFAULT 100
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    threshold double precision,
    n bigint,
    estimated double precision,
    actual double precision,
    share double precision,
    recall double precision,
    false_positive_rate double precision,
    "precision" double precision,
    lift double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 100
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, threshold, n, estimated, actual, share, recall, false_positive_rate, "precision", lift, mistake IN
        SELECT * FROM madtree_internal.tree_curve($1, $2, $3, $4, $5)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_curve(text, text, boolean, text, integer) IS
'tells how well a model''s probabilities of a class put rows in order: ROC, lift, calibration; SELECT madtree.tree_curve() shows how to use it';

CREATE FUNCTION @extschema@.tree_curve()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_curve', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_curve() IS
'how to use tree_curve';

CREATE FUNCTION @extschema@.tree_curve(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_curve', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_curve(text) IS
'how to use tree_curve: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_reliability(
    tree_model text,
    test_table text,
    trust_owner boolean,
    class text,
    n_bins integer
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    low double precision,
    high double precision,
    n bigint,
    estimated double precision,
    actual double precision,
    share double precision,
    expected_calibration_error double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "tree_reliability", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_reliability(text, text, boolean, text, integer) IS
'internal: what tree_reliability answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_reliability(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE,
    class text DEFAULT NULL,
    n_bins integer DEFAULT 10
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    low double precision,
    high double precision,
    n bigint,
    estimated double precision,
    actual double precision,
    share double precision,
    expected_calibration_error double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, low, high, n, estimated, actual, share, expected_calibration_error, mistake IN
        SELECT * FROM madtree_internal.tree_reliability($1, $2, $3, $4, $5)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_reliability(text, text, boolean, text, integer) IS
'tells how far a model''s probabilities of a class are from what happens: the reliability curve; SELECT madtree.tree_reliability() shows how to use it';

CREATE FUNCTION @extschema@.tree_reliability()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_reliability', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_reliability() IS
'how to use tree_reliability';

CREATE FUNCTION @extschema@.tree_reliability(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_reliability', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_reliability(text) IS
'how to use tree_reliability: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.conformal_quantiles(
    model text,
    calibration_table text,
    levels text,
    trust_owner boolean
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    level double precision,
    n bigint,
    quantile double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "conformal_quantiles", args)
$python$;

COMMENT ON FUNCTION madtree_internal.conformal_quantiles(text, text, text, boolean) IS
'internal: what conformal_quantiles answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.conformal_quantiles(
    model text,
    calibration_table text,
    levels text DEFAULT '0.9',
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    level double precision,
    n bigint,
    quantile double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, level, n, quantile, mistake IN
        SELECT * FROM madtree_internal.conformal_quantiles($1, $2, $3, $4)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.conformal_quantiles(text, text, text, boolean) IS
'tells how far predictions of new rows may be off, by rows that training has not seen (split conformal prediction); SELECT madtree.conformal_quantiles() shows how to use it';

CREATE FUNCTION @extschema@.conformal_quantiles()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('conformal_quantiles', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.conformal_quantiles() IS
'how to use conformal_quantiles';

CREATE FUNCTION @extschema@.conformal_quantiles(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('conformal_quantiles', message);
$sql$;

COMMENT ON FUNCTION @extschema@.conformal_quantiles(text) IS
'how to use conformal_quantiles: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.get_var_importance(
    model_name text,
    output_table text,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "get_var_importance", args)
$python$;

COMMENT ON FUNCTION madtree_internal.get_var_importance(text, text) IS
'internal: what get_var_importance answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_var_importance(model_name text, output_table text)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.get_var_importance($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text, text) IS
'writes how much each feature contributes to each tree of a model; SELECT madtree.get_var_importance() shows how to use it';

CREATE FUNCTION @extschema@.get_var_importance()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_var_importance', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance() IS
'how to use get_var_importance';

CREATE FUNCTION @extschema@.get_var_importance(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_var_importance', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text) IS
'how to use get_var_importance: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.get_var_importance(model_table varchar, output_table varchar)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, madtree_internal.by_madlibs_name(a.mistake, '{"model_name": "model_table"}'))
FROM madtree_internal.get_var_importance($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(varchar, varchar) IS
'get_var_importance by MADlib''s argument names';

CREATE FUNCTION madtree_internal.tree_importance(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    feature text,
    impurity_var_importance double precision,
    raw_importance double precision,
    oob_var_importance double precision,
    raw_oob_importance double precision,
    oob_importance_sd double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "tree_importance", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_importance(text) IS
'internal: what tree_importance answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_importance(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    feature text,
    impurity_var_importance double precision,
    raw_importance double precision,
    oob_var_importance double precision,
    raw_oob_importance double precision,
    oob_importance_sd double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, feature, impurity_var_importance, raw_importance, oob_var_importance, raw_oob_importance, oob_importance_sd, mistake IN
        SELECT * FROM madtree_internal.tree_importance($1)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_importance(text) IS
'tells how much each feature contributes to each tree of a model, as rows; SELECT madtree.tree_importance() shows how to use it';

CREATE FUNCTION @extschema@.tree_importance()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_importance', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_importance() IS
'how to use tree_importance';

CREATE FUNCTION madtree_internal.tree_display(
    model text,
    dot_format boolean,
    verbosity boolean,
    "full" boolean,
    max_depth integer,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_display", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_display(text, boolean, boolean, boolean, integer) IS
'internal: what tree_display answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_display(
    model text,
    dot_format boolean DEFAULT TRUE,
    verbosity boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE,
    max_depth integer DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_display($1, $2, $3, $4, $5) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_display(text, boolean, boolean, boolean, integer) IS
'draws a model, as a graph for graphviz or as text; SELECT madtree.tree_display() shows how to use it';

CREATE FUNCTION @extschema@.tree_display()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_display', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_display() IS
'how to use tree_display';

CREATE FUNCTION @extschema@.tree_display(
    model_table varchar,
    dot_format boolean DEFAULT TRUE,
    verbose boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE,
    max_depth integer DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, madtree_internal.by_madlibs_name(a.mistake, '{"model": "model_table", "verbosity": "verbose"}'))
FROM madtree_internal.tree_display($1, $2, $3, $4, $5) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_display(varchar, boolean, boolean, boolean, integer) IS
'tree_display by MADlib''s argument names';

CREATE FUNCTION madtree_internal.tree_surr_display(
    model text,
    "full" boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_surr_display", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_surr_display(text, boolean) IS
'internal: what tree_surr_display answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_surr_display(model text, "full" boolean DEFAULT FALSE)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_surr_display($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(text, boolean) IS
'lists the surrogates of every internal node of a model; SELECT madtree.tree_surr_display() shows how to use it';

CREATE FUNCTION @extschema@.tree_surr_display()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_surr_display', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display() IS
'how to use tree_surr_display';

CREATE FUNCTION @extschema@.tree_surr_display(model_table varchar, "full" boolean DEFAULT FALSE)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, madtree_internal.by_madlibs_name(a.mistake, '{"model": "model_table"}'))
FROM madtree_internal.tree_surr_display($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(varchar, boolean) IS
'tree_surr_display by MADlib''s argument names';

CREATE FUNCTION madtree_internal.tree_rules(
    model text,
    tree_id integer,
    trust_owner boolean,
    "full" boolean
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    node_id bigint,
    rule text,
    predicate text,
    n_rows bigint,
    share double precision,
    prediction text,
    confidence double precision,
    mean double precision,
    sd double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 30
AS $python$
@load@
return madtree.call(plpy, "tree_rules", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_rules(text, integer, boolean, boolean) IS
'internal: what tree_rules answers, or the mistake that it raises';

CREATE FUNCTION madtree_internal.tree_rules_rows(
    _model text,
    _tree_id integer,
    _trust_owner boolean,
    _full boolean
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    node_id bigint,
    rule text,
    predicate text,
    n_rows bigint,
    share double precision,
    prediction text,
    confidence double precision,
    mean double precision,
    sd double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 30
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, node_id, rule, predicate, n_rows, share, prediction, confidence, mean, sd, mistake IN
        SELECT * FROM madtree_internal.tree_rules($1, $2, $3, $4)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.tree_rules_rows(text, integer, boolean, boolean) IS
'internal: the rows of tree_rules';

CREATE FUNCTION @extschema@.tree_rules(
    model text,
    tree_id integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    node_id bigint,
    rule text,
    predicate text,
    n_rows bigint,
    share double precision,
    prediction text,
    confidence double precision,
    mean double precision,
    sd double precision
)
LANGUAGE sql
VOLATILE
ROWS 30
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT * FROM madtree_internal.tree_rules_rows($1, $2, $3, $4);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_rules(text, integer, boolean, boolean) IS
'lists a model as rules, one for each leaf, as text and as SQL predicate; SELECT madtree.tree_rules() shows how to use it';

CREATE FUNCTION @extschema@.tree_rules()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_rules', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_rules() IS
'how to use tree_rules';

CREATE FUNCTION madtree_internal.tree_path(
    model text,
    table_name text,
    id text,
    trust_owner boolean,
    "full" boolean,
    tree_id integer
)
RETURNS TABLE (
    step integer,
    tree_id integer,
    node_id bigint,
    feature text,
    condition text,
    value text,
    branch text,
    reason text,
    explanation text,
    n_rows bigint,
    prediction text,
    confidence double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 7
AS $python$
@load@
return madtree.call(plpy, "tree_path", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_path(text, text, text, boolean, boolean, integer) IS
'internal: what tree_path answers, or the mistake that it raises';

CREATE FUNCTION madtree_internal.tree_path_rows(
    _model text,
    _table_name text,
    _id text,
    _trust_owner boolean,
    _full boolean,
    _tree_id integer
)
RETURNS TABLE (
    step integer,
    tree_id integer,
    node_id bigint,
    feature text,
    condition text,
    value text,
    branch text,
    reason text,
    explanation text,
    n_rows bigint,
    prediction text,
    confidence double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 7
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR step, tree_id, node_id, feature, condition, value, branch, reason, explanation, n_rows, prediction, confidence, mistake IN
        SELECT * FROM madtree_internal.tree_path($1, $2, $3, $4, $5, $6)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.tree_path_rows(text, text, text, boolean, boolean, integer) IS
'internal: the rows of tree_path';

CREATE FUNCTION @extschema@.tree_path(
    model text,
    table_name text,
    id text,
    trust_owner boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE,
    tree_id integer DEFAULT NULL
)
RETURNS TABLE (
    step integer,
    tree_id integer,
    node_id bigint,
    feature text,
    condition text,
    value text,
    branch text,
    reason text,
    explanation text,
    n_rows bigint,
    prediction text,
    confidence double precision
)
LANGUAGE sql
VOLATILE
ROWS 7
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT * FROM madtree_internal.tree_path_rows($1, $2, $3, $4, $5, $6);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path(text, text, text, boolean, boolean, integer) IS
'shows the path that one row takes through a model, and why; SELECT madtree.tree_path() shows how to use it';

CREATE FUNCTION @extschema@.tree_path()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_path', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path() IS
'how to use tree_path';

CREATE FUNCTION @extschema@.tree_path(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_path', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path(text) IS
'how to use tree_path: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_shap(
    model text,
    new_data_table text,
    output_table text,
    type text,
    class text,
    layout text,
    top integer,
    interactions boolean,
    features text,
    background text,
    trust_owner boolean,
    replace boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_shap", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_shap(
    text, text, text, text, text, text, integer, boolean, text, text, boolean, boolean
) IS
'internal: what tree_shap answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_shap(
    model text,
    new_data_table text,
    output_table text,
    type text DEFAULT NULL,
    class text DEFAULT NULL,
    layout text DEFAULT 'wide',
    top integer DEFAULT NULL,
    interactions boolean DEFAULT FALSE,
    features text DEFAULT NULL,
    background text DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE,
    replace boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_shap($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_shap(
    text, text, text, text, text, text, integer, boolean, text, text, boolean, boolean
) IS
'writes what each feature contributes to the predictions of a table''s rows (SHAP values) into a new table; SELECT madtree.tree_shap() shows how to use it';

CREATE FUNCTION @extschema@.tree_shap()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_shap', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_shap() IS
'how to use tree_shap';

CREATE FUNCTION @extschema@.tree_shap(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_shap', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_shap(text) IS
'how to use tree_shap: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_explain(
    model text,
    table_name text,
    id text,
    type text,
    class text,
    trust_owner boolean
)
RETURNS TABLE (
    class text,
    rank integer,
    feature text,
    value text,
    contribution double precision,
    estimated double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 7
AS $python$
@load@
return madtree.call(plpy, "tree_explain", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_explain(text, text, text, text, text, boolean) IS
'internal: what tree_explain answers, or the mistake that it raises';

CREATE FUNCTION madtree_internal.tree_explain_rows(
    _model text,
    _table_name text,
    _id text,
    _type text,
    _class text,
    _trust_owner boolean
)
RETURNS TABLE (
    class text,
    rank integer,
    feature text,
    value text,
    contribution double precision,
    estimated double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 7
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR class, rank, feature, value, contribution, estimated, mistake IN
        SELECT * FROM madtree_internal.tree_explain($1, $2, $3, $4, $5, $6)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.tree_explain_rows(text, text, text, text, text, boolean) IS
'internal: the rows of tree_explain';

CREATE FUNCTION @extschema@.tree_explain(
    model text,
    table_name text,
    id text,
    type text DEFAULT NULL,
    class text DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    class text,
    rank integer,
    feature text,
    value text,
    contribution double precision,
    estimated double precision
)
LANGUAGE sql
VOLATILE
ROWS 7
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $sql$
SELECT * FROM madtree_internal.tree_explain_rows($1, $2, $3, $4, $5, $6);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_explain(text, text, text, text, text, boolean) IS
'tells what each feature contributes to the prediction of one row (SHAP values); SELECT madtree.tree_explain() shows how to use it';

CREATE FUNCTION @extschema@.tree_explain()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_explain', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_explain() IS
'how to use tree_explain';

CREATE FUNCTION @extschema@.tree_explain(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_explain', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_explain(text) IS
'how to use tree_explain: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.partial_dependence(
    model text,
    new_data_table text,
    features text,
    type text,
    class text,
    accumulated boolean,
    ice boolean,
    grid_size integer,
    max_rows integer,
    trust_owner boolean
)
RETURNS TABLE (
    class text,
    value text,
    number double precision,
    value_2 text,
    number_2 double precision,
    id text,
    estimated double precision,
    n bigint,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 50
AS $python$
@load@
return madtree.call(plpy, "partial_dependence", args)
$python$;

COMMENT ON FUNCTION madtree_internal.partial_dependence(
    text, text, text, text, text, boolean, boolean, integer, integer, boolean
) IS
'internal: what partial_dependence answers, or the mistake that it raises';

CREATE FUNCTION madtree_internal.partial_dependence_rows(
    _model text,
    _new_data_table text,
    _features text,
    _type text,
    _class text,
    _accumulated boolean,
    _ice boolean,
    _grid_size integer,
    _max_rows integer,
    _trust_owner boolean
)
RETURNS TABLE (
    class text,
    value text,
    number double precision,
    value_2 text,
    number_2 double precision,
    id text,
    estimated double precision,
    n bigint
)
LANGUAGE plpgsql
VOLATILE
ROWS 50
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR class, value, number, value_2, number_2, id, estimated, n, mistake IN
        SELECT * FROM madtree_internal.partial_dependence($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.partial_dependence_rows(
    text, text, text, text, text, boolean, boolean, integer, integer, boolean
) IS
'internal: the rows of partial_dependence';

CREATE FUNCTION @extschema@.partial_dependence(
    model text,
    new_data_table text,
    features text,
    type text DEFAULT NULL,
    class text DEFAULT NULL,
    accumulated boolean DEFAULT FALSE,
    ice boolean DEFAULT FALSE,
    grid_size integer DEFAULT 50,
    max_rows integer DEFAULT 10000,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    class text,
    value text,
    number double precision,
    value_2 text,
    number_2 double precision,
    id text,
    estimated double precision,
    n bigint
)
LANGUAGE sql
VOLATILE
ROWS 50
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $sql$
SELECT * FROM madtree_internal.partial_dependence_rows($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
$sql$;

COMMENT ON FUNCTION @extschema@.partial_dependence(
    text, text, text, text, text, boolean, boolean, integer, integer, boolean
) IS
'tells what a model predicts by the values of one feature or two; SELECT madtree.partial_dependence() shows how to use it';

CREATE FUNCTION @extschema@.partial_dependence()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('partial_dependence', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.partial_dependence() IS
'how to use partial_dependence';

CREATE FUNCTION @extschema@.partial_dependence(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('partial_dependence', message);
$sql$;

COMMENT ON FUNCTION @extschema@.partial_dependence(text) IS
'how to use partial_dependence: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.permutation_importance(
    model text,
    test_table text,
    features text,
    metric text,
    n_repeats integer,
    seed integer,
    max_rows integer,
    trust_owner boolean
)
RETURNS TABLE (
    features text,
    metric text,
    value double precision,
    importance double precision,
    stddev double precision,
    n bigint,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 20
AS $python$
@load@
return madtree.call(plpy, "permutation_importance", args)
$python$;

COMMENT ON FUNCTION madtree_internal.permutation_importance(text, text, text, text, integer, integer, integer, boolean) IS
'internal: what permutation_importance answers, or the mistake that it raises';

CREATE FUNCTION madtree_internal.permutation_importance_rows(
    _model text,
    _test_table text,
    _features text,
    _metric text,
    _n_repeats integer,
    _seed integer,
    _max_rows integer,
    _trust_owner boolean
)
RETURNS TABLE (
    features text,
    metric text,
    value double precision,
    importance double precision,
    stddev double precision,
    n bigint
)
LANGUAGE plpgsql
VOLATILE
ROWS 20
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR features, metric, value, importance, stddev, n, mistake IN
        SELECT * FROM madtree_internal.permutation_importance($1, $2, $3, $4, $5, $6, $7, $8)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.permutation_importance_rows(text, text, text, text, integer, integer, integer, boolean) IS
'internal: the rows of permutation_importance';

CREATE FUNCTION @extschema@.permutation_importance(
    model text,
    test_table text,
    features text DEFAULT NULL,
    metric text DEFAULT NULL,
    n_repeats integer DEFAULT 5,
    seed integer DEFAULT 1,
    max_rows integer DEFAULT 10000,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    features text,
    metric text,
    value double precision,
    importance double precision,
    stddev double precision,
    n bigint
)
LANGUAGE sql
VOLATILE
ROWS 20
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT * FROM madtree_internal.permutation_importance_rows($1, $2, $3, $4, $5, $6, $7, $8);
$sql$;

COMMENT ON FUNCTION @extschema@.permutation_importance(text, text, text, text, integer, integer, integer, boolean) IS
'measures how much worse a model predicts a table where values of a feature are exchanged among its rows; SELECT madtree.permutation_importance() shows how to use it';

CREATE FUNCTION @extschema@.permutation_importance()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('permutation_importance', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.permutation_importance() IS
'how to use permutation_importance';

CREATE FUNCTION @extschema@.permutation_importance(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('permutation_importance', message);
$sql$;

COMMENT ON FUNCTION @extschema@.permutation_importance(text) IS
'how to use permutation_importance: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_call(
    model text,
    trust_owner boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_call", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_call(text, boolean) IS
'internal: what tree_call answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_call(model text, trust_owner boolean DEFAULT FALSE)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_call($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_call(text, boolean) IS
'writes the statement that trains a model again; SELECT madtree.tree_call() shows how to use it';

CREATE FUNCTION @extschema@.tree_call()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_call', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_call() IS
'how to use tree_call';

CREATE FUNCTION madtree_internal.tree_cp(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    cp double precision,
    n_splits integer,
    rel_error double precision,
    xerror double precision,
    xstd double precision,
    chosen boolean,
    root_error double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.call(plpy, "tree_cp", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_cp(text) IS
'internal: what tree_cp answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_cp(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    cp double precision,
    n_splits integer,
    rel_error double precision,
    xerror double precision,
    xstd double precision,
    chosen boolean,
    root_error double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, cp, n_splits, rel_error, xerror, xstd, chosen, root_error, mistake IN
        SELECT * FROM madtree_internal.tree_cp($1)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_cp(text) IS
'lists the cp table of a model: the trees that pruning makes of it, from the root alone to the whole tree; SELECT madtree.tree_cp() shows how to use it';

CREATE FUNCTION @extschema@.tree_cp()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_cp', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_cp() IS
'how to use tree_cp';

CREATE FUNCTION madtree_internal.tree_to_json(
    model text,
    tree_id integer,
    OUT answer json,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_to_json", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_to_json(text, integer) IS
'internal: what tree_to_json answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_to_json(model text, tree_id integer DEFAULT NULL)
RETURNS json
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_to_json($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_json(text, integer) IS
'writes a model as a JSON document that has all it takes to predict in another language; SELECT madtree.tree_to_json() shows how to use it';

CREATE FUNCTION @extschema@.tree_to_json()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_to_json', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_json() IS
'how to use tree_to_json';

CREATE FUNCTION madtree_internal.tree_to_pmml(
    model text,
    tree_id integer,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_to_pmml", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_to_pmml(text, integer) IS
'internal: what tree_to_pmml answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_to_pmml(model text, tree_id integer DEFAULT NULL)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_to_pmml($1, $2) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml(text, integer) IS
'writes a model as a PMML 4.4 document, for any scoring engine that reads PMML; SELECT madtree.tree_to_pmml() shows how to use it';

CREATE FUNCTION @extschema@.tree_to_pmml()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_to_pmml', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml() IS
'how to use tree_to_pmml';

CREATE FUNCTION madtree_internal.tree_prune(
    model text,
    new_model text,
    cp double precision,
    trust_owner boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_prune", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_prune(text, text, double precision, boolean) IS
'internal: what tree_prune answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_prune(
    model text,
    new_model text,
    cp double precision,
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_prune($1, $2, $3, $4) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_prune(text, text, double precision, boolean) IS
'prunes a trained model further, without the data, into a new model; SELECT madtree.tree_prune() shows how to use it';

CREATE FUNCTION @extschema@.tree_prune()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_prune', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_prune() IS
'how to use tree_prune';

CREATE FUNCTION @extschema@.tree_prune(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_prune', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_prune(text) IS
'how to use tree_prune: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_drop(model text, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "tree_drop", args)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_drop(text) IS
'internal: what tree_drop answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_drop(model text)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.tree_drop($1) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.tree_drop(text) IS
'removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it; SELECT madtree.tree_drop() shows how to use it';

CREATE FUNCTION @extschema@.tree_drop()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_drop', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_drop() IS
'how to use tree_drop';

CREATE FUNCTION madtree_internal.forest_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text,
    grouping_cols text,
    num_trees integer,
    num_random_features integer,
    importance boolean,
    num_permutations integer,
    max_tree_depth integer,
    min_split integer,
    min_bucket integer,
    num_splits integer,
    null_handling_params text,
    verbose boolean,
    sample_ratio double precision,
    weights text,
    split_criterion text,
    split_rule text,
    sampling text,
    seed bigint,
    replace boolean,
    parallel_workers integer,
    memory_mb integer,
    classification boolean,
    strategy text,
    oob_predictions boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "forest_train", args)
$python$;

COMMENT ON FUNCTION madtree_internal.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text, boolean
) IS
'internal: what forest_train answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.forest_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text DEFAULT NULL,
    grouping_cols text DEFAULT NULL,
    num_trees integer DEFAULT 100,
    num_random_features integer DEFAULT NULL,
    importance boolean DEFAULT TRUE,
    num_permutations integer DEFAULT 1,
    max_tree_depth integer DEFAULT NULL,
    min_split integer DEFAULT NULL,
    min_bucket integer DEFAULT NULL,
    num_splits integer DEFAULT 100,
    null_handling_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    sample_ratio double precision DEFAULT 1,
    weights text DEFAULT NULL,
    split_criterion text DEFAULT 'gini',
    split_rule text DEFAULT 'best',
    sampling text DEFAULT 'poisson',
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL,
    memory_mb integer DEFAULT 64,
    classification boolean DEFAULT NULL,
    strategy text DEFAULT 'auto',
    oob_predictions boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.forest_train(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
    $26, $27, $28, $29
) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text, boolean
) IS
'trains a random forest, or one forest per group, on the rows of a table; SELECT madtree.forest_train() shows how to use it';

CREATE FUNCTION @extschema@.forest_train()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_train', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.forest_train() IS
'how to use forest_train';

CREATE FUNCTION @extschema@.forest_train(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_train', message);
$sql$;

COMMENT ON FUNCTION @extschema@.forest_train(text) IS
'how to use forest_train: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.forest_predict(
    random_forest_model text,
    new_data_table text,
    output_table text,
    type text,
    trust_owner boolean,
    replace boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "forest_predict", args)
$python$;

COMMENT ON FUNCTION madtree_internal.forest_predict(text, text, text, text, boolean, boolean) IS
'internal: what forest_predict answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.forest_predict(
    random_forest_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE,
    replace boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.forest_predict($1, $2, $3, $4, $5, $6) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.forest_predict(text, text, text, text, boolean, boolean) IS
'scores a table by a forest into a new table; SELECT madtree.forest_predict() shows how to use it';

CREATE FUNCTION @extschema@.forest_predict()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_predict', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.forest_predict() IS
'how to use forest_predict';

CREATE FUNCTION @extschema@.forest_predict(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_predict', message);
$sql$;

COMMENT ON FUNCTION @extschema@.forest_predict(text) IS
'how to use forest_predict: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.get_tree(
    forest_model_table text,
    gid integer,
    sample_id integer,
    dot_format boolean,
    verbose boolean,
    max_depth integer,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "get_tree", args)
$python$;

COMMENT ON FUNCTION madtree_internal.get_tree(text, integer, integer, boolean, boolean, integer) IS
'internal: what get_tree answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_tree(
    forest_model_table text,
    gid integer,
    sample_id integer,
    dot_format boolean DEFAULT TRUE,
    verbose boolean DEFAULT FALSE,
    max_depth integer DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.get_tree($1, $2, $3, $4, $5, $6) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree(text, integer, integer, boolean, boolean, integer) IS
'draws one tree of a forest; SELECT madtree.get_tree() shows how to use it';

CREATE FUNCTION @extschema@.get_tree()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree() IS
'how to use get_tree';

CREATE FUNCTION @extschema@.get_tree(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree(text) IS
'how to use get_tree: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.get_tree_surr(
    forest_model_table text,
    gid integer,
    sample_id integer,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "get_tree_surr", args)
$python$;

COMMENT ON FUNCTION madtree_internal.get_tree_surr(text, integer, integer) IS
'internal: what get_tree_surr answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_tree_surr(forest_model_table text, gid integer, sample_id integer)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.get_tree_surr($1, $2, $3) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr(text, integer, integer) IS
'lists the surrogates of one tree of a forest that was trained with max_surrogates; SELECT madtree.get_tree_surr() shows how to use it';

CREATE FUNCTION @extschema@.get_tree_surr()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree_surr', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr() IS
'how to use get_tree_surr';

CREATE FUNCTION @extschema@.get_tree_surr(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree_surr', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr(text) IS
'how to use get_tree_surr: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.boost_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text,
    loss text,
    grouping_cols text,
    weights text,
    num_trees integer,
    learning_rate double precision,
    max_leaf_nodes integer,
    max_depth integer,
    min_bucket integer,
    n_bins integer,
    boost_params text,
    validation_params text,
    verbose boolean,
    seed bigint,
    replace boolean,
    parallel_workers integer,
    memory_mb integer,
    classification boolean,
    strategy text,
    exposure text,
    class_params text,
    correct_prior boolean,
    monotone text,
    interaction_constraints text,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "boost_train", args)
$python$;

COMMENT ON FUNCTION madtree_internal.boost_train(
    text, text, text, text, text, text, text, text, text, integer, double precision, integer, integer, integer, integer,
    text, text, boolean, bigint, boolean, integer, integer, boolean, text, text, text, boolean, text, text
) IS
'internal: what boost_train answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.boost_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text DEFAULT NULL,
    loss text DEFAULT NULL,
    grouping_cols text DEFAULT NULL,
    weights text DEFAULT NULL,
    num_trees integer DEFAULT 100,
    learning_rate double precision DEFAULT 0.1,
    max_leaf_nodes integer DEFAULT 31,
    max_depth integer DEFAULT NULL,
    min_bucket integer DEFAULT 20,
    n_bins integer DEFAULT 255,
    boost_params text DEFAULT NULL,
    validation_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL,
    memory_mb integer DEFAULT 64,
    classification boolean DEFAULT NULL,
    strategy text DEFAULT 'auto',
    exposure text DEFAULT NULL,
    class_params text DEFAULT NULL,
    correct_prior boolean DEFAULT FALSE,
    monotone text DEFAULT NULL,
    interaction_constraints text DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.boost_train(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
    $26, $27, $28, $29
) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.boost_train(
    text, text, text, text, text, text, text, text, text, integer, double precision, integer, integer, integer, integer,
    text, text, boolean, bigint, boolean, integer, integer, boolean, text, text, text, boolean, text, text
) IS
'trains a gradient boosted model, or one per group, on the rows of a table; SELECT madtree.boost_train() shows how to use it';

CREATE FUNCTION @extschema@.boost_train()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_train', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.boost_train() IS
'how to use boost_train';

CREATE FUNCTION @extschema@.boost_train(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_train', message);
$sql$;

COMMENT ON FUNCTION @extschema@.boost_train(text) IS
'how to use boost_train: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.boost_predict(
    boosted_model text,
    new_data_table text,
    output_table text,
    type text,
    num_trees integer,
    trust_owner boolean,
    replace boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "boost_predict", args)
$python$;

COMMENT ON FUNCTION madtree_internal.boost_predict(text, text, text, text, integer, boolean, boolean) IS
'internal: what boost_predict answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.boost_predict(
    boosted_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response',
    num_trees integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE,
    replace boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.boost_predict($1, $2, $3, $4, $5, $6, $7) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.boost_predict(text, text, text, text, integer, boolean, boolean) IS
'scores a table by a boosted model into a new table; SELECT madtree.boost_predict() shows how to use it';

CREATE FUNCTION @extschema@.boost_predict()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_predict', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.boost_predict() IS
'how to use boost_predict';

CREATE FUNCTION @extschema@.boost_predict(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_predict', message);
$sql$;

COMMENT ON FUNCTION @extschema@.boost_predict(text) IS
'how to use boost_predict: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.boost_sql(
    model text,
    type text,
    trust_owner boolean,
    class text,
    dialect text,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "boost_sql", args)
$python$;

COMMENT ON FUNCTION madtree_internal.boost_sql(text, text, boolean, text, text) IS
'internal: what boost_sql answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.boost_sql(
    model text,
    type text DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE,
    class text DEFAULT NULL,
    dialect text DEFAULT NULL
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = '1'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.boost_sql($1, $2, $3, $4, $5) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.boost_sql(text, text, boolean, text, text) IS
'writes a small boosted model as an SQL expression, for a view or a generated column; SELECT madtree.boost_sql() shows how to use it';

CREATE FUNCTION @extschema@.boost_sql()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_sql', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.boost_sql() IS
'how to use boost_sql';

CREATE FUNCTION madtree_internal.boost_staged(model text, test_table text, trust_owner boolean)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    num_trees integer,
    n bigint,
    loss double precision,
    metric text,
    value double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 100
AS $python$
@load@
return madtree.call(plpy, "boost_staged", args)
$python$;

COMMENT ON FUNCTION madtree_internal.boost_staged(text, text, boolean) IS
'internal: what boost_staged answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.boost_staged(
    model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    num_trees integer,
    n bigint,
    loss double precision,
    metric text,
    value double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 100
SET array_nulls = 'on'
SET jit = 'off'
SET extra_float_digits = '1'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, num_trees, n, loss, metric, value, mistake IN
        SELECT * FROM madtree_internal.boost_staged($1, $2, $3)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.boost_staged(text, text, boolean) IS
'measures a boosted model on a table whose outcomes are known, by the number of its rounds; SELECT madtree.boost_staged() shows how to use it';

CREATE FUNCTION @extschema@.boost_staged()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_staged', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.boost_staged() IS
'how to use boost_staged';

CREATE FUNCTION @extschema@.boost_staged(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_staged', message);
$sql$;

COMMENT ON FUNCTION @extschema@.boost_staged(text) IS
'how to use boost_staged: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.boost_cut(
    model text,
    new_model text,
    num_trees integer,
    trust_owner boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.call(plpy, "boost_cut", args)
$python$;

COMMENT ON FUNCTION madtree_internal.boost_cut(text, text, integer, boolean) IS
'internal: what boost_cut answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.boost_cut(
    model text,
    new_model text,
    num_trees integer,
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
SET array_nulls = 'on'
AS $sql$
SELECT madtree_internal.answered(a.answer, a.mistake)
FROM madtree_internal.boost_cut($1, $2, $3, $4) AS a;
$sql$;

COMMENT ON FUNCTION @extschema@.boost_cut(text, text, integer, boolean) IS
'cuts a boosted model to its first rounds, without the data, into a new model; SELECT madtree.boost_cut() shows how to use it';

CREATE FUNCTION @extschema@.boost_cut()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_cut', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.boost_cut() IS
'how to use boost_cut';

CREATE FUNCTION @extschema@.boost_cut(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('boost_cut', message);
$sql$;

COMMENT ON FUNCTION @extschema@.boost_cut(text) IS
'how to use boost_cut: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.holdout(
    id bigint,
    fraction double precision DEFAULT 0.25,
    seed bigint DEFAULT 1
)
RETURNS boolean
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $sql$
SELECT CASE
    WHEN fraction OPERATOR(pg_catalog.>=) 0 AND fraction OPERATOR(pg_catalog.<=) 1 THEN
        (pg_catalog.hashint8extended(id, seed) OPERATOR(pg_catalog.&) 4294967295)::pg_catalog.float8
            OPERATOR(pg_catalog.<) (fraction OPERATOR(pg_catalog.*) 4294967296)
    ELSE madtree_internal.refuse_fraction(fraction)
END;
$sql$;

COMMENT ON FUNCTION @extschema@.holdout(bigint, double precision, bigint) IS
'says whether a row is held out of training, by a hash of its id; SELECT madtree.holdout() shows how to use it';

CREATE FUNCTION @extschema@.holdout(
    id text,
    fraction double precision DEFAULT 0.25,
    seed bigint DEFAULT 1
)
RETURNS boolean
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $sql$
SELECT CASE
    WHEN fraction OPERATOR(pg_catalog.>=) 0 AND fraction OPERATOR(pg_catalog.<=) 1 THEN
        (pg_catalog.hashtextextended(id COLLATE pg_catalog."C", seed) OPERATOR(pg_catalog.&) 4294967295)::pg_catalog.float8
            OPERATOR(pg_catalog.<) (fraction OPERATOR(pg_catalog.*) 4294967296)
    ELSE madtree_internal.refuse_fraction(fraction)
END;
$sql$;

COMMENT ON FUNCTION @extschema@.holdout(text, double precision, bigint) IS
'says whether a row is held out of training, by a hash of its id; SELECT madtree.holdout() shows how to use it';

CREATE FUNCTION @extschema@.holdout(
    id uuid,
    fraction double precision DEFAULT 0.25,
    seed bigint DEFAULT 1
)
RETURNS boolean
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $sql$
SELECT CASE
    WHEN fraction OPERATOR(pg_catalog.>=) 0 AND fraction OPERATOR(pg_catalog.<=) 1 THEN
        (pg_catalog.uuid_hash_extended(id, seed) OPERATOR(pg_catalog.&) 4294967295)::pg_catalog.float8
            OPERATOR(pg_catalog.<) (fraction OPERATOR(pg_catalog.*) 4294967296)
    ELSE madtree_internal.refuse_fraction(fraction)
END;
$sql$;

COMMENT ON FUNCTION @extschema@.holdout(uuid, double precision, bigint) IS
'says whether a row is held out of training, by a hash of its id; SELECT madtree.holdout() shows how to use it';

CREATE FUNCTION @extschema@.holdout()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('holdout', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.holdout() IS
'how to use holdout';

-- 50_predict.sql
-- Scoring of blocks of rows.

CREATE FUNCTION madtree_internal.score_block_steps(
    plan bytea, images bytea, OUT done boolean, OUT result bytea, OUT mistake text[]
) RETURNS SETOF record
LANGUAGE plpython3u VOLATILE STRICT PARALLEL SAFE AS $python$
@load@
return madtree.blocks.score_block(plan, images)
$python$;
COMMENT ON FUNCTION madtree_internal.score_block_steps(bytea, bytea) IS 'internal: score_block, step by step';

CREATE FUNCTION madtree_internal.score_block(plan bytea, images bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $plpgsql$
DECLARE
    result pg_catalog.bytea;
    mistake pg_catalog.text[];
BEGIN
    SELECT (s.step).result, (s.step).mistake INTO result, mistake
    FROM (SELECT madtree_internal.score_block_steps(plan, images) AS step) AS s
    WHERE (s.step).done;
    @raise@
    RETURN result;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.score_block(bytea, bytea) IS 'internal: outcomes of a block of rows';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The query runs with the caller's rights. A loop
-- over its rows would fetch many blocks at once. `no_ids` lends the ids its type and collation.
CREATE FUNCTION madtree_internal.score_pages(
    query text, lows tid[], highs tid[], plan bytea, no_ids anyarray, OUT ids anyarray, OUT outcomes bytea
) RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan, lows, highs;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.score_pages(text, tid[], tid[], bytea, anyarray)
IS 'internal: run a query that scores page ranges';

-- The value itself. Workers get what a sub-select without references returns as it stands, but only where they may not
-- run the sub-select themselves; a parameter would be written into the plan that they are sent, byte by byte as text.
CREATE FUNCTION madtree_internal.leaders_own(bytea) RETURNS bytea
LANGUAGE internal STABLE STRICT PARALLEL RESTRICTED AS 'byteasend';

COMMENT ON FUNCTION madtree_internal.leaders_own(bytea)
IS 'internal: keep a value out of the plan that workers are sent';

-- 90_models.sql
-- The catalogue of models: found from the tables themselves, so that it is true after a dump and a restore. Functions
-- in a view run with the rights of whoever asks: everybody sees the models that they can read. VOLATILE, so that each
-- of the queries sees models that were replaced since the outer one began. row_security = off makes an error, and so a
-- model that is not listed, of a policy that would run.

CREATE FUNCTION madtree_internal.found_models()
RETURNS TABLE (
    schema text,
    name text,
    owner text,
    kind text,
    source_table text,
    dependent text,
    n_rows bigint,
    n_trees integer,
    depth integer,
    n_leaves bigint,
    parameters jsonb,
    version text,
    trained_at timestamptz,
    age interval,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 100
AS $python$
@load@
return madtree.list_models(plpy)
$python$;

COMMENT ON FUNCTION madtree_internal.found_models()
IS 'internal: the rows of list_models, or the mistake that it raises';

CREATE FUNCTION madtree_internal.list_models()
RETURNS TABLE (
    schema text,
    name text,
    owner text,
    kind text,
    source_table text,
    dependent text,
    n_rows bigint,
    n_trees integer,
    depth integer,
    n_leaves bigint,
    parameters jsonb,
    version text,
    trained_at timestamptz,
    age interval
)
LANGUAGE plpgsql
VOLATILE
ROWS 100
SET row_security = off
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR
        schema, name, owner, kind, source_table, dependent, n_rows, n_trees, depth, n_leaves, parameters,
        version, trained_at, age, mistake
    IN
        SELECT * FROM madtree_internal.found_models()
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.list_models() IS 'internal: the rows of the view models';

CREATE VIEW @extschema@.models AS
SELECT
    pg_catalog.format('%I.%I', m.schema, m.name) AS model,
    m.schema,
    m.name,
    m.owner,
    m.kind,
    m.source_table,
    m.dependent,
    m.n_rows,
    m.n_trees,
    m.depth,
    m.n_leaves,
    m.parameters,
    m.version,
    m.trained_at,
    m.age
FROM madtree_internal.list_models() AS m;

COMMENT ON VIEW @extschema@.models
IS 'every model that you can read: what it predicts, rows, trees, depth, leaves, parameters, version, age';

COMMENT ON COLUMN @extschema@.models.model IS 'qualified name, quoted where it must be: what the functions take';
COMMENT ON COLUMN @extschema@.models.schema IS 'schema of the model''s tables';
COMMENT ON COLUMN @extschema@.models.name IS 'output_table_name of tree_train or forest_train';
COMMENT ON COLUMN @extschema@.models.owner IS 'role that owns the model''s tables';
COMMENT ON COLUMN @extschema@.models.kind
IS 'classification or regression; of a forest classification forest or regression forest';
COMMENT ON COLUMN @extschema@.models.source_table IS 'training table, as it was given';
COMMENT ON COLUMN @extschema@.models.dependent IS 'dependent variable';
COMMENT ON COLUMN @extschema@.models.n_rows IS 'training rows';
COMMENT ON COLUMN @extschema@.models.n_trees
IS 'rows of the model''s table: one tree, or one for each group, or all trees of all forests';
COMMENT ON COLUMN @extschema@.models.depth IS 'depth of the deepest tree';
COMMENT ON COLUMN @extschema@.models.n_leaves IS 'leaves of all trees';
COMMENT ON COLUMN @extschema@.models.parameters IS 'what it was trained with';
COMMENT ON COLUMN @extschema@.models.version IS 'version of madtree that trained it';
COMMENT ON COLUMN @extschema@.models.trained_at IS 'when; NULL for a model older than this column';
COMMENT ON COLUMN @extschema@.models.age IS 'time since then';

GRANT SELECT ON @extschema@.models TO public;

-- A view cannot lose columns, so what fits a screen is another one.
CREATE VIEW @extschema@.model_list AS
SELECT
    m.model,
    m.kind,
    CASE
        WHEN pg_catalog.int4le(pg_catalog.length(m.dependent), 20) THEN m.dependent
        ELSE pg_catalog.textcat(pg_catalog.left(m.dependent, 17), '...')
    END AS dependent,
    m.n_rows,
    m.n_leaves,
    pg_catalog.date_trunc(CASE WHEN pg_catalog.interval_lt(m.age, '1 day') THEN 'second' ELSE 'day' END, m.age) AS age
FROM @extschema@.models AS m;

COMMENT ON VIEW @extschema@.model_list
IS 'the models that you can read, a short line each; the view models has all that is told of them';

COMMENT ON COLUMN @extschema@.model_list.model IS 'qualified name, quoted where it must be: what the functions take';
COMMENT ON COLUMN @extschema@.model_list.kind IS 'as in models';
COMMENT ON COLUMN @extschema@.model_list.dependent IS 'dependent variable, shortened';
COMMENT ON COLUMN @extschema@.model_list.n_rows IS 'training rows';
COMMENT ON COLUMN @extschema@.model_list.n_leaves IS 'leaves of all trees';
COMMENT ON COLUMN @extschema@.model_list.age IS 'time since it was trained, in days from one day on';

GRANT SELECT ON @extschema@.model_list TO public;

-- 92_madlib_names.sql
-- MADlib's own schema and names, for scripts that were written for it. Wrappers only: what they do is madtree's, with
-- the caller's rights. They belong to no extension, so that updates of madtree find nothing that depends on it.

CREATE FUNCTION @extschema@.install_madlib_names()
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $plpgsql$
BEGIN
    IF pg_catalog.to_regnamespace('madlib') IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_schema', MESSAGE = 'schema "madlib" exists already',
            HINT = 'Where it holds MADlib itself, call madtree by its own names. Else drop it: DROP SCHEMA madlib CASCADE';
    END IF;
    CREATE SCHEMA madlib;

    CREATE FUNCTION madlib.tree_train(
        training_table_name pg_catalog.text, output_table_name pg_catalog.text, id_col_name pg_catalog.text,
        dependent_variable pg_catalog.text, list_of_features pg_catalog.text,
        list_of_features_to_exclude pg_catalog.text DEFAULT NULL,
        split_criterion pg_catalog.text DEFAULT NULL, grouping_cols pg_catalog.text DEFAULT NULL,
        weights pg_catalog.text DEFAULT NULL, max_depth pg_catalog.int4 DEFAULT NULL,
        min_split pg_catalog.int4 DEFAULT NULL, min_bucket pg_catalog.int4 DEFAULT NULL,
        n_bins pg_catalog.int4 DEFAULT NULL, pruning_params pg_catalog.text DEFAULT NULL,
        null_handling_params pg_catalog.text DEFAULT NULL, verbose_mode pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_train(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, pruning_params => $14, null_handling_params => $15,
            verbose_mode => $16
        )
    $sql$;

    CREATE FUNCTION madlib.tree_predict(
        model pg_catalog.text, source pg_catalog.text, output pg_catalog.text,
        pred_type pg_catalog.text DEFAULT 'response'
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_predict(model => $1, source => $2, output => $3, pred_type => $4)
    $sql$;

    CREATE FUNCTION madlib.tree_display(
        model_table pg_catalog.text, dot_format pg_catalog.bool DEFAULT true,
        verbose pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_display(model_table => $1, dot_format => $2, verbose => $3)
    $sql$;

    CREATE FUNCTION madlib.tree_surr_display(
        model_table pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_surr_display(model_table => $1)
    $sql$;

    CREATE FUNCTION madlib.get_var_importance(
        model_table pg_catalog.text, output_table pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_var_importance(model_table => $1, output_table => $2)
    $sql$;

    CREATE FUNCTION madlib.pmml(
        model_table pg_catalog.text
    ) RETURNS pg_catalog.xml LANGUAGE sql VOLATILE AS $sql$
        SELECT pg_catalog.xml(madtree.tree_to_pmml($1))
    $sql$;

    CREATE FUNCTION madlib.tree_train(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_train($1)
    $sql$;

    CREATE FUNCTION madlib.tree_predict(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_predict($1)
    $sql$;

    CREATE FUNCTION madlib.get_var_importance(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.get_var_importance($1)
    $sql$;

    CREATE FUNCTION madlib.tree_train() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_train()
    $sql$;

    CREATE FUNCTION madlib.tree_predict() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_predict()
    $sql$;

    CREATE FUNCTION madlib.tree_display() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_display()
    $sql$;

    CREATE FUNCTION madlib.tree_surr_display() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_surr_display()
    $sql$;

    CREATE FUNCTION madlib.get_var_importance() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.get_var_importance()
    $sql$;

    CREATE FUNCTION madlib.forest_train(
        training_table_name pg_catalog.text, output_table_name pg_catalog.text, id_col_name pg_catalog.text,
        dependent_variable pg_catalog.text, list_of_features pg_catalog.text,
        list_of_features_to_exclude pg_catalog.text DEFAULT NULL, grouping_cols pg_catalog.text DEFAULT NULL,
        num_trees pg_catalog.int4 DEFAULT NULL, num_random_features pg_catalog.int4 DEFAULT NULL,
        importance pg_catalog.bool DEFAULT NULL, num_permutations pg_catalog.int4 DEFAULT NULL,
        max_tree_depth pg_catalog.int4 DEFAULT NULL, min_split pg_catalog.int4 DEFAULT NULL,
        min_bucket pg_catalog.int4 DEFAULT NULL, num_splits pg_catalog.int4 DEFAULT NULL,
        null_handling_params pg_catalog.text DEFAULT NULL, verbose pg_catalog.bool DEFAULT false,
        sample_ratio pg_catalog.float8 DEFAULT NULL
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.forest_train(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
        )
    $sql$;

    CREATE FUNCTION madlib.forest_predict(
        model pg_catalog.text, source pg_catalog.text, output pg_catalog.text,
        pred_type pg_catalog.text DEFAULT 'response'
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.forest_predict($1, $2, $3, $4)
    $sql$;

    CREATE FUNCTION madlib.get_tree(
        model_table pg_catalog.text, gid pg_catalog.int4, sample_id pg_catalog.int4,
        dot_format pg_catalog.bool DEFAULT true, verbose pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_tree($1, $2, $3, $4, $5)
    $sql$;

    CREATE FUNCTION madlib.get_tree_surr(
        model_table pg_catalog.text, gid pg_catalog.int4, sample_id pg_catalog.int4
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_tree_surr($1, $2, $3)
    $sql$;

    CREATE FUNCTION madlib.forest_train() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.forest_train()
    $sql$;

    CREATE FUNCTION madlib.forest_predict() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.forest_predict()
    $sql$;

    GRANT USAGE ON SCHEMA madlib TO public;
    RETURN 'install_madlib_names: made the schema madlib, with tree_train, tree_predict, tree_display, '
        'tree_surr_display, forest_train, forest_predict, get_tree, get_tree_surr, get_var_importance and pmml '
        'by MADlib''s names';
END
$plpgsql$;

-- Whoever makes the schema owns what everybody calls there: that is for an administrator.
REVOKE EXECUTE ON FUNCTION @extschema@.install_madlib_names() FROM public;

COMMENT ON FUNCTION @extschema@.install_madlib_names()
IS 'make a schema madlib in which scripts written for MADlib find their functions; for administrators';

-- 95_server_info.sql
-- What `madtree doctor` asks of a server.

CREATE FUNCTION madtree_internal.server_info()
RETURNS jsonb
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.server_info(plpy)
$python$;

COMMENT ON FUNCTION madtree_internal.server_info()
IS 'internal: versions and places of the server''s Python, numpy and madtree';
