"""From the root to the leaves: the first levels by whole columns, the others row by row.

Whether a column of codes lies above a node's cut is found for all rows at once, whether these come to the node or not,
and kept as a bit for each row. Nodes with the same feature and cut, in whatever tree, share the bits. Further down,
where a level has too many nodes for that, rows look up what their nodes ask.
"""

from __future__ import annotations

import sys
from functools import cached_property

import numpy as np

from madtree.learn.data import Array, Bools, Ints, flat_nonzero
from madtree.learn.walk.code_matrix import MOST_INNER, MOST_ROWS, CodeMatrix, most_kept
from madtree.records import dataclass

_FEW = 512  # rows, of which a walk from the root is quicker
_MOST_TOPS = 512  # trees whose first levels are kept, of some kilobytes each
# Nanoseconds a row: a level of the walk; the answers to one more question; a node's share of all else.
_STEP, _QUESTION, _NODE = 3.2, 0.12, 0.02
_SORT, _SORTED = 1.0, 4.0  # sorting out who has ended: a row, and one that has not
_MANY = 0.75  # of the rows
_HALF = 32  # bits
_HIGH = 1 if sys.byteorder == "little" else 0  # the half of an integer of 64 bits that counts 2 ** 32


@dataclass(frozen=True)
class _Top:
    """The first levels of a tree. A place is that of a mask, of the rows that come to a node: the root has place 0, and
    the children of inner node i, level by level, have 2 i + 1 and 2 i + 2.

    Attributes:
        stops: of each level, how many inner nodes there are down to it.
        questions: of these nodes, for `CodeMatrix.above`.
        places: (n_inner,) theirs.
        ends: (n_ends,) the nodes below them, and leaves on the way.
        marked: of each bit of the numbers of these, the places of those that have it.
    """

    stops: list[int]
    questions: list[int]
    places: Ints
    ends: Ints
    marked: list[Ints]

    @classmethod
    def of(cls, levels: list[Ints], child: Ints, questions: list[int], root: int) -> _Top:
        """From the inner nodes of each level."""
        inner = np.concatenate((*levels, np.zeros(0, np.int64)))
        nodes = np.concatenate(([root], np.column_stack((child.take(inner), child.take(inner) + 1)).ravel()))
        place = np.argsort(nodes)
        places = place.take(np.searchsorted(nodes, inner, sorter=place))
        is_end = np.ones(len(nodes), np.bool_)
        is_end[places] = False
        at = flat_nonzero(is_end)
        number = np.arange(len(at))
        bits = range(max(len(at) - 1, 0).bit_length())
        marked = [at[(number >> bit) & 1 == 1] for bit in bits]
        return cls(np.cumsum([len(level) for level in levels]).tolist(), questions, places, nodes.take(at), marked)


