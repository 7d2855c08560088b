-- Variable importance.

CREATE FUNCTION @extschema@.get_var_importance(model_name text, output_table text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.get_var_importance(plpy, model_name, output_table)
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text, text)
IS 'write how much each feature did for a model; SELECT get_var_importance() tells how';

CREATE FUNCTION @extschema@.get_var_importance()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "get_var_importance", "help")
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance() IS 'how to use get_var_importance';

CREATE FUNCTION @extschema@.get_var_importance(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "get_var_importance", message)
$python$;

COMMENT ON FUNCTION @extschema@.get_var_importance(text)
IS 'how to use get_var_importance: message is ''usage'', ''help'' or ''?''';
