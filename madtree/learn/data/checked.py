"""Values from outside, each checked as it is taken: a plan, a request or a state may have been made up by any user.

Whatever is taken by these methods has the type, the shape and the range that the code behind relies on, so that no
index leads out of an array, no loop goes on for ever, and nothing is allocated that the bytes do not account for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data.codec import damaged
from madtree.learn.data.types import Array, Bools, Floats, Ints

Shape = tuple[int | None, ...]
_Required = TypeVar("_Required")


class Values:
    """Named values that somebody has sent. Every method raises MadtreeError where a value is not as it must be."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        """Whether there is such a value, and it is not None."""
        return self._values.get(name) is not None

    def integer(self, name: str, low: int, high: int) -> int:
        value = self._values.get(name)
        if type(value) is not int or not low <= value <= high:
            raise self.wrong(name, f"an integer from {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        value = self._values.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(name, f"a number from {low} to {high}")
        return float(value)

    def boolean(self, name: str) -> bool:
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def text(self, name: str, among: Collection[str] | None = None) -> str:
        """A text; one of `among`, if that is given."""
        value = self._values.get(name)
        if not isinstance(value, str) or (among is not None and value not in among):
            raise self.wrong(name, "a text" if among is None else f"one of {', '.join(sorted(among))}")
        return value

    def integers(self, name: str, length: int | None, low: int, high: int) -> list[int]:
        """A short list; `length`: None for any."""
        right = f"integers from {low} to {high}"
        return self._list(name, length, lambda one: type(one) is int and low <= one <= high, right)

    def booleans(self, name: str, length: int | None) -> list[bool]:
        """A short list; `length`: None for any."""
        return self._list(name, length, lambda one: type(one) is bool, "true and false")

    def texts(self, name: str, length: int | None, among: Collection[str]) -> list[str]:
        """A short list; `length`: None for any."""
        return self._list(name, length, lambda one: isinstance(one, str) and one in among, ", ".join(sorted(among)))

    def numbers(self, name: str, length: int | None, low: float, high: float) -> tuple[float, ...]:
        """A short list; `length`: None for any."""
        right = f"numbers from {low} to {high}"
        found = self._list(name, length, lambda one: type(one) in (int, float) and low <= one <= high, right)
        return tuple(map(float, found))

    def groups(self, name: str, n: int) -> tuple[tuple[int, ...], ...]:
        """A short list of groups of numbers from 0 to `n` - 1, none of them empty."""

        def fits(group: Any) -> bool:
            of_numbers = isinstance(group, list | tuple) and len(group) > 0
            return of_numbers and all(type(one) is int and 0 <= one < n for one in group)

        return tuple(map(tuple, self._list(name, None, fits, f"groups of integers from 0 to {n - 1}")))

    def lines(self, name: str, kinds: tuple[type, ...]) -> list[list[Any]]:
        """A list of short lists, each with a value of each of these kinds."""

        def fits(line: Any) -> bool:
            return isinstance(line, list | tuple) and tuple(map(type, line)) == kinds

        return [list(line) for line in self._list(name, None, fits, f"lists of {len(kinds)} values each")]

    def _list(self, name: str, length: int | None, fits: Callable[[Any], bool], right: str) -> list[Any]:
        found = self._values.get(name)
        if not isinstance(found, list | tuple) or length not in (None, len(found)):
            raise self.wrong(name, f"a list of {'any number' if length is None else length}")
        if not all(map(fits, found)):
            raise self.wrong(name, f"a list of {right}")
        return list(found)

    def is_mapping(self, name: str) -> bool:
        return isinstance(self._values.get(name), Mapping)

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self._values.get(name)
        if not isinstance(value, Mapping):
            raise self.wrong(name, "named values")
        return value

    def ints(self, name: str, shape: Shape, low: int, high: int, dtype: Any = np.int64) -> Ints:
        """An array of whole numbers; None in `shape` stands for any length. It comes in `dtype`, whatever it was in;
        in its own where that is None.
        """
        array = self._array(name, shape, "iu")
        if array.size and (int(array.min()) < low or int(array.max()) > high):
            raise self.wrong(name, f"integers from {low} to {high}")
        return array if dtype is None else array.astype(dtype, copy=False)

    def floats(self, name: str, shape: Shape, *, finite: bool = True) -> Floats:
        """An array of float64; where not `finite`, they may be infinite or NaN."""
        array = self._array(name, shape, "f")
        if finite and not np.isfinite(array).all():
            raise self.wrong(name, "finite numbers")
        return array.astype(np.float64, copy=False)

    def bools(self, name: str, shape: Shape) -> Bools:
        # A byte that is neither 0 nor 1 would be true in one place and index the array's end in another.
        array = self._array(name, shape, "b")
        if array.size and int(array.view(np.uint8).max()) > 1:
            raise self.wrong(name, "true or false")
        return array

    def _array(self, name: str, shape: Shape, kinds: str) -> Array:
        array = self._values.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            raise self.wrong(name, "an array of another type")
        fits = shape == array.shape or (
            len(shape) == array.ndim
            and all(wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True))
        )
        if not fits:
            wanted = " x ".join("any" if size is None else str(size) for size in shape)
            raise self.wrong(name, f"of the shape {wanted}, not {' x '.join(map(str, array.shape))}")
        return array

    @staticmethod
    def wrong(name: str, right: str) -> MadtreeError:
        """The error for a value that is not as it must be: `right` says how."""
        return damaged(f"{name} must be {right}")


def require(holds: bool | np.bool_, name: str, right: str) -> None:
    """Raises MadtreeError, as `Values.wrong`, where a condition between values does not hold."""
    if not holds:
        raise Values.wrong(name, right)


def required(value: _Required | None, name: str) -> _Required:
    """The value; raises MadtreeError, as `Values.wrong`, where it is None."""
    if value is None:
        raise Values.wrong(name, "there")
    return value


def check_room(n: int, n_each: int, what: str = "nodes of trees that grow together", most: int = 2**27) -> None:
    """Refuse more than `most` numbers: 1 GB of what is held once, half as many of a histogram."""
    if n * n_each > most:
        raise MadtreeError(
            f"{n:,} {what}, with {n_each:,} numbers each, are too many: {most:,} numbers are possible",
            hint="Put rare classes or categories together, or take fewer bins (n_bins), smaller trees, fewer folds.",
            sqlstate="54000",
        )


def ascends(numbers: Array) -> bool:
    """Whether each of the numbers (n,) is larger than the one before it."""
    return bool((numbers[1:] > numbers[:-1]).all())
