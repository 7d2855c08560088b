"""From a grown tree to a finished one: risk, impurity and prediction of each node, cost-complexity pruning, its
cross-validation, importance, and the trees as columns on their way to the model tables.
"""
