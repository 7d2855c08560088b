"""Writes what type checkers and editors read of the client's methods that are made when it is loaded.

    python scripts/client_stubs.py

The methods of madtree/client/functions.py are made of the declared functions, those of async_models.py of these and of
the models' own, and the parameters of the estimators, in estimators/options.py, of the declared options. A stub beside
each says what they take and return, and what their docstrings say.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import madtree.client
from madtree.client import async_models, functions
from madtree.client.estimators import options
from madtree.client.methods import row_of, type_of
from madtree.interface import FUNCTIONS, Function
from madtree.trees import KINDS

FOLDER = Path(madtree.client.__file__).parent
_HEAD = "# Made by scripts/client_stubs.py, which is to be run again where the code says something else.\n\n"
# Where the names in annotations are from.
_IMPORTS = {
    "collections.abc": ("Awaitable", "Callable", "Iterator", "Mapping", "Sequence"),
    "typing": ("Any", "ClassVar", "Protocol", "TypeVar"),
    "psycopg": ("sql",),
    "madtree.client.boosted": ("BoostedModel",),
    "madtree.client.caller": ("Caller",),
    "madtree.client.calls": ("Grid", "Groups", "Names", "Pairs"),
    "madtree.client.client": ("Client",),
    "madtree.client.drawing": ("Drawing",),
    "madtree.client.forests": ("Forest",),
    "madtree.client.functions": tuple(row_of(each) for each in FUNCTIONS.values() if each.returns_rows),
    "madtree.client.model": ("Model",),
    "madtree.client.result": ("Contributions", "Evaluation", "Result"),
    "madtree.client.rows": (
        "CompetitorRow",
        "CpRow",
        "ImportanceRow",
        "ModelRow",
        "NodeRow",
        "Row",
        "SurrogateRow",
        "TreeRow",
        "TriedRow",
    ),
    "madtree.interface": ("Function",),
    "madtree.model": ("ModelTables",),
    "madtree.trees": ("Model as TreeModel",),
}
_WORD = re.compile(r"[A-Za-z_]\w*")
_INDENT = "    "


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    rows = [_row(each) for each in FUNCTIONS.values() if each.returns_rows]
    return {
        FOLDER / "functions.pyi": _stub([*rows, *_classes(functions)]),
        FOLDER / "estimators" / "options.pyi": _stub([*_classes(options)]),
        FOLDER / "async_models.pyi": _stub(['T = TypeVar("T")\n', *_classes(async_models)]),
    }


def _stub(parts: list[str]) -> str:
    body = "\n".join(parts)
    words, defined = set(_WORD.findall(re.sub(r'""".*?"""', "", body, flags=re.DOTALL))), _defined(body)
    lines = []
    for module, names in _IMPORTS.items():
        used = [name for name in names if name.split()[-1] in words - defined]
        lines += [f"from {module} import {', '.join(used)}\n"] if used else []
    return _formatted(f"{_HEAD}{''.join(lines)}\n{body}")


def _defined(body: str) -> set[str]:
    return set(re.findall(r"^class (\w+)", body, re.MULTILINE))


def _row(function: Function) -> str:
    """The class of the rows that a function returns."""
    columns = "".join(
        f"{_INDENT}{each.name}{'_' * (each.name == 'class')}: {type_of(each.type)}{' | None' * each.may_be_null}\n"
        for each in function.columns
    )
    return f'class {row_of(function)}(Row, Protocol):\n{_INDENT}"""What {function.name} tells in a row."""\n\n{columns}'


def _classes(module: ModuleType) -> Iterator[str]:
    """The classes that a module defines, with their methods."""
    for name, found in vars(module).items():
        if inspect.isclass(found) and found.__module__ == module.__name__ and name[0] != "_":
            bases = ", ".join(each.__name__ for each in found.__bases__ if each.__name__ not in ("object", "Generic"))
            types = inspect.get_annotations(found)
            attributes = "".join(f"{key}: {type_}\n" for key, type_ in types.items() if key[0] != "_")
            methods = [
                _method(key, value, _awaits(name, key, value))
                for key, value in vars(found).items()
                if inspect.isfunction(value) and (key[0] != "_" or (key == "__init__" and bases != "Protocol"))
            ]
            said = f'"""{found.__doc__}"""\n' if found.__doc__ else ""
            body = textwrap.indent(attributes + "\n".join(methods), _INDENT) or f"{_INDENT}...\n"
            yield f"class {name}{f'({bases})' * bool(bases)}:\n{_INDENT}{said}\n{body}"


def _awaits(owner: str, name: str, function: Callable[..., Any]) -> str:
    """What a coroutine awaits, by its name; empty for other functions."""
    awaited = {"AsyncCalls": "Client"}.get(owner, owner.removeprefix("Async"))
    return f"{awaited}.{name}" if inspect.iscoroutinefunction(function) else ""


def _method(name: str, function: Callable[..., Any], awaits: str) -> str:
    """`awaits`: what it is that is awaited, where it is a coroutine."""
    signature = inspect.signature(function)
    parameters = [str(each).replace("'", "") if each.default is each.empty else _with_default(each)
                  for each in signature.parameters.values()]  # fmt: skip
    by_name = [i for i, each in enumerate(signature.parameters.values()) if each.kind is each.KEYWORD_ONLY]
    if by_name:
        parameters.insert(by_name[0], "*")
    returned = "None" if name == "__init__" else str(signature.return_annotation)
    if awaits:
        returned = re.sub(rf"\b({'|'.join(kind.object_name for kind in KINDS.values())})\b", r"Async\1", returned)
    last = "," if len(parameters) > 1 else ""
    said = f"`{awaits}`, awaited." if awaits else inspect.getdoc(function)
    said = f'"""{said}"""' if said and function.__doc__ else "..."
    heading = f"{'async ' * bool(awaits)}def {name}({', '.join(parameters)}{last}) -> {returned}:\n"
    return heading + textwrap.indent(said, _INDENT) + "\n"


def _with_default(parameter: inspect.Parameter) -> str:
    return f"{parameter.name}: {parameter.annotation} = {parameter.default!r}"


def _formatted(text: str) -> str:
    command = [str(Path(sys.executable).with_name("ruff"))]
    for more in (["check", "--select", "I", "--fix", "-q"], ["format", "-q"]):
        text = subprocess.run(
            [*command, *more, "--stdin-filename", "madtree/client/stub.pyi", "-"],
            input=text,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            cwd=FOLDER.parents[1],
        ).stdout
    return text


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
