"""A name that begins with an underscore is its own file's, and others are imported from where they are made."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from statements import statements

ROOT = Path(__file__).parents[2]
# Whether a file may import one: most are not parsed.
PRIVATE = re.compile(r"\bimport\b(?:[^\n(]*|\s*\([^)]*)\b_\w")


def test_no_file_imports_a_private_name_of_another() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {alias.name} of {node.module}"
        for folder in ("madtree", "tests", "benchmarks", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if PRIVATE.search(text := path.read_text())
        for node in statements(text)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "madtree"
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert found == []


def test_no_module_hands_on_what_it_imports() -> None:
    """Only the front of a room does: what its `__init__.py` imports is what the room offers. The part of a room
    for which a package must be there may have a front of its own, which lists what it offers.
    """
    texts = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text()
        for path in (ROOT / "madtree").rglob("*.py")
    }
    imports = {
        module: [node for node in statements(text) if isinstance(node, ast.ImportFrom | ast.Import)]
        for module, text in texts.items()
    }
    imported = {
        module: {
            alias.asname or alias.name
            for node in nodes
            for alias in node.names
            if alias.asname != alias.name  # so said
        }
        for module, nodes in imports.items()
        if not module.endswith("__init__") and "\n__all__ = " not in texts[module]
    }
    found = [
        f"{module}: {alias.name} of {node.module}"
        for module, nodes in imports.items()
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in imported.get(node.module or "", ())
    ]
    assert found == []
