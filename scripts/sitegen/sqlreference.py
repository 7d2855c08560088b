"""The reference of the SQL functions, made from an installed extension: its catalogue, its comments, its help texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import psycopg
from psycopg import sql

from madtree.interface import FUNCTIONS as DECLARED
from madtree.interface import ROW_FUNCTIONS

HEAD = """\
# SQL functions

<!-- Made from the extension's catalogue by scripts/sitegen/sqlreference.py; a test compares. To make it anew:
     MADTREE_UPDATE_DOCS=1 pytest tests/docs -->

All are in the schema `madtree`, and run with the caller's rights. An argument with a default may be left out, or given
by name (`max_depth => 6`). Called without an argument, each that takes some returns its help text, which is also on
this page; in psql, `\\df+ madtree.*` has the comments. What these functions call among themselves is in the schema
`madtree_internal`: it may change with every version, and nobody else should call it.

"""
# Of the overloads of a name, the one that does the work has the most arguments; the others give help, and those of the
# type varchar have MADlib's argument names.
FUNCTIONS = """
SELECT DISTINCT ON (p.proname) p.oid, p.proname, obj_description(p.oid, 'pg_proc'), pg_get_function_result(p.oid)
FROM pg_proc p
WHERE p.pronamespace = 'madtree'::regnamespace AND 'varchar'::regtype <> ALL (p.proargtypes)
ORDER BY p.proname, p.pronargs DESC, p.oid
"""
BY_MADLIBS_NAMES = """
SELECT p.proargnames FROM pg_proc p WHERE p.pronamespace = 'madtree'::regnamespace AND p.proname = %s
AND 'varchar'::regtype = ANY (p.proargtypes)
"""
ARGUMENTS = """
SELECT p.proargnames[i], format_type(p.proargtypes[i - 1], NULL), pg_get_function_arg_default(p.oid, i)
FROM pg_proc p, generate_series(1, p.pronargs) AS i WHERE p.oid = %s ORDER BY i
"""
VIEWS = """
SELECT c.oid, c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c
WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind = 'v' ORDER BY c.relname
"""
COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), col_description(a.attrelid, a.attnum)
FROM pg_attribute a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_SHOWS_HOW = re.compile(r"; SELECT madtree\.\w+\(\) shows how to use it$")
# In a help text, `name, -- what it is`, with further lines of comment.
_ARGUMENT = re.compile(r"^ {4}(?P<name>\w+)(?: \w+| => [^-\n]+?)?,? +-- (?P<text>.*(?:\n {10,}-- .*)*)$", re.MULTILINE)
_FURTHER = re.compile(r"\n +-- +")
_TABLE = re.compile(r"TABLE\((?P<columns>.*)\)", re.DOTALL)


@dataclass(frozen=True)
class Function:
    """A public function.

    Attributes:
        comment: the catalogue's, in which some functions refer to their help.
        arguments: (name, type, default or None) of each.
        result: its type, as SQL writes it.
        help: what it returns without an argument; empty where it takes none, and does its work when it is called so.
        madlibs: the names of the arguments in a second form that has MADlib's; empty where there is none.
    """

    name: str
    comment: str
    arguments: tuple[tuple[str, str, str | None], ...]
    result: str
    help: str
    madlibs: tuple[str, ...] = ()

    def explained(self) -> dict[str, str]:
        """What the help says of each argument."""
        call = self.help.partition("\n);")[0]
        return {m["name"]: _FURTHER.sub(" ", m["text"]) for m in _ARGUMENT.finditer(call)}


def functions(connection: psycopg.Connection) -> Iterator[Function]:
    """The public functions in the order of their help texts: train, then use, then look at, then manage."""
    places = {name: place for place, name in enumerate([*DECLARED, *ROW_FUNCTIONS])}
    found = connection.execute(FUNCTIONS).fetchall()
    for oid, name, comment, result in sorted(found, key=lambda row: places.get(row[1], len(places))):
        arguments = tuple(connection.execute(ARGUMENTS, [oid]).fetchall())
        text = ""
        if arguments:
            ask = sql.SQL("SELECT madtree.{}()").format(sql.Identifier(name))
            ((text,),) = connection.execute(ask).fetchall()
        second = connection.execute(BY_MADLIBS_NAMES, [name]).fetchone()
        yield Function(name, comment, arguments, result, text, tuple(second[0]) if second else ())


def page(connection: psycopg.Connection) -> str:
    """The page, in Markdown."""
    all_ = list(functions(connection))
    views = connection.execute(VIEWS).fetchall()
    parts = [HEAD, "| | |\n|---|---|\n"]
    parts += [f"| [`{f.name}`](#{f.name}) | {_sentence(f.comment)} |\n" for f in all_]
    parts += [f"| [`{name}`](#{name}) | a view: {_sentence(comment)} |\n" for _, name, comment in views]
    parts += [_function(each) for each in all_]
    parts += [_view(name, comment, connection.execute(COLUMNS, [oid]).fetchall()) for oid, name, comment in views]
    return "".join(parts)


def _function(function: Function) -> str:
    lines = [f"\n## {function.name}\n\n{_capital(_sentence(function.comment))}.\n"]
    if function.arguments:
        explained = function.explained()
        lines.append("\n| argument | type | default | |\n|---|---|---|---|\n")
        for name, type_, default in function.arguments:
            shown = "" if default is None else f"`{default.split('::')[0]}`"
            lines.append(f"| `{name}` | {type_} | {shown} | {_prose(explained[name])} |\n")
    if function.madlibs:
        names = ", ".join(f"`{name}`" for name in function.madlibs)
        lines.append(f"\nCalls by name may use MADlib's names: {names}.\n")
    lines.append(f"\nReturns {_result(function.result)}.\n")
    if function.help:
        lines.append(f"\n```text\n{function.help.strip()}\n```\n")
    return "".join(lines)


def _view(name: str, comment: str, columns: list[tuple[str, str, str | None]]) -> str:
    rows = "".join(f"| `{column}` | {type_} | {_cell(text or '')} |\n" for column, type_, text in columns)
    return f"\n## {name}\n\nA view: {_sentence(comment)}.\n\n| column | type | |\n|---|---|---|\n{rows}"


def _result(result: str) -> str:
    table = _TABLE.fullmatch(result)
    if table is None:
        return result
    columns = [column.split(" ", 1) for column in table["columns"].split(", ")]
    return "rows of " + ", ".join(f"`{name}` {type_}" for name, type_ in columns)


def _sentence(comment: str) -> str:
    return _cell(_SHOWS_HOW.sub("", comment))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _prose(text: str) -> str:
    """Text for Markdown: placeholders such as <output> and stars stay as they are."""
    return re.sub(r"([*_])", r"\\\1", escape(_cell(text), quote=False))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
