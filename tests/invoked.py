"""The command in the test's own process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import click
import typer
from click.testing import CliRunner, Result

from madtree.cli.app import app


@cache
def group() -> click.Group:
    """All commands. Typer makes them anew in each call, which takes longer than most of them."""
    made = typer.main.get_command(app)
    assert isinstance(made, click.Group)
    return made


def invoke(words: Sequence[str]) -> Result:
    """What came of the command with these words."""
    return CliRunner().invoke(group(), words)
