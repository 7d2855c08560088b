"""Writes the nodes of trees that come packed, as a `trees.NodeLayout` has them, and outcomes of their leaves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Floats, Ints
from madtree.learn.prune import PackedNodes
from madtree.model.write.columns_text import chunks, numbers
from madtree.model.write.rows import NUMBER_BYTES, TEXT, ModelOutput, tree_ids
from madtree.request import TrainingTask
from madtree.sqltext import array_text as text
from madtree.sqltext import packed_nodes as sql
from madtree.sqltext.inserts import fill_beside
from madtree.sqltext.tables import OUTCOME_COLUMNS
from madtree.trees import Categories, Numbering

_MOST_BYTES = 1023 * 2**20  # of a value, and somewhat less than PostgreSQL allows


def write_packed(output: ModelOutput, packed: PackedNodes, numbering: Numbering) -> None:
    """Fill `<output>_packed`.

    Raises:
        MadtreeError: a tree is too large for that.
    """
    if (largest := int(packed.sizes.max(initial=0))) > _MOST_BYTES:
        raise MadtreeError(
            f"a tree has nodes of {largest // 2**20:,} MB in all, each with a number for each class, and PostgreSQL "
            f"holds at most {_MOST_BYTES // 2**20:,} MB in one value",
            hint="Grow smaller trees, by max_tree_depth or min_bucket, or predict fewer classes.",
            sqlstate="54000",
        )
    ends = np.cumsum(packed.sizes)
    starts, literals = ends - packed.sizes, _category_sets(packed, output.categories)
    ids = tree_ids(numbering, packed.key)
    types = [TEXT] * len(sql.PACKED_PARAMETERS) + ["pg_catalog.bytea"]
    statement = sql.insert_packed(*output.at)
    for part in chunks(packed.sizes + np.array(list(map(len, literals)), np.int64)):
        first, end = starts[part][0], ends[part][-1]
        # PostgreSQL would sort them with all of their bytes.
        trees = part.start + np.argsort(ids[part])
        of_chunk = [
            text.integers(ids[trees].tolist()),
            text.joined([literals[tree] for tree in trees.tolist()]),
            text.integers((starts[trees] - first).tolist()),
            text.integers(packed.sizes[trees].tolist()),
        ]
        output.host.command(statement, types, [*of_chunk, packed.records[first:end].tobytes()])


def write_outcomes(host: Host, task: TrainingTask, tree_id: Ints, n_leaves: Ints, outcomes: Floats) -> None:
    """Fill `<output>_outcomes`.

    Args:
        tree_id, n_leaves: (n_trees,) of the trees in order of their ids.
        outcomes: those of the first tree's leaves, in order of the leaves' ids, then those of the second one's.
    """
    statement = fill_beside(task.output_schema, task.output_name, "_outcomes", OUTCOME_COLUMNS)
    ends = np.cumsum(n_leaves)
    for part in chunks(NUMBER_BYTES * n_leaves):
        rows = [
            '"{' + ",".join(map(repr, numbers(outcomes[end - size : end]))) + '}"'
            for size, end in zip(n_leaves[part].tolist(), ends[part].tolist(), strict=True)
        ]
        host.command(statement, [TEXT] * 2, [text.integers(tree_id[part].tolist()), text.joined(rows)])


def _category_sets(packed: PackedNodes, categories: Sequence[Categories | None]) -> list[str]:
    """The list of each tree's categories, as elements of an array literal."""
    labels = [(categories[f] or ())[i] for f, i in zip(packed.feature.tolist(), packed.index.tolist(), strict=True)]
    ends: Ints = np.cumsum(packed.n_categories)
    return text.text_rows([labels[first:end] for first, end in pairwise([0, *ends.tolist()])])
