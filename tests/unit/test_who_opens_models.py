"""Who opens a model: one module makes `OpenModel` and `UsableModel`, right where their tables have been looked at.

So whoever gets one has the tables that its description is of, and what may be shown alone is not run: mypy tells the
two apart.
"""

from __future__ import annotations

import ast
from pathlib import Path

import madtree

PACKAGE = Path(madtree.__file__).parent
MAKERS = {"OpenModel", "UsableModel", "ModelTables", "find_trained", "read_summary"}
WHERE = {"model/opened.py", "model/find.py"}


def test_models_are_opened_in_one_place() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {node.func.id}"
        for path in PACKAGE.rglob("*.py")
        if any(maker in path.read_text() for maker in MAKERS)  # few do, and all others need not be parsed
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS
        if str(path.relative_to(PACKAGE)) not in WHERE
    }
    assert not found
