"""A tree as a TreeModel of a PMML document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import fsum
from xml.etree.ElementTree import Element, SubElement

from madtree.render.pmml_fields import function_name, mining_schema, output
from madtree.render.pmml_splits import PmmlSplits
from madtree.trees import Model, Node, Tree


def tree_model(
    model: Model, tree: Tree, between: Callable[[], None], in_segment: bool = False, with_target: bool = True
) -> Element:
    """A tree of a model.

    Args:
        between: called after each node.
        in_segment: whether it is a part of another model, which has the output.
        with_target: whether it says what that predicts.
    """
    attributes = {
        "modelName": f"tree {tree.tree_id}" if in_segment else model.name,
        "functionName": function_name(model),
        "algorithmName": "CART",
        "missingValueStrategy": "defaultChild",
        "splitCharacteristic": "binarySplit",
    }
    element = Element("TreeModel", attributes)
    element.append(mining_schema(model, with_target=with_target))
    if not in_segment:
        element.append(output(model))
    splits = PmmlSplits({feature.name: feature for feature in model.features}, tree)
    root = _nodes(model, tree, splits, between)
    if splits.derived:
        SubElement(element, "LocalTransformations").extend(splits.derived)
    element.append(root)
    return element


def _nodes(model: Model, tree: Tree, splits: PmmlSplits, between: Callable[[], None]) -> Element:
    """The root's element, with all others below it."""
    root = _node(model, tree.nodes[0], Element("True"))
    waiting = [(tree.nodes[0], root)]
    while waiting:
        node, element = waiting.pop()
        between()
        if not node.is_leaf:
            for child, predicate in zip((node.left_id, node.right_id), splits.predicates(node), strict=True):
                below = _node(model, tree.nodes[child], predicate)
                element.append(below)
                waiting.append((tree.nodes[child], below))
    return root


def _node(model: Model, node: Node, predicate: Element) -> Element:
    score = str(node.prediction) if model.is_classification else repr(float(node.prediction or 0.0))
    attributes = {"id": str(node.node_id), "score": score, "recordCount": repr(float(node.weight))}
    if not node.is_leaf:
        attributes["defaultChild"] = str(node.left_id if node.majority_left else node.right_id)
    element = Element("Node", attributes)
    element.append(predicate)
    element.extend(list(_distribution(model, node)))
    return element


def _distribution(model: Model, node: Node) -> Iterator[Element]:
    if node.class_weights is None:
        return
    total = fsum(node.class_weights)
    for label, weight in zip(model.classes, node.class_weights, strict=True):
        attributes = {"value": label, "recordCount": repr(float(weight)), "probability": repr(weight / total)}
        yield Element("ScoreDistribution", attributes)
