"""A name that begins with an underscore is its own file's."""

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
