-- Blocks of a table that is spread over several servers. Internal; tree_train uses it where Citus is.

-- IMMUTABLE: only then are queries that call it handed to the servers that hold the rows.
CREATE FUNCTION madtree_internal.pack_images(images bytea, plan bytea) RETURNS madtree_internal.block
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.pack_images(images, plan)
$python$;
COMMENT ON FUNCTION madtree_internal.pack_images(bytea, bytea) IS 'internal: bin the rows of a part into a block';
