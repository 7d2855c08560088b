"""A model as a PMML 4.4 document (Data Mining Group, https://dmg.org/pmml/v4-4-1/TreeModel.html)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, groupby
from math import fsum
from xml.etree.ElementTree import Element, SubElement

from madtree.render.pmml_splits import PmmlSplits
from madtree.render.xml_text import XmlWriter
from madtree.trees import Feature, FeatureKind, Joining, Model, Node, Tree

NAMESPACE = "http://www.dmg.org/PMML-4_4"
INTEGERS = ("smallint", "integer", "bigint")


def model_pmml(model: Model, trees: Iterator[Tree], between: Callable[[], None] = lambda: None) -> Iterator[str]:
    """The document as pieces of text.

    A single tree is a TreeModel. Many trees are a MiningModel (https://dmg.org/pmml/v4-4-1/MultipleModels.html), whose
    trees vote, or whose means are averaged. Where the model is grouped, they are segments of a MiningModel that chooses
    by the group.

    Args:
        trees: of the model, by ascending tree_id; those without nodes are left out.
        between: called after each node, for cancels to be let in.

    Raises:
        MadtreeError: XML cannot hold a text of the model.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = SubElement(root, "Header", {"description": f"{model.name}, trained on {model.source_table}"})
    if model.summary.get("class_params"):
        SubElement(header, "Extension", {"name": "class_params", "value": str(model.summary["class_params"])})
    SubElement(header, "Application", {"name": "madtree", "version": str(model.summary.get("madtree_version"))})
    root.append(_data_dictionary(model))
    grown = (tree for tree in trees if tree.nodes)
    write = XmlWriter(model.name, between)
    yield from write.around(
        root, 0, _grouped(model, grown, write) if model.grouping_columns else _one(model, grown, write, 1)
    )


def _data_dictionary(model: Model) -> Element:
    fields = [*map(_feature_field, model.features), *_grouping_fields(model), _target_field(model)]
    dictionary = Element("DataDictionary", {"numberOfFields": str(len(fields))})
    dictionary.extend(fields)
    return dictionary


def _feature_field(feature: Feature) -> Element:
    if feature.type == "boolean":
        return _field(feature.name, "categorical", "boolean")
    if feature.kind is FeatureKind.UNORDERED or feature.labels:
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
        taken = set(names)
        names += [name for name in model.grouping_columns if name not in taken]
    for name in names:
        SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
    SubElement(schema, "MiningField", _target(model))
    return schema


def _target(model: Model) -> dict[str, str]:
    return {"name": target_name(model), "usageType": "target"}


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


def _grouped(model: Model, trees: Iterator[Tree], write: XmlWriter) -> Iterator[str]:
    """The model of all groups, of which the row's own says what comes out."""
    mining = _mining_model(model, model.name, with_groups=True)
    mining.append(_output(model))

    def segments() -> Iterator[str]:
        for number, of_group in groupby(trees, key=lambda tree: model.numbering.group(tree.tree_id)):
            members = iter(of_group)
            first = next(members)
            segment = Element("Segment", {"id": str(number)})
            keys = [
                Element("SimplePredicate", {"field": name, "operator": "equal", "value": value})
                for name, value in zip(model.grouping_columns, first.group, strict=True)
            ]
            if len(keys) > 1:
                SubElement(segment, "CompoundPredicate", {"booleanOperator": "and"}).extend(keys)
            else:
                segment.extend(keys)
            yield from write.around(segment, 3, _one(model, chain([first], members), write, 4, in_segment=True))

    return write.around(mining, 1, write.around(_segmentation("selectFirst"), 2, segments()))


def _one(model: Model, trees: Iterator[Tree], write: XmlWriter, level: int, in_segment: bool = False) -> Iterator[str]:
    """The model of one group, which these trees are."""
    if model.kind.joining is Joining.NONE:
        return write.whole(_tree_model(model, next(trees), write.between, in_segment), level)

    def segments() -> Iterator[str]:
        # PMML does not say who wins a tie. Where that is the class that was voted for first, as with JPMML, votes that
        # count nothing make it the first class, as with us.
        for number, label in enumerate(model.classes, 1):
            segment = Element("Segment", {"id": f"class {number}", "weight": "0"})
            segment.extend([Element("True"), _vote(model, label)])
            yield from write.whole(segment, level + 2)
        for number, tree in enumerate(trees, 1):
            segment = Element("Segment", {"id": str(number)})
            segment.extend([Element("True"), _tree_model(model, tree, write.between, in_segment=True)])
            yield from write.whole(segment, level + 2)

    mining = _mining_model(model, model.kind.noun if in_segment else model.name, with_groups=False)
    if not in_segment:
        mining.append(_output(model))
    method = "weightedMajorityVote" if model.is_classification else "average"
    return write.around(mining, level, write.around(_segmentation(method), level + 1, segments()))


def _vote(model: Model, label: str) -> Element:
    """A tree that always says the same class."""
    element = Element("TreeModel", {"modelName": label, "functionName": "classification"})
    SubElement(SubElement(element, "MiningSchema"), "MiningField", _target(model))
    SubElement(SubElement(element, "Node", {"score": label}), "True")
    return element


def _mining_model(model: Model, name: str, *, with_groups: bool) -> Element:
    mining = Element("MiningModel", {"modelName": name, "functionName": _function(model)})
    mining.append(_mining_schema(model, with_groups))
    return mining


def _segmentation(method: str) -> Element:
    return Element("Segmentation", {"multipleModelMethod": method})


def _tree_model(model: Model, tree: Tree, between: Callable[[], None], in_segment: bool = False) -> Element:
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
    splits = PmmlSplits({feature.name: feature for feature in model.features}, tree, between)
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


def _function(model: Model) -> str:
    return "classification" if model.is_classification else "regression"
