"""Counts and lists in sentences."""

from __future__ import annotations

import pytest

from madtree.wording import count_text, first_of


@pytest.mark.parametrize(
    ("n", "noun", "text"),
    [
        (1, "row", "1 row"),
        (0, "row", "0 rows"),
        (2, "class", "2 classes"),
        (1, "class", "1 class"),
        (2, "leaf", "2 leaves"),
    ],
)
def test_a_count_has_its_noun_in_the_plural_unless_it_is_one(n: int, noun: str, text: str) -> None:
    assert count_text(n, noun) == text


def test_thousands_have_commas_where_that_is_asked_for() -> None:
    assert count_text(1234, "row", ",") == "1,234 rows"


def test_of_a_long_list_the_first_are_shown() -> None:
    assert [first_of("abc", most) for most in (2, 3)] == ["a, b, ...", "a, b, c"]
