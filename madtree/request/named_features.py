"""Features that an argument names, to say something of them: `feature_costs => 'income=2, age=1'`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from madtree.errors import MadtreeError
from madtree.records import dataclass
from madtree.request.catalog import SourceColumn, find_column
from madtree.sqltext.quote import literal
from madtree.sqltext.split import feature_key, split_list
from madtree.trees import MOST_COST, Feature, FeatureKind
from madtree.wording import BLANKS

_FEW = 20  # features that a hint lists
_DIRECTIONS = {"1": 1.0, "+1": 1.0, "-1": -1.0, "0": 0.0}


class FeaturePlaces:
    """The places of features by their names, however these are spelled; those of an array's elements also by its."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self._places: dict[object, list[int]] = {}
        for place, feature in enumerate(features):
            for name in {feature.name, feature_key(feature.name), feature.array} - {None}:
                self._places.setdefault(name, []).append(place)

    def of(self, name: str) -> list[int]:
        """None of them where there is no such feature."""
        return self._places.get(name) or self._places.get(feature_key(name), [])


@dataclass(frozen=True)
class NamedFeatures:
    """Finds the features of a training by the names that the user gives them.

    Attributes:
        columns: of the training relation, by unquoted name; `relation` is its name, for errors.
    """

    features: Sequence[Feature]
    columns: Mapping[str, SourceColumn]
    relation: str

    @cached_property
    def _places(self) -> FeaturePlaces:
        return FeaturePlaces(self.features)

    def places(self, argument: str, name: str) -> tuple[str, list[int]]:
        """How it is spelled, and its places; of an array those of all elements.

        Raises:
            MadtreeError: there is no such feature.
        """
        column = find_column(self.columns, name, argument, self.relation)
        text = column.sql if column else name
        found = self._places.of(text)
        if not found:
            raise MadtreeError(
                f"{argument}: {text} is none of the features",
                hint=f"Features are {', '.join(feature.name for feature in self.features[:_FEW])}.",
            )
        return text, found

    def pairs(self, argument: str, given: str, kind: str) -> Iterator[tuple[str, list[int], str]]:
        """Of each `feature=value` of a list: how the feature is spelled, its places, and the value; the feature may be
        an expression with an equals sign of its own.

        Args:
            kind: what a value is called in errors.

        Raises:
            MadtreeError: a pair is malformed, names no feature or one twice.
        """
        seen: set[int] = set()
        for pair in split_list(given, argument):
            name, equals, value = pair.rpartition("=")
            if not equals or not name.strip(BLANKS):
                example = literal(f"{self.features[0].name}=1")
                raise MadtreeError(
                    f"{argument}: {pair!r} is not a pair feature={kind}", hint=f"Write {argument} => {example}."
                )
            text, places = self.places(argument, name.strip(BLANKS))
            if not seen.isdisjoint(places):
                raise MadtreeError(f"{argument}: {text} is given twice")
            seen.update(places)
            yield text, places, value.strip()


def parse_directions(given: str | None, named: NamedFeatures) -> tuple[float, ...]:
    """The direction of each feature, as `Parameters.monotone` has it; an array's is its elements'.

    Raises:
        MadtreeError: as `NamedFeatures.pairs`; a direction is none, or the feature has no order.
    """
    argument = "monotone"
    if given is None or not given.strip():
        return ()
    found = [0.0] * len(named.features)
    for text, places, value in named.pairs(argument, given, "direction"):
        if value not in _DIRECTIONS:
            raise MadtreeError(
                f"{argument}: the direction of {text} must be +1, -1 or 0, not {value!r}",
                hint="+1: predictions do not fall where it rises; -1: they do not rise; 0: they may do either.",
            )
        if _DIRECTIONS[value] and named.features[places[0]].kind is FeatureKind.UNORDERED:
            raise MadtreeError(
                f"{argument}: {text} is of type {named.features[places[0]].type}, whose values have no order",
                hint="A number or an enum has one; a boolean has it as an integer.",
            )
        for place in places:
            found[place] = _DIRECTIONS[value]
    return tuple(found) if any(found) else ()


def parse_groups(given: str | None, named: NamedFeatures) -> tuple[tuple[int, ...], ...]:
    """The groups of `interaction_constraints => '[income, age], [age, region]'`, as `Parameters.interactions` has them;
    features that none names are one more group, as in scikit-learn.

    Raises:
        MadtreeError: a group is malformed or empty, or names no feature.
    """
    argument = "interaction_constraints"
    if given is None or not given.strip():
        return ()
    groups: list[tuple[int, ...]] = []
    for text in split_list(given, argument):
        if not (text.startswith("[") and text.endswith("]") and text[1:-1].strip()):
            raise MadtreeError(
                f"{argument}: {text} is not a group of features in brackets",
                hint=f"{argument} => '[x1, x2], [x3]' lets x1 and x2 be on one path, and x3 on its own.",
            )
        own = [named.places(argument, name)[1] for name in split_list(text[1:-1], argument)]
        groups.append(tuple(sorted({place for places in own for place in places})))
    rest = set(range(len(named.features))).difference(*groups)
    return (*groups, *([tuple(sorted(rest))] if rest else []))


def parse_costs(given: str | None, named: NamedFeatures) -> tuple[float, ...]:
    """The cost of each feature, 1 where none is given; nothing where all are 1. An array's cost is its elements'.

    Raises:
        MadtreeError: a pair is malformed, names no feature or one twice, or its cost is no number above 0.
    """
    if given is None or not given.strip():
        return ()
    costs = [1.0] * len(named.features)
    for text, places, value in named.pairs("feature_costs", given, "cost"):
        cost = _cost(text, value)
        for place in places:
            costs[place] = cost
    return tuple(costs) if set(costs) != {1.0} else ()


def _cost(feature: str, value: str) -> float:
    try:
        cost = float(value)
    except ValueError:
        cost = math.nan
    if not 1 / MOST_COST <= cost <= MOST_COST:
        raise MadtreeError(f"feature_costs: the cost of {feature} must be a number above 0, not {value!r}")
    return cost
