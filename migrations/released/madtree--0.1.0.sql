-- 00_schema.sql
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

-- 05_types.sql
-- Types of the work tables. CREATE TABLE AS, unlike INSERT, runs in parallel workers, but leaves no say in how a column
-- is stored: only the column's type has. Codes would be compressed, slowly and for nothing, and the padding, too.

DO $do$
BEGIN
    IF pg_catalog.to_regtype('@extschema@.packed') IS NULL THEN
        -- Bytes that are kept outside the row, as they are.
        CREATE TYPE @extschema@.packed;
        CREATE FUNCTION @extschema@.packed_in(cstring) RETURNS @extschema@.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteain';
        CREATE FUNCTION @extschema@.packed_out(@extschema@.packed) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaout';
        CREATE FUNCTION @extschema@.packed_recv(internal) RETURNS @extschema@.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'bytearecv';
        CREATE FUNCTION @extschema@.packed_send(@extschema@.packed) RETURNS bytea
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
        CREATE TYPE @extschema@.packed (
            INPUT = @extschema@.packed_in, OUTPUT = @extschema@.packed_out,
            RECEIVE = @extschema@.packed_recv, SEND = @extschema@.packed_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
        );
        CREATE CAST (@extschema@.packed AS bytea) WITHOUT FUNCTION AS IMPLICIT;
        CREATE CAST (bytea AS @extschema@.packed) WITHOUT FUNCTION;

        -- Text that stays in the row, as it is.
        CREATE TYPE @extschema@.padding;
        CREATE FUNCTION @extschema@.padding_in(cstring) RETURNS @extschema@.padding
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
        CREATE FUNCTION @extschema@.padding_out(@extschema@.padding) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
        CREATE FUNCTION @extschema@.padding_recv(internal) RETURNS @extschema@.padding
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textrecv';
        CREATE FUNCTION @extschema@.padding_send(@extschema@.padding) RETURNS bytea
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textsend';
        CREATE TYPE @extschema@.padding (
            INPUT = @extschema@.padding_in, OUTPUT = @extschema@.padding_out,
            RECEIVE = @extschema@.padding_recv, SEND = @extschema@.padding_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain
        );
        CREATE CAST (text AS @extschema@.padding) WITHOUT FUNCTION;
    END IF;
END
$do$;

COMMENT ON TYPE @extschema@.packed IS 'internal: bytes stored outside the row, uncompressed';
COMMENT ON TYPE @extschema@.padding IS 'internal: text that fills a page, so that a row has one to itself';
COMMENT ON CAST (@extschema@.packed AS bytea) IS 'internal: the same bytes';
COMMENT ON CAST (bytea AS @extschema@.packed) IS 'internal: the same bytes';
COMMENT ON CAST (text AS @extschema@.padding) IS 'internal: the same text';
COMMENT ON FUNCTION @extschema@.packed_in(cstring) IS 'internal: input of packed';
COMMENT ON FUNCTION @extschema@.packed_out(@extschema@.packed) IS 'internal: output of packed';
COMMENT ON FUNCTION @extschema@.packed_recv(internal) IS 'internal: binary input of packed';
COMMENT ON FUNCTION @extschema@.packed_send(@extschema@.packed) IS 'internal: binary output of packed';
COMMENT ON FUNCTION @extschema@.padding_in(cstring) IS 'internal: input of padding';
COMMENT ON FUNCTION @extschema@.padding_out(@extschema@.padding) IS 'internal: output of padding';
COMMENT ON FUNCTION @extschema@.padding_recv(internal) IS 'internal: binary input of padding';
COMMENT ON FUNCTION @extschema@.padding_send(@extschema@.padding) IS 'internal: binary output of padding';

-- 10_blocks.sql
-- Blocks: how rows are packed and counted. Internal; tree_train drives them.

-- An array's own bytes. Both types are varlenas, so the datum is handed over as it stands.
CREATE FUNCTION @extschema@.array_image(anyarray) RETURNS bytea
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
COMMENT ON FUNCTION @extschema@.array_image(anyarray) IS 'internal: the bytes of an array as PostgreSQL holds it';

CREATE TYPE @extschema@.block AS (
    n_rows integer,
    n_skipped integer,
    n_unknown integer,
    codes bytea,
    target bytea,
    weight bytea,
    tree bytea,
    fold bytea
);
COMMENT ON TYPE @extschema@.block IS 'internal: binned rows, column by column';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION @extschema@.run_shared(query text, plan bytea) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan;
END
$plpgsql$;
COMMENT ON FUNCTION @extschema@.run_shared(text, bytea)
IS 'internal: run a query with one parameter so that workers may share it; it returns one column of bytea';

