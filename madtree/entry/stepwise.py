"""Long work of one SQL call, done in steps that PL/pgSQL drives: between its statements the server looks for cancels
and timeouts, in parallel workers, too, where Python may run no statement.

A SQL function begins the work, goes on with it until it is done, and takes the result (`sql/02_stepwise.sql`). Nothing
of a user's runs in between, so there is one work at a time. One that was cancelled is dropped when the next one begins.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from madtree.errors import MadtreeError

_under_way: Generator[None, None, Any] | None = None
_result: Any = None


def begin(work: Generator[None, None, Any]) -> bool:
    """Begin some work; True if it is done already."""
    global _under_way, _result
    _under_way, _result = work, None
    return go_on()


def go_on() -> bool:
    """Work for a short while; True when it is done."""
    global _under_way, _result
    if _under_way is None:
        raise MadtreeError("nothing has been begun that could go on", sqlstate="55000")
    from madtree.learn.data import advanced  # only here: numpy comes with it

    work, _under_way = _under_way, None  # what fails is not gone on with
    if (done := advanced(work)) is not None:
        _result = done[0]
        return True
    _under_way = work
    return False


def take_result() -> Any:
    """What the work has come to; once."""
    global _result
    found, _result = _result, None
    return found
