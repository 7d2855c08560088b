"""How counts and long lists are said in a sentence, and what is between words."""

from __future__ import annotations

from collections.abc import Sequence

BLANKS = " \t\n\r\f\v"  # to PostgreSQL other white space, such as a no-break space, is a letter


def count_text(n: int, noun: str, spec: str = "") -> str:
    """A count and its noun: ``1 row``, ``2 rows``, ``3 classes``.

    Args:
        noun: in the singular.
        spec: how the number is formatted: "," puts commas between thousands.
    """
    return f"{n:{spec}} {noun_of(n, noun)}"


def noun_of(n: int, noun: str) -> str:
    """The noun of a count: in the plural, unless it is 1."""
    if n == 1:
        return noun
    if noun.endswith("leaf"):
        return f"{noun[:-1]}ves"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def first_of(texts: Sequence[str], most: int) -> str:
    """The first texts of a list, and an ellipsis where there are more: ``a, b, ...``."""
    return ", ".join([*texts[:most], *["..."] * (len(texts) > most)])
