"""Counting: from a block to statistics, and what the aggregate does with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from madtree.learn.data.block import Block
from madtree.learn.data.plans import LastPlan
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.histogram.histogram import HistogramLayout, add_block, add_totals, check, merge
from madtree.learn.histogram.powers import LIMBS, add_powers
from madtree.learn.problem.columns import ColumnReader
from madtree.learn.problem.problem import Problem
from madtree.learn.problem.replicas import held_out, slots_of, taught
from madtree.learn.route.positions import AssignmentCache
from madtree.learn.route.routing import Routing

_TAG = 8  # bytes before a state's numbers: their dtype


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
        self.reader = ColumnReader(self.problem)
        self.routing = Routing(**{f.name: values[f"routing_{f.name}"] for f in fields(Routing)})
        self.slot_of_node: Ints = values.get("slot_of_node", np.zeros(0, np.int32))
        self.means: Floats = values.get("means", np.zeros(0))
        self.powers: list[int] = values.get("powers", [])
        self.n_slots: int = values.get("n_slots", 0)
        first, last = values.get("features", (0, 0))
        self.channels = self.problem.side_channels if self.what == "sides" else self.problem.channels
        self.layout = HistogramLayout(self.channels, self.problem.bins.widths[first:last], self.n_slots, first)

    def zeros(self) -> Array:
        """An empty state: (n_channels, total_bins), (n_channels, n_slots) or (n_powers * limbs, n_nodes)."""
        if self.what == "powers":
            return np.zeros((len(self.powers) * LIMBS, len(self.means)))
        if self.what == "totals":
            return np.zeros((self.channels.count, self.n_slots))
        return self.layout.zeros(self.channels.dtype(self.problem.most_rows))

    def add(self, state: Array, block_id: int, block: Block) -> None:
        """Count a block in every copy."""
        assignments = _assignments(self.run, self.cache_bytes)
        for copy in range(self.problem.n_replicas):
            node = assignments.nodes(block_id, block, self.routing, self.depth, copy, self.problem.n_groups)
            if self.what == "powers":
                keep = held_out(block, copy) if self.testing else taught(block, copy)
                add_powers(state, self.problem, self.powers, block, node, self.means, keep)
                continue
            slots = slots_of(node, self.slot_of_node, block, copy, testing=self.testing)
            if self.what == "totals":
                add_totals(state, self.channels, block, slots)
                continue
            sides = self.routing.primary_side(node, block.codes) if self.what == "sides" else None
            add_block(state, self.layout, block if sides is None else replace(block, target=sides), slots)


def plan_values(
    what: str, run: str, problem: Problem, routing: Routing, depth: int, cache_bytes: int, **rest: Any
) -> dict[str, Any]:
    """The values of a CountPlan; `rest`: slot_of_node, n_slots, features (from, to), means, powers, testing."""
    return {
        **problem.to_values(),
        **{f"routing_{f.name}": getattr(routing, f.name) for f in fields(Routing)},
        "what": what,
        "run": run,
        "depth": depth,
        "cache_bytes": cache_bytes,
        **rest,
    }


_count_plans = LastPlan(CountPlan)
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
    """Count one block into a state; a state is the dtype in 8 bytes, then (n_channels, total_bins) numbers."""
    todo = _count_plans.get(plan)
    zeros = todo.zeros()
    counted = bytearray(_tagged(zeros) if state is None else state)
    if n_rows:
        numbers = _untagged(counted).reshape(zeros.shape)
        todo.add(numbers, block_id, todo.reader.block(n_rows, codes, target, weight, tree, fold))
    return counted


def count_here(plan: bytes, blocks: Iterable[Mapping[str, Any]]) -> Array:
    """What the aggregate would come to, in one array of this process: a state of some megabytes is not copied for every
    block.

    Args:
        blocks: with the transition function's parameters between state and plan as keys.
    """
    todo = _count_plans.get(plan)
    return count_blocks(todo, ((row["block_id"], _block(todo, row)) for row in blocks if row["n_rows"]))


def _block(todo: CountPlan, row: Mapping[str, Any]) -> Block:
    return todo.reader.block(*(row[name] for name in ("n_rows", "codes", "target", "weight", "tree", "fold")))


def count_blocks(todo: CountPlan, blocks: Iterable[tuple[int, Block]]) -> Array:
    """The sums over blocks that have a number each, the same in every pass."""
    numbers = todo.zeros()
    for block_id, block in blocks:
        todo.add(numbers, block_id, block)
    check(numbers)
    return numbers


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
