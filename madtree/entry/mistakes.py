"""Whose fault an error is, and how it leaves PL/Python.

PL/Python shows every error with a traceback. That is right for a defect of ours, but not for a mistake of the user's.
So a mistake is not raised there: it is returned beside the answer, and the PL/pgSQL function above, which is what users
call, raises it (`@raise@` in sql/). It goes from one to the other as a value: nothing keeps it that another call could
take for its own.
"""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, ParamSpec

import madtree
from madtree.errors import INTERNAL_ERROR, MadtreeError
from madtree.host import failed_server, savepoints_are_sent

P = ParamSpec("P")
# SQLSTATE, message, detail, hint: what the macro @raise@ raises.
Mistake = list[str | None]

_OURS = "This is a defect of madtree"
REPORT = f"{_OURS} {madtree.__version__}. Please report it, with the statement, this message, its detail and context."
# Of the errors in a statement of ours (class 42), what is no defect: a right that is missing, a table that somebody
# dropped or made while we worked, and a column of the user's that has the name of one of the statement's own.
_NAMED_AS_OURS = "42702"
_NOT_OUR_TEXT = ("42501", "42P01", "42P07", _NAMED_AS_OURS)
# A function, an operator or a type that is not there any more. Each that we name has its schema before it.
_NO_SUCH_NAME = ("42883", "42704")
_OUR_NAMES = ("pg_catalog.", "OPERATOR(pg_catalog.", "madtree_internal.")
_LOST_NAME = (
    "It was there when the call began. Has a function in an expression changed search_path? Let it have its own, by "
    "CREATE FUNCTION ... SET search_path, or write names with their schemas."
)
_SYSTEM = {
    errno.ENOSPC: "53100",
    errno.EDQUOT: "53100",
    errno.ENOMEM: "53200",
    errno.EMFILE: "53000",
    errno.ENFILE: "53000",
    errno.EIO: "58030",
    errno.EFBIG: "53400",  # a limit of processes
}
_NUMPY = "numpy"  # its folder
_PACKAGE = Path(madtree.__file__).parent
_MOST_WITHIN = 8  # calls: where Python has no frame left, PL/Python jumps out of its midst at the next error


class _Calls:
    """How many calls are under way in this process: more than one where a feature's expression calls madtree."""

    n = 0


@contextmanager
def _under_way() -> Iterator[None]:
    _Calls.n += 1
    try:
        if _Calls.n > _MOST_WITHIN:
            raise MadtreeError(
                f"calls of madtree's functions within one another are more than {_MOST_WITHIN}",
                hint="Look for a function in an expression or a view that calls madtree, and so itself again.",
                sqlstate="54001",
            )
        yield
    finally:
        _Calls.n -= 1


def is_at_work() -> bool:
    """Whether a call is under way in this process."""
    return _Calls.n > 0


class AnswerRow(dict[str, Any]):
    """A row of an answer; columns that it lacks are NULL."""

    def __missing__(self, column: str) -> None:
        return None


def answering(function: Callable[P, str]) -> Callable[P, tuple[str | None, Mistake | None]]:
    """Return (answer, None), or (None, the user's mistake). A defect is raised, with a request to report it."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> tuple[str | None, Mistake | None]:
        try:
            with _under_way():
                return function(*args, **kwargs), None
        except Exception as error:
            return None, _mistake_or_raise(error)

    return wrapper


def answering_rows(function: Callable[P, Iterable[dict[str, Any]]]) -> Callable[P, list[AnswerRow]]:
    """Return rows without a mistake, or one row with nothing else. A defect is raised, with a request to report it."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> list[AnswerRow]:
        try:
            with _under_way():
                return [AnswerRow(row) for row in function(*args, **kwargs)]
        except Exception as error:
            return [AnswerRow(mistake=_mistake_or_raise(error))]

    return wrapper


