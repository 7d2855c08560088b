"""Writes the nodes of a forest's trees, packed: as `sqltext.packed_nodes` lays them out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import Host
from madtree.learn.data import Array, Ints
from madtree.learn.prune import NodeColumns, TreeColumns
from madtree.model.write.columns_text import chunks
from madtree.model.write.rows import TEXT, tree_ids
from madtree.request import TrainingTask
from madtree.sqltext import array_text as text
from madtree.sqltext import packed_nodes as sql
from madtree.trees import Categories


def write_packed(
    host: Host,
    task: TrainingTask,
    trees: TreeColumns,
    nodes: NodeColumns,
    categories: Sequence[Categories | None],
) -> None:
    """Fill `<output>_packed`.

    Args:
        nodes: those of `trees`, tree by tree.
        categories: of each feature, None where it is not unordered.
    """
    sets = _Sets(nodes, categories)
    records = _records(task, nodes, sets.start)
    ends = np.cumsum(trees.n_nodes)
    if not (
        ends[-1:].tolist() == [len(records)]
        and np.array_equal(np.repeat(trees.key.group, trees.n_nodes), nodes.key.group)
        and np.array_equal(np.repeat(trees.key.member, trees.n_nodes), nodes.key.member)
    ):
        raise ValueError("the nodes are not those of the trees, one tree after the other")
    starts, size = ends - trees.n_nodes, records.dtype.itemsize
    literals = sets.literals(starts, ends)
    ids = tree_ids(task, trees.key)
    types = [TEXT] * len(sql.PACKED_PARAMETERS) + ["pg_catalog.bytea"]
    statement = sql.insert_packed(task.output_schema, task.output_name)
    for part in chunks(trees.n_nodes * size + np.array(list(map(len, literals)), np.int64)):
        first, end = starts[part][0], ends[part][-1]
        of_chunk = [
            text.integers(ids[part].tolist()),
            text.joined(literals[part]),
            text.integers(((starts[part] - first) * size).tolist()),
            text.integers((trees.n_nodes[part] * size).tolist()),
        ]
        host.command(statement, types, [*of_chunk, records[first:end].tobytes()])


def _records(task: TrainingTask, nodes: NodeColumns, categories: Ints) -> Array:
    """(n,) the nodes' records; `categories` (n,) where those of each split begin, -1 where it has none."""
    fields = [(name, f">{kind}") for name, kind in sql.record_fields(task.is_classification)]
    n_classes = nodes.class_weights.shape[1]
    records = np.zeros(len(nodes.node_id), np.dtype([*fields, ("class_weights", ">f8", (n_classes,))]))
    is_leaf = nodes.feature < 0
    for name in ("node_id", "n_rows", "threshold", "weight", "impurity", "risk", "complexity", "class_weights"):
        records[name] = getattr(nodes, name)
    records["feature"] = nodes.feature + 1
    records["majority_left"] = nodes.majority_left & ~is_leaf
    records["prediction"] = nodes.prediction + 1 if task.is_classification else nodes.prediction
    records["categories"] = categories
    records["n_left"], records["n_right"] = nodes.left.sizes, nodes.right.sizes
    records["improvement"] = np.where(is_leaf, np.nan, nodes.improvement)
    return records


class _Sets:
    """The categories of splits on unordered features, one list a tree.

    Attributes:
        start: (n_nodes,) where those of each split begin in the list of its tree, -1 where it has none.
    """

    def __init__(self, nodes: NodeColumns, categories: Sequence[Categories | None]) -> None:
        is_unordered = np.array([*(known is not None for known in categories), False])  # -1, a leaf, is the last
        self._splits: Ints = np.flatnonzero(is_unordered[nodes.feature])
        self._nodes, self._categories = nodes, categories
        sizes = np.zeros(len(nodes.node_id), np.int64)
        sizes[self._splits] = (nodes.left.sizes + nodes.right.sizes)[self._splits]
        before = np.cumsum(sizes) - sizes
        changes = np.flatnonzero(np.diff(nodes.key.group) | np.diff(nodes.key.member)) + 1
        roots = np.concatenate((np.zeros(min(len(sizes), 1), np.int64), changes))
        of_tree = np.repeat(roots, np.diff(np.append(roots, len(sizes))))
        self.start: Ints = np.where(is_unordered[nodes.feature], before - before[of_tree], -1)

    def literals(self, starts: Ints, ends: Ints) -> list[str]:
        """The lists of trees, whose nodes are from `starts` to `ends`, as elements of an array literal."""
        left, right = self._nodes.left, self._nodes.right
        left_ends, right_ends = np.cumsum(left.sizes), np.cumsum(right.sizes)
        firsts = np.searchsorted(self._splits, starts).tolist()
        lasts = np.searchsorted(self._splits, ends).tolist()
        rows: list[list[str | None]] = []
        for first, last in zip(firsts, lasts, strict=True):
            row: list[str | None] = []
            for split in self._splits[first:last].tolist():
                known = self._categories[int(self._nodes.feature[split])] or ()
                for side, side_ends in ((left, left_ends), (right, right_ends)):
                    end = side_ends[split]
                    row += [known[i] for i in side.indices[end - side.sizes[split] : end].tolist()]
            rows.append(row)
        return text.text_rows(rows)
