-- MADlib's argument names, for calls by name. Where all arguments that differ have a default, they are further
-- arguments (tree_train). Here required ones differ, so there is a second form, of the type varchar in place of text:
-- literals, parameters of no type and texts go to the first form, since PostgreSQL prefers text, and a call by MADlib's
-- names to the second, since only that has them.

CREATE FUNCTION madtree_internal.by_madlibs_name(mistake text[], names json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT AS $plpgsql$
DECLARE
    ours pg_catalog.text;
    theirs pg_catalog.text;
BEGIN
    FOR ours, theirs IN SELECT n.key, n.value FROM pg_catalog.json_each_text(names) AS n LOOP
        mistake[2] := pg_catalog.regexp_replace(
            mistake[2], pg_catalog.concat('^madtree: ', ours, '(:| must )'), pg_catalog.concat('madtree: ', theirs, '\1')
        );
    END LOOP;
    RETURN mistake;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.by_madlibs_name(text[], json)
IS 'internal: a mistake with MADlib''s name of the argument that it begins with; names: ours and MADlib''s';

CREATE FUNCTION @extschema@.tree_predict(
    model varchar, source varchar, output varchar, pred_type varchar DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET jit = off
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake
    FROM madtree_internal.tree_predict(model, source, output, pred_type, trust_owner);
    mistake := madtree_internal.by_madlibs_name(mistake, '{"tree_model": "model", "new_data_table": "source", "output_table": "output", "type": "pred_type"}');
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_predict(varchar, varchar, varchar, varchar, boolean)
IS 'tree_predict by MADlib''s argument names';

CREATE FUNCTION @extschema@.tree_display(
    model_table varchar, dot_format boolean DEFAULT TRUE, verbose boolean DEFAULT FALSE, "full" boolean DEFAULT FALSE
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
    SELECT * INTO answer, mistake
    FROM madtree_internal.tree_display(model_table, dot_format, tree_display.verbose, "full");
    mistake := madtree_internal.by_madlibs_name(mistake, '{"model": "model_table"}');
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_display(varchar, boolean, boolean, boolean)
IS 'tree_display by MADlib''s argument names';

CREATE FUNCTION @extschema@.tree_surr_display(model_table varchar, "full" boolean DEFAULT FALSE)
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
    SELECT * INTO answer, mistake
    FROM madtree_internal.tree_surr_display(model_table, "full");
    mistake := madtree_internal.by_madlibs_name(mistake, '{"model": "model_table"}');
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(varchar, boolean)
IS 'tree_surr_display by MADlib''s argument names';

CREATE FUNCTION @extschema@.get_var_importance(model_table varchar, output_table varchar)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake
    FROM madtree_internal.get_var_importance(model_table, output_table);
    mistake := madtree_internal.by_madlibs_name(mistake, '{"model_name": "model_table"}');
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(varchar, varchar)
IS 'get_var_importance by MADlib''s argument names';
