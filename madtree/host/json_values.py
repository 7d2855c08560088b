"""JSON as the server writes it, which may be more than Python reads."""

from __future__ import annotations

import json
from typing import Any

from madtree.errors import MadtreeError


def read_json(text: str) -> Any:
    """What a value of json or jsonb says.

    Raises:
        MadtreeError: it is nested too deeply, or has a whole number of too many digits.
    """
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise MadtreeError(
            f"a value of json or jsonb is more than Python reads: {str(error).split(';')[0]}",
            hint="Read it in SQL as text; sys.set_int_max_str_digits(0) has Python read numbers of any length.",
            sqlstate="54000",
        ) from None
