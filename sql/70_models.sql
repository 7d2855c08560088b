-- Models as a whole.

CREATE FUNCTION madtree_internal.tree_drop(model text, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_drop(plpy, model)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_drop(text)
IS 'internal: what tree_drop answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_drop(model text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_drop(model);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_drop(text)
IS 'remove a model''s tables; SELECT madtree.tree_drop() shows how to use it';

CREATE FUNCTION @extschema@.tree_drop()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_drop', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_drop() IS 'how to use tree_drop';
