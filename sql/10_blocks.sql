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

CREATE FUNCTION @extschema@.encode_block(plan bytea, images bytea) RETURNS @extschema@.block
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.encode_block(plan, images)
$python$;
COMMENT ON FUNCTION @extschema@.encode_block(bytea, bytea) IS 'internal: bin the rows of a page range';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The query runs with the caller's rights.
-- The first query expects no NULL where the sample had none; the second one is for the range that has one after all.
CREATE FUNCTION @extschema@.pack_block(
    query text, careful_query text, low tid, high tid, plan bytea
) RETURNS @extschema@.block
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    images bytea;
    packed @extschema@.block;
BEGIN
    EXECUTE query INTO images USING low, high;
    packed := @extschema@.encode_block(plan, images);
    IF packed.n_rows IS NULL THEN
        EXECUTE careful_query INTO images USING low, high;
        packed := @extschema@.encode_block(plan, images);
    END IF;
    RETURN packed;
END
$plpgsql$;
COMMENT ON FUNCTION @extschema@.pack_block(text, text, tid, tid, bytea)
IS 'internal: read a page range and bin its rows';

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
