"""Usage of the functions for forests."""

from __future__ import annotations

FOREST_TRAIN = """\
forest_train trains a random forest, or one forest per group, on the rows of a table.

SELECT madtree.forest_train(
    training_table_name,          -- table, partitioned table, view, materialized or foreign table
    output_table_name,            -- the model: tables <output>, <output>_packed, <output>_group, <output>_summary, the
                                  --   view <output>_nodes and, where asked for, <output>_surrogates; must not exist
    id_col_name,                  -- column that identifies rows; rows of one id are drawn together
    dependent_variable,           -- as for tree_train: classes, or numbers
    list_of_features,             -- '*', or columns and expressions separated by commas
    list_of_features_to_exclude => NULL,  -- columns that '*' leaves out
    grouping_cols => NULL,        -- one forest for each combination of their values
    num_trees => 100,             -- of each forest
    num_random_features => NULL,  -- drawn for each node: the root of the number of features, of numbers a third of them
    importance => true,           -- permute each feature among the out-of-bag rows, to see what that costs
    num_permutations => 1,        -- of each feature and tree
    max_tree_depth => NULL,       -- levels below the root, 0 to 60; NULL: 60
    min_split => NULL,            -- rows that a node needs to be split: 2, of numbers 5
    min_bucket => NULL,           -- rows that each side must keep: 1
    num_splits => 100,            -- candidate thresholds of a continuous feature; 0: all of them, as always with at
                                  --   most 4096 rows
    null_handling_params => NULL,  -- 'max_surrogates=0, null_as_category=false, surrogate_style=0'
    verbose => false,             -- true: one INFO line a wave of trees, and the stages' seconds
    sample_ratio => 1,            -- share of the rows that each tree's sample is drawn from
    -- best given by name:
    weights => NULL,              -- a numeric column or expression; rows of weight 0 are skipped
    split_criterion => 'gini',    -- as for tree_train
    split_rule => 'best',         -- 'random': extremely randomized trees, one random split of each feature drawn
    sampling => 'poisson',        -- 'poisson': with replacement; 'without_replacement': 63 % of the rows, once each;
                                  --   'none': all rows, once each, so that none are out of bag
    seed => 1,                    -- of all that is drawn: the same rows and seed make the same forest
    replace => false,             -- true: overwrite a madtree model of that name
    parallel_workers => NULL,     -- beside this session; NULL: as many as pay
    memory_mb => 64,              -- megabytes for histograms and rows
    classification => NULL,       -- true: classes; false: regression; NULL: by the type of the dependent variable
    strategy => 'auto',           -- who keeps the rows and grows trees: memory, workers; auto: what is quickest
    oob_predictions => false      -- true: make <output>_oob, each row's prediction by the trees whose samples lack it
);

It returns one line that says what was trained, and the error on out-of-bag rows. <output>_group has that of each group,
and the importances.

Example:
    SELECT madtree.forest_train('flights', 'delay_forest', 'id', 'late', 'carrier, origin, hour, distance');
    SELECT oob_error FROM delay_forest_group;
"""

FOREST_PREDICT = """\
forest_predict scores a table by a forest into a new table.

SELECT madtree.forest_predict(
    random_forest_model,   -- output_table_name of forest_train
    new_data_table,        -- table or view with the id, the features and the grouping columns
    output_table,          -- made; must not exist
    type => 'response',    -- 'response': the class with most votes, or the mean
                           -- 'prob': for each class the share of the trees that vote for it
                           -- 'prob_mean': for each class the mean of its shares in the trees' leaves
                           -- 'leaf': the leaf's node_id in each tree, as an array
    trust_owner => false   -- true: use another role's model although it holds expressions of that role's
);

Rows of an unknown group get NULL.

Example:
    SELECT madtree.forest_predict('delay_forest', 'new_flights', 'predicted', 'prob');
"""

GET_TREE = """\
get_tree draws one tree of a forest.

SELECT madtree.get_tree(
    forest_model_table,    -- output_table_name of forest_train
    gid,                   -- number of the group, from 1; see <output>_group
    sample_id,             -- number of the tree in the group's forest, from 1
    dot_format => true,    -- true: a graph in the dot language; false: text
    verbose => false       -- true: with impurities and weights
);

Example:
    SELECT madtree.get_tree('delay_forest', 1, 7, false);
"""

GET_TREE_SURR = """\
get_tree_surr lists the surrogates of one tree of a forest that was trained with max_surrogates.

SELECT madtree.get_tree_surr(
    forest_model_table,    -- output_table_name of forest_train
    gid,                   -- number of the group, from 1
    sample_id              -- number of the tree in the group's forest, from 1
);

Example:
    SELECT madtree.get_tree_surr('delay_forest', 1, 7);
"""
