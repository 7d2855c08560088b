"""The outcomes that a model keeps of its leaves, read from `<output>_outcomes` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import floor

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import Array, Floats, heads, sent_floats, sent_ints
from madtree.model import ModelTables, OpenModel
from madtree.sqltext import sent_models as sql

_CHUNK_BYTES = 32 * 2**20  # of outcomes read at once, but for a larger tree
_INT = "pg_catalog.int4"


def read_leaf_outcomes(opened: OpenModel, nodes: Mapping[str, Array], *, of_group: bool = False) -> Floats:
    """(n_nodes,) the outcome that each leaf keeps, 0 of other nodes.

    Args:
        nodes: columns of all nodes, in order of tree and id; or of those of one group.

    Raises:
        MadtreeError: the model keeps none, or they are not a finite number for each leaf.
    """
    tables = opened.tables
    if not tables.has("_outcomes"):
        raise MadtreeError(
            f"{tables.given} keeps no outcomes of its leaves, which intervals are made of",
            hint="Train it again with intervals => true.",
        )
    row = opened.host.query(sql.outcome_counts(*tables.at))[0]
    tree_id, size = sent_ints(row["tree_id"]), sent_ints(row["size"])
    is_leaf = nodes["feature"] == 0
    trees, n_leaves = np.unique(nodes["tree_id"][is_leaf], return_counts=True)
    if of_group:
        own = np.isin(tree_id, trees)
        tree_id, size = tree_id[own], size[own]
    if not (np.array_equal(tree_id, trees) and np.array_equal(size, n_leaves)):
        raise _damaged(tables)
    parts = [np.zeros(0)]
    statement = sql.outcomes_between(*tables.at)
    starts = heads(np.cumsum(8 * size) // _CHUNK_BYTES).tolist() if len(size) else []
    for first, end in pairwise([*starts, len(tree_id)]):
        between = [int(tree_id[first]), int(tree_id[end - 1])]
        parts.append(sent_floats(opened.host.query(statement, [_INT, _INT], between)[0]["outcomes"]))
    read = np.concatenate(parts)
    if len(read) != int(size.sum()) or not np.isfinite(read).all():
        raise _damaged(tables)
    found = np.zeros(len(is_leaf))
    found[is_leaf] = read
    return found


def quantiles(numbers: Floats, wanted: tuple[float, ...]) -> Floats:
    """(n_wanted, n_rows) quantiles of the numbers of each row (n_rows, n), which are put into another order: between
    two of them by the distance from both (R's type 7, numpy's "linear").
    """
    last = numbers.shape[1] - 1
    places = [last * quantile for quantile in wanted]
    ends = [(floor(place), min(floor(place) + 1, last)) for place in places]
    numbers.partition(sorted({end for both in ends for end in both}), axis=1)
    found = np.empty((len(wanted), len(numbers)))
    for row, place, (low, high) in zip(found, places, ends, strict=True):
        share = place - low
        lower, upper = numbers[:, low], numbers[:, high]
        # From the nearer end, so that rounding leaves the other one no room.
        distance = upper - lower
        row[:] = lower + distance * share if share < 0.5 else upper - distance * (1 - share)
    return found


def _damaged(tables: ModelTables) -> MadtreeError:
    return tables.damaged("it has not an outcome for each of its leaves")
