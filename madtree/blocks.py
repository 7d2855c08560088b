"""The SQL functions that work on one block: encode it, count it, grow the trees in it.

They know no session and no SQL: each gets a plan, the bytes of named values and arrays (core.codec), and a block's
    bytes. What a plan decodes to is kept in the process until another plan comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np

from madtree.batch import Batch
from madtree.core import codec
from madtree.core.assignment import AssignmentCache
from madtree.core.block import Block, CodeLayout
from madtree.core.copies import held_out, slots_of, taught
from madtree.core.forest import Forest
from madtree.core.grow import LevelReport, grow
from madtree.core.inhand import BlocksInHand
from madtree.core.outcome import conclude
from madtree.core.packing import NullNumberError, Packer, RowFormat
from madtree.core.params import Parameters
from madtree.core.powers import LIMBS, add_powers
from madtree.core.prepare import prepare
from madtree.core.problem import Problem
from madtree.core.routing import Routing
from madtree.core.statistics import StatisticsLayout, add_block, add_totals, check, merge
from madtree.core.surrogates import side_planes
from madtree.core.types import Array, Floats, Ints
from madtree.model import Kind
from madtree.stopwatch import Stopwatch

T = TypeVar("T")
_TAG = 8  # bytes before a state's numbers: their dtype


class _Last(Generic[T]):
    """The decoded form of the plan that came last."""

    def __init__(self, decode: Callable[[dict[str, Any]], T]) -> None:
        self._decode = decode
        self._plan: bytes | None = None
        self._decoded: T

    def get(self, plan: bytes) -> T:
        if plan != self._plan:
            self._plan = None
            self._decoded = self._decode(codec.load(plan))
            self._plan = plan
        return self._decoded


def pack_plan(problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> bytes:
    """The plan of `encode_part`."""
    return codec.dump({**problem.to_values(), **row_format.to_values(), "tree_ids": tree_ids})


def _packer(values: dict[str, Any]) -> Packer:
    return Packer(Problem.from_values(values), RowFormat.from_values(values), values["tree_ids"])


_packers = _Last(_packer)


_parts: list[tuple[Block, int, int]] = []


def encode_part(plan: bytes, images: bytes | None, is_first: bool) -> bool:
    """Bin a part of a block's rows and keep it for `encoded_block`; False where a number is NULL instead of NaN."""
    if is_first:
        _parts.clear()
    try:
        _parts.append(_packers.get(plan).pack(images or b""))
    except NullNumberError:
        return False
    return True


def encoded_block() -> tuple[Any, ...]:
    """The parts since the first one as the fields of the SQL type `block`."""
    found, skipped, unknown = zip(*_parts, strict=True)
    _parts.clear()
    return block_fields(Block.join(found), sum(skipped), sum(unknown))


def block_fields(block: Block, n_skipped: int, n_unknown: int) -> tuple[Any, ...]:
    """A block as the fields of the SQL type `block`."""
    return (
        block.codes.n_rows,
        n_skipped,
        n_unknown,
        block.codes.tobytes(),
        block.target.tobytes(),
        None if block.weight is None else block.weight.tobytes(),
        None if block.tree is None else block.tree.astype("<i4").tobytes(),
        None if block.fold is None else block.fold.tobytes(),
    )


def pack_images(images: bytes | None, plan: bytes) -> tuple[Any, ...]:
    """The block of rows whose missing numbers are NaN, as the fields of the SQL type `block`."""
    if not encode_part(plan, images, True):
        raise ValueError("a row of a distributed table has NULL in place of NaN")
    return encoded_block()


