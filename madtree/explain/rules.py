"""tree_rules: a model as rules, one for each leaf."""

from __future__ import annotations

import math

from madtree.errors import MadtreeError
from madtree.host import Host, Row, watched
from madtree.model import each_tree, find_to_use, group_objects, probabilities
from madtree.render.rules import rule_text
from madtree.sqltext.branch import leaf_predicate
from madtree.trees import Model, Node, Tree

MOST_CHARACTERS = 2**30  # of an answer, which is in memory as a whole


def tree_rules(
    host: Host,
    model_name: str | None,
    tree_id: int | None,
    trust_owner: bool | None = False,
    full: bool | None = False,
) -> list[Row]:
    """Rows of rules; `trust_owner` is that of `find_model`. Long lists of categories are shortened unless `full`,
    but not in the predicate, which is to be run.

    Raises:
        MadtreeError: there is no such model, it has no tree `tree_id`, or the rules are too long to be held together.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    groups = group_objects(opened)
    features = {feature.name: feature for feature in model.features}
    rows, size = [], 0
    for tree in each_tree(opened, tree_id):
        for leaf in watched(host, tree.leaves()):
            rule = rule_text(model, tree, leaf.node_id, bool(full))
            predicate = leaf_predicate(model, features, tree, leaf.node_id)
            size += len(rule) + len(predicate)
            if size > MOST_CHARACTERS:
                raise MadtreeError(
                    f"model: the rules of {model.name} have more than {MOST_CHARACTERS:,} characters together",
                    hint="Ask for those of one tree, by tree_id; or for all leaves together, by madtree.tree_sql.",
                    sqlstate="54000",
                )
            rows.append(
                {
                    "tree_id": tree.tree_id,
                    "group_values": groups.get(model.numbering.group(tree.tree_id)),
                    "node_id": leaf.node_id,
                    "rule": rule,
                    "predicate": predicate,
                    **_measures(model, tree, leaf),
                }
            )
    return rows


def confidence(model: Model, node: Node) -> float | None:
    """The weight share of a node's class; None for a regression, and for an inner node whose class the model lacks."""
    if node.class_weights is None or str(node.prediction) not in model.classes:
        return None
    return probabilities(node.class_weights)[model.classes.index(str(node.prediction))]


def prediction(model: Model, node: Node) -> str:
    """A class, or a mean in as many digits as it takes to read it back."""
    return str(node.prediction) if model.has_class_leaves else repr(float(node.prediction or 0.0))


def _measures(model: Model, tree: Tree, leaf: Node) -> Row:
    # The risk of a regression's node is the weighted sum of squares about its mean; of counts it is their deviance.
    regression = not model.has_class_leaves and not model.adds_scores
    squares = regression and not model.of_counts and leaf.weight > 0
    return {
        "n_rows": leaf.n_rows,
        "share": leaf.n_rows / max(1, tree.nodes[0].n_rows),
        "prediction": prediction(model, leaf),
        "confidence": confidence(model, leaf),
        "mean": float(leaf.prediction or 0.0) if regression else None,
        "sd": math.sqrt(max(0.0, leaf.risk) / leaf.weight) if squares else None,
    }
