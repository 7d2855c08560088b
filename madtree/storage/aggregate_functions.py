"""What the SQL aggregate `node_statistics` and the functions around its table of blocks do with one block.

They know no session: each gets a request as bytes, and a block's columns. The sums are `transition`, `merge` and
`final` of the learner. A state is a dtype in 8 bytes, then the numbers.

Anybody may call the SQL functions, so all of it may be made up. Requests and plans are checked when they are loaded,
blocks and states when they come in; what is wrong is a MadtreeError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from madtree.learn.columns import (
    COLUMN_FUNCTIONS,
    COLUMNS,
    SCORES,
    ColumnReader,
    block_columns,
    column_values,
    sum_values,
    summed_rows,
    with_columns,
)
from madtree.learn.counting import CountRequest, Frontier, PlacedBlock, final, merge, transition_coroutine
from madtree.learn.data import Array, Block, Coroutine, Ints, LastPlan, Values, require
from madtree.learn.problem import Problem
from madtree.learn.requests import arguments_of
from madtree.learn.route import MOST_NODES, NewSplits, StoredNodes, node_bytes
from madtree.sqltext.distributed import TAG_BYTES

_TAG = TAG_BYTES
_TAGS = {np.dtype(name).str.encode().ljust(_TAG): np.dtype(name) for name in ("<i4", "<f8")}
_MOST_BYTES = 2**30 - 2**10  # a value of PostgreSQL's has less than 2**30 bytes

State = bytes | bytearray


class _Counting:
    """A request that blocks of a table are counted for."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.frontier = Frontier.from_values(values)
        self.request = self.frontier.request
        fits = self.request.state_bytes <= _MOST_BYTES
        require(fits, "n_slots", f"so few that the sums take {_MOST_BYTES} bytes at most")
        self.tag = _tag(self.request.dtype)
        self.reader = ColumnReader(self.request.problem)

    def empty(self) -> bytearray:
        """A state without rows: of zeros, of which the system makes none before they are written to."""
        state = bytearray(_TAG + self.request.state_bytes)
        state[:_TAG] = self.tag
        return state

    def numbers(self, state: bytearray) -> Array:
        """The numbers of a state, as a view."""
        fits = len(state) == _TAG + self.request.state_bytes and state[:_TAG] == self.tag
        require(fits, "the state", "one of this request")
        return numbers_of(state).reshape(self.request.shape)


_counting = LastPlan(_Counting)


def node_statistics_transition(
    state: State | None, n_rows: int, columns: Sequence[bytes | None], nodes: bytes | None, request: bytes
) -> Coroutine[bytearray]:
    """The state with one block counted, as a coroutine; `columns` as in `learn.columns.columns.COLUMNS`, `nodes` as
    they are kept beside them (`moved_nodes`).
    """
    todo = _counting.get(request)
    buffer = todo.empty() if state is None else bytearray(state)
    numbers = todo.numbers(buffer)
    block = todo.reader.checked_block(n_rows, columns)
    if n_rows:
        placed = PlacedBlock(0, block, todo.frontier.positions(nodes, block))
        yield from transition_coroutine(numbers, [placed], todo.request)
    return buffer


def node_statistics_merge(left: State | None, right: State | None) -> State | None:
    if left is None or right is None:
        return right if left is None else left
    require(left[:_TAG] == right[:_TAG] and len(left) == len(right), "the states", "those of one request")
    return _tagged(merge(numbers_of(left), numbers_of(right)))


def node_statistics_final(state: State | None) -> State | None:
    return None if state is None else _tagged(final(numbers_of(state)))


def joined_pieces(pieces: Sequence[State]) -> State:
    """The state whose numbers are those of pieces, each of which is a state, one after the other."""
    return b"".join([bytes(pieces[0][:_TAG]), *(bytes(piece[_TAG:]) for piece in pieces)])


def read_state(state: State | None, request: CountRequest) -> Array:
    """A final state as the answer to a request; zeros where there was no block."""
    return request.zeros() if state is None else numbers_of(state).reshape(request.shape)