def in_query(function: Callable[P, Any]) -> Callable[P, Any]:
    """For what our own queries call, perhaps in a worker: whatever goes wrong is raised, through the query, to us."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            mistake = _mistake_or_raise(error)
            if hasattr(error, "spidata"):
                raise
            raise _visible(mistake) from None

    return wrapper


def mistake_of(error: Exception) -> Mistake | None:
    """The error as the user should see it; None if it is a defect of ours.

    That is the user's which MadtreeError says, or which PostgreSQL says of the user's data, expressions, rights,
    settings and machine, a cancel or a timeout.
    """
    if isinstance(error, MadtreeError):
        return [error.sqlstate, f"madtree: {error.message}", None, error.hint]
    if isinstance(error, MemoryError):
        hint = "Lower memory_mb, or n_bins; or take fewer features or groups at a time."
        return ["53200", f"madtree: there is not enough memory: {str(error) or 'no more was available'}", None, hint]
    if isinstance(error, OSError) and error.errno in _SYSTEM:
        hint = "Check the free space where temporary files are written: temp_tablespaces, or base/pgsql_tmp."
        return [_SYSTEM[error.errno], f"madtree: a temporary file cannot be used: {error.strerror}", None, hint]
    if isinstance(error, ImportError) and any(_NUMPY in Path(each.filename).parts for each in _stack(error)):
        hint = "Install numpy anew for the interpreter of PL/Python, which madtree doctor names."
        return ["58000", f"madtree: the Python package numpy cannot be imported: {error}", None, hint]
    data = getattr(error, "spidata", None)
    if data is None:
        # A cancel or a timeout that the server saw while it sent a message has its particulars as attributes.
        sqlstate = getattr(error, "sqlstate", None)
        return sqlstate and [sqlstate, str(error), getattr(error, "detail", None), getattr(error, "hint", None)]
    sqlstate = _sqlstate(data[0])
    if sqlstate == INTERNAL_ERROR and savepoints_are_sent() and not str(data[2]).startswith(_OURS):
        # Defects of ours on another server, of whatever version, come with their hint.
        failed = failed_server(str(error))
        return [failed.sqlstate, f"madtree: {failed.message}", data[1], failed.hint]
    ours = _is_in_our_text(error, sqlstate, data[3])
    if ours and sqlstate in _NO_SUCH_NAME and _is_users_name(*data[3:5]):
        return [sqlstate, f"madtree: {error}", data[1], _LOST_NAME]
    if sqlstate == INTERNAL_ERROR or (ours and sqlstate not in _NOT_OUR_TEXT):
        return None
    if ours and sqlstate == _NAMED_AS_OURS:
        return [sqlstate, f"madtree: {error}: a column of madtree's has that name, too", None, "Rename it in a view."]
    return [sqlstate, str(error), data[1], data[2]]


def _is_in_our_text(error: Exception, sqlstate: str, query: str | None) -> bool:
    """Whether PostgreSQL cannot make sense of a statement of ours, and not of one in a function of the user's."""
    return sqlstate.startswith("42") and query is not None and query in getattr(error, "statement", ())


def _is_users_name(query: str | None, position: int | None) -> bool:
    """Whether what PostgreSQL does not find there in a statement is named by the user. `position`: from 1."""
    return bool(query and position and not query.startswith(_OUR_NAMES, position - 1))


def _mistake_or_raise(error: Exception) -> Mistake:
    if (mistake := mistake_of(error)) is None:
        _raise_defect(error)
    return mistake


def mistake_or_defect(error: Exception) -> Mistake:
    """The error as it leaves a function that runs no statement: a mistake, or a defect with a request to report it."""
    return mistake_of(error) or _defect(error)


def _raise_defect(error: Exception) -> NoReturn:
    """Raise the error for PL/Python to show with its traceback; ask for a report, and say where, which it leaves out.

    PostgreSQL's own errors keep their statement and position.
    """
    data = getattr(error, "spidata", None)
    if data is not None:
        detail = "\n".join([*filter(None, [data[1]]), _places(error)])
        error.spidata = (data[0], detail, REPORT, *data[3:])  # type: ignore[attr-defined]
        raise error
    raise _visible(_defect(error)).with_traceback(_frames(error)) from None


def _defect(error: Exception) -> Mistake:
    sentence = f"madtree: internal error: {type(error).__name__}: {error}"
    return [INTERNAL_ERROR, sentence, _places(error), REPORT]


def _frames(error: Exception) -> TracebackType | None:
    """Where it came from, without the wrapper."""
    return error.__traceback__.tb_next if error.__traceback__ else None


def _places(error: Exception) -> str:
    return "\n".join(map(_place, _stack(error)))


def _stack(error: Exception) -> traceback.StackSummary:
    return traceback.extract_tb(_frames(error))


def _place(frame: traceback.FrameSummary) -> str:
    """``madtree/train/large.py, line 163, in pack``: PL/Python's own traceback has no files."""
    path = Path(frame.filename)
    if path.is_relative_to(_PACKAGE):
        path = path.relative_to(_PACKAGE.parent)
    return f"{path}, line {frame.lineno}, in {frame.name}"


def _visible(mistake: Mistake) -> Exception:
    """An error that PL/Python shows with SQLSTATE, detail and hint. It puts the name of the exception's class in front
    of the message, so that is the message's first word.
    """
    sqlstate, message, detail, hint = mistake
    name, _, rest = str(message).partition(": ")
    # PL/Python makes this module; it cannot be imported elsewhere.
    visible: Exception = type(name, (sys.modules["plpy"].Error,), {"__module__": "builtins"})(rest)
    for attribute, value in {"sqlstate": sqlstate, "detail": detail, "hint": hint}.items():
        if value is not None:
            setattr(visible, attribute, value)
    return visible


def _sqlstate(code: int) -> str:
    """The five characters of a SQLSTATE, of which PostgreSQL packs each into six bits."""
    return "".join(chr((code >> 6 * place & 0x3F) + ord("0")) for place in range(5))
