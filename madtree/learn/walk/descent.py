"""From the root to the leaves: the first levels by whole columns, the others row by row.

Whether a column of codes lies above a node's cut is found for all rows at once, whether these come to the node or not,
and kept as a bit for each row. Nodes with the same feature and cut, in whatever tree, share the bits. Further down,
where a level has too many nodes for that, rows look up what their nodes ask.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from madtree.learn.data import Array, Ints
from madtree.learn.walk.code_matrix import STRIDE, CodeMatrix

_LEVELS = 6  # by whole columns; at most 8, as many as a byte has bits
_FEW = 512  # rows, of which a walk from the root is quicker
_HALF = 32  # bits
_HIGH = 1 if sys.byteorder == "little" else 0  # the half of an integer of 64 bits that counts 2 ** 32


@dataclass(frozen=True)
class Descent:
    """Trees whose splits go by a cut alone.

    Attributes:
        feature: (n_nodes,) int64, 0 of a leaf.
        cut: (n_nodes,) of the codes' type: the largest code that goes left, below the largest number; a leaf's is that.
        child: (n_nodes,) int64 the left child, the right one is behind it; a leaf's own index. Below 2 ** 32.
        missing_right: (n_nodes,) bool, False of a leaf.
        n_features: of a row.
        deepest: levels below a root, at most.
    """

    feature: Ints
    cut: Array
    child: Ints
    missing_right: Array
    n_features: int
    deepest: int

    def leaves(self, root: int | Ints, matrix: CodeMatrix) -> Ints:
        """(n_rows,) the leaf that each row ends in, from one root or from its own (n_rows,)."""
        if isinstance(root, np.ndarray):
            return self._walk(root.astype(np.int64), matrix, self.deepest)
        levels = min(_LEVELS, self.deepest) if matrix.n_rows >= _FEW else 0
        at = self._first_levels(root, levels, matrix) if levels else np.full(matrix.n_rows, root, np.int64)
        return self._walk(at, matrix, self.deepest - levels)

    def _first_levels(self, root: int, levels: int, matrix: CodeMatrix) -> Ints:
        """(n_rows,) the node that each row comes to by the first levels."""
        child, cut = self.child, self.cut
        column = self._column if matrix.has_missing else self.feature
        paths = np.zeros((levels, -(-matrix.n_rows // 8)), np.uint8)  # by level: the rows that go right there
        nodes = np.empty(1 << levels, np.int64)  # by a row's bits of all levels

        def visit(node: int, level: int, bits: int, mask: Array) -> None:
            """Enter where the rows of `mask`, a bit for each, go on from a node."""
            left = int(child[node])
            if level == levels or left == node:
                span = levels - level
                nodes[bits << span : (bits + 1) << span] = node
                return
            side = matrix.above(int(column[node]), int(cut[node])) & mask
            paths[level] |= side
            visit(left + 1, level + 1, 2 * bits + 1, side)
            side ^= mask
            visit(left, level + 1, 2 * bits, side)

        visit(root, 0, 0, np.full(paths.shape[1], 255, np.uint8))
        place = np.unpackbits(paths[0], count=matrix.n_rows)
        for path in paths[1:]:
            place += place
            place |= np.unpackbits(path, count=matrix.n_rows)
        found: Ints = nodes.take(place)
        return found

    def _walk(self, at: Ints, matrix: CodeMatrix, steps: int) -> Ints:
        """(n_rows,) the node that each row comes to by some steps from its own, `at`, which is written to."""
        start, step, flat = self._start_or_missing if matrix.has_missing else self._start, self._step, matrix.flat
        n = len(at)
        ended, rows, everyone = at, np.arange(n), True
        place, moved, code = np.empty(n, np.int64), np.empty(n, np.uint64), np.empty(n, flat.dtype)
        for number in range(1, steps + 1):
            # No index is beyond an end. What "clip" saves is a second copy of the result.
            start.take(at, out=place, mode="clip")
            place += rows
            flat.take(place, out=code, mode="clip")
            step.take(at, out=moved, mode="clip")
            moved += code
            np.copyto(place, moved.view(np.uint32)[_HIGH::2])
            at, place = place, at
            if number % 2 or number == steps:
                continue
            # Rows stay in a leaf by themselves; they are sorted out where they have become many.
            inner = np.flatnonzero(place != at)
            n = len(inner)
            if n > len(at) * 3 // 4:
                continue
            if everyone:
                ended, everyone = at, False
            else:
                ended[rows] = at
            if n == 0:
                return ended
            rows, at = rows.take(inner), at.take(inner)
            place, moved, code = place[:n], moved[:n], code[:n]
        if everyone:
            return at
        ended[rows] = at
        return ended

    @cached_property
    def _column(self) -> Ints:
        """(n_nodes,) that each node asks, where something is missing."""
        column: Ints = self.feature + self.n_features * self.missing_right
        return column

    @cached_property
    def _start(self) -> Ints:
        """(n_nodes,) of the column that each node asks, where nothing is missing."""
        start: Ints = self.feature * STRIDE
        return start

    @cached_property
    def _start_or_missing(self) -> Ints:
        start: Ints = self._column * STRIDE
        return start

    @cached_property
    def _step(self) -> Array:
        """(n_nodes,) uint64: the left child in the high half, and in the low one what a code above the cut, and no
        other, carries over into the high half.
        """
        carry = np.uint64(2**_HALF - 1) - self.cut.astype(np.uint64)
        step: Array = (self.child.astype(np.uint64) << np.uint64(_HALF)) | carry
        return step