class CountPlan:
    """What a pass over the blocks counts, by `what`:

    - statistics: of the frontier's slots, over the codes of some features;
    - sides: the same, with the side of the node's primary split as the class (core.surrogates);
    - totals: of some nodes, whatever the codes;
    - powers: of the distances to the leaves' means (core.powers).

    The last two can be of the rows that a fold's tree is tested on, instead of those that it is grown on.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.what: str = values["what"]
        self.run: str = values["run"]
        self.depth: int = values["depth"]
        self.cache_bytes: int = values["cache_bytes"]
        self.testing: bool = values.get("testing", False)
        self.problem = Problem.from_values(values)
        self.codes = CodeLayout.for_widths(self.problem.bins.widths)
        self.routing = Routing(**{f.name: values[f"routing_{f.name}"] for f in fields(Routing)})
        self.slot_of_node: Ints = values.get("slot_of_node", np.zeros(0, np.int32))
        self.means: Floats = values.get("means", np.zeros(0))
        self.powers: list[int] = values.get("powers", [])
        self.n_slots: int = values.get("n_slots", 0)
        first, last = values.get("features", (0, 0))
        self.planes = side_planes(self.problem) if self.what == "sides" else self.problem.planes
        self.layout = StatisticsLayout(self.planes, self.problem.bins.widths[first:last], self.n_slots, first)

    @staticmethod
    def dump(what: str, run: str, problem: Problem, forest: Forest, cache_bytes: int, **rest: Any) -> bytes:
        """A plan's bytes; `rest`: slot_of_node, n_slots, features (from, to), means, powers, testing."""
        return codec.dump(
            {
                **problem.to_values(),
                **{f"routing_{f.name}": getattr(forest.routing, f.name) for f in fields(Routing)},
                "what": what,
                "run": run,
                "depth": int(forest.depth.max()),
                "cache_bytes": cache_bytes,
                **rest,
            }
        )

    def zeros(self) -> Array:
        """An empty state: (n_planes, n_cells), (n_planes, n_slots) or (n_powers * limbs, n_nodes)."""
        if self.what == "powers":
            return np.zeros((len(self.powers) * LIMBS, len(self.means)))
        if self.what == "totals":
            return np.zeros((self.planes.count, self.n_slots))
        return self.layout.zeros(self.planes.dtype(self.problem.most_rows))

    def block(self, n_rows: int, codes: bytes, target: bytes, *rest: bytes | None) -> Block:
        """A block from its columns; `rest`: weight, tree, fold."""
        problem = self.problem
        weight, tree, fold = rest
        if problem.target_grid is None:
            targets: Array = np.frombuffer(target, np.uint8 if problem.n_classes <= 256 else "<u2")
        else:
            targets = np.frombuffer(target, "<f8").reshape(problem.target_grid.limbs, n_rows)
        return Block(
            self.codes.read(codes, n_rows),
            targets,
            None if weight is None else np.frombuffer(weight, "<f8").reshape(-1, n_rows),
            None if tree is None else np.frombuffer(tree, "<i4"),
            None if fold is None else np.frombuffer(fold, np.uint8),
        )

    def add(self, state: Array, block_id: int, block: Block) -> None:
        """Count a block in every copy."""
        assignments = _assignments(self.run, self.cache_bytes)
        for copy in range(self.problem.n_copies):
            node = assignments.nodes(block_id, block, self.routing, self.depth, copy, self.problem.n_groups)
            if self.what == "powers":
                keep = held_out(block, copy) if self.testing else taught(block, copy)
                add_powers(state, self.problem, self.powers, block, node, self.means, keep)
                continue
            slots = slots_of(node, self.slot_of_node, block, copy, testing=self.testing)
            if self.what == "totals":
                add_totals(state, self.planes, block, slots)
                continue
            sides = self.routing.primary_side(node, block.codes) if self.what == "sides" else None
            add_block(state, self.layout, block if sides is None else replace(block, target=sides), slots)


_count_plans = _Last(CountPlan)
_runs: dict[str, AssignmentCache] = {}


def _assignments(run: str, limit: int) -> AssignmentCache:
    """The assignments of the run at hand; those of earlier runs are let go."""
    if run not in _runs:
        _runs.clear()
        _runs[run] = AssignmentCache(limit)
    return _runs[run]


