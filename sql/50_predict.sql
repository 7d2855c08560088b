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

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION madtree_internal.said_of_blocks(query text, plan bytea) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.said_of_blocks(text, bytea)
IS 'internal: run a query for what is said of blocks of rows';

-- The value itself. Workers get what a sub-select without references returns as it stands, but only where they may not
-- run the sub-select themselves; a parameter would be written into the plan that they are sent, byte by byte as text.
CREATE FUNCTION madtree_internal.leaders_own(bytea) RETURNS bytea
LANGUAGE internal STABLE STRICT PARALLEL RESTRICTED AS 'byteasend';

COMMENT ON FUNCTION madtree_internal.leaders_own(bytea)
IS 'internal: keep a value out of the plan that workers are sent';

-- STABLE: only then are queries that call it handed to the servers that hold the rows. The query names all schemas but
-- pg_catalog: a server's own search path may give names another meaning.
CREATE FUNCTION madtree_internal.rows_of_shard(query text, plan bytea) RETURNS SETOF record
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE query USING plan;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.rows_of_shard(text, bytea)
IS 'internal: run a query over a shard of a distributed table';
