"""What the errors of either adaptor have in common."""

from __future__ import annotations


def bare_message(error: Exception) -> str:
    """The database's message without its context lines: psycopg has it apart, PL/Python's text is the message."""
    return str(getattr(getattr(error, "diag", None), "message_primary", None) or error)
