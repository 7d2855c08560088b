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
# judged: as `classes`, and behind it, as `means`, the classes' mean shares in the leaves: what evaluation needs.
WHATS = ("classes", "votes", "means", "leaves", "judged")
CLASS_BYTES = 4
NO_VOTES = 2**31 - 1
NUMBER_BYTES = 10
EXPONENT_ABOVE = 1_100  # is added to exponents, so that 0 is left for rows without a forest
_MANTISSA_BITS = 53

Route = Callable[[Ints], Steps[Ints]]


def row_bytes(what: str, members: int, n_values: int) -> int:
    """Bytes of a row's outcome; `n_values`: classes, or numbers of a leaf."""
    numbers = NUMBER_BYTES * n_values
    return {
        "classes": CLASS_BYTES,
        "votes": 4 * n_values,
        "means": numbers,
        "leaves": 4 * members,
        "judged": CLASS_BYTES + numbers,
    }[what]


def forest_outcomes(model: dict[str, Any], place: Ints, known: Bools | None, route: Route) -> Steps[bytes]:
    """The outcomes of some rows.

    Args:
        model: the plan, checked.
        place: (n_rows,) of each row's group; `known`: whether it has one, None where all have.
        route: from the roots of rows to the leaves that they end in.
    """
    what, members, values = model["what"], model["members"], model["values"]
    n_rows = len(place)
    rows = np.arange(n_rows)
    numbers = values[:, 1:] if what == "judged" else values
    votes = np.zeros((n_rows, model["n_classes"] if what in ("classes", "votes", "judged") else 0), "<i4")
    sums = np.zeros((n_rows, numbers.shape[1] if what in ("means", "judged") else 0))
    leaves = np.zeros((n_rows, members if what == "leaves" else 0), "<i4")
    first = place * members
    for member in range(members):
        leaf = yield from route(model["roots"].take(first + member))
        if sums.shape[1]:
            sums += numbers.take(leaf, axis=0)
        if votes.shape[1]:
            votes[rows, values[:, 0].take(leaf).astype(np.int64) - 1] += 1
        if leaves.shape[1]:
            leaves[:, member] = values[:, 0].take(leaf)
    if what == "votes":
        return _or(votes, known, NO_VOTES).tobytes()
    if what == "leaves":
        return _or(leaves, known, 0).tobytes()
    if what == "means":
        return _floats(sums / members, known).tobytes()
    classes = _or(votes.argmax(axis=1).astype("<i4") + 1, known, 0)
    if what == "classes":
        return classes.tobytes()
    parts = classes[:, None], _floats(sums / members, known)
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1).tobytes()


def _or(found: Array, known: Bools | None, otherwise: int) -> Array:
    if known is not None:
        found[~known] = otherwise
    return found


def _floats(numbers: Floats, known: Bools | None) -> Array:
    """Each as a signed integer of 8 bytes and 2 bytes of the power of two that it counts, as SQL can read them."""
    mantissa, exponent = np.frexp(numbers)
    found = np.zeros(numbers.shape, np.dtype([("mantissa", "<i8"), ("exponent", "<u2")]))
    # What float64 has no digits for is left out of the smallest numbers.
    shift = np.minimum(_MANTISSA_BITS, exponent + 1074)
    found["mantissa"] = np.ldexp(mantissa, shift)
    found["exponent"] = exponent - shift + EXPONENT_ABOVE
    if known is not None:
        found["exponent"][~known] = 0
    return found
