"""Usage of the functions that draw and explain a model."""

from __future__ import annotations

TREE_DISPLAY = """\
tree_display draws a model.

SELECT madtree.tree_display(
    model,                -- output_table_name of tree_train
    dot_format => true,   -- true: a graph for graphviz (dot -Tsvg); false: indented text
    verbosity => false,   -- true: also impurity, rows, class weights and class of every node
    full => false         -- true: name all categories of a split, however many
);

Example:
    SELECT madtree.tree_display('delay_tree', false);
    psql -XAt -c "SELECT madtree.tree_display('delay_tree')" | dot -Tsvg > delay_tree.svg
"""

TREE_SURR_DISPLAY = """\
tree_surr_display lists the surrogates of every internal node of a model.

SELECT madtree.tree_surr_display(
    model,         -- output_table_name of tree_train with surrogate_params => 'max_surrogates=...'
    full => false  -- true: name all categories of a split, however many
);

Example:
    SELECT madtree.tree_surr_display('delay_tree');
"""

TREE_RULES = """\
tree_rules lists a model as rules, one for each leaf.

SELECT * FROM madtree.tree_rules(
    model,                 -- output_table_name of tree_train or forest_train
    tree_id => NULL,       -- all trees of a grouped model, or of a forest; else that tree
    trust_owner => false,  -- see below
    full => false          -- true: name all categories in a rule, however many
);

A row for each leaf, from left to right, tree by tree:
    tree_id, group_values     the tree, and its group as a JSON object (NULL where the model is not grouped)
    node_id                   the leaf
    rule                      what its rows have in common: x > 3 and x <= 5 and (carrier in {AA,UA} or missing);
                              long lists are shortened, unless full: carrier in {AA,DL, ... 312 more}
    predicate                 SQL over the training table's columns, true for just the rows that tree_predict sends
                              here, those with NULLs and unknown categories included
    n_rows, share             rows of training, and their share of the tree's
    prediction                class, or mean, as text
    confidence                classification: share of the predicted class, by weight
    mean, sd                  regression: mean and standard deviation of the rows, by weight
"or missing": rows to which the splits on that feature do not apply (NULL, NaN, unknown category) come here too, with
the majority; "or surrogates if missing": surrogate splits are tried first.

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, its predicates run what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT rule, prediction, confidence FROM madtree.tree_rules('delay_tree') ORDER BY n_rows DESC LIMIT 5;
"""

TREE_PATH = """\
tree_path shows the path that one row takes through a model, and why.

SELECT * FROM madtree.tree_path(
    model,                 -- output_table_name of tree_train or forest_train
    table_name,            -- table, view, ... with the id column, the features and the grouping columns of the training
    id,                    -- the row's id, as text
    trust_owner => false,  -- see below
    full => false,         -- true: name all categories of a split, however many
    tree_id => NULL        -- of a forest: show the path through this tree only; NULL: through all of the row's group
);

A row for each node from the root to the leaf, by a forest tree after tree:
    step, tree_id, node_id    step from 1; of a grouped model the row's tree
    feature, condition        what the node asks (NULL at the leaf): hour <= 11
    value                     the row's value of the feature, as text
    branch                    left (the condition is true) or right
    reason                    split: the row's value decides; surrogate: it is missing or unknown, another feature
                              decides; majority: no feature decides; leaf: the end
    explanation               the same in words
    n_rows, prediction        the node's rows of training, and its class or mean
    confidence                classification: share of that class, by weight

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, it runs what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT condition, value, explanation FROM madtree.tree_path('delay_tree', 'flights_today', '4711');
"""

TREE_CP = """\
tree_cp lists the cp table of a model: the trees that pruning makes of it, from the root alone to the whole tree.

SELECT * FROM madtree.tree_cp(
    model                  -- output_table_name of tree_train
);

A row for each tree of the sequence, by falling cp, tree by tree:
    tree_id, group_values     the tree, and its group as a JSON object (NULL where the model is not grouped)
    cp                        the least cp that prunes to it; tree_prune takes it
    n_splits                  its splits
    rel_error                 its risk on the training rows, relative to the root's
    xerror, xstd              with n_folds or fold_col: its cross-validated risk, relative to the root's, and that one's
                              standard error; else NULL
    chosen                    whether it is the model's own tree
    root_error                the root's risk divided by the number of rows: wrong predictions, what mistakes cost, or
                              the variance

With cross-validation the table goes down to the cp that was asked for, without it to the tree that is left.

Example:
    SELECT cp, n_splits, rel_error, xerror, xstd FROM madtree.tree_cp('delay_cv');
"""
