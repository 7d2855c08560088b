-- MADlib's argument names, for calls by name. Where all arguments that differ have a default, they are further
-- arguments (tree_train). Here required ones differ, so there is a second form, of the type varchar in place of text:
-- literals, parameters of no type and texts go to the first form, since PostgreSQL prefers text, and a call by MADlib's
-- names to the second, since only that has them. Without the casts to text the second form would call itself.

CREATE FUNCTION @extschema@.tree_predict(
    model varchar, source varchar, output varchar, pred_type varchar DEFAULT 'response',
    trust_owner boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
AS $sql$
SELECT @extschema@.tree_predict(
    $1::pg_catalog.text, $2::pg_catalog.text, $3::pg_catalog.text, $4::pg_catalog.text, $5
);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_predict(varchar, varchar, varchar, varchar, boolean)
IS 'tree_predict by MADlib''s argument names';

CREATE FUNCTION @extschema@.tree_display(
    model_table varchar, dot_format boolean DEFAULT TRUE, verbose boolean DEFAULT FALSE, "full" boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE sql
VOLATILE
AS $sql$
SELECT @extschema@.tree_display($1::pg_catalog.text, $2, $3, $4);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_display(varchar, boolean, boolean, boolean)
IS 'tree_display by MADlib''s argument names';

CREATE FUNCTION @extschema@.tree_surr_display(model_table varchar, "full" boolean DEFAULT FALSE)
RETURNS text
LANGUAGE sql
VOLATILE
AS $sql$
SELECT @extschema@.tree_surr_display($1::pg_catalog.text, $2);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_surr_display(varchar, boolean)
IS 'tree_surr_display by MADlib''s argument names';

CREATE FUNCTION @extschema@.get_var_importance(model_table varchar, output_table varchar)
RETURNS text
LANGUAGE sql
VOLATILE
AS $sql$
SELECT @extschema@.get_var_importance($1::pg_catalog.text, $2::pg_catalog.text);
$sql$;

COMMENT ON FUNCTION @extschema@.get_var_importance(varchar, varchar)
IS 'get_var_importance by MADlib''s argument names';
