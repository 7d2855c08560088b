"""Writes what type checkers and editors read of the client's methods that are made when it is loaded.

    python scripts/client_stubs.py

The methods of madtree/client/functions.py are made of the declared functions, those of async_models.py of these and of
the models' own, and the parameters of the estimators, in estimators/options.py, of the declared options. A stub beside
each says what they take and return, and what their docstrings say. The rows that functions return, and those of tables,
are classes in functions.pyi alone.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import madtree.client
from madtree.client import async_models, functions
from madtree.client.estimators import options
from madtree.client.methods import row_of, type_of
from madtree.interface import FUNCTIONS, Function
from madtree.sqltext.importance import importance_columns
from madtree.sqltext.listing import TOLD
from madtree.sqltext.tables import COMPETITOR_COLUMNS, CV_COLUMNS, NODE_COLUMNS, SURROGATE_COLUMNS, TREE_COLUMNS
from madtree.sqltext.tuning import score_columns
from madtree.trees import KINDS, TREE

FOLDER = Path(madtree.client.__file__).parent
_HEAD = "# Made by scripts/client_stubs.py, which is to be run again where the code says something else.\n\n"
# A row is a named tuple, made of what the server sends: it may have more columns than its class tells, such as those of
# a model's groups.
_ROW = '''\
class Row(Protocol):
    """A named tuple."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...
'''
_TYPES = {
    **{"int4": "int", "int8": "int", "float8": "float", "bool": "bool", "text": "str", None: "Any"},
    **{"float8[]": "list[float]", "text[]": "list[str | None]", "int4[]": "list[int]"},
    **{"jsonb": "dict[str, Any]", "timestamptz": "datetime.datetime", "interval": "datetime.timedelta"},
}
_WITH_ROWS = [each for each in FUNCTIONS.values() if each.returns_rows]
_SPLIT = "feature threshold left_levels right_levels"
_LISTED = dict.fromkeys(("model", "schema", "name", "owner"), "text") | {
    **dict.fromkeys(TOLD, "text"),
    **dict.fromkeys(("n_trees", "depth"), "int4"),
    **dict.fromkeys(("n_rows", "n_leaves"), "int8"),
    **{"parameters": "jsonb", "trained_at": "timestamptz", "age": "interval"},
}
# The rows of tables: what they are, their columns, and those that may be None.
TABLE_ROWS: dict[str, tuple[str, Sequence[tuple[str, str | None]], str]] = {
    "TreeRow": ("A tree of a model.", TREE_COLUMNS, "cat_levels_in_text cat_n_levels message"),
    "NodeRow": (
        "A node: the root is 0, the children of i are 2i + 1 and 2i + 2. What a leaf has not is None.",
        NODE_COLUMNS,
        f"parent_id {_SPLIT} majority_left improvement class_weights",
    ),
    "SurrogateRow": ("A surrogate of a node, by rank from 1.", SURROGATE_COLUMNS, _SPLIT[len("feature ") :]),
    "CompetitorRow": (
        "The best split of a node by another feature than its own, by rank from 1.",
        COMPETITOR_COLUMNS,
        _SPLIT[len("feature ") :],
    ),
    "CpRow": ("A row of the cp table.", CV_COLUMNS, ""),
    "TriedRow": (
        "The score of a setting on the rows of a fold; the setting's parameters are columns of their names.",
        score_columns(()),
        "score",
    ),
    "ImportanceRow": (
        "A feature: its share of the importance in percent, and the sum; by permutation, too, where that is told.",
        [(column, "text" if column == "feature" else "float8") for column in importance_columns(TREE)],
        "",
    ),
    "ModelRow": ("A model that the session's user can see.", [*_LISTED.items()], ""),
}
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
    "madtree.client.functions": (*map(row_of, _WITH_ROWS), *TABLE_ROWS),
    "madtree.client.model": ("Model",),
    "madtree.client.result": ("Contributions", "Evaluation", "Result"),
    "madtree.interface": ("Function",),
    "madtree.model": ("ModelTables",),
    "madtree.trees": ("Model as TreeModel",),
}
_WORD = re.compile(r"[A-Za-z_]\w*")
_INDENT = "    "


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    rows = [_ROW, *map(_row_of_function, _WITH_ROWS), *(_row(name, *each) for name, each in TABLE_ROWS.items())]
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
    lines += ["import datetime\n"] if "datetime" in words else []
    return _formatted(f"{_HEAD}{''.join(lines)}\n{body}")


def _defined(body: str) -> set[str]:
    return set(re.findall(r"^class (\w+)", body, re.MULTILINE))


def _row_of_function(function: Function) -> str:
    """The class of the rows that a function returns."""
    columns = [(each.name, type_of(each.type), each.may_be_null) for each in function.columns]
    return _row_class(row_of(function), f"What {function.name} tells in a row.", columns)


def _row(name: str, said: str, columns: Sequence[tuple[str, str | None]], may_be_null: str) -> str:
    """The class of a table's rows."""
    nulls = may_be_null.split()
    return _row_class(name, said, [(column, _TYPES[type_], column in nulls) for column, type_ in columns])


def _row_class(name: str, said: str, columns: Iterable[tuple[str, str, bool]]) -> str:
    """`columns`: their names, types, and whether they may be None."""
    lines = [
        f"{_INDENT}{column}{'_' * (column == 'class')}: {type_}{' | None' * may_be_null}\n"
        for column, type_, may_be_null in columns
    ]
    return f'class {name}(Row, Protocol):\n{_INDENT}"""{said}"""\n\n{"".join(lines)}'


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
