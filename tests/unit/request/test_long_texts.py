"""Texts that are given to functions: none is so long, nor so made, that reading it keeps a session for minutes, in
which neither a cancel nor a timeout would be heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from madtree.calls import run
from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS
from madtree.request.grid import SettingGrid
from madtree.request.hints import did_you_mean, no_name
from madtree.request.option_strings import pairs
from madtree.sqltext.split import split_list

LENGTH = 2**19
TEXTS = [
    (function.name, argument.name)
    for function in FUNCTIONS.values()
    for argument in function.arguments
    if argument.type == "text"
]


@pytest.mark.parametrize(("function", "argument"), TEXTS)
def test_every_text_has_a_bound(function: str, argument: str) -> None:
    """No host is asked for anything before."""
    declared = FUNCTIONS[function]
    given = ["x" * (2**22 + 1) if each.name == argument else None for each in declared.arguments]
    with pytest.raises(MadtreeError, match=rf"^{argument} has 4,194,305 characters; at most") as error:
        run(None, declared, given)  # type: ignore[arg-type]
    assert error.value.sqlstate == "54000"


def test_a_list_has_a_bound() -> None:
    assert len(split_list(",".join("x" * 2**16), "features")) == 2**16
    with pytest.raises(MadtreeError, match="features has more than 65,536 names or expressions"):
        split_list(",".join("x" * (2**16 + 1)), "features")


def _grid(text: str) -> None:
    SettingGrid.parsed(FUNCTIONS["tree_train"], text)


def _pairs(text: str) -> None:
    pairs(text, "pruning_params", ["cp"])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (_grid, f"min_split={','.join(map(str, range(1, 70_000)))}"),
        (_grid, "'" * LENGTH),
        (_grid, f"max_depth={' ' * LENGTH}b"),
        (_pairs, ",".join(["cp=1"] * 2**16)),
        (_pairs, f"cp=1{' ' * LENGTH}b"),
        (lambda text: no_name(text, "new_data_table"), " " * LENGTH),
        (lambda text: did_you_mean(text, {f"c{i}": f"c{i}" for i in range(1600)}), "a" * LENGTH),
    ],
    ids=["values", "quotes", "blanks in a grid", "one key", "blanks in a pair", "a blank name", "a long name"],
)
def test_reading_takes_time_by_the_length_and_no_more(read: Callable[[str], object], text: str) -> None:
    """What compared each piece with all others took half a minute and up to an hour."""
    began = time.process_time()
    with suppress(MadtreeError):
        read(text)
    assert time.process_time() - began < 8
