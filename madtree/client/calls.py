"""What goes into a call of madtree's functions, and what comes back from one that was refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg import sql

from madtree.errors import INTERNAL_ERROR, MadtreeError
from madtree.interface import FUNCTIONS
from madtree.sqltext.quote import ident

Names = str | Sequence[str]  # SQL as the function takes it, or plain names, which are quoted
Groups = str | Sequence[Sequence[str]]  # '[a, b], [c]', or plain names in groups
Pairs = str | Mapping[str, object]  # 'key=value, ...', or the same as a mapping
Grid = str | Mapping[str, object]  # 'key=value, value; ...', or a mapping of names to values, or to lists of them

_MISTAKES = (psycopg.ProgrammingError, psycopg.DataError, psycopg.NotSupportedError)
_OUR_OWN = "madtree: "  # so begins every sentence of madtree's


class CallError(MadtreeError, ValueError):
    """The server refused a call: its sentence, its hint, its SQLSTATE."""


@contextlib.contextmanager
def raising_refusals() -> Iterator[None]:
    """Raises a refusal as `CallError`: PostgreSQL's of what was given, and whatever madtree says. What befalls a call
    (a cancel, a deadlock, a lost connection) stays psycopg's.
    """
    try:
        yield
    except psycopg.Error as error:
        if not isinstance(error, _MISTAKES) and not (error.diag.message_primary or "").startswith(_OUR_OWN):
            raise
        # Of a defect, the server's own error has more to say: where in the code.
        raise as_mistake(error) from (error if error.sqlstate == INTERNAL_ERROR else None)


@contextlib.contextmanager
def raising_mistakes() -> Iterator[None]:
    """Raises what madtree's own code refuses in this process as it is raised where the server refuses it."""
    try:
        yield
    except CallError:
        raise
    except MadtreeError as error:
        raise _call_error(f"{_OUR_OWN}{error.message}", error.hint, error.sqlstate) from None


@contextlib.contextmanager
def called(stand_in: str, given: str) -> Iterator[None]:
    """Has refusals speak of the user's rows, not of the temporary table or view that stands in for them.

    Args:
        stand_in: its name as SQL.
        given: what the user calls these rows.
    """
    try:
        yield
    except MadtreeError as error:
        error.message = error.message.replace(stand_in, given)
        error.args = (error.message,)
        raise


def as_mistake(error: psycopg.Error) -> CallError:
    """The server's refusal as madtree's own exception."""
    message = error.diag.message_primary or str(error)
    return _call_error(message, error.diag.message_hint, error.sqlstate or "22023")


def _call_error(message: str, hint: str | None, sqlstate: str) -> CallError:
    mistake = CallError(message, hint, sqlstate)
    if mistake.hint and hasattr(mistake, "add_note"):  # Python 3.11
        mistake.add_note(f"HINT: {mistake.hint}")
    return mistake


def statement_of(function: str, n_arguments: int, named: Sequence[str]) -> sql.Composed:
    """A call of a function of the schema madtree, with a placeholder for each argument."""
    parts: list[sql.Composable] = [sql.Placeholder()] * n_arguments
    parts += [sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder()) for name in named]
    return sql.SQL("SELECT * FROM {}({})").format(sql.Identifier("madtree", function), sql.SQL(", ").join(parts))


def as_argument(argument: str, value: Any) -> Any:
    """The value for SQL: a list of names, or of lists of names, or a mapping of pairs as text, all else as it is.

    Raises:
        TypeError: a sequence holds something other than names; or it is a data frame or an array.
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_pair_value(each)}" for key, each in value.items() if each is not None) or None
    if isinstance(value, Sequence) and not isinstance(value, str):
        if value and all(isinstance(each, Sequence) and not isinstance(each, str) for each in value):
            return ", ".join(f"[{as_argument(argument, each)}]" for each in value)
        if not all(isinstance(each, str) for each in value):
            raise TypeError(f"{argument} must be SQL text or {_instead_of_text(argument)}")
        return ", ".join(map(ident, value))
    if getattr(value, "shape", ()):
        kind = type(value).__name__
        if argument.endswith("_table") or argument.endswith("table_name"):
            raise TypeError(
                f"{argument} must be the name of a table, not {kind}; an estimator (madtree.DecisionTreeClassifier) is "
                "fitted on data frames and arrays, and a model's own methods take data frames"
            )
        raise TypeError(f"{argument} must be SQL text or {_instead_of_text(argument)}, not {kind}")
    return value


def _instead_of_text(argument: str) -> str:
    named = (each for function in FUNCTIONS.values() for each in function.arguments if each.name == argument)
    of_pairs = any(each.keys or each.form == "pairs" for each in named)
    return "a mapping of names to values" if of_pairs else "a list of names"


def as_grid(given: Grid | None) -> str | None:
    """Values to be tried, as text."""
    if given is None or isinstance(given, str):
        return given
    return "; ".join(f"{key}={', '.join(_tried(each) for each in _listed(values))}" for key, values in given.items())


def _listed(values: object) -> Sequence[object]:
    return values if isinstance(values, Sequence) and not isinstance(values, str) else [values]


def _tried(value: object) -> str:
    if value is None:
        return "null"
    text = _pair_value(value)
    return f"'{text.replace(chr(39), 2 * chr(39))}'" if isinstance(value, str) else text


def _pair_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
