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
