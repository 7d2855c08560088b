-- Training. NULL for an optional argument means its default. The body runs without SET search_path on purpose: the
-- names that a user gives mean what they mean to that user.

CREATE FUNCTION madtree_internal.tree_train(
    training_table_name text, output_table_name text, id_col_name text, dependent_variable text,
    list_of_features text, list_of_features_to_exclude text, split_criterion text, grouping_cols text, weights text,
    max_depth integer, min_split integer, min_bucket integer, n_bins integer, surrogate_params text,
    pruning_params text, verbose boolean, seed bigint, replace boolean, parallel_workers integer, memory_mb integer,
    strategy text, max_leaf_nodes integer, min_impurity_decrease double precision, classification boolean,
    class_params text, exposure text, shrink double precision, feature_costs text, max_competitors integer,
    null_handling_params text, verbose_mode boolean,
    OUT answer text, OUT mistake text[]
)
RETURNS record
LANGUAGE plpython3u
VOLATILE
AS $python$
@load@
return madtree.tree_train(
    plpy, training_table_name, output_table_name, id_col_name, dependent_variable, list_of_features,
    list_of_features_to_exclude, split_criterion, grouping_cols, weights, max_depth, min_split, min_bucket, n_bins,
    surrogate_params, pruning_params, verbose, seed, replace, parallel_workers, memory_mb, strategy, max_leaf_nodes,
    min_impurity_decrease, classification, class_params, exposure, shrink, feature_costs, max_competitors,
    null_handling_params, verbose_mode
)
$python$;

COMMENT ON FUNCTION madtree_internal.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer, text, integer, double precision, boolean, text, text, double precision, text,
    integer, text, boolean
) IS 'internal: what tree_train answers, or the mistake that it raises';

CREATE FUNCTION @extschema@.tree_train(
    training_table_name text,
    output_table_name text,
    id_col_name text,
    dependent_variable text,
    list_of_features text,
    list_of_features_to_exclude text DEFAULT NULL,
    split_criterion text DEFAULT 'gini',
    grouping_cols text DEFAULT NULL,
    weights text DEFAULT NULL,
    max_depth integer DEFAULT 10,
    min_split integer DEFAULT NULL, -- 20, or 3 * min_bucket
    min_bucket integer DEFAULT NULL, -- min_split / 3
    n_bins integer DEFAULT 100,
    surrogate_params text DEFAULT NULL,
    pruning_params text DEFAULT NULL,
    verbose boolean DEFAULT FALSE,
    seed bigint DEFAULT 1,
    replace boolean DEFAULT FALSE,
    parallel_workers integer DEFAULT NULL,
    memory_mb integer DEFAULT 64,
    strategy text DEFAULT 'auto',
    max_leaf_nodes integer DEFAULT NULL, -- any number
    min_impurity_decrease double precision DEFAULT NULL, -- any decrease
    classification boolean DEFAULT NULL, -- by the dependent variable's type
    class_params text DEFAULT NULL, -- all classes count alike
    exposure text DEFAULT NULL, -- 1 in each row
    shrink double precision DEFAULT NULL, -- 1
    feature_costs text DEFAULT NULL, -- 1 of each
    max_competitors integer DEFAULT 0,
    null_handling_params text DEFAULT NULL, -- MADlib's name of surrogate_params
    verbose_mode boolean DEFAULT FALSE -- MADlib's name of verbose
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
    SELECT * INTO answer, mistake FROM madtree_internal.tree_train(
        training_table_name, output_table_name, id_col_name, dependent_variable, list_of_features,
        list_of_features_to_exclude, split_criterion, grouping_cols, weights, max_depth, min_split, min_bucket,
        n_bins, surrogate_params, pruning_params, tree_train.verbose, seed, replace, parallel_workers, memory_mb,
        strategy, max_leaf_nodes, min_impurity_decrease, classification, class_params, exposure, shrink, feature_costs,
        max_competitors, null_handling_params, verbose_mode
    );
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION @extschema@.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer, text, integer, double precision, boolean, text, text, double precision, text,
    integer, text, boolean
) IS 'train decision trees on a table; SELECT madtree.tree_train() shows how to use it';

CREATE FUNCTION @extschema@.tree_train()
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_train', 'help');
$sql$;

COMMENT ON FUNCTION @extschema@.tree_train() IS 'how to use tree_train';

CREATE FUNCTION @extschema@.tree_train(message text)
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('tree_train', message);
$sql$;

COMMENT ON FUNCTION @extschema@.tree_train(text) IS 'how to use tree_train: message is ''usage'', ''help'' or ''?''';
