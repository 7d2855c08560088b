"""Numbers of a row as one float8 array: single values, and stretches of arrays that need not be taken apart.

Each subscript of an array column unpacks the whole array, so that a thousand of them cost a thousand times as much as
reading it once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from madtree.records import dataclass
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


def elements(features: Sequence[Feature], others: Collection[str] = ()) -> tuple[Element | None, ...]:
    """What each feature is an element of; None for those that are none, or no plain numbers. `others`: SQL of arrays
    that are not to be cast as a whole.
    """
    lengths: dict[str, int] = {}
    for feature in features:
        if feature.array is not None:
            lengths[feature.array] = lengths.get(feature.array, 0) + 1
    found: list[Element | None] = []
    seen: dict[str, int] = {}
    for feature in features:
        is_cast = feature.type in _CAST_TYPES and feature.array not in others
        if feature.array is None or feature.null_last or not is_cast:
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
    parts = []
    for first, last in runs(numbers):
        number = numbers[first]
        if isinstance(number, Element):
            careful = never_null is None or not all(never_null[first:last])
            parts.append(stretch(number, last - first, careful))
            continue
        surely = [never_null is not None and never_null[i] for i in range(first, last)]
        single = [
            str(n) if known else known_number(str(n)) for n, known in zip(numbers[first:last], surely, strict=True)
        ]
        parts.append(f"ARRAY[{', '.join(single)}]")
    whole = parts[0]
    for part in parts[1:]:
        whole = f"pg_catalog.array_cat({whole}, {part})"
    return whole


def known_number(number: str) -> str:
    """A float8 that is NaN where `number` is NULL."""
    return f"COALESCE({number}, {NAN})"


def runs(numbers: Sequence[str | Element]) -> Iterator[tuple[int, int]]:
    """Where runs of neighbouring numbers begin and end: of single ones, or of elements of one array, in its order."""
    first = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or not _follows(numbers[i - 1], numbers[i]):
            yield first, i
            first = i


def _follows(before: str | Element, number: str | Element) -> bool:
    """Whether a number is of the same run as the one before it."""
    if isinstance(before, Element) and isinstance(number, Element):
        return number.array == before.array and number.index == before.index + 1
    return not isinstance(before, Element) and not isinstance(number, Element)


def stretch(first: Element, n: int, careful: bool) -> str:
    """SQL of a float8[] of `n` elements; `careful` as for a number in `joined` that may be NULL."""
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
