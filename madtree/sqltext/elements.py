"""Numbers of a row as one float8 array: single values, and stretches of arrays that need not be taken apart.

Each subscript of an array column unpacks the whole array, so that a thousand of them cost a thousand times as much as
reading it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madtree.sqltext.values import NATIVE_TYPES
from madtree.trees import Feature

_CAST_TYPES = (NATIVE_TYPES - {"boolean"}) | {"numeric"}  # whose arrays may be cast to float8[] as they are
NAN = "'NaN'::pg_catalog.float8"


@dataclass(frozen=True)
class Element:
    """One element of an array that has the same length, one dimension and the lower bound 1 in every row.

    Attributes:
        array: SQL of the array.
        length: of the array.
        index: of the element, from 1.
    """

    array: str
    length: int
    index: int


def elements(features: Sequence[Feature]) -> tuple[Element | None, ...]:
    """What each feature is an element of; None for those that are none, or no plain numbers."""
    lengths: dict[str, int] = {}
    for feature in features:
        if feature.array is not None:
            lengths[feature.array] = lengths.get(feature.array, 0) + 1
    found: list[Element | None] = []
    seen: dict[str, int] = {}
    for feature in features:
        if feature.array is None or feature.null_last or feature.type not in _CAST_TYPES:
            found.append(None)
            continue
        seen[feature.array] = seen.get(feature.array, 0) + 1
        found.append(Element(feature.array, lengths[feature.array], seen[feature.array]))
    return tuple(found)


def joined(numbers: Sequence[str | Element], never_null: Sequence[bool] | None) -> str:
    """SQL of a float8[] of all numbers.

    Args:
        numbers: SQL of a float8 each, or elements.
        never_null: whether NULL need not be expected, which saves replacing it with NaN. Where it comes all the same,
            the array has NULLs or is shorter. None: NaN for any NULL, and for all of an array that is not as it should
            be.
    """
    parts: list[str] = []
    single: list[str] = []
    i = 0
    while i < len(numbers):
        number = numbers[i]
        if isinstance(number, Element):
            if single:
                parts.append(f"ARRAY[{', '.join(single)}]")
                single = []
            last = _end_of_run(numbers, i)
            careful = never_null is None or not all(never_null[i:last])
            parts.append(_stretch(number, last - i, careful))
            i = last
            continue
        single.append(number if never_null is not None and never_null[i] else f"COALESCE({number}, {NAN})")
        i += 1
    if single:
        parts.append(f"ARRAY[{', '.join(single)}]")
    whole = parts[0]
    for part in parts[1:]:
        whole = f"pg_catalog.array_cat({whole}, {part})"
    return whole


def _end_of_run(numbers: Sequence[str | Element], first: int) -> int:
    """The end of the neighbouring elements of one array that begin at `first`."""
    last = first + 1
    while last < len(numbers):
        before, number = numbers[last - 1], numbers[last]
        if not isinstance(number, Element) or not isinstance(before, Element):
            break
        if number.array != before.array or number.index != before.index + 1:
            break
        last += 1
    return last


def _stretch(first: Element, n: int, careful: bool) -> str:
    array = f"({first.array})"
    values = f"{array}::pg_catalog.float8[]"
    if n < first.length:
        values = f"({values})[{first.index}:{first.index + n - 1}]"
    if not careful:
        return values
    fits = (
        f"pg_catalog.array_ndims({array}) OPERATOR(pg_catalog.=) 1 "
        f"AND pg_catalog.array_lower({array}, 1) OPERATOR(pg_catalog.=) 1 "
        f"AND pg_catalog.cardinality({array}) OPERATOR(pg_catalog.=) {first.length}"
    )
    nothing = f"pg_catalog.array_fill({NAN}, ARRAY[{n}])"
    return f"CASE WHEN {fits} THEN pg_catalog.array_replace({values}, NULL, {NAN}) ELSE {nothing} END"
