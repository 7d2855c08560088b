-- Pruning of trained models.

CREATE FUNCTION @extschema@.tree_prune(
    model text,
    new_model text,
    cp double precision,
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_prune(plpy, model, new_model, cp, trust_owner)
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune(text, text, double precision, boolean)
IS 'prune a model further, without the data, into a new model; SELECT tree_prune() tells how';

CREATE FUNCTION @extschema@.tree_prune()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_prune", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune() IS 'how to use tree_prune';

CREATE FUNCTION @extschema@.tree_prune(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_prune", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_prune(text)
IS 'how to use tree_prune: message is ''usage'', ''help'' or ''?''';