class _OfRows:
    """A plan by which something is made of a block's rows: the values of a problem, and what a request about rows says
    beside its trees.

    Attributes:
        n_nodes: of the trees, 0 where nothing depends on any.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        given = Values(values)
        self.problem = Problem.from_values(values)
        self.n_nodes = given.integer("n_nodes", 0, MOST_NODES)
        require(self.n_nodes == 0 or self.n_nodes >= self.problem.n_trees, "n_nodes", "at least the roots")
        self.function, self.arguments = given.text("function"), arguments_of(values)
        self._reader = ColumnReader(self.problem)

    def rows(self, n_rows: int, columns: Sequence[bytes | None], nodes: bytes | None) -> tuple[Block, Ints | None]:
        """The block, and the nodes that its rows have reached, in the first replica."""
        block, problem = self._reader.checked_block(n_rows, columns), self.problem
        if not self.n_nodes:
            return block, None
        return block, StoredNodes(nodes, block, problem.n_replicas, problem.n_groups, self.n_nodes).of(0)


class _Replacing(_OfRows):
    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        values = column_values(self.function, self.arguments, self.problem, self.n_nodes)
        self.values = {**values, "sums": None}  # a column alone says nothing


class _Summing(_OfRows):
    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.values = sum_values(self.function, self.arguments, self.problem, self.n_nodes)


_replacing, _summing = LastPlan(_Replacing), LastPlan(_Summing)


def new_column(
    plan: bytes, column: str, n_rows: int, columns: Sequence[bytes | None], nodes: bytes | None
) -> bytes | None:
    """One of the columns that a plan makes anew of a block, as bytes.

    Args:
        column: which one.
        columns: as in `learn.columns.columns.COLUMNS`, and then the scores.
        nodes: of its rows, as they are kept beside them; None at the roots.
    """
    todo = _replacing.get(plan)
    require(column in COLUMN_FUNCTIONS[todo.function].columns, "column", f"one that {todo.function} makes")
    block, reached = todo.rows(n_rows, columns, nodes)
    made, _ = with_columns(block, todo.function, todo.values, todo.problem, reached)
    if column == SCORES:
        return None if made.scores is None else made.scores.tobytes()
    return block_columns(made)[COLUMNS.index(column)]


def row_sums(plan: bytes, n_rows: int, columns: Sequence[bytes | None], nodes: bytes | None) -> State:
    """The state of what a block's rows say; the others as of `new_column`."""
    todo = _summing.get(plan)
    block, reached = todo.rows(n_rows, columns, nodes)
    return _tagged(summed_rows(block, todo.function, todo.values, todo.problem, reached))


class _Moving:
    """A plan by which rows move on: the values of a problem and of NewSplits."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.problem = Problem.from_values(values)
        self.reader = ColumnReader(self.problem)
        self.splits = NewSplits.from_values(values, self.problem.n_trees, self.problem.bins.widths)
        self.place_of_node = self.splits.place_of_node()


_moving = LastPlan(_Moving)


def moved_nodes(plan: bytes, n_rows: int, columns: Sequence[bytes | None], nodes: bytes | None) -> Coroutine[bytes]:
    """The nodes of a block's rows after the trees have grown, as they are kept, as a coroutine.

    `nodes`: those before, None at the roots.
    """
    todo = _moving.get(plan)
    problem, splits = todo.problem, todo.splits
    block = todo.reader.checked_block(n_rows, columns)
    require(4 * n_rows * problem.n_replicas <= _MOST_BYTES, "n_rows", f"so few that nodes take {_MOST_BYTES} bytes")
    before = None if splits.from_roots else nodes
    stored = StoredNodes(before, block, problem.n_replicas, problem.n_groups, splits.n_nodes)
    moved = []
    for replica in range(problem.n_replicas):
        yield
        moved.append(node_bytes(splits.moved(stored.of(replica), block.codes, todo.place_of_node), splits.n_nodes))
    return b"".join(moved)


def _tag(dtype: np.dtype[Any]) -> bytes:
    tag: bytes = dtype.str.encode().ljust(_TAG)
    return tag


def _tagged(numbers: Array) -> bytes:
    return _tag(numbers.dtype) + numbers.tobytes()


def numbers_of(state: State) -> Array:
    """The numbers of a state, as a view."""
    dtype = _TAGS.get(bytes(state[:_TAG]))
    if dtype is None or (len(state) - _TAG) % dtype.itemsize:
        raise Values.wrong("a state", "what node_statistics_transition has returned")
    return np.frombuffer(state, dtype, offset=_TAG)
