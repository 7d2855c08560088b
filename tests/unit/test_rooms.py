"""The rooms of the house: which package may import which is a table of docs/architecture.md, and this test holds it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from statements import statements

import madtree

PACKAGE = Path(madtree.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"
# What every room may use: the version, the error that users see, the kind of class that holds values, how counts are
# said, and how a room's modules are loaded late.
EVERYBODY = {"madtree", "madtree.errors", "madtree.late", "madtree.records", "madtree.wording"}
LOOSE = {"__init__.py", "__main__.py", "errors.py", "late.py", "records.py", "wording.py"}
# Rooms whose modules are their public names; of all others one imports from the room itself.
OPEN = {"storage", "sqltext", "render", "cli", "client", "doctor", "embedded", "install", "report", "entry"}


@cache
def modules() -> dict[str, Path]:
    """Each module of the package by its name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def room_of(module: str) -> str:
    """`learn` is divided further, and so is `model`; every other room is a package of `madtree`."""
    parts = module.split(".")[1:]
    return ".".join(
        parts[: 2 if parts[:1] == ["learn"] or parts[:2] in (["model", "write"], ["model", "arrays"]) else 1]
    )


@cache
def imports(path: Path) -> list[tuple[int, str, str]]:
    return list(imported(path))


def imported(path: Path) -> Iterator[tuple[int, str, str]]:
    """Of each import of a module of ours: line, the module, and the name that is taken from it (empty: the module)."""
    for node in statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name.startswith("madtree"))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "madtree":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (node.lineno, whole, "") if whole in modules() else (node.lineno, node.module, alias.name)


@cache
def table() -> dict[str, set[str]]:
    """The table between the marks: a room, what it is, and the rooms that it may import."""
    text = PAGE.read_text(encoding="utf-8")
    body = text.split("<!-- rooms -->")[1].split("<!-- /rooms -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.strip().splitlines()[2:]]
    return {room.strip("`"): set(re.findall(r"`([\w.]+)`", may)) for room, _, may in rows}


def test_the_table_names_every_room() -> None:
    rooms = {room_of(module) for module in modules()} - {"", "learn"} - {Path(name).stem for name in LOOSE}
    assert set(table()) == rooms


def test_nothing_loose_stands_beside_the_rooms() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == LOOSE


def test_imports_go_one_way() -> None:
    order: list[str] = []
    left = {room: set(may) for room, may in table().items()}
    while left:
        free = sorted(room for room, may in left.items() if may <= set(order))
        assert free, f"these rooms import each other: {left}"
        order += free
        left = {room: may for room, may in left.items() if room not in free}


def circles(follows: dict[str, set[str]]) -> list[set[str]]:
    """The sets of modules that reach each other."""
    reached = {module: set(after) for module, after in follows.items()}
    for through in follows:  # Warshall, "A theorem on Boolean matrices", 1962
        for after in reached.values():
            if through in after:
                after |= reached[through]
    found = {frozenset({m} | {n for n in after if m in reached[n]}) for m, after in reached.items() if m in after}
    return [set(circle) for circle in found]


def test_modules_of_a_room_import_each_other_in_no_circle() -> None:
    """Those for types alone count as well."""
    follows = {
        module: {target for _, target, _ in imports(path) if target in modules() and room_of(target) == room_of(module)}
        for module, path in modules().items()
        if path.name != "__init__.py"
    }
    follows = {module: after & follows.keys() for module, after in follows.items()}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]
    assert not circles(follows)


@pytest.mark.parametrize("module", sorted(set(modules()) - {"madtree", "madtree.__main__"}))
def test_a_module_imports_what_its_room_may(module: str) -> None:
    room = room_of(module)
    if module in EVERYBODY:
        allowed: set[str] = set()
    else:
        allowed = {room, *table().get(room, set())}
    for line, target, name in imports(modules()[module]):
        where = f"{module}, line {line}: {target}"
        assert target in EVERYBODY or room_of(target) in allowed, f"{where} is in a room that {room} may not import"
        assert not name.startswith("_") or name.endswith("__"), f"{where}.{name} is private"
        outside = room_of(target) != room and target not in EVERYBODY
        if outside and name and room_of(target) not in OPEN and target != "madtree.host.psycopg":
            public = f"madtree.{room_of(target)}"
            assert target == public, f"{where}.{name} is to be imported from {public}"


@pytest.mark.parametrize("room", sorted(table()))
def test_a_room_says_what_it_is_for(room: str) -> None:
    text = modules()[f"madtree.{room}"].read_text(encoding="utf-8")
    assert len(ast.get_docstring(ast.parse(text)) or "") > 40


def test_what_the_client_half_loads_needs_no_numpy() -> None:
    """The wheel does not depend on it: the server has its own."""
    load = "import sys; sys.modules['numpy'] = None; import madtree.client, madtree.cli.app, madtree.report.build"
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_learner_knows_numpy_alone() -> None:
    """And the standard library; no file and no database."""
    forbidden = {"os", "io", "pathlib", "tempfile", "mmap", "subprocess", "socket", "plpy", "psycopg", "sqlalchemy"}
    for module, path in modules().items():
        if module.startswith("madtree.learn"):
            for node in statements(path.read_text(encoding="utf-8")):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                assert not {name.split(".")[0] for name in names} & forbidden, f"{module} imports {names}"
