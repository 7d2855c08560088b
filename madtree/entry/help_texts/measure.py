"""Usage of the functions that say how good a model is, and what of."""

from __future__ import annotations

TREE_EVALUATE = """\
tree_evaluate measures how well a model predicts a table whose outcomes are known.

SELECT * FROM madtree.tree_evaluate(
    tree_model,           -- output_table_name of tree_train or forest_train
    test_table,           -- table, view, ... with the dependent variable, the features, the grouping columns and the
                          -- weights of the training, under the same names
    trust_owner => false  -- see below
);

A row for each metric; of a grouped model first those of all rows (tree_id is NULL), then those of each group:
    tree_id, group_values     the tree, and its group as a JSON object
    metric, value             its name, and what it is; NULL where the table does not say
The metrics of a classification are n, n_skipped, accuracy, balanced_accuracy, log_loss and, of two classes, auc; those
of a regression n, n_skipped, rmse, mae and r2, and of counts poisson_deviance besides:
    n, n_skipped              rows that count, and rows left out: of an unknown group, with the dependent variable NULL,
                              with a weight of 0 or NULL
    accuracy                  share of rows whose class is predicted
    balanced_accuracy         that share for each class that occurs, averaged over classes
    log_loss                  mean of -ln of the probability that the model gave to the actual class
    auc                       two classes: area under the ROC curve, ties counted half; NULL if only one class occurs
    rmse, mae, r2             regression: root mean squared error, mean absolute error, share of variance explained
    poisson_deviance          split_criterion poisson: mean deviance of the counts from the expected ones, which are
                              rate * exposure
Of a forest tree_id is the gid of its group. Its classes are those with most votes (forest_predict's 'response'), its
probabilities the means of the leaves' shares ('prob_mean').
Where the model has weights, rows count by theirs. A class that the model has not seen is predicted wrongly with
probability 0, and does not count for auc. Probabilities are kept 2.2e-16 away from 0 and 1.

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, it runs what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT metric, value FROM madtree.tree_evaluate('delay_tree', 'flights_of_may');
"""

TREE_CONFUSION = """\
tree_confusion counts how often a classification model predicts each class for each actual class.

SELECT * FROM madtree.tree_confusion(
    tree_model,           -- output_table_name of tree_train or forest_train
    test_table,           -- table, view, ... with the dependent variable, the features, the grouping columns and the
                          -- weights of the training, under the same names
    trust_owner => false  -- see below
);

A row for each tree, actual class and predicted class, in the order of the classes, also where nothing was counted:
    tree_id, group_values     the tree, and its group as a JSON object
    actual, predicted         classes as text; one that the model has not seen comes after the others
    n, weight                 rows, and their weights where the model has weights
Rows are left out as by tree_evaluate.

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, it runs what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT actual, predicted, n FROM madtree.tree_confusion('delay_tree', 'flights_of_may');
"""

GET_VAR_IMPORTANCE = """\
get_var_importance writes how much each feature contributes to each tree of a model.

SELECT madtree.get_var_importance(
    model_name,   -- output_table_name of tree_train
    output_table  -- table to create; must not exist
);

The output table has the grouping columns, if there are any, and a row for each feature of each tree:
    feature                  as listed in <model>_summary.features
    impurity_var_importance  share of the tree's total in percent; 0 for all where no feature has any
    raw_importance           impurity decrease, summed over the rows of the feature's splits, plus for each of its
                             surrogate splits the decrease of the split that it stands in for, times its adjusted
                             agreement

Example:
    SELECT madtree.get_var_importance('delay_tree', 'delay_importance');
    SELECT * FROM delay_importance ORDER BY impurity_var_importance DESC;
"""
