"""What a user probably meant by a name that is not there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, bare_message, has_more_to_say
from madtree.sqltext import catalog as sql
from madtree.sqltext.quote import ident
from madtree.sqltext.split import fold
from madtree.sqltext.tables import SUFFIXES, suffixed
from madtree.wording import first_of

_TEXT = "pg_catalog.text"
_LONG = 1000  # characters
_MOST_SHOWN = 10  # expressions in a hint
_QUOTES = "must be in double quotes"
_QUERY = re.compile(r"[\s(]*(select|with|values|table)\b", re.IGNORECASE)
ADD_IDS = (
    "Where no column tells rows apart, add one: ALTER TABLE ... ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY."
)


def did_you_mean(name: str, columns: Mapping[str, str]) -> str | None:
    """A hint with the columns whose names are closest, those that differ only in case first.

    Args:
        columns: SQL by unquoted name.
    """
    wanted = fold(name).casefold()
    same = [sql for found, sql in columns.items() if fold(found).casefold() == wanted]
    if same:
        return f"Did you mean {' or '.join(same)}? A name with capitals {_QUOTES}."
    # A text that is much longer than a name is like none.
    close = difflib.get_close_matches(name[:_LONG], list(columns), n=3, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(columns[c] for c in close)}?"
    if not columns:
        return None
    first = list(columns.values())
    return f"Its columns are {first_of(first, 10)}."


def nearest(word: str, words: Sequence[str]) -> str | None:
    """A hint with those of some words that are most like one; None where none is like it."""
    near = difflib.get_close_matches(word[:_LONG], words) or [each for each in words if word in each]
    return f"Did you mean {' or '.join(near[:3])}?" if near else None


def refused_value(error: Exception, given: str, computed: Iterable[str]) -> MadtreeError | None:
    """What PostgreSQL refuses of rows' values (SQLSTATE class 22), with the expressions that are computed of them; None
    of other errors, where there are none, and where PostgreSQL says more than its sentence.

    Args:
        given: the table, as the user wrote it.
    """
    state, words, shown = str(getattr(error, "sqlstate", "")), bare_message(error), list(dict.fromkeys(computed))
    ours = isinstance(error, MadtreeError) or words.startswith("madtree: ")
    if ours or not state.startswith("22") or not shown or has_more_to_say(error):
        return None
    return MadtreeError(
        f"{words}, as rows of {given} were read",
        hint=f"Computed of each row: {first_of(shown, _MOST_SHOWN)}. CASE or NULLIF can leave a value out.",
        sqlstate=state,
    )


def as_number(text: str, base: str) -> str | None:
    """How a value of a type that is an amount, and no number to PostgreSQL, becomes one; None for other types."""
    if base == "interval":
        return f"extract(epoch FROM {text})::float8"
    if base != "money":
        return None
    return f"{text}::numeric" if fold(text).isidentifier() or text.startswith('"') else f"({text})::numeric"


def to_be_quoted(given: str, columns: Mapping[str, str]) -> str | None:
    """A hint where the text is a column's name as it stands, and no name without quotes; None where it is none."""
    wanted = given.strip().casefold()
    found = [sql for name, sql in columns.items() if name.casefold() == wanted and sql[:1] == '"']
    if not found:
        return None
    return (
        f"Did you mean {' or '.join(found)}? A name with blanks, dots, capitals or other special characters {_QUOTES}."
    )


def no_name(given: str, argument: str) -> MadtreeError:
    """The error for what stands in the place of a relation's name and is none."""
    if _QUERY.match(given):
        return MadtreeError(
            f"{argument} must be the name of a table or view, not a query: {given!r}",
            hint="Make a view of it, CREATE VIEW name AS ..., and give the view's name.",
        )
    return MadtreeError(
        f"{argument} is not a valid relation name: {given!r}; it must be name or schema.name",
        hint="Put a name with capitals, spaces or other special characters in double quotes.",
    )


def missing_relation(host: Host, given: str, argument: str, parts: Sequence[str], *, is_model: bool) -> MadtreeError:
    """The error for a relation that is not there; `is_model`: whether a model was to be named."""
    schema = parts[0] if len(parts) == 2 else None
    if schema is not None and not host.query(sql.SCHEMA_EXISTS, [_TEXT], [schema])[0]["found"]:
        return MadtreeError(f"{argument}: schema {ident(schema)} of {given} does not exist", sqlstate="3F000")
    names = _fitting({row["name"] for row in host.query(sql.RELATION_NAMES, [_TEXT], [schema])}, is_model=is_model)
    wanted = parts[-1].casefold()
    close = [name for name in names if name.casefold() == wanted]
    prefix = f"{ident(schema)}." if schema is not None else ""
    meant = [prefix + ident(name) for name in close]
    if not meant:
        elsewhere = host.query(sql.SCHEMAS_OF_RELATION, [_TEXT], [parts[-1]])
        meant = [f"{ident(row['schema'])}.{ident(parts[-1])}" for row in elsewhere]
    if not meant:
        meant = [prefix + ident(name) for name in difflib.get_close_matches(parts[-1][:_LONG], names, n=3, cutoff=0.7)]
    where = f"schema {ident(schema)}" if schema is not None else "the schemas of the search_path"
    return MadtreeError(
        f"{argument}: relation {given} does not exist in {where}",
        hint=f"Did you mean {' or '.join(meant)}?" if meant else None,
        sqlstate="42P01",
    )


def _fitting(names: set[str], *, is_model: bool) -> list[str]:
    """Those that are models, by their summaries; or those that are no part of one."""
    models = {name for name in names if suffixed(name, "_summary") in names}
    parts = {suffixed(model, suffix) for model in models for suffix in SUFFIXES}
    return sorted(models if is_model else names - parts)