CREATE FUNCTION @extschema@.node_statistics_transition(
    state bytea, block_id integer, n_rows integer, codes bytea, target bytea, weight bytea, tree bytea, fold bytea,
    plan bytea
) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.node_statistics_transition(state, block_id, n_rows, codes, target, weight, tree, fold, plan)
$python$;
COMMENT ON FUNCTION @extschema@.node_statistics_transition(
    bytea, integer, integer, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: count a block';

CREATE FUNCTION @extschema@.node_statistics_merge(bytea, bytea) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.node_statistics_merge(args[0], args[1])
$python$;
COMMENT ON FUNCTION @extschema@.node_statistics_merge(bytea, bytea) IS 'internal: add two states';

CREATE FUNCTION @extschema@.node_statistics_final(state bytea) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.node_statistics_final(state)
$python$;
COMMENT ON FUNCTION @extschema@.node_statistics_final(bytea) IS 'internal: check the sums';

-- noqa: disable=CP02,CP05,LT01
CREATE AGGREGATE @extschema@.node_statistics(integer, integer, bytea, bytea, bytea, bytea, bytea, bytea) (
    SFUNC = @extschema@.node_statistics_transition,
    STYPE = bytea,
    COMBINEFUNC = @extschema@.node_statistics_merge,
    FINALFUNC = @extschema@.node_statistics_final,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.node_statistics(
    integer, integer, bytea, bytea, bytea, bytea, bytea, bytea
) IS 'internal: sufficient statistics of the frontier, over blocks';
-- noqa: enable=CP02,CP05,LT01

CREATE FUNCTION @extschema@.grow_block(plan bytea, images bytea) RETURNS bytea
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.grow_block(plan, images)
$python$;
COMMENT ON FUNCTION @extschema@.grow_block(bytea, bytea) IS 'internal: train all trees whose rows are in one block';

-- 12_crew.sql
-- Crews: parallel workers that stay from the first row to the last level (madtree/crew). Internal; for tree_train.

CREATE FUNCTION @extschema@.crew_join(crew text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_join(crew)
$python$;
COMMENT ON FUNCTION @extschema@.crew_join(text) IS 'internal: take part in a crew; false where that is over';

CREATE FUNCTION @extschema@.crew_claim(
    crew text, OUT part integer, OUT query integer, OUT low tid, OUT high tid
) RETURNS record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_claim(crew)
$python$;
COMMENT ON FUNCTION @extschema@.crew_claim(text) IS 'internal: the next part to pack; null if none is left';

CREATE FUNCTION @extschema@.crew_keep(crew text, part integer, images bytea) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_keep(crew, part, images)
$python$;
COMMENT ON FUNCTION @extschema@.crew_keep(text, integer, bytea)
IS 'internal: bin the rows of a part and keep them; false where a number is NULL';

CREATE FUNCTION @extschema@.crew_step(crew text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_step(crew)
$python$;
COMMENT ON FUNCTION @extschema@.crew_step(text) IS 'internal: count, or wait a little; true when all is done';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The queries run with the caller's rights.
-- The first ones expect no NULL where the sample had none; the others are for parts that have one after all.
-- Between statements the server looks for cancels and for errors of workers. The leader's queries may not be shared out
-- again: their rows would come in any order.
CREATE FUNCTION @extschema@.crew_work(crew text, queries text[], careful text[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET max_parallel_workers_per_gather = 0 AS $plpgsql$
DECLARE
    claimed record;
    images bytea;
BEGIN
    IF NOT @extschema@.crew_join(crew) THEN
        RETURN false;
    END IF;
    LOOP
        SELECT * INTO claimed FROM @extschema@.crew_claim(crew);
        EXIT WHEN claimed.part IS NULL;
        EXECUTE queries[claimed.query] INTO images USING claimed.low, claimed.high;
        IF NOT @extschema@.crew_keep(crew, claimed.part, images) THEN
            EXECUTE careful[claimed.query] INTO images USING claimed.low, claimed.high;
            IF NOT @extschema@.crew_keep(crew, claimed.part, images) THEN
                RAISE EXCEPTION 'madtree: a row has NULLs after all';
            END IF;
        END IF;
    END LOOP;
    LOOP
        EXIT WHEN @extschema@.crew_step(crew);
    END LOOP;
    RETURN true;
END
$plpgsql$;
COMMENT ON FUNCTION @extschema@.crew_work(text, text[], text[])
IS 'internal: pack and count in a crew until its trees are grown';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION @extschema@.run_in_crew(query text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    EXECUTE query;
END
$plpgsql$;
COMMENT ON FUNCTION @extschema@.run_in_crew(text) IS 'internal: run a query whose workers are a crew';

-- 15_distribute.sql
-- Blocks of a table that is spread over several servers. Internal; tree_train uses it where Citus is.

-- IMMUTABLE: only then are queries that call it handed to the servers that hold the rows.
CREATE FUNCTION @extschema@.pack_images(images bytea, plan bytea) RETURNS @extschema@.block
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.pack_images(images, plan)
$python$;
COMMENT ON FUNCTION @extschema@.pack_images(bytea, bytea) IS 'internal: bin the rows of a part into a block';

-- 40_train.sql
-- Training. NULL for an optional argument means its default. The body runs without SET search_path on purpose: the
-- names that a user gives mean what they mean to that user.

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
    min_split integer DEFAULT NULL, -- 20, or 3 * min_bucket
    min_bucket integer DEFAULT NULL, -- min_split / 3
    n_bins integer DEFAULT 100,
    surrogate_params text DEFAULT NULL,
    pruning_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL,
    memory_mb integer DEFAULT 64
)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET jit = off
AS $python$
@load@
return madtree.tree_train(
    plpy, training_table_name, output_table_name, id_col_name, dependent_variable, list_of_features,
    list_of_features_to_exclude, split_criterion, grouping_cols, weights, max_depth, min_split, min_bucket, n_bins,
    surrogate_params, pruning_params, verbose, seed, replace, parallel_workers, memory_mb,
)
$python$;

COMMENT ON FUNCTION @extschema@.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer
) IS 'train decision trees on a table; SELECT tree_train() tells how';

CREATE FUNCTION @extschema@.tree_train()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_train_help(plpy, "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_train() IS 'how to use tree_train';

CREATE FUNCTION @extschema@.tree_train(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_train_help(plpy, message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_train(text) IS 'how to use tree_train: message is ''usage'', ''help'' or ''?''';

-- 50_predict.sql
-- Scoring. jit = off because compiling an expression of a thousand branches takes longer than a million rows. As for
-- tree_train, no function sets search_path: the names that a user gives mean what they mean to that user.

CREATE FUNCTION @extschema@.score_block(plan bytea, images bytea)
RETURNS bytea
LANGUAGE plpython3u
IMMUTABLE
STRICT
PARALLEL SAFE
AS $python$
@load@
return madtree.score_block(plan, images)
$python$;

COMMENT ON FUNCTION @extschema@.score_block(bytea, bytea) IS 'internal: outcomes of a block of rows';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The query runs with the caller's rights. A loop
-- over its rows would fetch many blocks at once. `no_ids` lends the ids its type and collation.
CREATE FUNCTION @extschema@.score_pages(
    query text, lows tid[], highs tid[], plan bytea, no_ids anyarray, OUT ids anyarray, OUT outcomes bytea
) RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan, lows, highs;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.score_pages(text, tid[], tid[], bytea, anyarray)
IS 'internal: run a query that scores page ranges';

-- The value itself. Workers get what a sub-select without references returns as it stands, but only where they may not
-- run the sub-select themselves; a parameter would be written into the plan that they are sent, byte by byte as text.
CREATE FUNCTION @extschema@.leaders_own(bytea) RETURNS bytea
LANGUAGE internal STABLE STRICT PARALLEL RESTRICTED AS 'byteasend';

COMMENT ON FUNCTION @extschema@.leaders_own(bytea) IS 'internal: keep a value out of the plan that workers are sent';

CREATE FUNCTION @extschema@.tree_predict(
    tree_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response'
)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET jit = off
AS $python$
@load@
return madtree.tree_predict(plpy, tree_model, new_data_table, output_table, type)
$python$;

COMMENT ON FUNCTION @extschema@.tree_predict(text, text, text, text)
IS 'score a table by a model into a new table; SELECT tree_predict() tells how';

CREATE FUNCTION @extschema@.tree_predict()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_predict_help(plpy, "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_predict() IS 'how to use tree_predict';

CREATE FUNCTION @extschema@.tree_predict(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_predict_help(plpy, message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_predict(text)
IS 'how to use tree_predict: message is ''usage'', ''help'' or ''?''';

-- The settings make the text of groups' values the same whatever the session's are. VOLATILE, so that each query sees a
-- model that was replaced since the outer one began.
CREATE FUNCTION @extschema@.tree_sql(model text, type text DEFAULT 'response', tree_id integer DEFAULT NULL)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_sql(plpy, model, type, tree_id)
$python$;

COMMENT ON FUNCTION @extschema@.tree_sql(text, text, integer)
IS 'a model as an SQL expression, for a view or a generated column; SELECT tree_sql() tells how';

CREATE FUNCTION @extschema@.tree_sql()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_sql(plpy, "help", None, None)
$python$;

COMMENT ON FUNCTION @extschema@.tree_sql() IS 'how to use tree_sql';

-- 60_display.sql
-- Drawing. The settings make the text of groups' values the same whatever the session's are. VOLATILE, so that each
-- query sees a model that was replaced since the outer one began.

CREATE FUNCTION @extschema@.tree_display(
    model text,
    dot_format boolean DEFAULT TRUE,
    verbosity boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_display(plpy, model, dot_format, verbosity)
$python$;

COMMENT ON FUNCTION @extschema@.tree_display(text, boolean, boolean)
IS 'draw a model, as a graph for graphviz or as text; SELECT tree_display() tells how';

CREATE FUNCTION @extschema@.tree_display()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_display(plpy, "help", None, None)
$python$;

COMMENT ON FUNCTION @extschema@.tree_display() IS 'how to use tree_display';

CREATE FUNCTION @extschema@.tree_surr_display(model text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_surr_display(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(text)
IS 'list the surrogates of a model; SELECT tree_surr_display() tells how';

CREATE FUNCTION @extschema@.tree_surr_display()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_surr_display(plpy, "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_surr_display() IS 'how to use tree_surr_display';

-- 65_prune.sql
-- Pruning of trained models.

CREATE FUNCTION @extschema@.tree_prune(model text, new_model text, cp double precision)
RETURNS text
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_prune(plpy, model, new_model, cp)
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune(text, text, double precision)
IS 'prune a model further, without the data, into a new model; SELECT tree_prune() tells how';

CREATE FUNCTION @extschema@.tree_prune()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_prune", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune() IS 'how to use tree_prune';

CREATE FUNCTION @extschema@.tree_prune(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_prune", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune(text)
IS 'how to use tree_prune: message is ''usage'', ''help'' or ''?''';

-- 70_models.sql
-- Models as a whole.

CREATE FUNCTION @extschema@.tree_drop(model text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_drop(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_drop(text) IS 'remove a model''s tables; SELECT tree_drop() tells how';

CREATE FUNCTION @extschema@.tree_drop()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_drop(plpy, "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_drop() IS 'how to use tree_drop';

-- 75_importance.sql
-- Variable importance.

CREATE FUNCTION @extschema@.get_var_importance(model_name text, output_table text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.get_var_importance(plpy, model_name, output_table)
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text, text)
IS 'write how much each feature did for a model; SELECT get_var_importance() tells how';

CREATE FUNCTION @extschema@.get_var_importance()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "get_var_importance", "help")
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance() IS 'how to use get_var_importance';

CREATE FUNCTION @extschema@.get_var_importance(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "get_var_importance", message)
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text)
IS 'how to use get_var_importance: message is ''usage'', ''help'' or ''?''';

-- 80_evaluate.sql
-- Evaluation. jit = off as for tree_predict; extra_float_digits because large models hand weights over as text.

CREATE FUNCTION @extschema@.tree_evaluate(tree_model text, test_table text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    n bigint,
    n_skipped bigint,
    accuracy double precision,
    balanced_accuracy double precision,
    log_loss double precision,
    auc double precision,
    rmse double precision,
    mae double precision,
    r2 double precision
)
LANGUAGE plpython3u
VOLATILE
ROWS 1
SET jit = off
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_evaluate(plpy, tree_model, test_table)
$python$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text, text)
IS 'how well a model does on a table with known outcomes; SELECT tree_evaluate() tells how';

CREATE FUNCTION @extschema@.tree_evaluate()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_evaluate", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_evaluate() IS 'how to use tree_evaluate';

CREATE FUNCTION @extschema@.tree_evaluate(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_evaluate", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text)
IS 'how to use tree_evaluate: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.tree_confusion(tree_model text, test_table text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    actual text,
    predicted text,
    n bigint,
    weight double precision
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
SET jit = off
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_confusion(plpy, tree_model, test_table)
$python$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text, text)
IS 'the confusion matrix of a classification model as rows; SELECT tree_confusion() tells how';

CREATE FUNCTION @extschema@.tree_confusion()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_confusion", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_confusion() IS 'how to use tree_confusion';

CREATE FUNCTION @extschema@.tree_confusion(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_confusion", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text)
IS 'how to use tree_confusion: message is ''usage'', ''help'' or ''?''';

-- 85_explain.sql
-- Explanations: a model as rules, the path of one row, and documents that other programs read. The settings make the
-- text of values the same whatever the session's are. VOLATILE, so that each query sees a model that was replaced since
-- the outer one began. No function sets search_path: see tree_train.

CREATE FUNCTION @extschema@.tree_rules(model text, tree_id integer DEFAULT NULL)
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
LANGUAGE plpython3u
VOLATILE
ROWS 30
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_rules(plpy, args[0], args[1])
$python$;

COMMENT ON FUNCTION @extschema@.tree_rules(text, integer)
IS 'a model as rules, one for each leaf, as text and as SQL predicate; SELECT tree_rules() tells how';

CREATE FUNCTION @extschema@.tree_rules()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_rules", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_rules() IS 'how to use tree_rules';

CREATE FUNCTION @extschema@.tree_path(model text, table_name text, id text)
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
LANGUAGE plpython3u
VOLATILE
ROWS 7
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_path(plpy, model, table_name, id)
$python$;

COMMENT ON FUNCTION @extschema@.tree_path(text, text, text)
IS 'the path that one row takes through a model, and why; SELECT tree_path() tells how';

CREATE FUNCTION @extschema@.tree_path()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_path", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_path() IS 'how to use tree_path';

CREATE FUNCTION @extschema@.tree_path(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_path", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_path(text)
IS 'how to use tree_path: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.tree_to_json(model text)
RETURNS json
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_to_json(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_json(text)
IS 'a model as a JSON document that has all it takes to predict elsewhere; SELECT tree_to_json() tells how';

CREATE FUNCTION @extschema@.tree_to_json()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_to_json", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_json() IS 'how to use tree_to_json';

CREATE FUNCTION @extschema@.tree_to_pmml(model text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_to_pmml(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml(text)
IS 'a model as a PMML 4.4 document; SELECT tree_to_pmml() tells how';

CREATE FUNCTION @extschema@.tree_to_pmml()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_to_pmml", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml() IS 'how to use tree_to_pmml';

-- 90_models.sql
-- The catalogue of models: found from the tables themselves, so that it is true after a dump and a restore. Functions
-- in a view run with the rights of whoever asks: everybody sees the models that they can read. VOLATILE, so that each
-- of the queries sees models that were replaced since the outer one began. row_security = off makes an error, and so a
-- model that is not listed, of a policy that would run.

CREATE FUNCTION @extschema@.list_models()
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
LANGUAGE plpython3u
VOLATILE
ROWS 100
SET row_security = off
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $python$
@load@
return madtree.list_models(plpy)
$python$;

COMMENT ON FUNCTION @extschema@.list_models() IS 'internal: the rows of the view models';

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
FROM @extschema@.list_models() AS m;

COMMENT ON VIEW @extschema@.models
IS 'every model that you can read: what it predicts, rows, trees, depth, leaves, parameters, version, age';

COMMENT ON COLUMN @extschema@.models.model IS 'qualified name, quoted where it must be: what the functions take';
COMMENT ON COLUMN @extschema@.models.schema IS 'schema of the model''s tables';
COMMENT ON COLUMN @extschema@.models.name IS 'output_table_name of tree_train';
COMMENT ON COLUMN @extschema@.models.owner IS 'role that owns the model''s tables';
COMMENT ON COLUMN @extschema@.models.kind IS 'classification or regression';
COMMENT ON COLUMN @extschema@.models.source_table IS 'training table, as it was given';
COMMENT ON COLUMN @extschema@.models.dependent IS 'dependent variable';
COMMENT ON COLUMN @extschema@.models.n_rows IS 'training rows';
COMMENT ON COLUMN @extschema@.models.n_trees IS 'rows of the model''s table: one tree, or one for each group';
COMMENT ON COLUMN @extschema@.models.depth IS 'depth of the deepest tree';
COMMENT ON COLUMN @extschema@.models.n_leaves IS 'leaves of all trees';
COMMENT ON COLUMN @extschema@.models.parameters IS 'what it was trained with';
COMMENT ON COLUMN @extschema@.models.version IS 'version of madtree that trained it';
COMMENT ON COLUMN @extschema@.models.trained_at IS 'when; NULL for a model older than this column';
COMMENT ON COLUMN @extschema@.models.age IS 'time since then';

GRANT SELECT ON @extschema@.models TO public;

-- 95_server_info.sql
-- What `madtree doctor` asks of a server.

CREATE FUNCTION @extschema@.server_info()
RETURNS jsonb
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.server_info(plpy)
$python$;

COMMENT ON FUNCTION @extschema@.server_info()
IS 'internal: versions and places of the server''s Python, numpy and madtree';
