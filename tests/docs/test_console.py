"""The shell sessions of the documentation print what the pages show; on a private server of the test's own.

After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes what they print now into the pages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from console import Command, page_commands, run, same, updated
from forks import program
from pages import DOCS
from pooler import kept
from psycopg.conninfo import conninfo_to_dict
from sessions import VARIABLES

from madtree.cli.connection import NAMING
from madtree.embedded import PrivateServer

PAGES = ["cli.md"]  # by name: sessions of other pages may be meant for a machine that a test must not change
# Of the server itself; the others find it by way of sessions that have loaded what calls need, which takes longer.
OF_THE_SERVER = ("madtree up", "madtree status", "madtree env", "eval ", "madtree down")


@pytest.fixture
def home(open_directory: Path) -> Iterator[Path]:
    yield open_directory / "home"
    PrivateServer(open_directory / "home").down()


@pytest.fixture
def environment(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the page's commands see: a home of their own, and a `madtree` that has loaded its modules."""
    kept = {name: value for name, value in os.environ.items() if name not in {*NAMING, "COLUMNS", "FORCE_COLOR"}}
    changed = {**kept, "MADTREE_HOME": str(home), "PSQLRC": "/dev/null", "PAGER": "cat"}
    with program(tmp_path_factory.mktemp("bin"), changed) as madtree:
        yield {**changed, "PATH": f"{madtree.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_shows(name: str, home: Path, environment: dict[str, str], tmp_path: Path) -> None:
    page, named = (DOCS / name).read_text(), dict[str, str]()
    with ExitStack() as opened:

        def printed(command: Command) -> str:
            if command.script.startswith(OF_THE_SERVER):
                return run(command, environment, tmp_path, home)
            if not named:
                dsn = opened.enter_context(kept(str(PrivateServer(home).status().uri)))
                named.update({VARIABLES[key]: str(value) for key, value in conninfo_to_dict(dsn).items()})
            return run(command, environment | named, tmp_path, home)

        if os.environ.get("MADTREE_UPDATE_DOCS"):
            (DOCS / name).write_text(updated(page, printed))
            return
        for command in page_commands(page):
            output = printed(command)
            assert same(command.output, output), f"{name}: {command.script}\nprints\n{output}"


def test_the_commands_of_a_page_are_found() -> None:
    assert len(page_commands((DOCS / "cli.md").read_text())) > 20
