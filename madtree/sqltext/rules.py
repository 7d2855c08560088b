"""The rows of a leaf as an SQL condition."""

from __future__ import annotations

from collections.abc import Mapping

from madtree.sqltext.branch import goes_against_majority
from madtree.sqltext.condition import READABLE, of_group
from madtree.trees import Feature, Model, Tree


def leaf_predicate(model: Model, features: Mapping[str, Feature], tree: Tree, node_id: int) -> str:
    """A condition over the training table's columns that is true for the rows that end in a node, and for no other.

    Each step of the path repeats the node's question as `tree_sql` asks it, which is true for the branch other than the
    majority's. The majority's rows are all the others, also those of which it is NULL: hence IS NOT TRUE.

    Args:
        features: by their names in the model.
    """
    terms = []
    if model.grouping_columns:
        terms.append(of_group(model, tree, READABLE))
    for node, goes_left in tree.path(node_id):
        question = goes_against_majority(node, features, READABLE, tree.seen_categories)
        terms.append(f"({question})" + (" IS NOT TRUE" if goes_left == node.majority_left else ""))
    return " AND ".join(terms) or "true"
