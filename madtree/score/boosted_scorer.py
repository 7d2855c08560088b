"""What the trees of a boosted model say of a block's rows: scores, added up tree by tree, and what these come to."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Coroutine, Floats
from madtree.model.arrays import expected, likeliest, masses, shares
from madtree.score.routed_rows import RoutedRows, class_type


def boosted_outcomes(rows: RoutedRows) -> Coroutine[bytes]:
    """The outcomes of some rows, whose groups have `members` trees."""
    model, leaves = rows.model, rows.leaves()
    what, base, values = model["what"], model["base"], model["values"][:, 0]
    group = model["walk"].groups.take(rows.place) - 1
    scores: Floats = base.take(group, axis=0)
    if rows.offset is not None:
        scores += rows.offset[:, None]
    n_scores = base.shape[1]
    for member in range(min(model["members"], model["n_first"])):
        scores[:, member % n_scores] += values.take((yield from leaves(member)))
    if what == "raw":
        return rows.as_floats(scores).tobytes()
    if what == "expected":
        return rows.as_floats(expected(scores, model["link"])).tobytes()
    isotonic, link = model["isotonic"], model["link"]
    said = masses(scores, link, model["n_classes"]) if isotonic is None else isotonic.masses(scores, group)
    if what == "shares":
        return rows.as_floats(shares(said)).tobytes()
    number = (likeliest(scores, said, link) + 1).astype(class_type(model["n_classes"]))
    classes = rows.where_known(number, 0)
    if what == "likeliest":
        return classes.tobytes()
    parts = classes[:, None], rows.as_floats(shares(said))
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1).tobytes()
