"""Some rows of a block on their way down the trees of a plan, and what they come to as bytes that SQL can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Coroutine, Floats, Ints, unsigned
from madtree.learn.walk import Route
from madtree.records import dataclass

NUMBER_BYTES = 10
EXPONENT_ABOVE = 1_100  # is added to exponents, so that 0 is left for rows without a model
_MANTISSA_BITS = 53
_NUMBER = np.dtype([("mantissa", "<i8"), ("exponent", "<u2")])


@dataclass(frozen=True)
class RoutedRows:
    """Rows on their way.

    Attributes:
        model: the plan, checked.
        place: (n_rows,) of each row's group.
        known: (n_rows,) whether it has one, None where all have.
        route: down the trees.
        offset: (n_rows,) what is added to the scores of a boosted model's; None for nothing.
    """

    model: dict[str, Any]
    place: Ints
    known: Bools | None
    route: Route
    offset: Floats | None = None

    @property
    def n_rows(self) -> int:
        return len(self.place)

    def of(self, rows: Ints) -> RoutedRows:
        """Some of them."""
        known = None if self.known is None else self.known.take(rows)
        offset = None if self.offset is None else self.offset.take(rows)
        return RoutedRows(self.model, self.place.take(rows), known, self.route.of(rows), offset)

    def leaves(self) -> Callable[[int], Coroutine[Ints]]:
        """What gives the leaves (n_rows,) of the rows by the number of a tree, from 0."""
        roots, firsts, place = self.model["walk"].roots, self.model["walk"].first_trees, self.place
        first = place * self.model["members"] if firsts is None else firsts.take(place)
        together = len(place) > 0 and bool((place == place[0]).all())

        def of_member(member: int) -> Coroutine[Ints]:
            return self.route.leaves(int(roots[first[0] + member]) if together else roots.take(first + member))

        return of_member

    def where_known(self, found: Array, otherwise: int) -> Array:
        """What was found of the rows, in place; `otherwise` of those that are not known."""
        if self.known is not None:
            found[~self.known] = otherwise
        return found

    def as_floats(self, numbers: Floats) -> Array:
        """As `as_floats`, of those that are known."""
        return as_floats(numbers, self.known)


def class_type(n_classes: int) -> np.dtype:
    """Of a class's number."""
    return unsigned(n_classes)


def count_type(members: int) -> np.dtype:
    """Of a number of trees, and of the one more that stands for none."""
    return unsigned(members + 1)


def as_floats(numbers: Floats, known: Bools | None) -> Array:
    """Each as a signed integer of 8 bytes and 2 bytes of the power of two that it counts, as SQL can read them."""
    mantissa, exponent = np.frexp(numbers)
    found = np.zeros(numbers.shape, _NUMBER)
    # What float64 has no digits for is left out of the smallest numbers.
    shift = np.minimum(_MANTISSA_BITS, exponent + 1074)
    found["mantissa"] = np.ldexp(mantissa, shift)
    found["exponent"] = exponent - shift + EXPONENT_ABOVE
    if known is not None:
        found["exponent"][~known] = 0
    return found


def numbers_in(encoded: bytes, n_values: int) -> Floats:
    """(n_rows, n_values) that `as_floats` has written; NaN of rows that are not known."""
    found = np.frombuffer(encoded, _NUMBER).reshape(-1, n_values)
    exponent = found["exponent"].astype(np.int64)
    return np.where(exponent > 0, np.ldexp(found["mantissa"].astype(np.float64), exponent - EXPONENT_ABOVE), np.nan)
