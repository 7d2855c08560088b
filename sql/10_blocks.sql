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
    identity bytea,
    scores bytea
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

-- What EXPLAIN tells can be looked at within a query only where a function hands it on.
CREATE FUNCTION madtree_internal.plan_lines(explained text) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    RETURN QUERY EXECUTE explained;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.plan_lines(text) IS 'internal: what an EXPLAIN tells';

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
