"""The leaves that all rows end in of a tree of few splits, by masks of these rows."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Ints
from madtree.learn.route.stored_nodes import node_type
from madtree.learn.walk import Descent

_MOST_NODES = 201  # of 100 splits; with more, most rows are far from most splits
_NUMBERS = 256  # that a byte tells apart

# The feature, the cut, and whether missing codes go right; what marks the rows of one side, and the line for this mask;
# the lines of the numbers of that side and of the other one, None of a leaf; and by how much the first are larger,
# beside what these lines hold. Numbers are arrays without dimension, which numpy takes as they are.
_Split = tuple[int, Array, bool, np.ufunc, int, int | None, int | None, Array]


class LeafMasks:
    """A tree whose splits are made of all rows at once, each after those below it: the number of the leaf that a row
    ends in is that of the one side, and what the other one's is more, where the row is marked.

    Numbers are bytes, which wrap. Beside its comparison a split takes no pass where both sides are leaves, two where
    one is, and four else; three to go through all splits from the root, with the leaves numbered from left to right,
    took two thirds longer. With a byte a row: bits, as `CodeMatrix` has them, pay where other trees ask the same.
    """

    def __init__(self, descent: Descent, root: int) -> None:
        self._descent, self._splits, self._free, self._n_lines = descent, list[_Split](), list[int](), 0
        below, n_nodes = [root], len(descent.child)
        for node in below:
            if (left := int(descent.child[node])) != node:
                below += left, left + 1
            if len(below) > _MOST_NODES:
                break
        self.are_few = len(below) <= _MOST_NODES
        if not self.are_few:
            return
        self._sizes: dict[int, int] = {}  # leaves below each node
        for node in reversed(below):
            left = int(descent.child[node])
            self._sizes[node] = 1 if left == node else self._sizes[left] + self._sizes[left + 1]
        leaves = [node for node in below if self._sizes[node] == 1]  # of siblings one comes after the other
        is_told = n_nodes <= _NUMBERS
        self._leaves = None if is_told else np.array(leaves, node_type(n_nodes))
        self._number = {node: node if is_told else number for number, node in enumerate(leaves)}
        self._line, self._first = self._below(root)

    def _below(self, node: int) -> tuple[int | None, int]:
        """The line with the numbers of the leaves below a node, less the number that is returned beside it; None of a
        leaf.
        """
        if self._sizes[node] == 1:
            return None, self._number[node]
        descent, left = self._descent, int(self._descent.child[node])
        children = [left, left + 1]
        # The larger side comes first, so that few lines are in use at once.
        found = {child: self._below(child) for child in sorted(children, key=self._sizes.__getitem__, reverse=True)}
        (other, before), (own, after) = (found[child] for child in children)
        compare: np.ufunc = np.greater
        if own is None and other is not None:
            (own, after), (other, before), compare = (other, before), (own, after), np.less_equal
        mask = self._free.pop() if self._free else self._n_lines
        self._n_lines = max(self._n_lines, mask + 1)
        more = np.array((after - before) % _NUMBERS, np.uint8)
        split = int(descent.feature[node]), np.array(descent.cut[node]), bool(descent.missing_right[node])
        self._splits.append((*split, compare, mask, own, other, more))
        if own is None:
            return mask, before
        self._free += [mask] if other is None else [mask, other]
        return own, before

    def enter(self, codes: Array, has_missing: bool, found: Ints) -> None:
        """Write into `found` (n_rows,) the leaf that each row ends in; `codes` (n_features, n_rows), and whether any
        of them is 0.
        """
        if self._line is None:
            found[:] = self._first
            return
        room, columns = np.empty((self._n_lines, len(found)), np.uint8), list(codes)
        lines, marks = list(room), list(room.view(np.bool_))
        for feature, cut, missing_right, compare, mask, own, other, more in self._splits:
            compare(columns[feature], cut, marks[mask])
            if missing_right and has_missing:
                marks[mask] ^= columns[feature] == 0  # they are below each cut
            if own is None:
                continue
            numbers = lines[own]
            if other is not None:
                numbers -= lines[other]
            numbers += more
            numbers *= lines[mask]
            if other is not None:
                numbers += lines[other]
        numbers = lines[self._line]
        if self._leaves is None:
            np.add(numbers, np.uint8(self._first), out=found)
            return
        numbers += np.uint8(self._first)
        self._leaves.take(numbers, out=found, mode="clip")
