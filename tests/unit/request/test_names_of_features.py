"""Features as users name them: quotes, capitals, and elements of arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from madtree.errors import MadtreeError
from madtree.request.named_features import NamedFeatures, parse_costs, parse_directions, parse_groups
from madtree.score.rows_at_hand import feature_places
from madtree.trees import Feature, FeatureKind

FEATURES = [
    Feature("(arr)[1]", "real", FeatureKind.CONTINUOUS, (), "arr"),
    Feature("(arr)[2]", "real", FeatureKind.CONTINUOUS, (), "arr"),
    Feature('("My arr")[1]', "real", FeatureKind.CONTINUOUS, (), '"My arr"'),
    Feature("arr[2] + 1", "real", FeatureKind.CONTINUOUS),
    Feature("it's", "real", FeatureKind.CONTINUOUS),
]
NAMED = NamedFeatures(FEATURES, {}, "t")
SPELLINGS = {
    "(arr)[1]": 0,
    "arr[1]": 0,
    "ARR[ 2 ]": 1,
    '("arr")[2]': 1,
    '"My arr"[1]': 2,
    "arr[2] + 1": 3,
}


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_an_element_is_named_by_its_subscript(spelled: str) -> None:
    place = SPELLINGS[spelled]
    model: Any = SimpleNamespace(features=FEATURES, name="m")
    assert feature_places(model, [[spelled]], "features") == [[place]]
    assert parse_directions(f"{spelled}=-1", NAMED) == tuple(-1.0 if i == place else 0.0 for i in range(5))
    assert parse_costs(f"{spelled}=2", NAMED)[place] == 2
    assert parse_groups(f"[{spelled}]", NAMED)[0] == (place,)


@pytest.mark.parametrize(
    "spelled", ["arr[3]", "arr[0]", "my arr[1]", "My[1]", "((arr))[1]", "arr[1][1]", "(arr[1]", "it's[0]"]
)
def test_others_are_none(spelled: str) -> None:
    model: Any = SimpleNamespace(features=FEATURES, name="m")
    with pytest.raises(MadtreeError, match="is no feature of m"):
        feature_places(model, [[spelled]], "features")


def test_an_expression_of_its_own_is_not_the_element_that_it_is() -> None:
    model: Any = SimpleNamespace(features=[*FEATURES, Feature("arr[1]", "real", FeatureKind.CONTINUOUS)], name="m")
    assert feature_places(model, [["arr[1]"], ["(arr)[1]"]], "features") == [[5], [0]]


def test_directions_without_names_are_told_how_they_are_written() -> None:
    with pytest.raises(MadtreeError) as error:
        parse_directions("[1, 0]", NAMED)
    assert error.value.message == "monotone: '[1, 0]' is not a pair feature=direction"
    assert error.value.hint == "Write monotone => '(arr)[1]=1'."
