"""Which values an argument may have, as far as the value alone decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from sys import float_info
from typing import Any

from madtree.errors import MadtreeError
from madtree.records import dataclass
from madtree.wording import BLANKS

MOST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, but not `never`.

    Attributes:
        is_cut: whether a number above `high` is taken for `high`, which the user is told.
        words: what is valid, for messages.
    """

    low: float
    high: float
    never: float | None = None
    is_cut: bool = False
    words: str = ""

    @property
    def wanted(self) -> str:
        return self.words or f"from {self.low} to {self.high}"

    def has(self, value: float) -> bool:
        return self.low <= value <= self.high and value != self.never

    def checked(self, name: str, value: Any) -> Any:
        """The value; raises MadtreeError if it is not valid."""
        if self.is_cut and value > self.high:
            return self.high
        if not self.has(value):
            raise MadtreeError(f"{name} must be {self.wanted}, not {value!r}")
        return value


@dataclass(frozen=True)
class OneOf:
    """Words, in any case; `also` has other words for some of them."""

    words: tuple[str, ...]
    also: Mapping[str, str] = field(default_factory=dict)

    def checked(self, name: str, value: str) -> str:
        """The word as it is spelled here; raises MadtreeError if it is none of them."""
        word = value.strip().lower()
        word = self.also.get(word, word)
        if word not in self.words:
            raise MadtreeError(f"{name} must be one of {', '.join(self.words)}, not {value!r}")
        return word


@dataclass(frozen=True)
class Named:
    """A text that is not empty."""

    def checked(self, name: str, value: str | None) -> str:
        """The text without the blanks around it; raises MadtreeError if there is nothing else, or it is None."""
        if value is None or not value.strip(BLANKS):
            raise MadtreeError(f"{name} must not be {'NULL' if value is None else 'empty'}")
        return value.strip(BLANKS)


def at_least(low: int) -> Range:
    """Whole numbers."""
    return Range(low, MOST_INTEGER, words=f"at least {low}")


def number_of_at_least(low: float) -> Range:
    """Finite numbers."""
    return Range(low, float_info.max, words=f"a number of at least {low:g}")


def any_number(words: str) -> Range:
    """Finite numbers."""
    return Range(-float_info.max, float_info.max, words=words)
