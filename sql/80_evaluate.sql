-- Evaluation. jit = off as for tree_predict; extra_float_digits because large models hand weights over as text.

CREATE FUNCTION madtree_internal.tree_evaluate(tree_model text, test_table text, trust_owner boolean)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    metric text,
    value double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.tree_evaluate(plpy, tree_model, test_table, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_evaluate(text, text, boolean)
IS 'internal: the rows of tree_evaluate, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_evaluate(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    metric text,
    value double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET jit = off
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, metric, value, mistake IN
        SELECT * FROM madtree_internal.tree_evaluate(tree_model, test_table, trust_owner)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text, text, boolean)
IS 'how well a model does on a table with known outcomes; SELECT madtree.tree_evaluate() shows how to use it';

CREATE FUNCTION @extschema@.tree_evaluate()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_evaluate', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate() IS 'how to use tree_evaluate';

CREATE FUNCTION @extschema@.tree_evaluate(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_evaluate', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_evaluate(text)
IS 'how to use tree_evaluate: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_confusion(tree_model text, test_table text, trust_owner boolean)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    actual text,
    predicted text,
    n bigint,
    weight double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.tree_confusion(plpy, tree_model, test_table, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_confusion(text, text, boolean)
IS 'internal: the rows of tree_confusion, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_confusion(
    tree_model text,
    test_table text,
    trust_owner boolean DEFAULT FALSE
)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    actual text,
    predicted text,
    n bigint,
    weight double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET jit = off
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, actual, predicted, n, weight, mistake IN
        SELECT * FROM madtree_internal.tree_confusion(tree_model, test_table, trust_owner)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text, text, boolean)
IS 'the confusion matrix of a classification model as rows; SELECT madtree.tree_confusion() shows how to use it';

CREATE FUNCTION @extschema@.tree_confusion()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_confusion', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_confusion() IS 'how to use tree_confusion';

CREATE FUNCTION @extschema@.tree_confusion(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_confusion', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_confusion(text)
IS 'how to use tree_confusion: message is ''usage'', ''help'' or ''?''';
