"""What resident workers are told: the plan that they begin by, and what the leader asks of them.

Each message has `to_values`, which `codec.dump` makes bytes of, and `from_values`, which raises MadtreeError where the
values are none of such a message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, get_args

import numpy as np

from madtree.host import TemporaryPlace
from madtree.learn.columns import COLUMNS, SCORES, ColumnReader, block_columns
from madtree.learn.counting import COUNTED, CountRequest
from madtree.learn.data import Array, Block, Values, codec, require
from madtree.learn.ensemble import ensemble_of
from madtree.learn.histogram import RowsOfNodes
from madtree.learn.packing import Packer, pack_values, packer_of
from madtree.learn.problem import Problem
from madtree.learn.requests import (
    FoldHashesRequest,
    RememberRequest,
    ReplaceRequest,
    RowsRequest,
    SampleRequest,
    SumsRequest,
)
from madtree.learn.waves import Ensemble
from madtree.records import dataclass
from madtree.storage.blocks import BlockLimits

_MOST_BYTES = 2**62
_HANDED = (*COLUMNS, SCORES)  # columns of rows that are handed over
_PROBLEMS = 4  # that are remembered: more are not asked about in turns
_PLACE = "problem_place"
_MOST_ROWS = 2**48
_MOST_WAVES = 2**31


@dataclass(frozen=True)
class KeepRows:
    """The plan: pack the parts of a table, keep their rows, and answer requests by them.

    Attributes:
        packer: of rows into blocks.
        queries: of each relation that of a part's images, and the careful one that puts NaN for any NULL.
        ranges: the parts: relation, first tid, and the one behind the last.
        limits: in each process.
        place: of temporary files.
        sharing: whether everybody is to have all rows at hand.
    """

    packer: Packer
    queries: Sequence[tuple[str, str]]
    ranges: Sequence[tuple[int, str, str]]
    limits: BlockLimits
    place: TemporaryPlace
    sharing: bool
    what: ClassVar[str] = "keep rows"

    def to_values(self) -> dict[str, Any]:
        return {
            "what": self.what,
            **pack_values(self.packer.problem, self.packer.row_format, self.packer.tree_ids),
            "queries": self.queries,
            "ranges": self.ranges,
            "block_rows": self.limits.rows,
            "memory_bytes": self.limits.memory_bytes,
            "position_bytes": self.limits.position_bytes,
            "place": place_values(self.place),
            "sharing": self.sharing,
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> KeepRows:
        given = Values(values)
        queries = [(plain, careful) for plain, careful in given.lines("queries", (str, str))]
        ranges = [(relation, low, high) for relation, low, high in given.lines("ranges", (int, str, str))]
        require(all(0 <= relation < len(queries) for relation, _, _ in ranges), "ranges", "those of the relations")
        return cls(
            packer_of(values),
            queries,
            ranges,
            BlockLimits(
                given.integer("block_rows", 1, _MOST_ROWS),
                given.integer("memory_bytes", 0, _MOST_BYTES),
                given.integer("position_bytes", 0, _MOST_BYTES),
            ),
            place_of(given),
            given.boolean("sharing"),
        )


@dataclass(frozen=True)
class ShareRows:
    """Put your rows into the file of all rows, please.

    Attributes:
        n_rows: of everybody.
        first: of each worker, by its seat: which row of the file its first one is.
    """

    n_rows: int
    first: Sequence[int]
    what: ClassVar[str] = "share rows"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "n_rows": self.n_rows, "first": self.first}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> ShareRows:
        given = Values(values)
        n_rows = given.integer("n_rows", 0, _MOST_ROWS)
        return cls(n_rows, given.integers("first", None, 0, n_rows))


@dataclass(frozen=True)
class TakeRows:
    """The worker on that seat is to keep these rows, too, please.

    Attributes:
        columns: of a block, by the names of `COLUMNS` and `SCORES`, which are offsets as yet: bytes; those that it does
            not have are left out.
    """

    seat: int
    n_rows: int
    columns: Mapping[str, bytes]
    what: ClassVar[str] = "take rows"

    @classmethod
    def of(cls, seat: int, block: Block) -> TakeRows:
        columns = [*block_columns(block), None if block.scores is None else block.scores.tobytes()]
        named = zip(_HANDED, columns, strict=True)
        return cls(seat, block.codes.n_rows, {name: column for name, column in named if column is not None})

    def block(self, problem: Problem) -> Block:
        """The rows; raises MadtreeError where these are none of a problem's."""
        codes, target, *rest = (self.columns.get(name) for name in _HANDED)
        return ColumnReader(problem).block(self.n_rows, codes or b"", target or b"", *rest)

    def to_values(self) -> dict[str, Any]:
        columns = {name: np.frombuffer(column, np.uint8) for name, column in self.columns.items()}
        return {"what": self.what, "seat": self.seat, "n_rows": self.n_rows, **columns}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> TakeRows:
        given = Values(values)
        columns = {name: given.ints(name, (None,), 0, 255, np.uint8).tobytes() for name in _HANDED if name in values}
        return cls(given.integer("seat", 0, _MOST_WAVES), given.integer("n_rows", 0, _MOST_ROWS), columns)


