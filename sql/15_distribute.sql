-- Blocks of a table that is spread over several servers. Internal; tree_train uses it where Citus is.

-- IMMUTABLE: only then are queries that call it handed to the servers that hold the rows.
CREATE FUNCTION @extschema@.pack_images(images bytea, plan bytea) RETURNS @extschema@.block
LANGUAGE plpython3u IMMUTABLE PARALLEL SAFE AS $python$
@load@
return madtree.pack_images(images, plan)
$python$;
COMMENT ON FUNCTION @extschema@.pack_images(bytea, bytea) IS 'internal: bin the rows of a part into a block';
