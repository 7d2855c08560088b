"""Usage of the functions that score."""

from __future__ import annotations

TREE_PREDICT = """\
tree_predict scores a table by a model.

SELECT madtree.tree_predict(
    tree_model,           -- output_table_name of tree_train
    new_data_table,       -- table, view, materialized, foreign or partitioned table with the id column, the features
                          -- and the grouping columns of the training, under the same names
    output_table,         -- table to create; must not exist
    type => 'response',   -- what to write, see below
    trust_owner => false  -- see below
);

type            columns of output_table beside the id column
response        estimated_<dependent>, of the dependent variable's own type (float8 for regression)
prob            estimated_prob_<class> float8 for each class; of more than 1000 classes estimated_prob float8[] in
                class order
leaf            node_id bigint: the leaf that the row ends in
Regression models have response and leaf. The former name prob_columns means prob.

Rows with missing values, and with categories unknown to the model, follow the majority at that split. Rows of an
unknown group stay, with NULL. Returns one line that says what was done.

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, it runs what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT madtree.tree_predict('delay_tree', 'new_flights', 'predicted');
"""

TREE_SQL = """\
tree_sql writes a model as an SQL expression, for a view or a generated column.

SELECT madtree.tree_sql(
    model,                -- output_table_name of tree_train or forest_train
    type => 'response',   -- or 'leaf'; 'prob': of two classes the first one's probability, of more a float8[]
    tree_id => NULL,      -- of a grouped model all trees, in a CASE over the grouping columns; else that tree.
                          -- Of a forest, which has no expression of its own, that tree
    trust_owner => false  -- see below
);

The expression names the columns of the training table. It gives the same answers as tree_predict.

trust_owner => true lets a superuser use another role's model that has expressions, or types of that role's: like a
view, it runs what its owner wrote. Others need not say it. See docs/security.md.

Example:
    SELECT format('CREATE VIEW late_flights AS SELECT id FROM flights WHERE %s', madtree.tree_sql('delay_tree')) \\gexec
"""
