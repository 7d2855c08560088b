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
