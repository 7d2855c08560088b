"""What the SQL aggregate `node_statistics` and the functions around its table of blocks do with one block.

They know no session: each gets a request as bytes, and a block's columns. The sums are `transition`, `merge` and
    `final` of the learner. A state is a dtype in 8 bytes, then the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Array, LastPlan
from madtree.learn.histogram import CountRequest, PlacedBlock, final, merge, request_of, transition
from madtree.learn.problem import COLUMNS, ColumnReader, Problem, block_columns, with_column
from madtree.learn.route import Positions

_TAG = 8

State = bytes | bytearray


class _Counting:
    """A request that blocks of a table are counted for."""

    def __init__(self, values: dict[str, Any]) -> None:
        request = request_of(values)
        assert isinstance(request, CountRequest)
        self.request = request
        self.reader = ColumnReader(request.problem)
        self.positions = _positions_of(values["training"], values["position_bytes"])


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
    state: State | None, block_id: int, n_rows: int, columns: tuple[bytes | None, ...], request: bytes
) -> bytearray:
    """The state with one block counted; `columns` as in `learn.problem.columns.COLUMNS`."""
    todo = _counting.get(request)
    buffer = bytearray(_tagged(todo.request.zeros()) if state is None else state)
    if n_rows:
        codes, target, *rest = columns
        block = todo.reader.block(n_rows, codes or b"", target or b"", *rest)
        numbers = _numbers(buffer).reshape(todo.request.shape)
        transition(numbers, [PlacedBlock(block_id, block, todo.positions)], todo.request)
    return buffer


def node_statistics_merge(left: State | None, right: State | None) -> State | None:
    if left is None or right is None:
        return right if left is None else left
    return _tagged(merge(_numbers(left), _numbers(right)))


def node_statistics_final(state: State | None) -> State | None:
    return None if state is None else _tagged(final(_numbers(state)))


def read_state(state: State | None, request: CountRequest) -> Array:
    """A final state as the answer to a request; zeros where there was no block."""
    return request.zeros() if state is None else _numbers(state).reshape(request.shape)


_replacing = LastPlan(lambda values: (ColumnReader(Problem.from_values(values)), values))


def new_column(plan: bytes, block_id: int, n_rows: int, columns: tuple[bytes | None, ...]) -> bytes | None:
    """A block's new column, as bytes; `plan`: the values of a problem and of a ReplaceRequest."""
    reader, values = _replacing.get(plan)
    codes, target, *rest = columns
    block = reader.block(n_rows, codes or b"", target or b"", *rest)
    made = with_column(block, [(block_id, n_rows)], values["column"], values["function"], values)
    return block_columns(made)[COLUMNS.index(values["column"])]


def _tagged(numbers: Array) -> bytes:
    tag: bytes = numbers.dtype.str.encode().ljust(_TAG)
    return tag + numbers.tobytes()


def _numbers(state: State) -> Array:
    """The numbers of a state, as a view."""
    return np.frombuffer(state, np.dtype(state[:_TAG].decode().strip()), offset=_TAG)
