"""What is looked at once more when a call ends: whether what it has read is still what it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from madtree.errors import MadtreeError

Look = Callable[[], None]

_LOOKS: ContextVar[list[Look] | None] = ContextVar("looks", default=None)
# Cancels and timeouts, lost connections, what the machine lacks: no statement is to follow.
_OVER = ("57", "08", "53", "58")


@contextmanager
def looked_at_end() -> Iterator[None]:
    """A block at whose end the looks are taken that were asked for in it by `at_end`.

    After an error, too: what a look then says is raised instead, since it may be why.
    """
    looks: list[Look] = []
    before = _LOOKS.set(looks)
    try:
        yield
    except Exception as error:
        if _goes_on(error):
            for look in looks:
                _look_after(look, error)
        raise
    else:
        for look in looks:
            look()
    finally:
        _LOOKS.reset(before)


def at_end(look: Look) -> None:
    """Have `look` called when the innermost block ends; outside of any block it is not. It raises MadtreeError where
    what was read has changed.
    """
    looks = _LOOKS.get()
    if looks is not None:
        looks.append(look)


def _goes_on(error: Exception) -> bool:
    return not str(getattr(error, "sqlstate", None) or "").startswith(_OVER)


def _look_after(look: Look, error: Exception) -> None:
    changed: MadtreeError | None = None
    with suppress(Exception):  # what keeps us from looking tells less than the error itself
        try:
            look()
        except MadtreeError as found:
            changed = found
    if changed is not None:
        try:
            raise changed from error
        finally:
            del changed, error  # they refer to this frame, and so to what the call has open
