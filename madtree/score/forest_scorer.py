"""What all trees of a forest together say of a block's rows: votes, means or leaves, tree by tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, Steps

# What a row comes to, and the bytes that say it:
# classes: the number of the class with most votes, from 1, the first of several; 0 without a forest. 4 bytes.
# votes: how many trees vote for each class; NO_VOTES without a forest. 4 bytes each.
# means: of what the trees predict, one number or one for each class. 10 bytes each, see `split_float`.
# leaves: of each tree a position from 1 among all leaves; 0 without a forest. 4 bytes each.
WHATS = ("classes", "votes", "means", "leaves")
NO_VOTES = 2**31 - 1
NUMBER_BYTES = 10
EXPONENT_ABOVE = 1_100  # is added to exponents, so that 0 is left for rows without a forest
_MANTISSA_BITS = 53

_FEW_CLASSES = 16  # up to which comparing all rows with each class is quicker than looking up what to add to

Route = Callable[[int | Ints], Steps[Ints]]


def row_bytes(what: str, members: int, n_values: int) -> int:
    """Bytes of a row's outcome; `n_values`: classes, or numbers of a leaf."""
    return {"classes": 4, "votes": 4 * n_values, "means": NUMBER_BYTES * n_values, "leaves": 4 * members}[what]


def forest_outcomes(model: dict[str, Any], place: Ints, known: Bools | None, route: Route) -> Steps[bytes]:
    """The outcomes of some rows.

    Args:
        model: the plan, checked.
        place: (n_rows,) of each row's group; `known`: whether it has one, None where all have.
        route: from one root, or from the roots of rows, to the leaves that they end in.
    """
    leaves = _leaves(model, place, route)
    what, values = model["what"], model["values"]
    if what == "means":
        return _floats((yield from _sums(leaves, model["members"], values, len(place))) / model["members"], known)
    if what == "leaves":
        found = np.zeros((len(place), model["members"]), "<i4")
        for member in range(model["members"]):
            found[:, member] = values[:, 0].take((yield from leaves(member)))
        return _or(found, known, 0)
    n_classes = model["n_classes"]
    counting = _votes_of_few if n_classes <= _FEW_CLASSES else _votes_of_many
    votes = yield from counting(leaves, model["members"], values[:, 0], n_classes, len(place))
    if what == "classes":
        return _or(votes.argmax(axis=1).astype("<i4") + 1, known, 0)
    return _or(votes.astype("<i4"), known, NO_VOTES)


def _leaves(model: dict[str, Any], place: Ints, route: Route) -> Callable[[int], Steps[Ints]]:
    """What gives the leaves (n_rows,) of the rows by the number of a tree, from 0."""
    first, roots = place * model["members"], model["roots"]
    together = len(place) > 0 and bool((place == place[0]).all())

    def of_member(member: int) -> Steps[Ints]:
        return route(int(roots[first[0] + member]) if together else roots.take(first + member))

    return of_member


def _sums(leaves: Callable[[int], Steps[Ints]], members: int, values: Floats, n_rows: int) -> Steps[Floats]:
    """(n_rows, n_values) of what the trees say, added up in their order."""
    total = np.zeros((n_rows, values.shape[1]))
    for member in range(members):
        total += values.take((yield from leaves(member)), axis=0)
    return total


def _votes_of_few(
    leaves: Callable[[int], Steps[Ints]], members: int, class_of: Ints, n_classes: int, n_rows: int
) -> Steps[Ints]:
    """(n_rows, n_classes) trees that vote for each class; `class_of` (n_nodes,) from 1."""
    votes = np.zeros((n_classes, n_rows), np.min_scalar_type(members))
    for member in range(members):
        said = class_of.take((yield from leaves(member)))
        for number, own in enumerate(votes, 1):
            own += (said == number).view(np.uint8)
    by_row: Ints = votes.T
    return by_row


def _votes_of_many(
    leaves: Callable[[int], Steps[Ints]], members: int, class_of: Ints, n_classes: int, n_rows: int
) -> Steps[Ints]:
    """The same; each row adds to what it has of the one class."""
    votes = np.zeros(n_rows * n_classes, np.int32)
    first = np.arange(-1, n_rows * n_classes - 1, n_classes)
    for member in range(members):
        place = first + class_of.take((yield from leaves(member)))
        votes[place] = votes.take(place) + 1
    return votes.reshape(n_rows, n_classes)


def _or(found: Array, known: Bools | None, otherwise: int) -> bytes:
    if known is not None:
        found[~known] = otherwise
    return found.astype("<i4", copy=False).tobytes()


def _floats(numbers: Floats, known: Bools | None) -> bytes:
    """Each as a signed integer of 8 bytes and 2 bytes of the power of two that it counts, as SQL can read them."""
    mantissa, exponent = np.frexp(numbers)
    found = np.zeros(numbers.shape, np.dtype([("mantissa", "<i8"), ("exponent", "<u2")]))
    # What float64 has no digits for is left out of the smallest numbers.
    shift = np.minimum(_MANTISSA_BITS, exponent + 1074)
    found["mantissa"] = np.ldexp(mantissa, shift)
    found["exponent"] = exponent - shift + EXPONENT_ABOVE
    if known is not None:
        found["exponent"][~known] = 0
    return found.tobytes()
