"""What users get who ask how to call a function."""

from __future__ import annotations

from typing import Any

import pytest
from memory_host import Catalogue, MemoryHost, Table

from madtree.entry.functions import help_text, instead_of_model
from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS, example, usage

BY_MESSAGE = [name for name, function in FUNCTIONS.items() if not function.takes_one_argument]
BY_MODEL = [name for name, function in FUNCTIONS.items() if function.takes_one_argument and function.returns == "text"]
WITHOUT_TEXT = [name for name, function in FUNCTIONS.items() if function.takes_one_argument and name not in BY_MODEL]


def asked(function: str, model: Any, *relations: str) -> str | None:
    host = MemoryHost(Catalogue({name: Table() for name in relations}))
    return instead_of_model(host, FUNCTIONS[function], model)


def test_all_kinds_are_here() -> None:
    assert {"tree_train", "forest_train", "tree_predict"} <= set(BY_MESSAGE)
    assert {"tree_sql", "tree_display", "tree_drop"} <= set(BY_MODEL)
    assert {"tree_rules", "tree_to_json"} <= set(WITHOUT_TEXT)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_text_ends_with_its_example(function: str) -> None:
    text, end = usage(FUNCTIONS[function]), example(FUNCTIONS[function])
    assert text.endswith(f"\n{end}")
    assert end.startswith("Example")
    assert f"madtree.{function}(" in end
    for argument in FUNCTIONS[function].arguments:
        assert argument.name in text


@pytest.mark.parametrize("function", BY_MESSAGE)
def test_a_message_asks_for_the_text_or_its_example(function: str) -> None:
    for word in ("usage", "HELP", " ? ", "", None):
        assert help_text(function, word) == usage(FUNCTIONS[function])
    assert help_text(function, " Example ") == example(FUNCTIONS[function])
    with pytest.raises(MadtreeError) as told:
        help_text(function, "data")
    assert told.value.message == (f"{function} with one argument takes 'usage', 'help', 'example', '?', not 'data'")
    assert told.value.hint == f"SELECT madtree.{function}() shows how to call it."


def test_a_function_that_is_none_is_told() -> None:
    with pytest.raises(MadtreeError, match="madtree has no function 'nope'"):
        help_text("nope", None)


@pytest.mark.parametrize("function", BY_MODEL)
def test_a_question_in_a_models_place_gives_help_unless_it_is_a_relations_name(function: str) -> None:
    for word in ("usage", "Help", "?", "", " "):
        assert asked(function, word) == usage(FUNCTIONS[function])
    assert asked(function, "example") == example(FUNCTIONS[function])
    assert (asked(function, "m"), asked(function, None)) == (None, None)
    for word in ("Example", "usage"):
        assert asked(function, word, "example", "usage") is None


@pytest.mark.parametrize("function", WITHOUT_TEXT)
def test_a_question_where_the_answer_is_no_text_tells_where_the_help_is(function: str) -> None:
    for word in ("help", "example", ""):
        with pytest.raises(MadtreeError) as told:
            asked(function, word)
        assert told.value.message == (
            f"{FUNCTIONS[function].arguments[0].name} must be the name of a model; SELECT madtree.{function}() shows "
            f"how to use {function}"
        )
    assert asked(function, "help", "help") is None
