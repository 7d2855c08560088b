"""A model as a PMML 4.4 document (Data Mining Group, https://dmg.org/pmml/v4-4-1/TreeModel.html)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from xml.etree.ElementTree import Element, SubElement

from madtree.render.pmml_fields import data_dictionary, mining_model, output, segmentation, target_field
from madtree.render.pmml_sum import summed
from madtree.render.pmml_tree import tree_model
from madtree.render.xml_text import XmlWriter
from madtree.trees import Joining, Model, Tree

NAMESPACE = "http://www.dmg.org/PMML-4_4"


def model_pmml(
    model: Model,
    trees: Iterator[Tree],
    between: Callable[[], None] = lambda: None,
    base: Sequence[Sequence[float]] = (),
) -> Iterator[str]:
    """The document as pieces of text.

    A single tree is a TreeModel. Many trees are a MiningModel (https://dmg.org/pmml/v4-4-1/MultipleModels.html), whose
    trees vote, or whose means are averaged; of boosted models their numbers are added up. Where the model is grouped,
    these are segments of a MiningModel that chooses by the group.

    Args:
        trees: of the model, by ascending tree_id; those without nodes are left out.
        between: called after each node, for cancels to be let in.
        base: of boosted models the scores to begin with, of all groups by their numbers.

    Raises:
        MadtreeError: XML cannot hold a text of the model.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = SubElement(root, "Header", {"description": f"{model.name}, trained on {model.source_table}"})
    if model.summary.get("class_params"):
        SubElement(header, "Extension", {"name": "class_params", "value": str(model.summary["class_params"])})
    SubElement(header, "Application", {"name": "madtree", "version": str(model.summary.get("madtree_version"))})
    root.append(data_dictionary(model))
    grown = (tree for tree in trees if tree.nodes)
    write = XmlWriter(model.name, between)
    yield from write.around(
        root,
        0,
        _grouped(model, grown, base, write) if model.grouping_columns else _one(model, grown, base[:1], write, 1),
    )


def _grouped(model: Model, trees: Iterator[Tree], base: Sequence[Sequence[float]], write: XmlWriter) -> Iterator[str]:
    """The model of all groups, of which the row's own says what comes out."""
    mining = mining_model(model, model.name, with_groups=True)
    mining.append(output(model))

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
            of_trees = chain([first], members)
            within = _one(model, of_trees, base[number - 1 : number], write, 4, in_segment=True)
            yield from write.around(segment, 3, within)

    return write.around(mining, 1, write.around(segmentation("selectFirst"), 2, segments()))


def _one(
    model: Model,
    trees: Iterator[Tree],
    base: Sequence[Sequence[float]],
    write: XmlWriter,
    level: int,
    in_segment: bool = False,
) -> Iterator[str]:
    """The model of one group, which these trees are; `base` has its scores to begin with, where it has any."""
    if model.kind.joining is Joining.SUM:
        return summed(model, trees, base[0], write, level, in_segment=in_segment)
    if model.kind.joining is Joining.NONE:
        return write.whole(tree_model(model, next(trees), write.between, in_segment), level)

    def segments() -> Iterator[str]:
        # PMML does not say who wins a tie. Where that is the class that was voted for first, as with JPMML, votes that
        # count nothing make it the first class, as with us.
        for number, label in enumerate(model.classes, 1):
            segment = Element("Segment", {"id": f"class {number}", "weight": "0"})
            segment.extend([Element("True"), _vote(model, label)])
            yield from write.whole(segment, level + 2)
        for number, tree in enumerate(trees, 1):
            segment = Element("Segment", {"id": str(number)})
            segment.extend([Element("True"), tree_model(model, tree, write.between, in_segment=True)])
            yield from write.whole(segment, level + 2)

    mining = mining_model(model, model.kind.noun if in_segment else model.name, with_groups=False)
    if not in_segment:
        mining.append(output(model))
    method = "weightedMajorityVote" if model.is_classification else "average"
    return write.around(mining, level, write.around(segmentation(method), level + 1, segments()))


def _vote(model: Model, label: str) -> Element:
    """A tree that always says the same class."""
    element = Element("TreeModel", {"modelName": label, "functionName": "classification"})
    SubElement(SubElement(element, "MiningSchema"), "MiningField", target_field(model))
    SubElement(SubElement(element, "Node", {"score": label}), "True")
    return element