def forget(run: str) -> None:
    """Let go of a run's assignments in this process."""
    _runs.pop(run, None)


def _tagged(state: Array) -> bytes:
    tag: bytes = state.dtype.str.encode().ljust(_TAG)
    return tag + state.tobytes()


def _untagged(state: bytes | bytearray) -> Array:
    """The numbers of a state, as a view."""
    return np.frombuffer(state, np.dtype(state[:_TAG].decode().strip()), offset=_TAG)


def node_statistics_transition(
    state: bytes | None,
    block_id: int,
    n_rows: int,
    codes: bytes,
    target: bytes,
    weight: bytes | None,
    tree: bytes | None,
    fold: bytes | None,
    plan: bytes,
) -> bytearray:
    """Count one block into a state; a state is the dtype in 8 bytes, then (n_planes, n_cells) numbers."""
    todo = _count_plans.get(plan)
    zeros = todo.zeros()
    counted = bytearray(_tagged(zeros) if state is None else state)
    if n_rows:
        numbers = _untagged(counted).reshape(zeros.shape)
        todo.add(numbers, block_id, todo.block(n_rows, codes, target, weight, tree, fold))
    return counted


def node_statistics_merge(left: bytes | None, right: bytes | None) -> bytes | None:
    if left is None or right is None:
        return right if left is None else left
    return _tagged(merge(_untagged(left), _untagged(right)))


def node_statistics_final(state: bytes | None) -> bytes | None:
    if state is not None:
        check(_untagged(state))
    return state


def read_statistics(state: bytes | None, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
    """A final state as an array; zeros where there was no block."""
    return np.zeros(shape, dtype) if state is None else _untagged(state).reshape(shape)


class GrowPlan:
    """What `grow_block` needs beside the rows."""

    def __init__(self, row_format: RowFormat, kinds: list[Kind], n_classes: int, parameters: Parameters) -> None:
        self.row_format = row_format
        self.kinds = kinds
        self.n_classes = n_classes
        self.parameters = parameters

    def dump(self) -> bytes:
        return codec.dump(
            {
                **self.row_format.to_values(),
                "kinds": [kind.value for kind in self.kinds],
                "n_classes": self.n_classes,
                "parameters": asdict(self.parameters),
            }
        )

    @classmethod
    def load(cls, values: dict[str, Any]) -> GrowPlan:
        return cls(
            RowFormat.from_values(values),
            [Kind(kind) for kind in values["kinds"]],
            values["n_classes"],
            Parameters(**values["parameters"]),
        )


def grow_in_block(
    plan: GrowPlan, images: bytes, watch: Stopwatch, report: Callable[[LevelReport], None] | None = None
) -> Batch | None:
    """Train all trees whose rows are among `images`, each by its own bins; None if no row has a feature that is
    known.
    """
    watch.begin("pack")
    rows = plan.row_format.read(images)
    rows = rows.select(rows.usable())
    if len(rows.target) == 0:
        return None
    tree_ids: Ints = np.ones(1, np.int64)
    if rows.tree is not None:
        tree_ids, local = np.unique(rows.tree, return_inverse=True)
        rows = replace(rows, tree=local)
    problem, block = prepare(rows, len(tree_ids), plan.n_classes, plan.kinds, plan.parameters)
    source = BlocksInHand(problem, [block])
    watch.begin("passes")
    forest = grow(problem, source, report)
    watch.begin("prune")
    return Batch.of(conclude(problem, forest, source), problem, tree_ids)


_grow_plans = _Last(GrowPlan.load)


def grow_block(plan: bytes, images: bytes | None) -> bytes | None:
    """The trained trees of a block, as the bytes of a `Batch`."""
    batch = grow_in_block(_grow_plans.get(plan), images or b"", Stopwatch("pack"))
    return None if batch is None else batch.dump()
