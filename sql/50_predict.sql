-- Scoring. jit = off because compiling an expression of a thousand branches takes longer than a million rows. As for
-- tree_train, no function sets search_path: the names that a user gives mean what they mean to that user.

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

CREATE FUNCTION madtree_internal.tree_predict(
    tree_model text,
    new_data_table text,
    output_table text,
    type text,
    trust_owner boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_predict(plpy, tree_model, new_data_table, output_table, type, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_predict(text, text, text, text, boolean)
IS 'internal: what tree_predict answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_predict(
    tree_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET jit = off
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake
    FROM madtree_internal.tree_predict(tree_model, new_data_table, output_table, type, trust_owner);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_predict(text, text, text, text, boolean)
IS 'score a table by a model into a new table; SELECT madtree.tree_predict() shows how to use it';

CREATE FUNCTION @extschema@.tree_predict()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_predict', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict() IS 'how to use tree_predict';

CREATE FUNCTION @extschema@.tree_predict(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_predict', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict(text)
IS 'how to use tree_predict: message is ''usage'', ''help'' or ''?''';

-- The settings make the text of groups' values the same whatever the session's are. VOLATILE, so that each query sees a
-- model that was replaced since the outer one began.
CREATE FUNCTION madtree_internal.tree_sql(
    model text, type text, tree_id integer, trust_owner boolean, OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_sql(plpy, model, type, tree_id, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_sql(text, text, integer, boolean)
IS 'internal: what tree_sql answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_sql(
    model text,
    type text DEFAULT 'response',
    tree_id integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_sql(model, type, tree_id, trust_owner);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_sql(text, text, integer, boolean)
IS 'a model as an SQL expression, for a view or a generated column; SELECT madtree.tree_sql() shows how to use it';

CREATE FUNCTION @extschema@.tree_sql()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_sql', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_sql() IS 'how to use tree_sql';