@dataclass(frozen=True)
class GrowEnsemble:
    """This is the ensemble whose waves will be asked for."""

    ensemble: Ensemble
    what: ClassVar[str] = "ensemble"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, **self.ensemble.to_values()}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> GrowEnsemble:
        return cls(ensemble_of(values))


@dataclass(frozen=True)
class GrowWave:
    """The worker on that seat is to grow the wave of that number, please."""

    seat: int
    number: int
    what: ClassVar[str] = "wave"

    def to_values(self) -> dict[str, Any]:
        return {"what": self.what, "seat": self.seat, "number": self.number}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> GrowWave:
        given = Values(values)
        return cls(given.integer("seat", 0, _MOST_WAVES), given.integer("number", 0, _MOST_WAVES))


ByOwnRows = (
    CountRequest | RowsRequest | FoldHashesRequest | RememberRequest | ReplaceRequest | SampleRequest | SumsRequest
)  # what everybody answers by their rows
Message = ShareRows | TakeRows | GrowEnsemble | GrowWave | ByOwnRows
_KINDS: dict[str, Any] = {kind.what: kind for kind in get_args(Message) if kind is not CountRequest}
_KINDS |= dict.fromkeys(COUNTED, CountRequest)


class MessageWriter:
    """Makes bytes of what the leader tells. What a problem says comes with the first message about it; later ones have
    its place among the last problems.
    """

    def __init__(self) -> None:
        self._problems: deque[Problem] = deque(maxlen=_PROBLEMS)

    def dump(self, message: Message) -> bytes:
        problem, values = getattr(message, "problem", None), message.to_values()
        if problem is None:
            return codec.dump(values)
        for place, known in enumerate(self._problems):
            if known is problem:
                return codec.dump({**values, _PLACE: place})
        self._problems.appendleft(problem)
        return codec.dump({**problem.counting_values(), **values})


class MessageReader:
    """Reads what `MessageWriter` has made, all of it and in order. Messages about the same problem have the same object
    of it, so that who keeps anything for a problem sees that at once.
    """

    def __init__(self) -> None:
        self._problems: deque[Problem] = deque(maxlen=_PROBLEMS)

    def read(self, data: bytes) -> Message:
        """What the leader has published after the plan; raises MadtreeError where it is none of these."""
        values = codec.load(data)
        given = Values(values)
        if _PLACE in given:
            values[Problem.KNOWN] = self._problems[given.integer(_PLACE, 0, len(self._problems) - 1)]
        message: Message = _KINDS[given.text("what", _KINDS)].from_values(values)
        problem = getattr(message, "problem", None)
        if problem is not None and _PLACE not in given:
            self._problems.appendleft(problem)
        return message


def _array_bytes(request: Any, answer: Array) -> memoryview:
    return answer.reshape(-1).view(np.uint8).data


def _rows_bytes(request: RowsRequest, answer: RowsOfNodes) -> bytes:
    return codec.dump(answer.to_values(request.widths, request.features[0]))


_ANSWER_BYTES: dict[type, Callable[..., bytes | memoryview]] = {
    CountRequest: _array_bytes,
    RowsRequest: _rows_bytes,
    FoldHashesRequest: _array_bytes,
    SumsRequest: _array_bytes,
    RememberRequest: lambda request, answer: b"",
    ReplaceRequest: _array_bytes,
    SampleRequest: lambda request, answer: b"",
}


def answer_bytes(request: ByOwnRows, answer: Any) -> bytes | memoryview:
    """An answer on its way to the leader, who knows what was asked."""
    return _ANSWER_BYTES[type(request)](request, answer)


def place_values(place: TemporaryPlace) -> dict[str, Any]:
    return {"directory": place.directory, "limit": place.limit}


def place_of(given: Values) -> TemporaryPlace:
    """The place that `place_values` tell of, as a message's value "place"."""
    place = Values(given.mapping("place"))
    directory = place.text("directory") if "directory" in place else None
    return TemporaryPlace(directory, place.integer("limit", 0, _MOST_BYTES) if "limit" in place else None)
