"""Where the ways of rows end once trees are grown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madtree.learn.data import RIGHT, UNKNOWN, Array, Block, Codes, Ints, flat_nonzero, pieces_of
from madtree.learn.problem import roots
from madtree.learn.route.leaf_masks import LeafMasks
from madtree.learn.route.routing import Routing
from madtree.learn.route.stored_nodes import node_type
from madtree.learn.walk import CodeMatrix, Descent, where_leaves_agree

_LEAST_ROWS = 16_384  # of fewer, calling numpy takes most of the time


class WayDown:
    """The way of rows down grown trees, made ready for many blocks and replicas."""

    def __init__(self, routing: Routing) -> None:
        """`routing`: grows no more."""
        self.routing = routing
        self._descents: dict[type[np.unsignedinteger], Descent] = {}
        self._masks: dict[tuple[np.dtype, int], LeafMasks] = {}

    def leaves(self, block: Block, replica: int, n_groups: int) -> Ints:
        """(n_rows,) the leaf that each row of a block ends in, of a replica of its group's tree."""
        if len(self.routing.surrogate_feature):
            return self._step_by_step(roots(block, replica, n_groups), block.codes)
        codes = _of_one_width(block.codes)
        descent = self._descent(codes.dtype.type, len(codes))
        found: Ints = np.empty(block.codes.n_rows, node_type(len(self.routing.child)))
        by_masks = n_groups == 1 and len(found) >= _LEAST_ROWS and descent.tables is None
        masks = self._masks_of(descent, replica) if by_masks else None
        for rows in pieces_of(len(found)):
            if masks is not None:
                masks.enter(codes[:, rows], block.codes.has_missing, found[rows])
                continue
            root = replica if n_groups == 1 else replica * n_groups + block.tree[rows]  # type: ignore[index]
            found[rows] = descent.leaves(root, CodeMatrix(codes[:, rows]))
        return found

    def _step_by_step(self, root: Ints, codes: Codes) -> Ints:
        """(n_rows,) the leaves that rows end in from their roots (n_rows,), where surrogates may be asked."""
        found, rows, node = root, np.arange(len(root)), root
        while len(rows):
            inner = flat_nonzero(self.routing.child.take(node) != node)
            rows = rows.take(inner)
            node = self.routing.advance(node.take(inner), codes, rows)
            found[rows] = node
        return found

    def _masks_of(self, descent: Descent, root: int) -> LeafMasks | None:
        """Of a tree; None where it has many splits."""
        key = descent.cut.dtype, root
        if key not in self._masks:
            self._masks[key] = LeafMasks(descent, root)
        masks = self._masks[key]
        return masks if masks.are_few else None

    def _descent(self, kind: type[np.unsignedinteger], n_features: int) -> Descent:
        """By codes of this type."""
        if kind not in self._descents:
            routing, largest = self.routing, np.iinfo(kind).max
            inner = routing.child != np.arange(len(routing.child))
            cut = np.where(inner, np.clip(routing.cut, 0, largest - 1), largest)
            tables, table = self._tables(kind) if len(routing.categories) else (None, None)
            by_cut = (routing.table < 0) | ~inner
            self._descents[kind] = Descent(
                routing.feature.astype(np.int64),
                np.where(by_cut, cut, 0).astype(kind),
                routing.child.astype(np.int64),
                inner & by_cut & (routing.missing_right != 0),
                n_features,
                routing.deepest,
                np.zeros(1, np.int64),  # any one of them
                tables,
                table,
            )
        return self._descents[kind]

    def _tables(self, kind: type[np.unsignedinteger]) -> tuple[Array, Ints]:
        """As `Descent` has them: one for all nodes that split by a cut, then those of the others. What a table says
        nothing of goes as missing values do.
        """
        routing = self.routing
        nodes = flat_nonzero(routing.table >= 0)
        nodes = nodes[np.argsort(routing.table[nodes], kind="stable")]
        sizes = np.diff(routing.table[nodes], append=len(routing.categories))
        before = np.zeros(len(routing.categories) - sizes.sum(), np.uint8)  # tables of nodes that are leaves now
        missing = np.concatenate((before, np.repeat(routing.missing_right[nodes], sizes)))
        right = np.where(routing.categories == UNKNOWN, missing, routing.categories == RIGHT)
        own = np.arange(np.iinfo(kind).max + 1)
        table = np.where(routing.table < 0, 0, routing.table.astype(np.int64) + len(own))
        return np.concatenate((own, right)).astype(kind), table


def to_agreement(routing: Routing, n_trees: int, leaf_values: Array) -> tuple[Routing, Array]:
    """The ways of rows as far as they decide what is said, and what is said (n_nodes,) where they end: by the first
    nodes below which all leaves say the same.

    `leaf_values`: (n_nodes,) by each node as a leaf. The roots of the trees are the first nodes.
    """
    agree, leaf_values = where_leaves_agree(routing.child, np.arange(n_trees), leaf_values)
    child = np.where(agree, np.arange(len(agree), dtype=np.int32), routing.child)
    return replace(routing, child=child), leaf_values


def _of_one_width(codes: Codes) -> Array:
    """(n_features, n_rows) all codes, in two bytes if any feature needs them."""
    if not codes.layout.n_wide:
        return codes.narrow
    if not codes.layout.n_narrow:
        return codes.wide
    return np.stack([codes.column(feature).astype(np.uint16) for feature in range(len(codes.layout.wide))])
