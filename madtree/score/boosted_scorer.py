"""What the trees of a boosted model say of a block's rows: scores, added up tree by tree, and what these come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.data import Bools, Coroutine, Floats, Ints
from madtree.model.arrays import expected, likeliest, masses, shares
from madtree.score.outcome_bytes import as_floats, class_type, where_known


def boosted_outcomes(
    model: dict[str, Any],
    place: Ints,
    known: Bools | None,
    leaves: Callable[[int], Coroutine[Ints]],
    offset: Floats | None = None,
) -> Coroutine[bytes]:
    """The outcomes of some rows.

    Args:
        model: the plan, checked; of rows whose groups have `members` trees.
        place: (n_rows,) of each row's group; `known`: whether it has one, None where all have.
        leaves: of the rows, by the number of a tree.
        offset: (n_rows,) of rows that have one score; None where they have none.
    """
    what, base, values = model["what"], model["base"], model["values"][:, 0]
    group = model["walk"].groups.take(place) - 1
    scores: Floats = base.take(group, axis=0)
    if offset is not None:
        scores += offset[:, None]
    n_scores = base.shape[1]
    for member in range(min(model["members"], model["n_first"])):
        scores[:, member % n_scores] += values.take((yield from leaves(member)))
    if what == "raw":
        return as_floats(scores, known).tobytes()
    if what == "expected":
        return as_floats(expected(scores, model["link"]), known).tobytes()
    isotonic, link = model["isotonic"], model["link"]
    said = masses(scores, link, model["n_classes"]) if isotonic is None else isotonic.masses(scores, group)
    if what == "shares":
        return as_floats(shares(said), known).tobytes()
    number = (likeliest(scores, said, link) + 1).astype(class_type(model["n_classes"]))
    classes = where_known(number, known, 0)
    if what == "likeliest":
        return classes.tobytes()
    parts = classes[:, None], as_floats(shares(said), known)
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1).tobytes()
