"""An evaluator of PMML's TreeModel and MiningModel, written from the specification (dmg.org/pmml/v4-4-1).

It knows what madtree's documents use: three-valued predicates, compound ones with `surrogate`, `defaultChild`, derived
fields that map values by a table, and segments: of which the first applies, that vote, whose means are averaged, whose
numbers are added up, or of which each is asked by what the others say; constants of targets; and regressions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import reduce
from operator import add
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

PMML = "{http://www.dmg.org/PMML-4_4}"
Value = float | str | bool | None
ITEM = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
PREDICATES = {"SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False"}
MODELS = {"TreeModel", "MiningModel", "RegressionModel"}
ORDER = {
    "lessThan": lambda a, b: a < b,
    "lessOrEqual": lambda a, b: a <= b,
    "greaterThan": lambda a, b: a > b,
    "greaterOrEqual": lambda a, b: a >= b,
}


def name_of(element: Element) -> str:
    return element.tag.removeprefix(PMML)


class Evaluator:
    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text.encode())
        assert self.root.tag == f"{PMML}PMML"
        assert self.root.get("version") == "4.4"
        self.types = {f.get("name"): f.get("dataType") for f in self.root.iter(f"{PMML}DataField")}
        (self.model,) = [element for element in self.root if name_of(element) in MODELS]

    def leaf(self, row: Mapping[str, Value]) -> Element | None:
        """The node whose score is a row's prediction; None where no segment applies."""
        return self._evaluate(self.model, row)

    def said(self, row: Mapping[str, Value]) -> tuple[str | float, dict[str, float]] | None:
        """A row's prediction, and of classes the share of each, without those that have none; None as above."""
        return self._said(self.model, row)

    def _said(self, model: Element, row: Mapping[str, Value]) -> tuple[str | float, dict[str, float]] | None:
        if name_of(model) == "RegressionModel":
            return self._regression(model, row)
        segmentation = model.find(f"{PMML}Segmentation")
        if segmentation is None:
            score = self._tree(model, row).get("score")
            return (score, {score: 1.0}) if model.get("functionName") == "classification" else (float(score), {})
        method = segmentation.get("multipleModelMethod")
        found = []
        for segment in segmentation:
            predicate = next(element for element in segment if name_of(element) in PREDICATES)
            if self.ask(predicate, row) is True:
                found.append((float(segment.get("weight", "1")), segment))
        if method == "selectFirst":
            return self._said(next(e for e in found[0][1] if name_of(e) in MODELS), row) if found else None
        if method == "modelChain":
            row = dict(row)
            for _, segment in found:
                of_segment = next(e for e in segment if name_of(e) in MODELS)
                said = self._said(of_segment, row)
                for field in of_segment.findall(f"{PMML}Output/{PMML}OutputField"):
                    assert field.get("feature") == "predictedValue"
                    row[field.get("name")] = said[0]
            return said
        each = [(weight, self._said(next(e for e in s if name_of(e) in MODELS), row)) for weight, s in found]
        if method == "average":
            return reduce(add, (mean for _, (mean, _) in each)) / len(each), {}
        if method == "sum":
            constant = model.find(f"{PMML}Targets/{PMML}Target").get("rescaleConstant")
            return reduce(add, (own for _, (own, _) in each)) + float(constant), {}
        assert method == "weightedMajorityVote"
        votes: dict[str, float] = {}
        for weight, (label, _) in each:
            votes[label] = votes.get(label, 0.0) + weight
        total = sum(votes.values())
        # Of several with most votes the one that was met first.
        return max(votes, key=lambda label: votes[label]), {k: v / total for k, v in votes.items() if v}

    def _regression(self, model: Element, row: Mapping[str, Value]) -> tuple[str | float, dict[str, float]]:
        fields = {field.get("name") for field in model.findall(f"{PMML}MiningSchema/{PMML}MiningField")}
        found = []
        for table in model.findall(f"{PMML}RegressionTable"):
            value = float(table.get("intercept"))
            for term in table:
                assert term.get("name") in fields
                value += float(term.get("coefficient")) * float(row[term.get("name")])
            found.append((table.get("targetCategory"), value))
        method = model.get("normalizationMethod")
        if model.get("functionName") == "regression":
            assert method == "exp"
            return math.exp(found[0][1]), {}
        if method == "softmax":
            most = max(value for _, value in found)
            total = sum(math.exp(value - most) for _, value in found)
            shares = {label: math.exp(value - most) / total for label, value in found}
        else:
            assert method == "logit"
            shares = {label: 1 / (1 + math.exp(-value)) for label, value in found[:1]}
            for label, _ in found[1:]:
                shares[label] = 1 - sum(shares.values())
        return max(shares, key=lambda label: shares[label]), shares

    def _evaluate(self, model: Element, row: Mapping[str, Value]) -> Element | None:
        if name_of(model) == "TreeModel":
            return self._tree(model, row)
        segmentation = model.find(f"{PMML}Segmentation")
        assert segmentation.get("multipleModelMethod") == "selectFirst"
        for segment in segmentation:
            predicate = next(element for element in segment if name_of(element) in PREDICATES)
            if self.ask(predicate, row) is True:
                return self._evaluate(next(e for e in segment if name_of(e) in MODELS), row)
        return None

    def _tree(self, model: Element, row: Mapping[str, Value]) -> Element | None:
        row = dict(row)
        for field in model.findall(f"{PMML}LocalTransformations/{PMML}DerivedField"):
            row[field.get("name")] = self._map(field.find(f"{PMML}MapValues"), row)
        node = model.find(f"{PMML}Node")
        while children := node.findall(f"{PMML}Node"):
            assert model.get("missingValueStrategy") == "defaultChild"
            node = self._step(node, children, row)
        return node

    def _step(self, node: Element, children: list[Element], row: Mapping[str, Value]) -> Element:
        for child in children:
            answer = self.ask(next(e for e in child if name_of(e) in PREDICATES), row)
            if answer is True:
                return child
            if answer is None:
                return next(child for child in children if child.get("id") == node.get("defaultChild"))
        raise AssertionError(f"no child of node {node.get('id')} takes the row")

    def _map(self, element: Element, row: Mapping[str, Value]) -> Value:
        (pair,) = element.findall(f"{PMML}FieldColumnPair")
        value = row[pair.get("field")]
        if value is None:
            return element.get("mapMissingTo")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        for line in element.findall(f"{PMML}InlineTable/{PMML}row"):
            cells = {name_of(cell): cell.text or "" for cell in line}
            if cells[pair.get("column")] == text:
                return cells[element.get("outputColumn")]
        return element.get("defaultValue")

    def ask(self, predicate: Element, row: Mapping[str, Value]) -> bool | None:
        kind = name_of(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            return self._compound(predicate, row)
        value = row[predicate.get("field")]
        if predicate.get("operator") in ("isMissing", "isNotMissing"):
            return (value is None) == (predicate.get("operator") == "isMissing")
        if value is None:
            return None
        if kind == "SimpleSetPredicate":
            return self._is_in(predicate, str(value)) == (predicate.get("booleanOperator") == "isIn")
        operator = predicate.get("operator")
        if operator in ("equal", "notEqual"):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return (text == predicate.get("value")) == (operator == "equal")
        return ORDER[operator](float(value), float(predicate.get("value")))

    def _is_in(self, predicate: Element, value: str) -> bool:
        array = predicate.find(f"{PMML}Array")
        items = [quoted if bare == "" else bare for quoted, bare in ITEM.findall(array.text)]
        assert len(items) == int(array.get("n"))
        return value in items

    def _compound(self, predicate: Element, row: Mapping[str, Value]) -> bool | None:
        answers = [self.ask(part, row) for part in predicate]
        operator = predicate.get("booleanOperator")
        if operator == "surrogate":
            return next((answer for answer in answers if answer is not None), None)
        decisive = operator == "or"  # one such answer is enough
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive


def probabilities(leaf: Element) -> list[float]:
    return [float(d.get("probability")) for d in leaf.findall(f"{PMML}ScoreDistribution")]
