-- Pruning of trained models.

CREATE FUNCTION madtree_internal.tree_prune(
    model text, new_model text, cp double precision, trust_owner boolean, OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_prune(plpy, model, new_model, cp, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_prune(text, text, double precision, boolean)
IS 'internal: what tree_prune answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_prune(
    model text,
    new_model text,
    cp double precision,
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_prune(model, new_model, cp, trust_owner);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_prune(text, text, double precision, boolean)
IS 'prune a model further, without the data, into a new model; SELECT madtree.tree_prune() shows how to use it';

CREATE FUNCTION @extschema@.tree_prune()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_prune', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_prune() IS 'how to use tree_prune';

CREATE FUNCTION @extschema@.tree_prune(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_prune', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_prune(text)
IS 'how to use tree_prune: message is ''usage'', ''help'' or ''?''';
