"""Usage of the functions that prune and drop a model."""

from __future__ import annotations

TREE_PRUNE = """\
tree_prune prunes a trained model further, without the data, into a new model.

SELECT madtree.tree_prune(
    model,                -- output_table_name of tree_train
    new_model,            -- name of the new model; none of its tables may exist
    cp,                   -- complexity parameter: a split stays if it lowers the tree's risk by more than cp times the
                          -- root's
    trust_owner => false  -- see below
);

The new model is the one that a training with 'cp=<cp>' would have given: the same nodes, and importance of the splits
that remain. A model cannot be pruned at a smaller cp than it was trained with, as what has been cut off is not stored.
With cross-validation, a grouped model's trees have a cp each: those whose own is larger stay as they are. The
cross-validation table is copied as it is.

trust_owner => true lets a superuser prune another role's model that has expressions, or types of that role's: the new
model is the superuser's, and like a view it runs what that role wrote. Others need not say it. See docs/security.md.

Example:
    SELECT madtree.tree_prune('delay_tree', 'small_tree', 0.01);
"""

TREE_DROP = """\
tree_drop removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it.

SELECT madtree.tree_drop(
    model         -- output_table_name of tree_train or forest_train
);

Tables that are not a madtree model's are never touched; what depends on a model's table (a view) must be dropped first.

Example:
    SELECT madtree.tree_drop('delay_tree');
"""
