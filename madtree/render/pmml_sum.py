"""A boosted model in PMML: trees that are added up, and a regression that says what the scores mean.

A score is a MiningModel whose segments are summed; the score to begin with is a constant of its target, with all of its
digits. Where the score is not the prediction itself, it is handed to a RegressionModel, by a model chain
(https://dmg.org/pmml/v4-4-1/Regression.html).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement

from madtree.errors import MadtreeError
from madtree.render.pmml_fields import (
    function_name,
    mining_model,
    mining_schema,
    output,
    segmentation,
    target_field,
    target_name,
)
from madtree.render.pmml_tree import tree_model
from madtree.render.xml_text import XmlWriter
from madtree.trees import Link, Model, Tree

_NORMALIZED = {Link.LOG: "exp", Link.LOGIT: "logit", Link.HALF_LOGIT: "logit", Link.SOFTMAX: "softmax"}


def summed(
    model: Model, trees: Iterator[Tree], base: Sequence[float], write: XmlWriter, level: int, *, in_segment: bool
) -> Iterator[str]:
    """The model of one group.

    Args:
        trees: of the group, in order.
        base: the scores to begin with.
        in_segment: whether it is a part of the model of all groups, which has the output.
    """
    link = model.loss.link_of(len(model.classes))
    if link is Link.ONE_VS_REST:
        raise MadtreeError(
            f"{model.name} was calibrated class by class, and no regression of PMML's divides such probabilities by "
            "their sum",
            hint="Take tree_to_json.",
            sqlstate="0A000",
        )
    if link is Link.ISOTONIC:
        sigmoid = "Calibrate with method => 'sigmoid', or take" if len(model.classes) == 2 else "Take"
        raise MadtreeError(
            f"{model.name} was calibrated by isotonic regression, and no model of PMML's has such a function",
            hint=f"{sigmoid} tree_to_json.",
            sqlstate="0A000",
        )
    whole = mining_model(model, model.kind.noun if in_segment else model.name, with_groups=False)
    if not in_segment:
        whole.append(output(model))
    if link is Link.IDENTITY:
        _begin_with(whole, base[0], target_name(model))
        return write.around(whole, level, _trees(model, trees, write, level + 1))
    # With several scores the trees of a round are one behind the other, and those of a score must be together.
    each = [trees] if model.n_scores == 1 else [iter(own) for own in _by_score(model, trees)]

    def segments() -> Iterator[str]:
        for number, (own, begin, name) in enumerate(zip(each, base, _score_names(model), strict=True), 1):
            score = Element("MiningModel", {"modelName": name, "functionName": "regression"})
            score.append(mining_schema(model, with_target=False))
            field = {"name": name, "optype": "continuous", "dataType": "double", "feature": "predictedValue"}
            SubElement(SubElement(score, "Output"), "OutputField", {**field, "isFinalResult": "false"})
            _begin_with(score, begin)
            within = write.around(score, level + 3, _trees(model, own, write, level + 4))
            yield from write.around(_segment(number), level + 2, within)
        last = _segment(len(each) + 1)
        last.append(_regression(model, link))
        yield from write.whole(last, level + 2)

    return write.around(whole, level, write.around(segmentation("modelChain"), level + 1, segments()))


def _by_score(model: Model, trees: Iterator[Tree]) -> list[list[Tree]]:
    own: list[list[Tree]] = [[] for _ in range(model.n_scores)]
    for number, tree in enumerate(trees):
        own[number % model.n_scores].append(tree)
    return own


def _segment(number: int) -> Element:
    segment = Element("Segment", {"id": str(number)})
    SubElement(segment, "True")
    return segment


def _begin_with(score: Element, base: float, target: str | None = None) -> None:
    """What is added to the trees."""
    field = {} if target is None else {"field": target}
    SubElement(SubElement(score, "Targets"), "Target", {**field, "rescaleConstant": repr(base)})


def _trees(model: Model, trees: Iterator[Tree], write: XmlWriter, level: int) -> Iterator[str]:
    """The segments that are added up."""
    single = model.as_single_trees

    def segments() -> Iterator[str]:
        for number, tree in enumerate(trees, 1):
            segment = _segment(number)
            segment.append(tree_model(single, tree, write.between, in_segment=True, with_target=False))
            yield from write.whole(segment, level + 1)

    return write.around(segmentation("sum"), level, segments())


def _regression(model: Model, link: Link) -> Element:
    """What the scores mean."""
    attributes = {"functionName": function_name(model), "normalizationMethod": _NORMALIZED[link]}
    element, names = Element("RegressionModel", attributes), _score_names(model)
    schema = SubElement(element, "MiningSchema")
    for name in names:
        SubElement(schema, "MiningField", {"name": name})
    SubElement(schema, "MiningField", target_field(model))
    if not model.is_classification:
        _table(element, names[0], 1.0)
    elif len(names) > 1:
        for name, label in zip(names, model.classes, strict=True):
            _table(element, name, 1.0, label)
    else:
        factor = 2.0 if link is Link.HALF_LOGIT else 1.0
        if len(model.classes) == 1:
            _table(element, names[0], -factor, model.classes[0])
        else:  # the probability of the other one is what is left
            _table(element, names[0], factor, model.classes[1])
            SubElement(element, "RegressionTable", {"intercept": "0.0", "targetCategory": model.classes[0]})
    return element


def _table(element: Element, name: str, factor: float, label: str | None = None) -> None:
    category = {} if label is None else {"targetCategory": label}
    table = SubElement(element, "RegressionTable", {"intercept": "0.0", **category})
    SubElement(table, "NumericPredictor", {"name": name, "coefficient": repr(factor)})


def _score_names(model: Model) -> list[str]:
    """What the scores are called, as no field of the document is."""
    taken = {*model.feature_names, *model.grouping_columns, target_name(model)}
    names = [f"score of {label}" for label in model.classes] if model.n_scores > 1 else ["score"]
    while taken.intersection(names):
        names = [f"madtree {name}" for name in names]
    return names
