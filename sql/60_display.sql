-- Drawing. The settings make the text of groups' values the same whatever the session's are. VOLATILE, so that each
-- query sees a model that was replaced since the outer one began.

CREATE FUNCTION @extschema@.tree_display(
    model text,
    dot_format boolean DEFAULT TRUE,
    verbosity boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_display(plpy, model, dot_format, verbosity)
$python$;

COMMENT ON FUNCTION @extschema@.tree_display(text, boolean, boolean)
IS 'draw a model, as a graph for graphviz or as text; SELECT tree_display() tells how';

CREATE FUNCTION @extschema@.tree_display()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_display(plpy, "help", None, None)
$python$;

COMMENT ON FUNCTION @extschema@.tree_display() IS 'how to use tree_display';

CREATE FUNCTION @extschema@.tree_surr_display(model text)
RETURNS text
LANGUAGE plpython3u
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $python$
@load@
return madtree.tree_surr_display(plpy, model)
$python$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(text)
IS 'list the surrogates of a model; SELECT tree_surr_display() tells how';

CREATE FUNCTION @extschema@.tree_surr_display()
RETURNS text
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.tree_surr_display(plpy, "help")
$python$;

COMMENT ON FUNCTION @extschema@.tree_surr_display() IS 'how to use tree_surr_display';
