"""The waterfall of a row's contributions, as text."""

from __future__ import annotations

from madtree.render.waterfall import waterfall

STEPS = [
    {"feature": None, "value": None, "contribution": 0.5, "estimated": 0.5},
    {"feature": "hour", "value": "14", "contribution": 0.25, "estimated": 0.75},
    {"feature": "carrier", "value": None, "contribution": -0.5, "estimated": 0.25},
    {"feature": "day", "value": "3", "contribution": 0.125, "estimated": 0.375},
    {"feature": "month", "value": "7", "contribution": 0.0, "estimated": 0.375},
]


def test_bars_lead_from_what_is_expected_to_the_prediction():
    assert [*waterfall(STEPS, 10)] == [
        "expected                             0.5  " + " " * 20 + "|",
        "hour = 14             +0.25         0.75  " + " " * 20 + "+" * 19,
        "carrier = NULL         -0.5         0.25  " + "-" * 39,
        "day = 3              +0.125        0.375  " + "+" * 10,
        "month = 7                +0        0.375",
        "prediction                         0.375  " + " " * 10 + "|",
    ]


def test_weaker_features_have_one_line():
    *_, others, _ = waterfall(STEPS, 1)
    assert others.split() == ["3", "other", "features", "-0.375", "0.375", "-" * 39]
    assert [line.split()[0] for line in waterfall(STEPS, 0)] == ["expected", "4", "prediction"]


def test_a_tree_of_a_root_alone():
    lines = [*waterfall(STEPS[:1], 10)]
    assert [line.split() for line in lines] == [["expected", "0.5", "|"], ["prediction", "0.5", "|"]]


def test_a_long_value_is_cut():
    (_, line, _) = waterfall([STEPS[0], {**STEPS[1], "value": "x" * 100}], 10)
    assert line.startswith("hour = " + "x" * 30 + "...  ")
