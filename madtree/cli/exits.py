"""Exit codes of the command line, and the errors that carry one."""

from __future__ import annotations

OK = 0
REFUSED = 1  # the server said no, or the doctor found a problem
USAGE = 2  # the command line itself is wrong; typer's own code
NO_CONNECTION = 3  # no server, or it went away
INTERRUPTED = 130  # 128 + SIGINT; other signals likewise

HELP = "Exit codes: 0 done; 1 the server refused; 2 wrong usage; 3 no connection; 130 interrupted."


class CommandError(Exception):
    """A command cannot do what was asked: one sentence, a cure if there is one, and the exit code."""

    def __init__(self, message: str, hint: str | None = None, code: int = REFUSED) -> None:
        super().__init__(message)
        self.message, self.hint, self.code = message, hint, code


class InterruptError(Exception):
    """A signal ended the command; what it had begun on the server is rolled back."""

    def __init__(self, code: int = INTERRUPTED, message: str = "interrupted: nothing was changed") -> None:
        super().__init__(message)
        self.message, self.code = message, code


class DemoError(Exception):
    """The demo cannot go on; the message says why and what to do."""
