-- Variable importance.

CREATE FUNCTION madtree_internal.get_var_importance(
    model_name text, output_table text, OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.get_var_importance(plpy, model_name, output_table)
$python$;

COMMENT ON FUNCTION madtree_internal.get_var_importance(text, text)
IS 'internal: what get_var_importance answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_var_importance(model_name text, output_table text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.get_var_importance(model_name, output_table);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text, text)
IS 'write how much each feature contributes to a model; SELECT madtree.get_var_importance() shows how to use it';

CREATE FUNCTION @extschema@.get_var_importance()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_var_importance', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance() IS 'how to use get_var_importance';

CREATE FUNCTION @extschema@.get_var_importance(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_var_importance', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text)
IS 'how to use get_var_importance: message is ''usage'', ''help'' or ''?''';
