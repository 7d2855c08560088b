-- MADlib's own schema and names, for scripts that were written for it. Wrappers only: what they do is madtree's, with
-- the caller's rights. They belong to no extension, so that updates of madtree find nothing that depends on it.

CREATE FUNCTION @extschema@.install_madlib_names()
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $plpgsql$
BEGIN
    IF pg_catalog.to_regnamespace('madlib') IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_schema', MESSAGE = 'schema "madlib" exists already',
            HINT = 'Where it holds MADlib itself, call madtree by its own names. Else drop it: DROP SCHEMA madlib CASCADE';
    END IF;
    CREATE SCHEMA madlib;
    -- By default privileges: a function of theirs could fit a call better than ours.
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace AS n
        CROSS JOIN LATERAL pg_catalog.aclexplode(n.nspacl) AS a
        WHERE
            n.nspname OPERATOR(pg_catalog.=) 'madlib'
            AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'
            AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = 'others may create objects in the new schema "madlib", as your default privileges say',
            HINT = 'ALTER DEFAULT PRIVILEGES REVOKE CREATE ON SCHEMAS FROM those roles, and call again.';
    END IF;

    CREATE FUNCTION madlib.tree_train(
        training_table_name pg_catalog.text, output_table_name pg_catalog.text, id_col_name pg_catalog.text,
        dependent_variable pg_catalog.text, list_of_features pg_catalog.text,
        list_of_features_to_exclude pg_catalog.text DEFAULT NULL,
        split_criterion pg_catalog.text DEFAULT NULL, grouping_cols pg_catalog.text DEFAULT NULL,
        weights pg_catalog.text DEFAULT NULL, max_depth pg_catalog.int4 DEFAULT NULL,
        min_split pg_catalog.int4 DEFAULT NULL, min_bucket pg_catalog.int4 DEFAULT NULL,
        n_bins pg_catalog.int4 DEFAULT NULL, pruning_params pg_catalog.text DEFAULT NULL,
        null_handling_params pg_catalog.text DEFAULT NULL, verbose_mode pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_train(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, pruning_params => $14, null_handling_params => $15,
            verbose_mode => $16
        )
    $sql$;

    CREATE FUNCTION madlib.tree_predict(
        model pg_catalog.text, source pg_catalog.text, output pg_catalog.text,
        pred_type pg_catalog.text DEFAULT 'response'
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_predict(model => $1, source => $2, output => $3, pred_type => $4)
    $sql$;

    CREATE FUNCTION madlib.tree_display(
        model_table pg_catalog.text, dot_format pg_catalog.bool DEFAULT true,
        verbose pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_display(model_table => $1, dot_format => $2, verbose => $3)
    $sql$;

    CREATE FUNCTION madlib.tree_surr_display(
        model_table pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.tree_surr_display(model_table => $1)
    $sql$;

    CREATE FUNCTION madlib.get_var_importance(
        model_table pg_catalog.text, output_table pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_var_importance(model_table => $1, output_table => $2)
    $sql$;

    CREATE FUNCTION madlib.pmml(
        model_table pg_catalog.text
    ) RETURNS pg_catalog.xml LANGUAGE sql VOLATILE AS $sql$
        SELECT pg_catalog.xml(madtree.tree_to_pmml($1))
    $sql$;

    CREATE FUNCTION madlib.tree_train(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_train($1)
    $sql$;

    CREATE FUNCTION madlib.tree_predict(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_predict($1)
    $sql$;

    CREATE FUNCTION madlib.get_var_importance(
        message pg_catalog.text
    ) RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.get_var_importance($1)
    $sql$;

    CREATE FUNCTION madlib.tree_train() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_train()
    $sql$;

    CREATE FUNCTION madlib.tree_predict() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_predict()
    $sql$;

    CREATE FUNCTION madlib.tree_display() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_display()
    $sql$;

    CREATE FUNCTION madlib.tree_surr_display() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.tree_surr_display()
    $sql$;

    CREATE FUNCTION madlib.get_var_importance() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.get_var_importance()
    $sql$;

    CREATE FUNCTION madlib.forest_train(
        training_table_name pg_catalog.text, output_table_name pg_catalog.text, id_col_name pg_catalog.text,
        dependent_variable pg_catalog.text, list_of_features pg_catalog.text,
        list_of_features_to_exclude pg_catalog.text DEFAULT NULL, grouping_cols pg_catalog.text DEFAULT NULL,
        num_trees pg_catalog.int4 DEFAULT NULL, num_random_features pg_catalog.int4 DEFAULT NULL,
        importance pg_catalog.bool DEFAULT NULL, num_permutations pg_catalog.int4 DEFAULT NULL,
        max_tree_depth pg_catalog.int4 DEFAULT NULL, min_split pg_catalog.int4 DEFAULT NULL,
        min_bucket pg_catalog.int4 DEFAULT NULL, num_splits pg_catalog.int4 DEFAULT NULL,
        null_handling_params pg_catalog.text DEFAULT NULL, verbose pg_catalog.bool DEFAULT false,
        sample_ratio pg_catalog.float8 DEFAULT NULL
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.forest_train(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
        )
    $sql$;

    CREATE FUNCTION madlib.forest_predict(
        model pg_catalog.text, source pg_catalog.text, output pg_catalog.text,
        pred_type pg_catalog.text DEFAULT 'response'
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.forest_predict($1, $2, $3, $4)
    $sql$;

    CREATE FUNCTION madlib.get_tree(
        model_table pg_catalog.text, gid pg_catalog.int4, sample_id pg_catalog.int4,
        dot_format pg_catalog.bool DEFAULT true, verbose pg_catalog.bool DEFAULT false
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_tree($1, $2, $3, $4, $5)
    $sql$;

    CREATE FUNCTION madlib.get_tree_surr(
        model_table pg_catalog.text, gid pg_catalog.int4, sample_id pg_catalog.int4
    ) RETURNS pg_catalog.text LANGUAGE sql VOLATILE AS $sql$
        SELECT madtree.get_tree_surr($1, $2, $3)
    $sql$;

    CREATE FUNCTION madlib.forest_train() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.forest_train()
    $sql$;

    CREATE FUNCTION madlib.forest_predict() RETURNS pg_catalog.text LANGUAGE sql STABLE AS $sql$
        SELECT madtree.forest_predict()
    $sql$;

    GRANT USAGE ON SCHEMA madlib TO public;
    RETURN 'install_madlib_names: made the schema madlib, with tree_train, tree_predict, tree_display, '
        'tree_surr_display, forest_train, forest_predict, get_tree, get_tree_surr, get_var_importance and pmml '
        'by MADlib''s names';
END
$plpgsql$;

-- Whoever makes the schema owns what everybody calls there: that is for an administrator.
REVOKE EXECUTE ON FUNCTION @extschema@.install_madlib_names() FROM public;

COMMENT ON FUNCTION @extschema@.install_madlib_names()
IS 'make a schema madlib in which scripts written for MADlib find their functions; for administrators';
