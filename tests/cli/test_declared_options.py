"""Options are made of what is declared of the functions: an argument that is added there is one by itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from madtree.cli import functions
from madtree.cli.declared import Given, with_options_of
from madtree.cli.exits import CommandError
from madtree.cli.options import as_options
from madtree.interface import FUNCTIONS, Argument, Range

INVENTED = Argument("odd_ends", "integer", "how many odd ends; NULL: none", None, valid=Range(1, 9))


def invoked(command: Callable[..., None], *words: str) -> Result:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(command)
    return copy_context().run(CliRunner().invoke, app, words)  # it keeps the names of its options


def add_to(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    added = replace(FUNCTIONS[name], arguments=(*FUNCTIONS[name].arguments, INVENTED))
    monkeypatch.setitem(FUNCTIONS, name, added)  # type: ignore[arg-type]


def test_an_argument_that_is_declared_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    add_to("tree_shap", monkeypatch)
    sent: dict[str, Any] = {}

    def line(function: str, arguments: dict[str, Any], doing: str) -> str:
        sent.update(arguments)
        return as_options("odd_ends: so many")

    monkeypatch.setattr(functions, "session", lambda dsn: nullcontext(SimpleNamespace(line=line)))
    command = functions.plain_command(FUNCTIONS["tree_shap"])
    told = " ".join(invoked(command, "--help").output.split())
    assert "How many odd ends; by default none." in told
    assert invoked(command, "m", "t", "o", "--odd-ends", "3").output == "--odd-ends: so many\n"
    assert sent["odd_ends"] == 3
    refused = invoked(command, "m", "t", "o", "--odd-ends", "10").exception
    assert isinstance(refused, CommandError)
    assert refused.message == "--odd-ends must be from 1 to 9, not 10"


def test_of_a_function_that_is_asked_for_it_is_for_that_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    add_to("tree_curve", monkeypatch)
    found: dict[str, Any] = {}

    @with_options_of("tree_evaluate", tree_curve="--curve")
    def command(given: Given) -> None:
        found.update(given.of(given.asked() or "tree_evaluate"))

    assert "For --curve: how many odd ends" in " ".join(invoked(command, "--help").output.split())
    assert invoked(command, "m", "t", "--curve", "--odd-ends", "3").exception is None
    assert found["odd_ends"] == 3
    refused = invoked(command, "m", "t", "--odd-ends", "3").exception
    assert isinstance(refused, CommandError)
    assert refused.message == "--odd-ends is for --curve"


def test_functions_that_are_for_what_words_say_are_not_asked_for() -> None:
    @with_options_of("tree_evaluate", tree_curve="--curve", boost_predict="a boosted model")
    def command(given: Given) -> None:
        typer.echo(given.asked())

    assert invoked(command, "m", "t", "--curve").output == "tree_curve\n"
