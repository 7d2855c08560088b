"""Usage of the function that trains."""

from __future__ import annotations

TREE_TRAIN = """\
tree_train trains a decision tree, or one tree per group, on the rows of a table.

SELECT madtree.tree_train(
    training_table_name,          -- table, partitioned table, view, materialized or foreign table; "Quoted"."Names" too
    output_table_name,            -- the model: tables <output>, <output>_nodes, <output>_summary and, where asked for,
                                  --   <output>_surrogates, <output>_cv and <output>_competitors; must not exist
    id_col_name,                  -- column that identifies rows
    dependent_variable,           -- column or expression, also with AS name: float, numeric -> regression; boolean,
                                  --   integer, text, enum, date, timestamp, uuid, ... -> classification
    list_of_features,             -- '*', or columns and expressions separated by commas; an array column is taken apart
    list_of_features_to_exclude => NULL,  -- columns that '*' leaves out
    split_criterion => 'gini',    -- 'gini', 'entropy', 'gain_ratio', 'misclassification'; regression uses 'mse', counts
                                  --   of events 'poisson'
    grouping_cols => NULL,        -- columns and expressions, also with AS name: one tree for each combination of
                                  --   their values
    weights => NULL,              -- a numeric column or expression; rows of weight 0 are skipped
    max_depth => 10,              -- levels below the root, 0 to 60
    min_split => NULL,            -- rows that a node needs to be split: 20, or 3 * min_bucket if only that is given
    min_bucket => NULL,           -- rows that each side must keep: min_split / 3
    n_bins => 100,                -- candidate thresholds of a continuous feature; 0: all of them, as always with at
                                  --   most 4096 rows
    surrogate_params => NULL,     -- 'max_surrogates=0, null_as_category=false, surrogate_style=0'
    pruning_params => NULL,       -- 'cp=0, n_folds=0, rule=min, fold_col=...'
    verbose => false,             -- true: one INFO line a level, and the stages' seconds
    -- best given by name:
    seed => 1,                    -- of the sample that bin edges are taken from, and of the folds
    replace => false,             -- true: overwrite a madtree model of that name
    parallel_workers => NULL,     -- workers beside this process; NULL: as many as save time; 0: none
    memory_mb => 64,              -- megabytes for histograms
    strategy => 'auto',           -- who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest
    max_leaf_nodes => NULL,       -- leaves at most: the splits that gain most are made; NULL: any number
    min_impurity_decrease => NULL,  -- by how much a split must lower the impurity of the whole tree
    classification => NULL,       -- true: classes; false: regression; NULL: by the type of the dependent variable
    class_params => NULL,         -- how much classes count, in their order: 'prior=0.5:0.5, loss=0 1 5 0', or
                                  --   'class_weight=balanced'
    exposure => NULL,             -- poisson: a numeric column or expression above 0, over which events were counted;
                                  --   NULL: 1 in each row
    shrink => NULL,               -- poisson: how far rates of leaves may lie from the root's: the coefficient of
                                  --   variation of their prior; NULL: 1; 0: as far as they do
    feature_costs => NULL,        -- 'income=2, age=1': gains of a feature's splits are divided by its cost; NULL: all 1
    max_competitors => 0,         -- splits by other features to be kept for each node, in <output>_competitors
    null_handling_params => NULL,  -- MADlib's name of surrogate_params
    verbose_mode => false         -- MADlib's name of verbose
);

An integer with more than 100 values, or with more than 20 and one for every ten rows, becomes classes with a warning;
with more than 1,000 it is an error unless classification says what is meant.

With poisson the dependent variable counts events, and a node predicts their rate: the events that are to be expected
in an exposure of 1. The expected count of a row is rate * exposure.

It returns one line that says what was trained. Each default is shown after its argument's name. Either of the two
..._params strings may hold any of their keys, whose defaults are shown. cp=-1 leaves the tree as it was grown.
class_params: prior is each class's share among the rows that the tree is meant for; loss says, row by row, what each
prediction costs where the first, second, ... class is true; class_weight multiplies the weights of each class's rows.
rule is min (the cp with the least cross-validated error) or 1se (the largest within one standard error of it).

Example:
    SELECT madtree.tree_train('flights', 'delay_tree', 'id', 'late', 'carrier, origin, hour, distance', max_depth => 6);
    SELECT madtree.tree_display('delay_tree', false);
"""
