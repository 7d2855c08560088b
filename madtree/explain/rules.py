"""tree_rules: a model as rules, one for each leaf."""

from __future__ import annotations

import math

from madtree.host import Host, Row, listed, watched
from madtree.model import ModelTables, each_tree, find_model, probabilities, read_summary, unquoted
from madtree.render.rules import rule_text
from madtree.sqltext import explain as sql
from madtree.sqltext.branch import leaf_predicate
from madtree.trees import Model, Node, Tree


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
        MadtreeError: there is no such model, or it has no tree `tree_id`.
    """
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    groups = group_values(host, tables, model)
    features = {feature.name: feature for feature in model.features}
    return [
        {
            "tree_id": tree.tree_id,
            "group_values": groups.get(tree.tree_id),
            "node_id": leaf.node_id,
            "rule": rule_text(model, tree, leaf.node_id, bool(full)),
            "predicate": leaf_predicate(model, features, tree, leaf.node_id),
            **_measures(model, tree, leaf),
        }
        for tree in each_tree(host, tables, model, tree_id)
        for leaf in watched(host, tree.leaves())
    ]


def group_values(host: Host, tables: ModelTables, model: Model) -> dict[int, str]:
    """The text of a JSON object for each tree; empty where the model is not grouped."""
    if not model.grouping_columns:
        return {}
    names = [unquoted(column) for column in model.grouping_columns]
    return {
        row["tree_id"]: row["group"]
        for row in watched(host, listed(host, sql.groups(tables.schema, tables.name, tables.group_writers(names))))
    }


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
