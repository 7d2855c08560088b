"""The command in the test's own process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from unittest.mock import patch

import typer.main
import typer.testing

from madtree.cli.app import app


@cache
def group() -> Any:
    """All commands. Typer makes them anew in each call, which takes longer than most of them."""
    return typer.main.get_command(app)


def invoke(words: Sequence[str]) -> typer.testing.Result:
    """What came of the command with these words."""
    with patch.object(typer.testing, "_get_command", lambda app: group(), create=True):
        return typer.testing.CliRunner().invoke(app, words)
