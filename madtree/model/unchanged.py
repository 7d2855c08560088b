"""That a model is the same when a call ends as when it found the model: no other session has changed it in between.

Whoever reads a model holds its tables, but only a superuser who reads another role's may hold their rows, too. Each
statement sees the rows of its own time, and what several of them say would be no model.
"""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row, at_end
from madtree.model.trust import Facts
from madtree.sqltext.models import row_marks

_READ = ("", "_nodes", "_summary", "_surrogates", "_cv", "_competitors", "_group", "_packed", "_rounds", "_outcomes")
_GONE = "42P01"


def look_again(host: Host, schema: str, name: str, facts: Facts, given: str, argument: str) -> None:
    """Note what rows a model's tables have, and have that looked at once more when the call ends.

    Args:
        given, argument: the model's name as the user wrote it, and where, for errors.
    """
    tables = facts.tables
    suffixes = [each for each in _READ if each in tables and tables[each].kind == "r" and tables[each].readable]
    statement = row_marks(schema, name, suffixes)
    before = host.query(statement)

    def look() -> None:
        now = _marks(host, statement)
        if now is not None and now != before:
            raise MadtreeError(
                f"{argument}: {given} was changed by another session while it was read",
                hint="Call again.",
                sqlstate="40001",
            )

    at_end(look)


def _marks(host: Host, statement: str) -> list[Row] | None:
    """None where a table is gone: what is read is held, so it has not been read, or this session has dropped it."""
    try:
        return host.query(statement)
    except Exception as error:
        if getattr(error, "sqlstate", "") != _GONE:
            raise
        return None
