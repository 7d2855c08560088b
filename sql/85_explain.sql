-- Explanations: a model as rules, the path of one row, and documents that other programs read. The settings make the
-- text of values the same whatever the session's are. VOLATILE, so that each query sees a model that was replaced since
-- the outer one began. No function sets search_path: see tree_train.

CREATE FUNCTION @extschema@.tree_rules(
    model text,
    tree_id integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    node_id bigint,
    rule text,
    predicate text,
    n_rows bigint,
    share double precision,
    prediction text,
    confidence double precision,
    mean double precision,
    sd double precision
)
LANGUAGE plpython3u
VOLATILE
ROWS 30
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_rules(plpy, args[0], args[1], args[2])
$python$;

COMMENT ON FUNCTION @extschema@.tree_rules(text, integer, boolean)
IS 'a model as rules, one for each leaf, as text and as SQL predicate; SELECT tree_rules() tells how';

CREATE FUNCTION @extschema@.tree_rules()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_rules", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_rules() IS 'how to use tree_rules';

CREATE FUNCTION @extschema@.tree_path(
    model text,
    table_name text,
    id text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    step integer,
    tree_id integer,
    node_id bigint,
    feature text,
    condition text,
    value text,
    branch text,
    reason text,
    explanation text,
    n_rows bigint,
    prediction text,
    confidence double precision
)
LANGUAGE plpython3u
VOLATILE
ROWS 7
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_path(plpy, model, table_name, id, trust_owner)
$python$;

COMMENT ON FUNCTION @extschema@.tree_path(text, text, text, boolean)
IS 'the path that one row takes through a model, and why; SELECT tree_path() tells how';

CREATE FUNCTION @extschema@.tree_path()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_path", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_path() IS 'how to use tree_path';

CREATE FUNCTION @extschema@.tree_path(message text)
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_path", message)
$python$;

COMMENT ON FUNCTION @extschema@.tree_path(text)
IS 'how to use tree_path: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.tree_to_json(model text)
RETURNS json
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_to_json(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_json(text)
IS 'a model as a JSON document that has all it takes to predict elsewhere; SELECT tree_to_json() tells how';

CREATE FUNCTION @extschema@.tree_to_json()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_to_json", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_json() IS 'how to use tree_to_json';

CREATE FUNCTION @extschema@.tree_to_pmml(model text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_to_pmml(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml(text)
IS 'a model as a PMML 4.4 document; SELECT tree_to_pmml() tells how';

CREATE FUNCTION @extschema@.tree_to_pmml()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(plpy, "tree_to_pmml", "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml() IS 'how to use tree_to_pmml';
