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

from madtree.learn.data import Array, LastPlan, Values, require
from madtree.learn.histogram import (
    CountRequest,
    PlacedBlock,
    Steps,
    final,
    merge,
    request_of,
    transition_steps,
)
from madtree.learn.problem import COLUMNS, ColumnReader, Problem, block_columns, column_values, with_column
from madtree.learn.route import Positions

_TAG = 8
_TAGS = {np.dtype(name).str.encode().ljust(_TAG): np.dtype(name) for name in ("<i4", "<f8")}
_MOST_STATE_BYTES = 2**30 - 2**10  # a value of PostgreSQL's has less than 2**30 bytes
_MOST_POSITION_BYTES = 2**40

State = bytes | bytearray


class _Counting:
    """A request that blocks of a table are counted for."""

    def __init__(self, values: dict[str, Any]) -> None:
        given = Values(values)
        request = request_of(values)
        if not isinstance(request, CountRequest):
            raise given.wrong("what", "something to be counted")
        n_bytes = request.state_bytes
        require(n_bytes <= _MOST_STATE_BYTES, "n_slots", f"so few that the sums take {_MOST_STATE_BYTES} bytes at most")
        self.request = request
        self.tag = _tag(request.dtype)
        self.reader = ColumnReader(request.problem)
        limit = given.integer("position_bytes", 0, _MOST_POSITION_BYTES)
        self.positions = _positions_of(given.text("training"), limit)

    def empty(self) -> bytearray:
        """A state without rows: of zeros, of which the system makes none before they are written to."""
        state = bytearray(_TAG + self.request.state_bytes)
        state[:_TAG] = self.tag
        return state

    def numbers(self, state: bytearray) -> Array:
        """The numbers of a state, as a view."""
        fits = len(state) == _TAG + self.request.state_bytes and state[:_TAG] == self.tag
        require(fits, "the state", "one of this request")
        return _numbers(state).reshape(self.request.shape)


_trainings: dict[str, Positions] = {}


def _positions_of(training: str, limit: int) -> Positions:
    """Where the rows of the training at hand are; those of earlier ones are let go."""
    if training not in _trainings:
        _trainings.clear()
        _trainings[training] = Positions(limit)
    return _trainings[training]


def forget(training: str) -> None:
    """Let go of what this process remembers of a training."""
    _trainings.pop(training, None)


_counting = LastPlan(_Counting)


def node_statistics_transition(
    state: State | None, block_id: int, n_rows: int, columns: Sequence[bytes | None], request: bytes
) -> Steps[bytearray]:
    """The state with one block counted, in steps; `columns` as in `learn.problem.columns.COLUMNS`."""
    todo = _counting.get(request)
    buffer = todo.empty() if state is None else bytearray(state)
    numbers = todo.numbers(buffer)
    block = todo.reader.checked_block(n_rows, columns)
    if n_rows:
        yield from transition_steps(numbers, [PlacedBlock(block_id, block, todo.positions)], todo.request)
    return buffer


def node_statistics_merge(left: State | None, right: State | None) -> State | None:
    if left is None or right is None:
        return right if left is None else left
    require(left[:_TAG] == right[:_TAG] and len(left) == len(right), "the states", "those of one request")
    return _tagged(merge(_numbers(left), _numbers(right)))


def node_statistics_final(state: State | None) -> State | None:
    return None if state is None else _tagged(final(_numbers(state)))


def read_state(state: State | None, request: CountRequest) -> Array:
    """A final state as the answer to a request; zeros where there was no block."""
    return request.zeros() if state is None else _numbers(state).reshape(request.shape)


class _Replacing:
    """A plan by which a column is made anew: the values of a problem and of a ReplaceRequest."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.reader = ColumnReader(Problem.from_values(values))
        self.column, self.function, self.values = column_values(Values(values))


_replacing = LastPlan(_Replacing)


def new_column(plan: bytes, block_id: int, n_rows: int, columns: Sequence[bytes | None]) -> bytes | None:
    """A block's new column, as bytes; `plan`: the values of a problem and of a ReplaceRequest."""
    todo = _replacing.get(plan)
    block = todo.reader.checked_block(n_rows, columns)
    made = with_column(block, [(block_id, n_rows)], todo.column, todo.function, todo.values)
    return block_columns(made)[COLUMNS.index(todo.column)]


def _tag(dtype: np.dtype[Any]) -> bytes:
    tag: bytes = dtype.str.encode().ljust(_TAG)
    return tag


def _tagged(numbers: Array) -> bytes:
    return _tag(numbers.dtype) + numbers.tobytes()


def _numbers(state: State) -> Array:
    """The numbers of a state, as a view."""
    dtype = _TAGS.get(bytes(state[:_TAG]))
    if dtype is None or (len(state) - _TAG) % dtype.itemsize:
        raise Values.wrong("a state", "what node_statistics_transition has returned")
    return np.frombuffer(state, dtype, offset=_TAG)
