-- Explanations: a model as rules, the path of one row, and documents that other programs read. The settings make the
-- text of values the same whatever the session's are. VOLATILE, so that each query sees a model that was replaced since
-- the outer one began. No function sets search_path: see tree_train.

CREATE FUNCTION madtree_internal.tree_rules(model text, only_tree integer, trust_owner boolean, is_full boolean)
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
    sd double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 30
AS $python$
@load@
return madtree.tree_rules(plpy, model, only_tree, trust_owner, is_full)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_rules(text, integer, boolean, boolean)
IS 'internal: the rows of tree_rules, or the mistake that it raises';

CREATE FUNCTION madtree_internal.rules_or_error(
    model text, only_tree integer, trust_owner boolean, is_full boolean
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
LANGUAGE plpgsql
VOLATILE
ROWS 30
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, node_id, rule, predicate, n_rows, share, prediction, confidence, mean, sd, mistake IN
        SELECT * FROM madtree_internal.tree_rules(model, only_tree, trust_owner, is_full)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.rules_or_error(text, integer, boolean, boolean)
IS 'internal: the rows of tree_rules';

-- To PL/pgSQL its argument tree_id and its column tree_id would be one, so it is in SQL.
CREATE FUNCTION @extschema@.tree_rules(
    model text,
    tree_id integer DEFAULT NULL,
    trust_owner boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE
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
LANGUAGE sql
VOLATILE
ROWS 30
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $sql$
SELECT * FROM madtree_internal.rules_or_error($1, $2, $3, $4);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_rules(text, integer, boolean, boolean)
IS 'a model as rules, one for each leaf, as text and as SQL predicate; SELECT madtree.tree_rules() shows how to use it';

CREATE FUNCTION @extschema@.tree_rules()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_rules', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_rules() IS 'how to use tree_rules';

CREATE FUNCTION madtree_internal.tree_cp(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    cp double precision,
    n_splits integer,
    rel_error double precision,
    xerror double precision,
    xstd double precision,
    chosen boolean,
    root_error double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 10
AS $python$
@load@
return madtree.tree_cp(plpy, model)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_cp(text) IS 'internal: the rows of tree_cp, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_cp(model text)
RETURNS TABLE (
    tree_id integer,
    group_values jsonb,
    cp double precision,
    n_splits integer,
    rel_error double precision,
    xerror double precision,
    xstd double precision,
    chosen boolean,
    root_error double precision
)
LANGUAGE plpgsql
VOLATILE
ROWS 10
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR tree_id, group_values, cp, n_splits, rel_error, xerror, xstd, chosen, root_error, mistake IN
        SELECT * FROM madtree_internal.tree_cp(model)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_cp(text)
IS 'the cp table of a model: the trees that pruning makes of it; SELECT madtree.tree_cp() shows how to use it';

CREATE FUNCTION @extschema@.tree_cp()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_cp', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_cp() IS 'how to use tree_cp';

CREATE FUNCTION madtree_internal.tree_path(
    model text, table_name text, id text, trust_owner boolean, is_full boolean, only_tree integer
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
    confidence double precision,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 7
AS $python$
@load@
return madtree.tree_path(plpy, model, table_name, id, trust_owner, is_full, only_tree)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_path(text, text, text, boolean, boolean, integer)
IS 'internal: the rows of tree_path, or the mistake that it raises';

CREATE FUNCTION madtree_internal.path_or_error(
    model text, table_name text, id text, trust_owner boolean, is_full boolean, only_tree integer
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
LANGUAGE plpgsql
VOLATILE
ROWS 7
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    FOR
        step, tree_id, node_id, feature, condition, value, branch, reason, explanation, n_rows, prediction,
        confidence, mistake
    IN
        SELECT * FROM madtree_internal.tree_path(model, table_name, id, trust_owner, is_full, only_tree)
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.path_or_error(text, text, text, boolean, boolean, integer)
IS 'internal: the rows of tree_path';

-- As for tree_rules.
CREATE FUNCTION @extschema@.tree_path(
    model text,
    table_name text,
    id text,
    trust_owner boolean DEFAULT FALSE,
    "full" boolean DEFAULT FALSE,
    tree_id integer DEFAULT NULL
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
LANGUAGE sql
VOLATILE
ROWS 7
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $sql$
SELECT * FROM madtree_internal.path_or_error($1, $2, $3, $4, $5, $6);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path(text, text, text, boolean, boolean, integer)
IS 'the path that one row takes through a model, and why; SELECT madtree.tree_path() shows how to use it';

CREATE FUNCTION @extschema@.tree_path()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_path', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path() IS 'how to use tree_path';

CREATE FUNCTION @extschema@.tree_path(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_path', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_path(text)
IS 'how to use tree_path: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.tree_to_json(model text, tree_id integer, OUT answer json, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_to_json(plpy, model, tree_id)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_to_json(text, integer)
IS 'internal: what tree_to_json answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_to_json(model text, tree_id integer DEFAULT NULL)
RETURNS json
LANGUAGE plpgsql
VOLATILE
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $plpgsql$
DECLARE
    answer pg_catalog.json;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.tree_to_json(model, tree_id);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_to_json(text, integer)
IS 'a model as a JSON document, with all that predictions need; SELECT madtree.tree_to_json() shows how to use it';

CREATE FUNCTION @extschema@.tree_to_json()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_to_json', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_json() IS 'how to use tree_to_json';

CREATE FUNCTION madtree_internal.tree_to_pmml(model text, tree_id integer, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_to_pmml(plpy, model, tree_id)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_to_pmml(text, integer)
IS 'internal: what tree_to_pmml answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_to_pmml(model text, tree_id integer DEFAULT NULL)
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
    SELECT * INTO answer, mistake FROM madtree_internal.tree_to_pmml(model, tree_id);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml(text, integer)
IS 'a model as a PMML 4.4 document; SELECT madtree.tree_to_pmml() shows how to use it';

CREATE FUNCTION @extschema@.tree_to_pmml()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_to_pmml', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_to_pmml() IS 'how to use tree_to_pmml';
