"""The splits of a tree as PMML predicates, in which missing values go the way that madtree sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from madtree.render.xml_text import InlineTable
from madtree.trees import Feature, FeatureKind, Node, Split, Tree

LEFT, RIGHT = "left", "right"
NO_CHARACTERS = frozenset('"\\')  # evaluators disagree on how they are escaped in an array


class PmmlSplits:
    """Writes a tree's predicates, and collects the derived fields that they ask.

    In PMML a predicate on a missing field is UNKNOWN; a node whose children's predicates are UNKNOWN sends the row to
    its `defaultChild`, and a compound predicate `surrogate` asks one predicate after the other until one is known. A
    category that a split does not name has to be UNKNOWN, too, but a predicate on a set says just TRUE or FALSE of it.
    So a field is derived that maps the categories to a side, and is missing for all others.

    Attributes:
        derived: `DerivedField` elements, in an order in which each refers to earlier ones only.
    """

    def __init__(self, features: Mapping[str, Feature], tree: Tree) -> None:
        self.derived: list[Element] = []
        self._features, self._tree = features, tree
        self._known: dict[str, str] = {}

    def predicates(self, node: Node) -> tuple[Element, Element]:
        """Of the left child and of the right one; the splits of one node are told apart by their rank."""
        if not node.surrogates and not self._needs_field(node):
            return self._simple(node)
        splits: tuple[Split, ...] = (node, *node.surrogates)
        sides = [self._known_or_not(split, f"node {node.node_id}, split {rank}") for rank, split in enumerate(splits)]
        if len(sides) == 1:
            return sides[0]
        left, right = (Element("CompoundPredicate", {"booleanOperator": "surrogate"}) for _ in range(2))
        left.extend(side[0] for side in sides)
        right.extend(side[1] for side in sides)
        return left, right

    def _needs_field(self, split: Split) -> bool:
        feature = self._features[str(split.feature)]
        return None in (*(split.left_levels or ()), *(split.right_levels or ())) or (
            feature.null_last and bool(feature.labels)
        )

    def _simple(self, node: Node) -> tuple[Element, Element]:
        """For a node without surrogates: a category that is not named goes with the majority, as a missing one does."""
        feature = self._features[str(node.feature)]
        sides = _sides(feature, node)
        if sides is None:
            return _compare(feature, node)
        left, right = sides
        if node.majority_left:
            return _among(feature.name, right, False), _among(feature.name, right, True)
        return _among(feature.name, left, True), _among(feature.name, left, False)

    def _known_or_not(self, split: Split, name: str) -> tuple[Element, Element]:
        feature = self._features[str(split.feature)]
        sides = _sides(feature, split)
        if sides is None:
            return _compare(feature, split)
        self._derive(feature, split, sides, name)
        return _equal(name, LEFT), _equal(name, RIGHT)

    def _derive(self, feature: Feature, split: Split, sides: tuple[Sequence[str], Sequence[str]], name: str) -> None:
        source, default = feature.name, {}
        if feature.null_last:
            default = {"mapMissingTo": RIGHT if split.low_goes_left else LEFT}
        elif self._needs_field(split):
            source = self._known_field(feature)
            default = {"mapMissingTo": LEFT if None in (split.left_levels or ()) else RIGHT}
        self.derived.append(_mapping(name, source, [*zip(sides, (LEFT, RIGHT), strict=True)], default))

    def _known_field(self, feature: Feature) -> str:
        """The feature without what training has not seen, which goes the way of NULL, where that is a category."""
        if feature.name not in self._known:
            name = self._known[feature.name] = f"known {feature.name}"
            seen = self._tree.seen_categories.get(feature.name, ())
            self.derived.append(_mapping(name, feature.name, [(seen, None)], {}))
        return self._known[feature.name]


def _sides(feature: Feature, split: Split) -> tuple[Sequence[str], Sequence[str]] | None:
    """The categories of both sides but NULL, an enum's labels among them; None if the split compares numbers."""
    if feature.kind is FeatureKind.UNORDERED:
        left, right = split.left_levels or (), split.right_levels or ()
        return [each for each in left if each is not None], [each for each in right if each is not None]
    if not feature.labels:
        return None
    cut = sum(position <= (split.threshold or 0.0) for position in range(1, len(feature.labels) + 1))
    low, high = feature.labels[:cut], feature.labels[cut:]
    return (low, high) if split.low_goes_left else (high, low)


def _compare(feature: Feature, split: Split) -> tuple[Element, Element]:
    value = repr(float(split.threshold or 0.0)).replace("inf", "INF")  # as XML Schema spells it
    low, high = (
        Element("SimplePredicate", {"field": feature.name, "operator": operator, "value": value})
        for operator in ("lessOrEqual", "greaterThan")
    )
    if feature.null_last:
        low = _with_missing("and", "isNotMissing", low)
        high = _with_missing("or", "isMissing", high)
    return (low, high) if split.low_goes_left else (high, low)


def _with_missing(junction: str, operator: str, predicate: Element) -> Element:
    """A predicate that is known where its field is missing, too."""
    compound = Element("CompoundPredicate", {"booleanOperator": junction})
    SubElement(compound, "SimplePredicate", {"field": predicate.get("field", ""), "operator": operator})
    compound.append(predicate)
    return compound


def _equal(field: str, value: str, operator: str = "equal") -> Element:
    return Element("SimplePredicate", {"field": field, "operator": operator, "value": value})


def _among(field: str, categories: Sequence[str], inside: bool) -> Element:
    """Whether a field's value is one of these categories, or none of them; UNKNOWN if it is missing."""
    if len(categories) == 1:
        return _equal(field, categories[0], "equal" if inside else "notEqual")
    if not categories or any(not each or not NO_CHARACTERS.isdisjoint(each) for each in categories):
        return _one_by_one(field, categories, inside)
    element = Element("SimpleSetPredicate", {"field": field, "booleanOperator": "isIn" if inside else "isNotIn"})
    array = SubElement(element, "Array", {"n": str(len(categories)), "type": "string"})
    array.text = " ".join(f'"{each}"' for each in categories)
    return element


def _one_by_one(field: str, categories: Iterable[str], inside: bool) -> Element:
    elements = [_equal(field, each, "equal" if inside else "notEqual") for each in categories]
    if not elements:
        return Element("False" if inside else "True")
    compound = Element("CompoundPredicate", {"booleanOperator": "or" if inside else "and"})
    compound.extend(elements)
    return compound


def _mapping(
    name: str, source: str, rows: Sequence[tuple[Sequence[str], str | None]], default: Mapping[str, str]
) -> Element:
    """A field that maps categories to a text, or each to itself, and is missing for others."""
    field = Element("DerivedField", {"name": name, "optype": "categorical", "dataType": "string"})
    values = SubElement(field, "MapValues", {"outputColumn": "to", "dataType": "string", **default})
    SubElement(values, "FieldColumnPair", {"field": source, "column": "from"})
    values.append(InlineTable(rows))
    return field
