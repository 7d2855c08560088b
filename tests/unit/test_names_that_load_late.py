"""What a room loads when it is first asked for is what it says, whichever of its modules have been loaded before."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import madtree

PACKAGE = Path(madtree.__file__).parent
ROOMS = sorted(
    path.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".")
    for path in PACKAGE.rglob("__init__.py")
    if "\n_MODULES" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_is_that_of_a_module(room: str) -> None:
    """The module, once it is loaded by another name, would be found in the place of what is meant."""
    module = import_module(room)
    names = {path.stem for path in Path(str(module.__file__)).parent.glob("*.py")}
    late = {(f"{room}.{name}", each) for name, found in module._MODULES.items() for each in found}
    for_type_checkers = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{room}.")
        for alias in node.names
    }
    assert late == for_type_checkers
    assert names & {name for _, name in late} == set()


def test_there_are_such_rooms() -> None:
    assert "madtree.score" in ROOMS
