"""What is taken for a closed piece of SQL is one to PostgreSQL, too: it swallows nothing that stands behind it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import psycopg

from madtree.errors import MadtreeError
from madtree.sqltext.split import check_expression

SEED = 5
N = 3000
PIECES = [
    *("E'", "e'", "'", "''", "'\n'", "\\", "N'", "b'", "U&'", "UESCAPE", "'!'", '"', 'U&"', "$$", "$a$", "$"),
    *("\n", "\r", "\t", "\f", "\v", " ", "\xa0", "a", "x", "é", "_", "1", "1e", "date", "::text", "||", "-", "&"),
    *("(", ")", ";", "--", "/*", "*/"),
]
# The lexer's own errors, and what the parser says where something has ended the statement.
BROKEN_OUT = ("unterminated", 'syntax error at or near ";"', "syntax error at end of input")


def accepted(rng: random.Random) -> Iterator[str]:
    """Texts with quotes in them that are accepted."""
    while True:
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(2, 9)))
        if any(quote in text for quote in "'\"$"):
            try:
                check_expression(text, "text")
            except MadtreeError:
                continue
            yield text


def test_no_accepted_text_breaks_out(db: psycopg.Connection) -> None:
    texts = accepted(random.Random(SEED))
    cursor = psycopg.RawCursor(db)
    wrong, whole = [], 0
    cursor.execute("SET client_min_messages = error; SET backslash_quote = on")
    for text in (next(texts) for _ in range(N)):
        try:
            cursor.execute(f"SELECT ({text}) FROM no_such_table".encode())
        except psycopg.errors.UndefinedTable:
            whole += 1
        except psycopg.Error as error:
            if str(error.diag.message_primary).startswith(BROKEN_OUT):
                wrong.append((text, error.diag.message_primary))
    assert not wrong
    assert whole > N / 5
