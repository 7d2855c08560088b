"""The two parameter strings."""

from __future__ import annotations

from typing import Any

import pytest

from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS
from madtree.request.option_strings import parse_options

TREE_TRAIN = FUNCTIONS["tree_train"]


def parse(surrogate_params: str | None, pruning_params: str | None) -> dict[str, Any]:
    names = ("surrogate_params", "pruning_params", "null_handling_params")
    return parse_options(TREE_TRAIN, dict(zip(names, (surrogate_params, pruning_params, None), strict=True)))


def options(**said: object) -> dict[str, object]:
    strings = [each for each in TREE_TRAIN.arguments if each.name in ("surrogate_params", "pruning_params")]
    return {**{key.name: key.default for each in strings for key in each.keys}, **said}


def test_nothing_said_means_the_defaults() -> None:
    assert parse(None, None) == parse("", "  ") == options()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cp=0.01", options(cp=0.01)),
        ("cp = 1e-3 ,n_folds= 10", options(cp=0.001, n_folds=10)),
        ("CP=0, N_Folds=0", options()),
        ("rule=1SE", options(rule="1se")),
        ("rule='min'", options()),
        ("max_surrogates=2, surrogate_style=1", options(max_surrogates=2, surrogate_style=1)),
        ("null_as_category=True", options(null_as_category=True)),
        ("null_as_category=f", options()),
        ('null_as_category="yes"', options(null_as_category=True)),
        ("fold_col=fold", options(fold_col="fold")),
        ('fold_col="My, Fold=s", cp=1', options(fold_col='"My, Fold=s"', cp=1)),
        ("fold_col='\"It''s\"'", options(fold_col='"It\'s"')),
    ],
)
def test_either_string_may_hold_any_key(text: str, expected: dict[str, object]) -> None:
    assert parse(text, None) == expected
    assert parse(None, text) == expected


def test_both_strings_together() -> None:
    """The order of a positional call written for MADlib."""
    assert parse("n_folds=3, cp=0.1", "max_surrogates=2") == options(n_folds=3, cp=0.1, max_surrogates=2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "cpp=1",
            "the key 'cpp' is unknown; valid keys are max_surrogates, null_as_category, surrogate_style, cp, n_folds",
        ),
        ("cp", "'cp' is not a pair key=value"),
        ("cp=", "'cp=' is not a pair key=value"),
        ("=1", "'=1' is not a pair key=value"),
        ("cp 1", "'cp 1' is not a pair key=value"),
        ("cp=1,", "empty item"),
        ("cp=1, CP=2", "the key cp is given twice"),
        ("cp=nan", "cp must be a number, below 0 for trees that are not pruned, not 'nan'"),
        ("cp=inf", "cp must be a number, below 0 for trees that are not pruned, not 'inf'"),
        ("cp=low", "cp must be a number, below 0 for trees that are not pruned, not 'low'"),
        ("n_folds=-2", "n_folds must be 0 (no cross-validation) or an integer from 2 to 255, not '-2'"),
        ("n_folds=2.5", "n_folds must be 0 (no cross-validation) or an integer from 2 to 255, not '2.5'"),
        ("n_folds=99999999999999999999", "n_folds must be 0 (no cross-validation) or an integer from 2 to 255"),
        ("max_surrogates=-1", "max_surrogates must be an integer of at least 0, not '-1'"),
        ("max_surrogates=many", "max_surrogates must be an integer of at least 0, not 'many'"),
        ("surrogate_style=2", "surrogate_style must be 0 or 1, not '2'"),
        ("rule=best", "rule must be one of min, 1se, not 'best'"),
        ("null_as_category=maybe", "null_as_category must be true or false, not 'maybe'"),
        ("cp=1 -- no", "comment"),
    ],
)
def test_a_mistake_is_named(text: str, words: str) -> None:
    for argument, strings in (("surrogate_params", (text, None)), ("pruning_params", (None, text))):
        with pytest.raises(MadtreeError) as caught:
            parse(*strings)
        assert words in caught.value.message
        assert argument in caught.value.message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("foldcol=f", "Did you mean fold_col?"),
        ("maxsurrogates=2", "Did you mean max_surrogates or surrogate_style?"),
        ("style=1", "Did you mean surrogate_style?"),
        ("nothing=1", None),
    ],
)
def test_a_key_that_is_like_another_one_is_asked_about(text: str, hint: str | None) -> None:
    with pytest.raises(MadtreeError) as caught:
        parse(text, None)
    assert caught.value.hint == hint


def test_a_key_in_madlibs_place_is_named_by_the_name_that_it_has_there() -> None:
    for strings, words in (
        (("cp=no", None), "surrogate_params (argument 14, pruning_params in MADlib): cp must be a number"),
        (
            (None, "max_surrogates=no"),
            "pruning_params (argument 15, null_handling_params in MADlib): max_surrogates must be an integer",
        ),
        ((None, "cp=no"), "pruning_params: cp must be a number"),
    ):
        with pytest.raises(MadtreeError) as caught:
            parse(*strings)
        assert caught.value.message.startswith(words)
