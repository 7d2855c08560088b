"""The outcomes that a model keeps of its leaves, read from `<output>_outcomes` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Array, Floats, heads, sent_floats, sent_ints
from madtree.model import ModelTables
from madtree.sqltext import group_tables as sql

_CHUNK_BYTES = 32 * 2**20  # of outcomes read at once, but for a larger tree
_INT = "pg_catalog.int4"


def read_leaf_outcomes(host: Host, tables: ModelTables, nodes: Mapping[str, Array]) -> Floats:
    """(n_nodes,) the outcome that each leaf keeps, 0 of other nodes.

    Args:
        nodes: columns of all nodes, in order of tree and id.

    Raises:
        MadtreeError: the model keeps none, or they are not a finite number for each leaf.
    """
    if not tables.has_outcomes:
        raise MadtreeError(
            f"{tables.given} keeps no outcomes of its leaves, which intervals are made of",
            hint="Train it again with intervals => true.",
        )
    row = host.query(sql.outcome_counts(tables.schema, tables.name))[0]
    tree_id, size = sent_ints(row["tree_id"]), sent_ints(row["size"])
    is_leaf = nodes["feature"] == 0
    trees, n_leaves = np.unique(nodes["tree_id"][is_leaf], return_counts=True)
    if not (np.array_equal(tree_id, trees) and np.array_equal(size, n_leaves)):
        raise _damaged(tables)
    parts = [np.zeros(0)]
    statement = sql.outcomes_between(tables.schema, tables.name)
    starts = heads(np.cumsum(8 * size) // _CHUNK_BYTES).tolist() if len(size) else []
    for first, end in pairwise([*starts, len(tree_id)]):
        between = [int(tree_id[first]), int(tree_id[end - 1])]
        parts.append(sent_floats(host.query(statement, [_INT, _INT], between)[0]["outcomes"]))
    read = np.concatenate(parts)
    if len(read) != int(size.sum()) or not np.isfinite(read).all():
        raise _damaged(tables)
    found = np.zeros(len(is_leaf))
    found[is_leaf] = read
    return found


def _damaged(tables: ModelTables) -> MadtreeError:
    return MadtreeError(
        f"{tables.given} is damaged: it has not an outcome for each of its leaves",
        hint="Train the model again, or restore its tables.",
    )
