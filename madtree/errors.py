"""The one exception that users are meant to see."""

from __future__ import annotations

INTERNAL_ERROR = "XX000"  # the SQLSTATE of a defect, whoever's it is


class MadtreeError(Exception):
    """A mistake in the user's input, said in one sentence that names the argument, the value and what would be valid.

    Args:
        message: the sentence.
        hint: the usual cure, if there is one.
        sqlstate: five-character SQLSTATE (default 22023, invalid_parameter_value).
    """

    def __init__(self, message: str, hint: str | None = None, sqlstate: str = "22023") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.sqlstate = sqlstate
