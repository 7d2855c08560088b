"""Errors of the functions name their arguments; on the command line they name its options."""

from __future__ import annotations

import pytest
from terminal import run

from madtree.cli.options import FLAGS, as_options

OPTIONS = {
    "replace": ("--replace", ""),
    "classification": ("--classification", "--regression"),
    "split_criterion": ("--criterion", ""),
    "list_of_features": ("--features", ""),
    "cp": ("--cp", ""),
    "weights": ("--weights", ""),
    "output_table_name": ("model", ""),
}
SENTENCES = {
    "call with replace => true.": "call with --replace.",
    "say classification => true, or classification => false": "say --classification, or --regression",
    "for split_criterion => 'poisson' only": "for --criterion poisson only",
    "list_of_features => 'a, b'": "--features 'a, b'",
    "list_of_features: no column agee": "--features: no column agee",
    "prune less (pruning_params => 'cp=-1' keeps all)": "prune less (--cp -1 keeps all)",
    "their weight: weights => ...": "their weight: --weights ...",
    "cp must be a number, as weights must be": "--cp must be a number, as weights must be",
    "weights: w is NULL": "--weights: w is NULL",
    "output_table_name: m exists already": "model: m exists already",
    # What has no option stays.
    "replace => false": "replace => false",
    "grid_size => 3, or pruning_params => 'n_folds=5'": "grid_size => 3, or pruning_params => 'n_folds=5'",
    "SELECT madtree.tree_train('t', 'm', replace => true)": "SELECT madtree.tree_train('t', 'm', replace => true)",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_arguments_become_options(sentence: str) -> None:
    before = FLAGS.set(OPTIONS)
    try:
        assert as_options(sentence) == SENTENCES[sentence]
    finally:
        FLAGS.reset(before)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_outside_of_a_command_they_stay(sentence: str) -> None:
    assert as_options(sentence) == sentence


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("boost", "t", "m", "--loss", "foo"), "'foo' is not one of 'log_loss', 'exponential', 'squared_error',"),
        (("predict", "m", "t", "o", "--type", "foo"), "'foo' is not one of 'response', 'prob', 'raw', 'leaf',"),
        (("--engine", "foo", "models"), "'foo' is not one of 'auto', 'extension', 'client'."),
    ],
)
def test_a_wrong_word_is_told_with_the_right_ones(words: tuple[str, ...], said: str) -> None:
    told = run(*words)
    sentence = " ".join(told.err.replace("│", " ").split())
    assert (told.code, told.out) == (2, "")
    assert said in sentence
    assert "Value error" not in sentence
