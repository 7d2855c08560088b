"""Shares of products of cases: in every run the same; with MADTREE_TESTS=all (or MADTREE_TRAPS=all) each of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
ALL = "all" in (os.environ.get("MADTREE_TESTS"), os.environ.get("MADTREE_TRAPS"))


def share(every: Sequence[T], one_of: int, turn: int = 0) -> Sequence[T]:
    """One of so many cases, others at each turn: in as many turns each of them."""
    return every if ALL else every[turn % one_of :: one_of]
