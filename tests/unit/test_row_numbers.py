"""What is declared of rows' numbers is what functions take, and what the learner is handed."""

from __future__ import annotations

from dataclasses import fields

from madtree.interface import NUMERIC_COLUMNS
from madtree.learn.packing import RawRows
from madtree.trees import ROW_NUMBERS


def test_each_is_an_argument_and_comes_to_the_learner() -> None:
    assert tuple(number.argument for number in ROW_NUMBERS) == NUMERIC_COLUMNS
    assert {number.name for number in ROW_NUMBERS} < {field.name for field in fields(RawRows)}
