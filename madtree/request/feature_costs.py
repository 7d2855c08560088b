"""The costs of features: `feature_costs => 'income=2, age=1'`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from madtree.errors import MadtreeError
from madtree.request.catalog import SourceColumn, find_column
from madtree.sqltext.split import split_list
from madtree.trees import MOST_COST, Feature

_ARGUMENT = "feature_costs"


def parse_costs(
    given: str | None, features: Sequence[Feature], columns: Mapping[str, SourceColumn], relation: str
) -> tuple[float, ...]:
    """The cost of each feature, 1 where none is given; nothing where all are 1. An array's cost is its elements'.

    Args:
        columns: of the training relation, by unquoted name; `relation` is its name, for errors.

    Raises:
        MadtreeError: a pair is malformed, names no feature or one twice, or its cost is no number above 0.
    """
    if given is None or not given.strip():
        return ()
    costs: dict[int, float] = {}
    for pair in split_list(given, _ARGUMENT):
        name, cost = _pair(pair)
        column = find_column(dict(columns), name, _ARGUMENT, relation)
        text = column.sql if column else name
        places = [place for place, feature in enumerate(features) if text in (feature.name, feature.array)]
        if not places:
            raise MadtreeError(
                f"{_ARGUMENT}: {text} is none of the features",
                hint=f"Features are {', '.join(feature.name for feature in features[:20])}.",
            )
        if any(place in costs for place in places):
            raise MadtreeError(f"{_ARGUMENT}: {text} is given twice")
        costs.update(dict.fromkeys(places, cost))
    found = tuple(costs.get(place, 1.0) for place in range(len(features)))
    return found if set(found) != {1.0} else ()


def _pair(text: str) -> tuple[str, float]:
    """Feature and cost of one `feature=cost`; the feature may be an expression with an equals sign of its own."""
    name, equals, value = text.rpartition("=")
    try:
        cost = float(value)
    except ValueError:
        cost = math.nan
    if not equals or not name.strip():
        raise MadtreeError(f"{_ARGUMENT}: {text!r} is not a pair feature=cost")
    if not 1 / MOST_COST <= cost <= MOST_COST:
        raise MadtreeError(f"{_ARGUMENT}: the cost of {name.strip()} must be a number above 0, not {value.strip()!r}")
    return name.strip(), cost
