"""Plans: decoded and checked once for all blocks that come with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from madtree.learn.data import codec

T = TypeVar("T")


class LastPlan(Generic[T]):
    """The decoded form of the plan that came last."""

    def __init__(self, decode: Callable[[dict[str, Any]], T]) -> None:
        """`decode`: takes nothing for granted; raises MadtreeError where a value is not as it must be."""
        self._decode = decode
        self._plan: bytes | None = None
        self._decoded: T

    def get(self, plan: bytes) -> T:
        """Raises MadtreeError where the plan is damaged."""
        if plan != self._plan:
            self._plan = None
            self._decoded = self._decode(codec.load(plan))
            self._plan = plan
        return self._decoded
