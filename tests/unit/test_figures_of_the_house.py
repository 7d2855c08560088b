"""What an addition costs, in figures that can be counted: none of them grows.

Each bound is what was counted when it was last lowered. Who lowers a figure lowers its bound; who must raise one says
why in the commit.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from statements import statements

import madtree
from tests.unit.test_rooms import circles, imports, modules, room_of

PACKAGE = Path(madtree.__file__).parent
SQL = PACKAGE.parent / "sql"
SMALL = 40  # lines of code; modules that only hand on names do not count
# What asks whether a model is a forest, where the model's kind should answer.
IS_FOREST = re.compile(r"n_members|\.forest\b|is_forest|(?:\bis|\bis not|[!=]=) (?:TREE|FOREST)\b")
DECISION = re.compile(r"\b(?:if|and|or|not|else)\b")


@cache
def sources() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


def naming(pattern: str) -> list[str]:
    """The files of the package and of its SQL in which the pattern occurs."""
    texts = {**sources(), **{path: path.read_text(encoding="utf-8") for path in SQL.glob("*.sql")}}
    return [path.name for path, text in texts.items() if re.search(pattern, text)]


@cache
def code_of(text: str) -> frozenset[int]:
    """Numbers of the lines that have a token which is no comment and no part of a docstring."""
    documented: set[int] = set()
    for node in statements(text):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            documented |= {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    without = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in without:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    return frozenset(lines - documented)


def lines_of_code(text: str) -> int:
    return len(code_of(text))


def exported(room: str) -> list[str]:
    """The names that a room offers: what its front imports from its modules."""
    tree = ast.parse(sources()[PACKAGE / room / "__init__.py"])
    own = f"madtree.{room.replace('/', '.')}"
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return [alias.name for node in imported if str(node.module).startswith(own) for alias in node.names]


@cache
def documented() -> list[tuple[str, str, str]]:
    """Of all that may have a docstring: the name of its file, of the class that it is, if it is one, and the docstring.
    No node is kept: half a million objects, which each collection of garbage would walk.
    """
    return [
        (
            str(path.relative_to(PACKAGE)),
            node.name if isinstance(node, ast.ClassDef) else "",
            ast.get_docstring(node) or "",
        )
        for path, text in sources().items()
        for node in statements(text)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@cache
def functions() -> list[tuple[str, int, int]]:
    """Of each function where it stands, its parameters without `self`, and its lines."""
    found = []
    for path, text in sources().items():
        for node in statements(text):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                n_parameters = len(given) - (given[:1] in (["self"], ["cls"]))
                name = f"{path.relative_to(PACKAGE)}: {node.name}"
                found.append((name, n_parameters, (node.end_lineno or 0) - node.lineno + 1))
    return found


@pytest.mark.parametrize(("option", "bound"), [("shrink", 5), ("max_competitors", 4), ("exposure", 22)])
def test_files_that_name_an_option(option: str, bound: int) -> None:
    found = naming(rf"\b{option}\b")
    assert len(found) <= bound, found


@pytest.mark.parametrize(("function", "bound"), [("tree_reliability", 5), ("boost_staged", 3)])
def test_files_that_name_a_function(function: str, bound: int) -> None:
    """Beside what declares it and what runs it, only what calls it: its command, and what is said of others."""
    found = naming(rf"\b{function}\b")
    assert len(found) <= bound, found


def test_files_that_mention_forests() -> None:
    found = naming("(?i)forest")
    assert len(found) <= 42, found


def test_decisions_on_whether_a_model_is_a_forest() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path, text in sources().items()
        for number, line in enumerate(text.splitlines(), 1)
        if IS_FOREST.search(line) and DECISION.search(IS_FOREST.sub("", line)) and number in code_of(text)
    ]
    assert not found, "\n".join(found)


def test_files_that_ask_how_trees_are_joined() -> None:
    """Or how many a group has: a further kind of model has to have an answer that fits each of them."""
    found = [name for name in naming(r"\b(?:joining|members)\b (?:is|==|!=|in)\b") if name != "kinds.py"]
    assert len(found) <= 25, found


def test_files_that_name_a_criterion() -> None:
    """Beside what declares and what computes it: scikit-learn's other names, among the estimators' parameters."""
    found = [
        str(path.relative_to(PACKAGE))
        for path, text in sources().items()
        if path.parts[-2] != "criteria" and re.search(r"[\"'](?:entropy|gain_ratio|misclassification)[\"']", text)
    ]
    assert sorted(found) == ["client/estimators/parameters.py", "trees/criteria.py"]


def test_files_that_are_fragments() -> None:
    found = [
        str(path.relative_to(PACKAGE))
        for path, text in sources().items()
        if path.name != "__init__.py" and lines_of_code(text) < SMALL
    ]
    assert len(found) <= 59, found


def test_no_file_is_a_hall() -> None:
    assert max(len(text.splitlines()) for text in sources().values()) <= 312


def test_functions_that_fit_no_screen() -> None:
    """With more than 72 lines, docstrings among them."""
    found = [name for name, _, n_lines in functions() if n_lines > 72]
    assert len(found) <= 2, found


def test_lines_of_code() -> None:
    assert sum(map(lines_of_code, sources().values())) <= 54_321


def test_functions_of_many_parameters() -> None:
    """With more than six, `self` aside: some of them travel together, and want a name."""
    found = [name for name, n_parameters, _ in functions() if n_parameters > 6]
    assert len(found) <= 32, found


@pytest.mark.parametrize(
    ("room", "bound"),
    [
        ("learn/columns", 10),
        ("learn/packing", 13),
        ("learn/problem", 19),
        ("learn/histogram", 14),
        ("learn/leaf_sums", 9),
        ("learn/counting", 15),
        ("learn/waves", 7),
        ("learn/requests", 17),
        ("learn/at_hand", 1),
        ("interface", 20),
        ("score", 25),
        ("explain", 0),
    ],
)
def test_names_that_a_room_offers(room: str, bound: int) -> None:
    assert len(exported(room)) <= bound


def test_public_classes_of_one_name() -> None:
    names = Counter(name for _, name, _ in documented() if name and name[0] != "_")
    found = [name for name, count in names.items() if count > 1]
    assert len(found) <= 2, found


def test_docstrings_that_say_what_something_is_like() -> None:
    """Rather than what it is."""
    found = [file for file, _, docstring in documented() if docstring.startswith("The same")]
    assert len(found) <= 2, found


def test_modules_in_circles_inside_rooms() -> None:
    own = {
        module: {target for _, target, _ in imports(path) if room_of(target) == room_of(module)} - {module}
        for module, path in modules().items()
    }
    assert not circles(own)


def test_lines_of_sql_that_are_written() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SQL.glob("*.sql")) <= 1184
