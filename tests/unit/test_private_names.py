"""A name that begins with an underscore is its own file's, and others are imported from where they are made."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_file_imports_a_private_name_of_another() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {alias.name} of {node.module}"
        for folder in ("madtree", "tests", "benchmarks", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "madtree"
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert found == []


def test_no_module_hands_on_what_it_imports() -> None:
    """Only the front of a room does: what its `__init__.py` imports is what the room offers. The part of a room
    for which a package must be there may have a front of its own, which lists what it offers.
    """
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): ast.parse(path.read_text())
        for path in (ROOT / "madtree").rglob("*.py")
    }
    imported = {
        module: {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom | ast.Import)
            for alias in node.names
            if alias.asname != alias.name  # so said
        }
        for module, tree in modules.items()
        if not module.endswith("__init__")
        and not any(isinstance(node, ast.Name) and node.id == "__all__" for node in ast.walk(tree))
    }
    found = [
        f"{module}: {alias.name} of {node.module}"
        for module, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in imported.get(node.module or "", ())
    ]
    assert found == []
