"""What a model groups by and predicts, as the user said it: without the casts around that training has written.

Of a domain's values they were harmless. In another table a column of that name may be of an enum or the like, a cast of
which is a function that its owner has made: there its value is compared by its own type (`NewData.plain`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.sqltext.split import check_expression, parse_name, split_alias, split_list
from madtree.sqltext.typenames import is_type

_CAST = re.compile(r"\((?P<of>.+)\)::(?P<type>[^:()]+(?:\([0-9, ]+\))?)", re.DOTALL)
_TEXT = "pg_catalog.text"
_GROUPING = "grouping_cols"


def uncast_groups(values: Sequence[str], given: object) -> tuple[str, ...]:
    """The values of grouping columns in a row, as SQL; `given`: the list of the user's that they are of."""
    try:
        items = [split_alias(item, _GROUPING)[0] for item in split_list(str(given), _GROUPING)]
    except MadtreeError:  # which no training has written
        return tuple(values)
    if len(items) != len(values):
        return tuple(values)
    return tuple(_uncast(value, item) for value, item in zip(values, items, strict=True))


def uncast_class(dependent: str) -> str:
    """SQL of a class; to be compared, it is made a text once more."""
    found = _CAST.fullmatch(dependent)
    if found is None or found["type"] != _TEXT:
        return dependent
    try:
        check_expression(found["of"], "dependent_variable")
    except MadtreeError:  # brackets of two casts
        return dependent
    return found["of"]


def _uncast(value: str, item: str) -> str:
    found = _CAST.fullmatch(value)
    if found is None or not is_type(found["type"]):
        return value
    of, name = found["of"], parse_name(item)
    return of if of in (item, f"({item})") or (name is not None and parse_name(of) == name) else value
