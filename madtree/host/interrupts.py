"""Whether the server wants this process to stop, for code that runs no statement for a while."""

from __future__ import annotations

import ctypes

# The server looks at these between statements; its signal handlers set them. Any extension may read them.
_FLAGS = ("QueryCancelPending", "ProcDiePending")


class InterruptedByServerError(Exception):
    """The server wants this process to stop. It says so itself as soon as it is given the chance."""


class Interrupts:
    """The server's own flags."""

    def __init__(self) -> None:
        try:
            self._flags = [ctypes.c_int.in_dll(ctypes.pythonapi, name) for name in _FLAGS]
        except ValueError:
            self._flags = []

    @property
    def visible(self) -> bool:
        """Whether the flags can be seen: outside a server there are none."""
        return bool(self._flags)

    def check(self) -> None:
        """Raises InterruptedByServerError where a cancel or a termination is waiting."""
        if any(flag.value for flag in self._flags):
            raise InterruptedByServerError
