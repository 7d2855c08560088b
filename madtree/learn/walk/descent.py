"""From the root to the leaves: the first levels by whole columns, the others row by row.

Comparing a whole column of codes with a node's cut takes a fraction of a nanosecond a row, looking a row's node up some
nanoseconds. So the nodes of the first levels are compared with all rows, whether these come there or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Array, Ints

_LEVELS = 5  # by whole columns
_FEW = 512  # rows, of which a walk from the root is quicker


def code_matrix(codes: Array) -> Array:
    """What a `Descent` asks: the codes (n_features, n_rows), 0 where missing, and the same with the largest number
    where missing below them; without the latter where nothing is missing.
    """
    if codes.size == 0 or codes.min() > 0:
        return codes
    return np.concatenate((codes, np.where(codes == 0, codes.dtype.type(np.iinfo(codes.dtype).max), codes)))


@dataclass(frozen=True)
class Descent:
    """Trees whose splits go by a cut alone.

    Attributes:
        feature: (n_nodes,) int64, 0 of a leaf.
        cut: (n_nodes,) of the codes' type: the largest code that goes left, below the largest number; a leaf's is that.
        child: (n_nodes,) int64 the left child, the right one is behind it; a leaf's own index.
        missing_right: (n_nodes,) bool, False of a leaf.
    """

    feature: Ints
    cut: Array
    child: Ints
    missing_right: Array

    def leaves(self, root: int | Ints, matrix: Array, n_features: int) -> Ints:
        """(n_rows,) the leaf that each row of a `code_matrix` ends in, from one root or from its own (n_rows,)."""
        n_rows = matrix.shape[1]
        whole = len(matrix) == n_features  # nothing is missing
        feature = self.feature if whole else self.feature + n_features * self.missing_right
        if isinstance(root, np.ndarray):
            at = root.astype(np.int64)
        else:
            at = np.full(n_rows, root) if n_rows < _FEW else self._first_levels(root, feature, matrix)
        start, flat, rows = feature * n_rows, matrix.reshape(-1), np.arange(n_rows)
        ended, everyone, steps = at, True, 0
        while True:
            if steps % 2 == 0:
                # Rows stay in a leaf by themselves; they are sorted out where they have become many.
                inner = np.flatnonzero(self.child.take(at) != at)
                if len(inner) <= len(at) * 3 // 4:
                    if everyone:
                        ended, everyone = at, False
                    else:
                        ended[rows] = at
                    if len(inner) == 0:
                        return ended
                    rows, at = rows.take(inner), at.take(inner)
            place = start.take(at)
            place += rows
            right = flat.take(place) > self.cut.take(at)
            at = self.child.take(at)
            at += right
            steps += 1

    def _first_levels(self, root: int, feature: Ints, matrix: Array) -> Ints:
        """(n_rows,) the node that each row comes to by the first levels."""
        n_rows = matrix.shape[1]
        path, masks = np.zeros((_LEVELS, n_rows), np.uint8), np.empty((2, _LEVELS, n_rows), np.uint8)
        nodes = np.empty(1 << _LEVELS, np.int64)  # by the bits of the path

        def visit(node: int, level: int, bits: int, mask: Array | None) -> None:
            """Enter where the rows of `mask` (n_rows,) go on from a node."""
            child = int(self.child[node])
            if level == _LEVELS or child == node:
                span = _LEVELS - level
                nodes[bits << span : (bits + 1) << span] = node
                return
            right, left = masks[:, level]
            np.greater(matrix[int(feature[node])], self.cut[node], out=right.view(np.bool_))
            if mask is not None:
                right &= mask
            path[level] |= right
            np.bitwise_xor(1 if mask is None else mask, right, out=left)
            visit(child, level + 1, 2 * bits, left)
            visit(child + 1, level + 1, 2 * bits + 1, right)

        visit(root, 0, 0, None)
        bits = path[0].copy()
        for level in range(1, _LEVELS):
            bits += bits
            bits |= path[level]
        found: Ints = nodes.take(bits)
        return found