@dataclass(frozen=True)
class Descent:
    """Trees whose splits go by the code of one feature alone.

    Attributes:
        feature: (n_nodes,) int64, 0 of a leaf.
        cut: (n_nodes,) of the codes' type: the largest code that goes left, below the largest number; a leaf's is that.
        child: (n_nodes,) int64 the left child, the right one is behind it; a leaf's own index. Below 2 ** 32.
        missing_right: (n_nodes,) bool, False of a leaf.
        n_features: of a row.
        deepest: levels below a root, at most.
        together: (n_trees,) roots of trees that the same rows go down.
        tables: of the codes' type: what takes the place of each code, table after table; None where all stay. Of a
            split by categories 0 for those that go left, and 1 for those that go right of the cut 0.
        table: (n_nodes,) int64 where each node's begins, which has a place for each code that rows have.
    """

    feature: Ints
    cut: Array
    child: Ints
    missing_right: Array
    n_features: int
    deepest: int
    together: Ints
    tables: Array | None = None
    table: Ints | None = None

    def leaves(self, root: int | Ints, matrix: CodeMatrix) -> Ints:
        """(n_rows,) the leaf that each row ends in, from one root or from its own (n_rows,)."""
        if isinstance(root, np.ndarray):
            return self._walk(root.astype(np.int64), matrix, self.deepest)
        if matrix.n_rows < _FEW or self.tables is not None:
            return self._walk(np.full(matrix.n_rows, root, np.int64), matrix, self.deepest)
        at, levels = self._first_levels(root, matrix)
        return self._walk(at, matrix, self.deepest - levels)

    def sides(self, nodes: Ints, matrix: CodeMatrix) -> Bools:
        """(n_nodes, n_rows) whether each row's code lies above the cut of inner nodes; of trees without tables."""
        column = self._column if matrix.has_missing else self.feature
        return np.asarray(matrix.columns[column.take(nodes)] > self.cut.take(nodes)[:, None])

    def _first_levels(self, root: int, matrix: CodeMatrix) -> tuple[Ints, int]:
        """(n_rows,) the node that each row comes to by the first levels, and how many these are."""
        top = self._top(root, matrix.has_missing)
        scratch = matrix.scratch
        if not top.stops:
            return np.full(matrix.n_rows, root), 0
        answers, masks = matrix.above(top.questions), scratch.masks
        masks[0] = ~np.uint64(0)
        first = 0
        for stop in top.stops:
            here = masks.take(top.places[first:stop], axis=0)
            right = np.bitwise_and(here, answers[first:stop], out=masks[2 * first + 2 : 2 * stop + 1 : 2])
            np.bitwise_xor(here, right, out=masks[2 * first + 1 : 2 * stop : 2])
            first = stop
        number = np.zeros(matrix.n_rows, np.uint8)
        for places in top.marked[::-1]:
            path = np.bitwise_or.reduce(masks.take(places, axis=0), axis=0, out=scratch.path)
            number += number
            number |= np.unpackbits(path.view(np.uint8), count=matrix.n_rows)
        np.copyto(scratch.place, number)
        return top.ends.take(scratch.place), len(top.stops)

    def _top(self, root: int, has_missing: bool) -> _Top:
        """The first levels of a tree."""
        found = self._tops.get((root, has_missing))
        if found is None:
            if len(self._tops) >= _MOST_TOPS:
                self._tops.clear()
            found = self._tops[root, has_missing] = self._read_top(root, self._column if has_missing else self.feature)
        return found

    def _read_top(self, root: int, column: Ints) -> _Top:
        """As above; `column` (n_nodes,) that each node asks."""
        nodes, levels, n_inner = np.array([root]), [], 0
        for _ in range(self.levels):
            inner = nodes[self.child.take(nodes) != nodes]
            n_inner += len(inner)
            if len(inner) == 0 or n_inner > MOST_INNER:
                break
            levels.append(inner)
            nodes = np.concatenate((self.child.take(inner), self.child.take(inner) + 1))
        questions_so_far = np.concatenate((*levels, np.zeros(0, np.int64)))
        questions = (column.take(questions_so_far) << _HALF) | self.cut.take(questions_so_far)
        return _Top.of(levels, self.child, questions.tolist(), root)

    def _walk(self, at: Ints, matrix: CodeMatrix, levels: int) -> Ints:
        """(n_rows,) the node that each row comes to by some levels from its own, `at`, which is written to."""
        start, step, flat = self._start(matrix), self._step, matrix.flat
        n = len(at)
        scratch = matrix.scratch
        ended, rows, everyone = at, scratch.rows, True
        place, moved, code = scratch.place, scratch.moved, scratch.code

        def own(nodes: Ints) -> Ints:
            return nodes.copy() if nodes is scratch.place else nodes

        for number in range(1, levels + 1):
            # No index is beyond an end. What "clip" saves is a second copy of the result.
            start.take(at, out=place, mode="clip")
            place += rows
            flat.take(place, out=code, mode="clip")
            if self.tables is not None and self.table is not None:
                self.table.take(at, out=place, mode="clip")
                place += code
                self.tables.take(place, out=code, mode="clip")
            step.take(at, out=moved, mode="clip")
            moved += code
            np.copyto(place, moved.view(np.uint32)[_HIGH::2])
            at, place = place, at
            if number == levels:
                continue
            # Rows stay in a leaf by themselves; they are sorted out where that saves more time than it takes.
            moves = place != at
            live = np.count_nonzero(moves) / max(len(at), 1)
            if live > _MANY or (1 - live) * (levels - number) * _STEP < _SORT + _SORTED * live:
                continue
            inner = flat_nonzero(moves)
            n = len(inner)
            if everyone:
                ended, everyone = own(at), False
            else:
                ended[rows] = at
            if n == 0:
                return ended
            rows, at = rows.take(inner), at.take(inner)
            place, moved, code = place[:n], moved[:n], code[:n]
        if everyone:
            return own(at)
        ended[rows] = at
        return ended

    @cached_property
    def _tops(self) -> dict[tuple[int, bool], _Top]:
        return {}

    @cached_property
    def levels(self) -> int:
        """How many are best gone down by whole columns, where each node takes time, instead of row by row, where each
        level does. Questions that the trees share are answered once, as long as their answers are kept.
        """
        nodes, questions_so_far, kept = self.together, np.zeros(0, np.int64), most_kept(MOST_ROWS)
        saved, most_saved, best = 0.0, 0.0, 0
        step = _STEP * len(self.together)
        for level in range(self.deepest):
            nodes = nodes[self.child.take(nodes) != nodes]
            questions = (self.feature.take(nodes) << _HALF) | self.cut.take(nodes)
            known = len(questions_so_far)
            questions_so_far = np.unique(np.concatenate((questions_so_far, questions)))
            new = len(questions_so_far) - known if len(questions_so_far) <= kept else len(nodes)
            saved += step - _QUESTION * new - _NODE * len(nodes)
            if saved > most_saved:
                most_saved, best = saved, level + 1
            if saved + step * (self.deepest - level - 1) <= most_saved:
                break
            child = self.child.take(nodes)
            nodes = np.concatenate((child, child + 1))
        return best

    @cached_property
    def _column(self) -> Ints:
        """(n_nodes,) that each node asks, where something is missing."""
        column: Ints = self.feature + self.n_features * self.missing_right
        return column

    def _start(self, matrix: CodeMatrix) -> Ints:
        """(n_nodes,) where the column that each node asks starts in the matrix."""
        key = matrix.stride, matrix.has_missing
        if key not in self._starts:
            self._starts.clear()
            self._starts[key] = (self._column if matrix.has_missing else self.feature) * matrix.stride
        return self._starts[key]

    @cached_property
    def _starts(self) -> dict[tuple[int, bool], Ints]:
        """The last ones: rows that follow each other mostly come in as many."""
        return {}

    @cached_property
    def _step(self) -> Array:
        """(n_nodes,) uint64: the left child in the high half, and in the low one what a code above the cut, and no
        other, carries over into the high half.
        """
        carry = np.uint64(2**_HALF - 1) - self.cut.astype(np.uint64)
        step: Array = (self.child.astype(np.uint64) << np.uint64(_HALF)) | carry
        return step
