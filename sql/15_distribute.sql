-- Blocks of a table that is spread over several servers. Internal; tree_train uses it where Citus is.

CREATE FUNCTION madtree_internal.take_block() RETURNS madtree_internal.block
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.take_result()
$python$;
COMMENT ON FUNCTION madtree_internal.take_block() IS 'internal: the block that the work has come to';

CREATE FUNCTION madtree_internal.begin_pack_images(images bytea, plan bytea) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.pack_images(images, plan)
$python$;
COMMENT ON FUNCTION madtree_internal.begin_pack_images(bytea, bytea) IS 'internal: begin pack_images; true when done';

-- IMMUTABLE: only then are queries that call it handed to the servers that hold the rows.
CREATE FUNCTION madtree_internal.pack_images(images bytea, plan bytea) RETURNS madtree_internal.block
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
DECLARE
    done pg_catalog.bool;
BEGIN
    done := madtree_internal.begin_pack_images(images, plan);
    WHILE NOT done LOOP
        done := madtree_internal.go_on();
    END LOOP;
    RETURN madtree_internal.take_block();
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.pack_images(bytea, bytea) IS 'internal: bin the rows of a part into a block';

-- Citus hands on to the servers that hold the rows what SET LOCAL says, if it is told to; but neither the settings in a
-- function's definition, nor what was set in an earlier subtransaction, of which PL/Python makes one for each statement.
CREATE FUNCTION madtree_internal.run_without_jit(statement text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $plpgsql$
DECLARE
    before pg_catalog.text := pg_catalog.current_setting('citus.propagate_set_commands', true);
    n_rows pg_catalog.int8;
BEGIN
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', 'local', true);
    SET LOCAL jit TO off;
    EXECUTE statement;
    GET DIAGNOSTICS n_rows = ROW_COUNT;
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', before, true);
    RETURN n_rows;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_without_jit(text)
IS 'internal: run a statement without jit, also where its rows are';
