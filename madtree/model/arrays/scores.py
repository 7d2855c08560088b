"""The scores of boosted models: with which they begin, and what they come to."""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Floats, portable
from madtree.model import ModelTables
from madtree.sqltext import models as sql
from madtree.trees import Link, Model


def base_scores(host: Host, tables: ModelTables, model: Model) -> Floats:
    """(n_groups, n_scores) the scores to begin with, of all groups by their numbers; NaN of those that failed.

    Raises:
        MadtreeError: they are none.
    """
    rows = host.query(sql.base_scores(tables.schema, tables.name))
    found = np.full((len(rows), model.n_scores), np.nan)
    for place, row in enumerate(rows):
        own = row["base_score"]
        if row["n_trees"]:  # others have failed
            own = own or []
            if len(own) != model.n_scores or not all(isinstance(value, float | int) for value in own):
                raise MadtreeError(
                    f"{tables.given} is damaged: base_score of group {row['gid']} is not a number for each score",
                    hint="Train the model again, or restore its tables.",
                )
            found[place] = own
    return np.asarray(np.nan_to_num(found))


def expected(scores: Floats, link: Link) -> Floats:
    """(n_rows, 1) the number that a score says."""
    return portable.exp(scores) if link is Link.LOG else scores


def probabilities(scores: Floats, link: Link, n_classes: int) -> Floats:
    """(n_rows, n_classes) of the classes, from scores (n_rows, n_scores)."""
    if link is Link.SOFTMAX:
        powers = portable.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    score = scores[:, 0] * (2 if link is Link.HALF_LOGIT else 1)
    both = 1 / (1 + portable.exp(score)), 1 / (1 + portable.exp(-score))
    return np.stack(both, axis=1)[:, :n_classes]
