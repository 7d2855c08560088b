"""The rows of one large tree, as they go down: of two children only the rows that are to be counted are copied out, and
those of the other one stay where they are, with a mask.

Of most nodes it is the smaller child that is counted. So half of the rows and more are not moved at all, and nobody's
are before they are needed. What is counted stands side by side, as in `NodeOrder`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from madtree.learn.at_hand.node_order import STEP_ROWS, Descending, enter_sides
from madtree.learn.at_hand.row_columns import RowColumns
from madtree.learn.counting import CountRequest, transition
from madtree.learn.data import Allocator, Array, Bools, Coroutine, Ints, flat_nonzero
from madtree.learn.problem import Problem
from madtree.learn.route import Routing
from madtree.records import dataclass

_THIN = 6  # a node that has fewer of the rows that it is among than 1 / this is copied out, too


@dataclass(frozen=True)
class _Held:
    """The rows of a node: those of `rows` that are marked in `mask` (n_rows,), None for all; so many."""

    rows: RowColumns
    mask: Bools | None
    size: int


class Copies:
    """Memory for copies of rows, which tree after tree has for itself: of some three times its rows, for most trees."""

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator
        self._chunks: list[RowColumns] = []
        self._used: list[int] = []  # rows of each
        self._like: RowColumns | None = None
        self._chunk_rows = 0

    def clear(self, rows: RowColumns) -> None:
        """Nothing is in use any more; copies of such rows are next."""
        chunk_rows = -(-len(rows) // 4)  # a chunk as large as the tree would stay half empty
        if self._like is None or not self._like.is_like(rows) or chunk_rows > 2 * self._chunk_rows:
            self._chunks, self._chunk_rows = [], chunk_rows  # those of a search's smaller rungs would stay
        # They may be of a tree of fewer rows, of which more lines can be added up.
        self._chunks = [replace(chunk, lines=rows.lines) for chunk in self._chunks]
        self._like, self._used = rows.part(0, 0), [0] * len(self._chunks)

    def take(self, n_rows: int) -> RowColumns:
        """So many rows, whatever they are."""
        number = next((i for i, chunk in enumerate(self._chunks) if self._used[i] + n_rows <= len(chunk)), None)
        assert self._like is not None
        if number is None:
            number, size = len(self._chunks), max(n_rows, self._chunk_rows)
            self._chunks.append(self._like.empty(size, self._allocator, len(self._like.limbs)))
            self._used.append(0)
        first = self._used[number]
        self._used[number] = stop = first + n_rows
        return self._chunks[number].part(first, stop)


class LargeTree:
    """The rows of a tree's nodes that have not been split as yet, or whose children nobody has asked for."""

    def __init__(self, problem: Problem, rows: RowColumns, copies: Copies) -> None:
        """
        Args:
            rows: of the tree; they stay as they are.
            copies: memory for copies of them, which the tree has for itself.
        """
        self._tuning, self._copies = problem.tuning, copies
        copies.clear(rows)
        self._held = {0: _Held(rows, None, len(rows))}

    def histograms(self, request: CountRequest) -> Coroutine[Array]:
        """The state that a request for histograms asks for."""
        state = request.zeros()
        asked: Bools = request.slot_of_node >= 0
        parent = _parents(request.routing)
        n_rows = 0
        for node in flat_nonzero(asked).tolist():
            for above in _way(node, parent, self._held):
                yield
                self._split(above, request.routing, asked)
            for piece in self._counted(node, request):
                n_rows += len(piece.rows)
                if n_rows > STEP_ROWS:
                    yield
                    n_rows = 0
                state = transition(state, piece, request)
        return state

    def _counted(self, node: int, request: CountRequest) -> Iterator[Descending]:
        """The rows of a node, side by side, in pieces."""
        held = self._held[node]
        if held.mask is not None:
            held = self._held[node] = self._copied(held.rows, held.mask, held.size)
        if held.size:
            most = self._tuning.joint_piece_rows if held.rows.lines else self._tuning.piece_rows
            yield from Descending(held.rows, np.array([node]), np.array([held.size])).pieces(most)

    def _split(self, node: int, routing: Routing, asked: Bools) -> None:
        """Let the rows of a node go on to its children; `asked` (n_nodes,) which nodes are to be counted."""
        held = self._held.pop(node)
        right = np.empty(len(held.rows), np.bool_)
        enter_sides(node, held.rows, routing, right)
        if held.mask is not None:
            right &= held.mask
        left = ~right if held.mask is None else np.greater(held.mask, right)
        n_right = int(np.count_nonzero(right))
        first = routing.child.item(node)
        children = [(first, left, held.size - n_right), (first + 1, right, n_right)]
        # The one that is to be counted comes first, or else the smaller one.
        children.sort(key=lambda child: (not asked[child[0]], child[2]))
        for number, (child, mask, size) in enumerate(children):
            if number == 0 or size * _THIN < len(held.rows):
                self._held[child] = self._copied(held.rows, mask, size)
            else:
                self._held[child] = _Held(held.rows, mask, size)

    def _copied(self, rows: RowColumns, mask: Bools, size: int) -> _Held:
        """Those of `rows` that are marked, so many, side by side."""
        copied = self._copies.take(size)
        rows.put(mask, copied)
        return _Held(copied, None, size)


def _parents(routing: Routing) -> Ints:
    """(n_nodes,) the parent of each node, -1 of the root."""
    parent: Ints = np.full(len(routing.child), -1)
    inner = flat_nonzero(routing.child != np.arange(len(routing.child)))
    left = routing.child[inner]
    parent[left] = parent[left + 1] = inner
    return parent


def _way(node: int, parent: Ints, held: dict[int, _Held]) -> list[int]:
    """The nodes above that one that are still to be split, from above; raises ValueError where none is there."""
    found: list[int] = []
    while node not in held:
        node = int(parent[node])
        if node < 0:
            raise ValueError("the rows of a node that is asked for have been left behind")
        found.append(node)
    return found[::-1]
