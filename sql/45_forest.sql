-- Random forests. NULL for an optional argument means its default. As for tree_train, no function sets search_path.

CREATE FUNCTION madtree_internal.forest_train(
    training_table_name text, output_table_name text, id_col_name text, dependent_variable text,
    list_of_features text, list_of_features_to_exclude text, grouping_cols text, num_trees integer,
    num_random_features integer, importance boolean, num_permutations integer, max_tree_depth integer,
    min_split integer, min_bucket integer, num_splits integer, null_handling_params text, verbose boolean,
    sample_ratio double precision, weights text, split_criterion text, split_rule text, sampling text, seed bigint,
    replace boolean, parallel_workers integer, memory_mb integer, classification boolean, strategy text,
    oob_predictions boolean,
    OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.forest_train(
    plpy, training_table_name, output_table_name, id_col_name, dependent_variable, list_of_features,
    list_of_features_to_exclude, grouping_cols, num_trees, num_random_features, importance, num_permutations,
    max_tree_depth, min_split, min_bucket, num_splits, null_handling_params, verbose, sample_ratio, weights,
    split_criterion, split_rule, sampling, seed, replace, parallel_workers, memory_mb, classification, strategy,
    oob_predictions
)
$python$;

COMMENT ON FUNCTION madtree_internal.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text,
    boolean
) IS 'internal: what forest_train answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.forest_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text DEFAULT NULL,
    grouping_cols text DEFAULT NULL,
    num_trees integer DEFAULT 100,
    num_random_features integer DEFAULT NULL, -- the root of their number, or, for numbers, a third
    importance boolean DEFAULT TRUE,
    num_permutations integer DEFAULT 1,
    max_tree_depth integer DEFAULT NULL, -- 60
    min_split integer DEFAULT NULL, -- 2, for numbers 5
    min_bucket integer DEFAULT NULL, -- 1
    num_splits integer DEFAULT 100,
    null_handling_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    sample_ratio double precision DEFAULT 1,
    weights text DEFAULT NULL,
    split_criterion text DEFAULT 'gini',
    split_rule text DEFAULT 'best',
    sampling text DEFAULT 'poisson',
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL, -- as many as pay
    memory_mb integer DEFAULT 64,
    classification boolean DEFAULT NULL, -- by the dependent variable's type
    strategy text DEFAULT 'auto',
    oob_predictions boolean DEFAULT FALSE
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
    SELECT * INTO answer, mistake FROM madtree_internal.forest_train(
        training_table_name, output_table_name, id_col_name, dependent_variable, list_of_features,
        list_of_features_to_exclude, grouping_cols, num_trees, num_random_features, importance, num_permutations,
        max_tree_depth, min_split, min_bucket, num_splits, null_handling_params, forest_train.verbose, sample_ratio,
        weights, split_criterion, split_rule, sampling, seed, replace, parallel_workers, memory_mb, classification,
        strategy, oob_predictions
    );
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text,
    boolean
) IS 'train random forests on a table; SELECT madtree.forest_train() shows how to use it';

CREATE FUNCTION @extschema@.forest_train()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_train', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.forest_train() IS 'how to use forest_train';

CREATE FUNCTION @extschema@.forest_train(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_train', message);
$sql$;

COMMENT ON FUNCTION @extschema@.forest_train(text)
IS 'how to use forest_train: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.forest_predict(
    random_forest_model text,
    new_data_table text,
    output_table text,
    type text,
    trust_owner boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.forest_predict(plpy, random_forest_model, new_data_table, output_table, type, trust_owner)
$python$;

COMMENT ON FUNCTION madtree_internal.forest_predict(text, text, text, text, boolean)
IS 'internal: what forest_predict answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.forest_predict(
    random_forest_model text,
    new_data_table text,
    output_table text,
    type text DEFAULT 'response',
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
    FROM madtree_internal.forest_predict(random_forest_model, new_data_table, output_table, type, trust_owner);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.forest_predict(text, text, text, text, boolean)
IS 'score a table by a forest into a new table; SELECT madtree.forest_predict() shows how to use it';

CREATE FUNCTION @extschema@.forest_predict()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_predict', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.forest_predict() IS 'how to use forest_predict';

CREATE FUNCTION @extschema@.forest_predict(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('forest_predict', message);
$sql$;

COMMENT ON FUNCTION @extschema@.forest_predict(text)
IS 'how to use forest_predict: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION madtree_internal.get_tree(
    forest_model_table text,
    gid integer,
    sample_id integer,
    dot_format boolean,
    verbose boolean,
    OUT answer text,
    OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.get_tree(plpy, forest_model_table, gid, sample_id, dot_format, verbose)
$python$;

COMMENT ON FUNCTION madtree_internal.get_tree(text, integer, integer, boolean, boolean)
IS 'internal: what get_tree answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_tree(
    forest_model_table text,
    gid integer,
    sample_id integer,
    dot_format boolean DEFAULT TRUE,
    verbose boolean DEFAULT FALSE
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake
    FROM madtree_internal.get_tree(forest_model_table, gid, sample_id, dot_format, get_tree.verbose);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.get_tree(text, integer, integer, boolean, boolean)
IS 'draw one tree of a forest; SELECT madtree.get_tree() shows how to use it';

CREATE FUNCTION @extschema@.get_tree()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree() IS 'how to use get_tree';

CREATE FUNCTION madtree_internal.get_tree_surr(
    forest_model_table text, gid integer, sample_id integer, OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.get_tree_surr(plpy, forest_model_table, gid, sample_id)
$python$;

COMMENT ON FUNCTION madtree_internal.get_tree_surr(text, integer, integer)
IS 'internal: what get_tree_surr answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.get_tree_surr(forest_model_table text, gid integer, sample_id integer)
RETURNS text
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.get_tree_surr(forest_model_table, gid, sample_id);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr(text, integer, integer)
IS 'list the surrogates of one tree of a forest; SELECT madtree.get_tree_surr() shows how to use it';

CREATE FUNCTION @extschema@.get_tree_surr()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree_surr', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr() IS 'how to use get_tree_surr';

CREATE FUNCTION @extschema@.get_tree(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree(text)
IS 'how to use get_tree: message is ''usage'', ''help'' or ''?''';

CREATE FUNCTION @extschema@.get_tree_surr(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('get_tree_surr', message);
$sql$;

COMMENT ON FUNCTION @extschema@.get_tree_surr(text)
IS 'how to use get_tree_surr: message is ''usage'', ''help'' or ''?''';
