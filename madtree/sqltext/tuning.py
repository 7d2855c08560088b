"""The table of a search: a row for each setting and fold; and what the best model is called."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.inserts import unnested, with_arrays
from madtree.sqltext.quote import ident, is_plain_name
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import suffixed

MODEL_SUFFIX = "_model"

# Beside a column for each parameter that was tried; the setting comes before these, all else behind them.
_BEFORE = (("setting", "int4"),)
_AFTER = (("fold", "int4"), ("score", "float8"), ("seconds", "float8"), ("share", "float8"), ("is_best", "bool"))
OWN_COLUMNS = tuple(name for name, _ in (*_BEFORE, *_AFTER))
_TYPES = {"integer": "int4", "double precision": "float8", "boolean": "bool", "text": "text"}


def beside(output: str, suffix: str) -> str:
    """The name, as SQL, of what a function makes beside its output: the output's with a suffix. With one it is no
    keyword.
    """
    if not suffix:
        return output
    *schema, name = parse_name(output) or (output,)
    found = suffixed(name, suffix)
    return ".".join((*map(ident, schema), found if is_plain_name(found) else ident(found)))


def score_columns(tried: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The columns with their types; `tried`: those of the parameters, with the types of the arguments."""
    return [*_BEFORE, *((name, _TYPES[type_]) for name, type_ in tried), *_AFTER]


def are_scores(columns: Sequence[str]) -> bool:
    """Whether a table with these columns is one of scores."""
    return (*columns[:1], *columns[-len(_AFTER) :]) == OWN_COLUMNS


def create_scores(table: str, columns: Sequence[tuple[str, str]]) -> str:
    """`table` as SQL."""
    return f"CREATE TABLE {table} ({', '.join(f'{name} pg_catalog.{type_}' for name, type_ in columns)})"


def insert_scores(table: str, columns: Sequence[tuple[str, str]]) -> str:
    """Fill it from one array literal a column."""
    values = with_arrays([f"s.{name}" for name, _ in columns])
    return (
        f"INSERT INTO {table} ({', '.join(name for name, _ in columns)}) SELECT {values} FROM {unnested('s', columns)}"
    )
