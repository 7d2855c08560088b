"""The shell sessions of the documentation print what the pages show; on a private server of the test's own.

After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes what they print now into the pages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from console import Command, page_commands, run, same, updated
from pages import DOCS

from madtree.cli.connection import NAMING
from madtree.embedded import PrivateServer

PAGES = ["cli.md"]  # by name: sessions of other pages may be meant for a machine that a test must not change


@pytest.fixture
def home(open_directory: Path) -> Iterator[Path]:
    yield open_directory / "home"
    PrivateServer(open_directory / "home").down()


@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_shows(name: str, home: Path, tmp_path: Path) -> None:
    page = (DOCS / name).read_text()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if name not in {*NAMING, "COLUMNS", "FORCE_COLOR"}}
    environment = {**kept, "PATH": path, "MADTREE_HOME": str(home), "PSQLRC": "/dev/null", "PAGER": "cat"}

    def printed(command: Command) -> str:
        return run(command, environment, tmp_path, home)

    if os.environ.get("MADTREE_UPDATE_DOCS"):
        (DOCS / name).write_text(updated(page, printed))
        return
    for command in page_commands(page):
        output = printed(command)
        assert same(command.output, output), f"{name}: {command.script}\nprints\n{output}"


def test_the_commands_of_a_page_are_found() -> None:
    assert len(page_commands((DOCS / "cli.md").read_text())) > 20
