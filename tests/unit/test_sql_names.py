"""All SQL that madtree writes names PostgreSQL's own operators, functions and types with their schema.

`tests/sql/security` runs what it can reach under a search path full of traps; this test reads every piece of SQL text
in the sources, whether it is reached or not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import madtree
from madtree.install.script import definitions

PACKAGE = Path(madtree.__file__).parent
# Where SQL is written; and what is written for people to read, which no statement of ours runs.
OF_OTHER_DATABASES = {"dialects.py", "portable.py"}  # which have no such names, and where no statement of ours runs
PLACES = [
    *sorted(path for path in (PACKAGE / "sqltext").glob("*.py") if path.name not in OF_OTHER_DATABASES),
    PACKAGE / "doctor" / "facts.py",
    PACKAGE / "embedded" / "database.py",
]
# Elsewhere pieces of statements are told from prose by naming the schema; bodies of functions have a test of their own.
BESIDE = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path not in PLACES and path.name not in OF_OTHER_DATABASES | {"wrappers.py"}
]
STATEMENT = re.compile(
    r"\b(SELECT|FROM|WHERE|JOIN|CASE|WHEN|THEN|COALESCE|INSERT|CREATE TABLE|UPDATE|OPERATOR|FILTER|pg_catalog)\b"
)
KNOWN = re.compile(
    r"""
      '(?:[^']|'')*' | "(?:[^"]|"")*"                  # literals and quoted names
    | OPERATOR\(pg_catalog\.[^)]+\) | `[^`]+`          # operators with their schema, spelled out or to be
    | :: | =>                                          # casts and arguments by name
    | (?<=\()\*(?=\)) | \bSELECT\ \* | \.\* | ,\ \*             # all columns, all rows
    | --[^\n]*
    | \$\w*\$ | %s                                     # quotes of bodies, parameters
    | (?<=[(,\ ])-[\d.]+(?:e[-+]?\d+)?(?![\d.e:])       # the sign of a number: before a cast it is an operator
    | \bSET\ (?:X|search_path)\ = | \bUSING\ HINT\ = | \(LIKE\b         # what is no operator in the grammar
    """,
    re.VERBOSE,
)
SYMBOLS = re.compile(r"[-+*/<>=~!@\#%^&|?]+")
HIDDEN = re.compile(
    r"\bIN \((?!SELECT)|\bBETWEEN\b|\bI?LIKE\b|\bSIMILAR\b|\bNULLIF\b|\bDISTINCT FROM\b|\bUSING \(|\bNATURAL\b|"
    r"\bCASE (?!WHEN\b)"
)
CALL = re.compile(r"(?<![\w.])([a-z_]\w*)\(")
TYPE = re.compile(r"::(?!pg_catalog\.)([a-z_]\w*)")
# Names before a bracket that are no functions: aliases with columns, columns of an INSERT or of a key.
NO_CALLS = re.compile(r"\b(?:AS|WITH|,|KEY)\s+[a-z_]\w*\(|\bPRIMARY KEY \(")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each string that holds SQL; what is formatted into it is a name, X."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if id(node) in documentation or id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(map(_piece, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if STATEMENT.search(text):
            yield node.lineno, text


def _piece(part: ast.expr) -> str:
    """Text, or a name for what is formatted into it; a number by its repr may have a sign."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    return "-1" if isinstance(part, ast.FormattedValue) and part.conversion == ord("r") else "X"


def faults(text: str) -> list[str]:
    """Operators, functions and types in SQL text that the search path decides on."""
    plain = KNOWN.sub(" ", text)
    found = [f"the operator {match[0]}" for match in SYMBOLS.finditer(plain)]
    found += [f"the operator hidden in {match[0]}" for match in HIDDEN.finditer(plain)]
    found += [f"the function {match[1]}" for match in CALL.finditer(NO_CALLS.sub(" ", plain)) if match[1] != "unnest"]
    return found + [f"the type {match[1]}" for match in TYPE.finditer(text)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("SELECT a = b", "the operator ="),
        ("SELECT a OPERATOR(pg_catalog.=) b - c", "the operator -"),
        ("SELECT a OPERATOR(pg_catalog.+) -1.5::pg_catalog.float8", "the operator -"),
        ("SELECT X FROM t WHERE a IN ('x')", "the operator hidden in IN ("),
        ("CASE a WHEN 1 THEN 2 END", "the operator hidden in CASE "),
        ("SELECT a IS DISTINCT FROM b", "the operator hidden in DISTINCT FROM"),
        ("SELECT count(*) FROM pg_catalog.pg_class", "the function count"),
        ("SELECT pg_catalog.max(a)::int8 FROM t", "the type int8"),
    ],
)
def test_a_name_without_its_schema_is_found(text: str, fault: str) -> None:
    assert faults(text) == [fault]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT pg_catalog.count(*), t.* FROM t WHERE a::pg_catalog.int8 OPERATOR(pg_catalog.>=) ANY (b)",
        "SELECT madtree.f(a => 'x = y') FROM t",
        "CASE WHEN a `-` b `>` 0 THEN 'a - b' END",
        "SELECT pg_catalog.round(a, -1) OPERATOR(pg_catalog.*) '-1'::pg_catalog.float8",
    ],
)
def test_names_with_their_schema_are_no_faults(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize("path", PLACES, ids=lambda path: path.name)
def test_every_name_has_its_schema(path: Path) -> None:
    assert [f"{path.name}:{line}: {fault}" for line, text in texts(path) for fault in faults(text)] == []


def test_pieces_beside_have_their_schema() -> None:
    naming = [path for path in BESIDE if "pg_catalog" in path.read_text(encoding="utf-8")]
    pieces = [(path.name, line, text) for path in naming for line, text in texts(path) if "pg_catalog" in text]
    assert len(pieces) > 30
    assert [f"{name}:{line}: {fault}" for name, line, text in pieces for fault in faults(text)] == []


def test_bodies_of_functions_name_schemas() -> None:
    """What runs when a function is called; definitions are made under the search path of CREATE EXTENSION."""
    bodies = re.findall(r"AS (\$plpgsql\$.*?\$plpgsql\$|\$sql\$.*?\$sql\$)|(\$do\$.*?\$do\$)", definitions(), re.DOTALL)
    assert len(bodies) > 30
    for body in (each for kinds in bodies for each in kinds if each):
        declared = re.search(r"DECLARE(.*?)BEGIN", body, re.DOTALL)
        assert all(" pg_catalog." in each for each in declared[1].split(";")[:-1]) if declared else True
        # CREATE TYPE and its like are definitions, too.
        # An assignment, what an error says, and macros are no operators.
        assert faults(re.sub(r"CREATE (TYPE|FUNCTION|CAST)[^;]*;|USING ERRCODE[^;]*;|:=|@\w+@", "", body)) == []
