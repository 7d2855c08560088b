"""A model as a PMML 4.4 document (Data Mining Group, https://dmg.org/pmml/v4-4-1/TreeModel.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import fsum
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from madtree.errors import MadtreeError
from madtree.render.pmml_splits import PmmlSplits
from madtree.trees import Feature, Kind, Model, Node, Tree

NAMESPACE = "http://www.dmg.org/PMML-4_4"
INTEGERS = ("smallint", "integer", "bigint")
# What XML 1.0 cannot hold, not even as a character reference.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def model_pmml(model: Model) -> str:
    """The document as text: a TreeModel, or, where the model is grouped, a MiningModel with a segment for each group.

    Raises:
        MadtreeError: XML cannot hold a text of the model.
    """
    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = SubElement(root, "Header", {"description": f"{model.name}, trained on {model.source_table}"})
    if model.summary.get("class_params"):
        SubElement(header, "Extension", {"name": "class_params", "value": str(model.summary["class_params"])})
    SubElement(header, "Application", {"name": "madtree", "version": str(model.summary.get("madtree_version"))})
    root.append(_data_dictionary(model))
    root.append(_segmented(model) if model.grouping_columns else _tree_model(model, model.trees[0]))
    _check(root, model.name)
    ElementTree.indent(root, " ")
    # A parser makes a line feed of a bare carriage return.
    text = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _data_dictionary(model: Model) -> Element:
    fields = [*map(_feature_field, model.features), *_grouping_fields(model), _target_field(model)]
    dictionary = Element("DataDictionary", {"numberOfFields": str(len(fields))})
    dictionary.extend(fields)
    return dictionary


def _feature_field(feature: Feature) -> Element:
    if feature.type == "boolean":
        return _field(feature.name, "categorical", "boolean")
    if feature.kind is Kind.UNORDERED or feature.labels:
        return _field(feature.name, "categorical", "string")
    return _field(feature.name, "continuous", "double")


def _grouping_fields(model: Model) -> Iterator[Element]:
    features = {feature.name for feature in model.features}
    for name, type_ in zip(model.grouping_columns, model.grouping_types, strict=True):
        if name not in features:
            yield _field(name, "categorical", _class_type(type_))


def _target_field(model: Model) -> Element:
    if not model.is_classification:
        return _field(target_name(model), "continuous", "double")
    field = _field(target_name(model), "categorical", _class_type(model.dependent_type))
    for label in model.classes:
        SubElement(field, "Value", {"value": label})
    return field


def target_name(model: Model) -> str:
    """The dependent variable; where an expression predicts itself by a feature of the same name, told apart."""
    taken = {*(feature.name for feature in model.features), *model.grouping_columns}
    return model.target if model.target not in taken else f"predicted {model.target}"


def _field(name: str, optype: str, data_type: str) -> Element:
    return Element("DataField", {"name": name, "optype": optype, "dataType": data_type})


def _class_type(type_: str) -> str:
    return "integer" if type_ in INTEGERS else "boolean" if type_ == "boolean" else "string"


def _mining_schema(model: Model, with_groups: bool) -> Element:
    schema = Element("MiningSchema")
    names = [feature.name for feature in model.features]
    if with_groups:
        names += [name for name in model.grouping_columns if name not in names]
    for name in names:
        SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
    SubElement(schema, "MiningField", {"name": target_name(model), "usageType": "target"})
    return schema


def _output(model: Model) -> Element:
    output = Element("Output")
    predicted = {"name": f"estimated_{model.target}", "feature": "predictedValue"}
    if not model.is_classification:
        SubElement(output, "OutputField", {**predicted, "optype": "continuous", "dataType": "double"})
        return output
    data_type = _class_type(model.dependent_type)
    SubElement(output, "OutputField", {**predicted, "optype": "categorical", "dataType": data_type})
    for label in model.classes:
        attributes = {"name": f"estimated_prob_{label}", "optype": "continuous", "dataType": "double"}
        SubElement(output, "OutputField", {**attributes, "feature": "probability", "value": label})
    return output


def _segmented(model: Model) -> Element:
    mining = Element("MiningModel", {"modelName": model.name, "functionName": _function(model)})
    mining.append(_mining_schema(model, with_groups=True))
    mining.append(_output(model))
    segmentation = SubElement(mining, "Segmentation", {"multipleModelMethod": "selectFirst"})
    for tree in model.trees:
        if tree.nodes:
            segment = SubElement(segmentation, "Segment", {"id": str(tree.tree_id)})
            keys = [
                Element("SimplePredicate", {"field": name, "operator": "equal", "value": value})
                for name, value in zip(model.grouping_columns, tree.group, strict=True)
            ]
            if len(keys) > 1:
                SubElement(segment, "CompoundPredicate", {"booleanOperator": "and"}).extend(keys)
            else:
                segment.extend(keys)
            segment.append(_tree_model(model, tree, in_segment=True))
    return mining


def _tree_model(model: Model, tree: Tree, in_segment: bool = False) -> Element:
    attributes = {
        "modelName": f"tree {tree.tree_id}" if in_segment else model.name,
        "functionName": _function(model),
        "algorithmName": "CART",
        "missingValueStrategy": "defaultChild",
        "splitCharacteristic": "binarySplit",
    }
    element = Element("TreeModel", attributes)
    element.append(_mining_schema(model, with_groups=False))
    if not in_segment:
        element.append(_output(model))
    splits = PmmlSplits({feature.name: feature for feature in model.features}, tree)
    root = _nodes(model, tree, splits)
    if splits.derived:
        SubElement(element, "LocalTransformations").extend(splits.derived)
    element.append(root)
    return element


def _nodes(model: Model, tree: Tree, splits: PmmlSplits) -> Element:
    """The root's element, with all others below it."""
    root = _node(model, tree.nodes[0], Element("True"))
    waiting = [(tree.nodes[0], root)]
    while waiting:
        node, element = waiting.pop()
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


def _function(model: Model) -> str:
    return "classification" if model.is_classification else "regression"


def _check(root: Element, name: str) -> None:
    for element in root.iter():
        texts: Mapping[str, str] = {**element.attrib, "text": element.text or ""}
        for text in texts.values():
            if found := FORBIDDEN.search(text):
                raise MadtreeError(
                    f"model: {name} has a text that XML cannot hold, with U+{ord(found[0]):04X} in it: {text!r}",
                    hint="madtree.tree_to_json writes it as it is.",
                )
