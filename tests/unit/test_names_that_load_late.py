"""What a room loads when it is first asked for is what it says, whichever of its modules have been loaded before."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import madtree
from madtree.late import loading

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
    late = {(f"{room}.{name}", each) for name, found in module._MODULES.items() for each in found.split()}
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


def test_no_garbage_is_looked_for_while_the_command_line_is_loaded() -> None:
    """But before, and afterwards: without, it would be more than a hundred times."""
    count = "n = []; gc.callbacks.append(lambda phase, info: n.append(phase))"
    program = f"import gc; {count}; import madtree.cli; print(len(n) // 2, gc.isenabled())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    times, enabled = done.stdout.split()
    assert int(times) < 30
    assert enabled == "True"


def test_whoever_looks_for_no_garbage_does_not_afterwards_either() -> None:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with loading():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        if was_enabled:
            gc.enable()
