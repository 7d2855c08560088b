"""Which way a row goes at a node, without a database."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import pytest
from make_model import inner, stand_in

from madtree.trees import Feature, FeatureKind
from madtree.trees.direction import comparable, find_direction

NUMERIC = Feature("x", "numeric", FeatureKind.CONTINUOUS)
WORD = Feature("word", "text", FeatureKind.UNORDERED)
FEATURES = {"x": NUMERIC, "word": WORD}


@pytest.mark.parametrize("threshold", [9007199254740992.0, 9007199254740994.0, 0.1, -0.1, 1e22, 0.0, -3.0])
def test_a_numeric_goes_where_its_float8_would(threshold: float) -> None:
    """At the middle between two floats, where rounding to even decides, and right beside it."""
    node = inner(0, "x", threshold)
    for other in (math.nextafter(threshold, math.inf), math.nextafter(threshold, -math.inf)):
        with localcontext() as context:
            context.prec = 1100
            # float8 holds nothing between 0 and the half of its neighbour.
            middle = (Decimal(threshold) + Decimal(other)) / 2 if threshold else Decimal(1)
            beside = middle.next_plus(), middle.next_minus()
        for value in (Decimal(threshold), Decimal(other), middle, *beside):
            text = format(value, "f")
            found = find_direction(node, FEATURES, {"x": comparable(NUMERIC, text)}, {})
            assert (found.split, found.goes_left) == (node, float(text) <= threshold), text


def test_numerics_that_are_no_numbers() -> None:
    node = inner(0, "x", 5.0, majority_left=False)
    answers = {
        text: find_direction(node, FEATURES, {"x": comparable(NUMERIC, text)}, {}) for text in ("Infinity", "-Infinity")
    }
    assert [(text, answer.split is node, answer.goes_left) for text, answer in answers.items()] == [
        ("Infinity", True, False),
        ("-Infinity", True, True),
    ]
    for missing in ("NaN", None):
        answer = find_direction(node, FEATURES, {"x": comparable(NUMERIC, missing)}, {})
        assert (answer.split, answer.goes_left) == (None, False)


def test_the_first_surrogate_that_can_tell_decides() -> None:
    deaf, heard = stand_in("word", left_levels=("a",), right_levels=("b",)), stand_in("x", 5.0, low_goes_left=False)
    node = inner(0, "word", left_levels=("c",), right_levels=("d",), surrogates=(deaf, heard))
    answer = find_direction(node, FEATURES, {"word": "e", "x": 4.0}, {})
    assert (answer.split, answer.rank, answer.goes_left) == (heard, 2, False)


@pytest.mark.parametrize(
    ("level", "known", "goes_left"),
    [(None, True, True), ("unseen", True, True), ("absent", False, False), ("b", True, False), ("a", True, True)],
)
def test_what_was_never_seen_goes_the_way_of_null_where_null_is_a_level(
    level: str | None, known: bool, goes_left: bool
) -> None:
    node = inner(0, "word", left_levels=("a", None), right_levels=("b",), majority_left=False)
    answer = find_direction(node, FEATURES, {"word": level, "x": None}, {"word": ("a", "b", "absent")})
    assert (answer.split is node, answer.goes_left) == (known, goes_left)
