-- Drawing. The settings make the text of groups' values the same whatever the session's are. VOLATILE, so that each
-- query sees a model that was replaced since the outer one began.

CREATE FUNCTION madtree_internal.tree_display(
    model text, dot_format boolean, verbosity boolean, is_full boolean, OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_display(plpy, model, dot_format, verbosity, is_full)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_display(text, boolean, boolean, boolean)
IS 'internal: what tree_display answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_display(
    model text,
    dot_format boolean DEFAULT TRUE,
    verbosity boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_display(model, dot_format, verbosity, "full");
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_display(text, boolean, boolean, boolean)
IS 'draw a model, as a graph for graphviz or as text; SELECT madtree.tree_display() shows how to use it';

CREATE FUNCTION @extschema@.tree_display()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_display', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_display() IS 'how to use tree_display';

CREATE FUNCTION madtree_internal.tree_surr_display(model text, is_full boolean, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_surr_display(plpy, model, is_full)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_surr_display(text, boolean)
IS 'internal: what tree_surr_display answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_surr_display(model text, "full" boolean DEFAULT FALSE)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_surr_display(model, "full");
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(text, boolean)
IS 'list the surrogates of a model; SELECT madtree.tree_surr_display() shows how to use it';

CREATE FUNCTION @extschema@.tree_surr_display()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_surr_display', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display() IS 'how to use tree_surr_display';
