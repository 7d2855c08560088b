"""Shares of products of cases: in every run the same; with MADTREE_TESTS=all (or MADTREE_TRAPS=all) each of them.

Of products of three, such as who calls what with which trap, each is too much even then: there every two meet.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")
ALL = "all" in (os.environ.get("MADTREE_TESTS"), os.environ.get("MADTREE_TRAPS"))


def share(every: Sequence[T], one_of: int, turn: int = 0, of_all: int = 1) -> Sequence[T]:
    """One of so many cases, others at each turn: in as many turns each of them.

    `of_all`: one of so many where each is asked for.
    """
    n = of_all if ALL else one_of
    return every[turn % n :: n]


def share_of_pairs(every: Sequence[tuple[T, U]], one_of: int, turn: int, of_all: int) -> Sequence[tuple[T, U]]:
    """As `share`; where each pair is asked for, one of `of_all`, such that in each turn all firsts and all seconds are
    there, and in as many turns each pair. They are told apart by what they are shown as.
    """
    if not ALL:
        return share(every, one_of, turn)
    places = [
        {name: place for place, name in enumerate(dict.fromkeys(map(str, side)))} for side in zip(*every, strict=True)
    ]
    firsts, seconds = places
    return [pair for pair in every if (firsts[str(pair[0])] + seconds[str(pair[1])] - turn) % of_all == 0]


def is_one_in(places: Sequence[int], n: int) -> bool:
    """Whether a case is tried of a list of which one in `n` is: of the first `n` the first, of the next the second, and
    so on. So what a test takes in turn by its case's place is tried, too: the first one of each `n` alone would always
    take the same. Of a product of lists one in `n` of the sums of places.
    """
    at = sum(places)
    return ALL or at % n == (at // n % n if len(places) == 1 else 0)


def is_in_turn(places: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether a case of a product of two lists is tried: each value of the longer list with one of the other, the next
    with the next, so that all values of both are there.

    Args:
        places: of the case's values in their lists.
        sizes: of the lists.
    """
    longest = sizes.index(max(sizes))
    return ALL or all(place == places[longest] % size for place, size in zip(places, sizes, strict=True))
