"""Counting: the only code that turns rows into sums. The SQL aggregate wraps these three functions, and so does
everyone who counts blocks of their own.

A state is an array of exact sums (learn.data.grid), so `merge` is associative and commutative, and it does not matter
how rows lie in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from madtree.learn.counting.count_request import CountRequest
from madtree.learn.counting.rows_by_node import RowsByNode, add_rows_by_node
from madtree.learn.data import Array, Block, Coroutine, Ints, finished, flat_nonzero
from madtree.learn.histogram import (
    Histograms,
    RowsInPlay,
    RowsOfNodes,
    add_rows,
    add_rows_of_nodes,
    add_totals,
    check_exact,
)
from madtree.learn.leaf_sums import RowsInLeaves
from madtree.learn.problem import Problem
from madtree.learn.route import Routing
from madtree.records import dataclass


class Places(Protocol):
    """Who knows where rows are: `Positions`, which remembers it, or `FrontierNodes`, where it is kept beside them."""

    def nodes(self, key: tuple[int, int], block: Block, routing: Routing, replica: int, n_groups: int) -> Ints: ...


class OfNodes(Protocol):
    """A request that is about rows of nodes."""

    @property
    def problem(self) -> Problem: ...

    @property
    def routing(self) -> Routing: ...


class OfSlots(OfNodes, Protocol):
    """A request for rows of some nodes: each has a slot, others have a negative number."""

    @property
    def slot_of_node(self) -> Ints: ...


@dataclass(frozen=True)
class PlacedBlock:
    """A block, and who knows where its rows are: by its number, the same in every pass."""

    number: int
    block: Block
    positions: Places

    def nodes(self, request: OfNodes, replica: int) -> Ints:
        """(n_rows,) the node of each row in a replica."""
        return self.reached(request.problem, request.routing, replica)

    def reached(self, problem: Problem, routing: Routing, replica: int) -> Ints:
        """(n_rows,) the node of each row in a replica, of a problem's trees."""
        key = self.number, problem.replicas.first_member + replica
        return self.positions.nodes(key, self.block, routing, replica, problem.n_groups)

    def in_play(self, request: OfSlots, replica: int) -> RowsInPlay:
        """The rows that a replica is grown on, with the slots that the request gives their nodes."""
        block, slots = request.problem.counted(self.block), request.slot_of_node.take(self.nodes(request, replica))
        return self._trained_on(block, slots, request, replica)

    def counted(self, request: CountRequest, replica: int) -> RowsInPlay:
        """The rows that a request counts: those in training or those held out, with the side of the node's split as the
        class where sides are asked for.
        """
        node = self.nodes(request, replica)
        slots: Ints = request.slot_of_node.take(node)
        block = request.problem.counted(self.block)
        if request.what == "sides":
            block = replace(block, target=request.routing.primary_side(node, block.codes))
        if not request.held_out:
            return self._trained_on(block, slots, request, replica)
        tested = request.problem.replicas.held_out(self.block, replica)
        kept = slots.take(tested)
        slots[:] = -1
        slots[tested] = kept
        return RowsInPlay(block, slots)

    def _trained_on(self, block: Block, slots: Ints, request: OfNodes, replica: int) -> RowsInPlay:
        multiplicity = request.problem.replicas.multiplicity(self.block, replica)
        if multiplicity is None:
            return RowsInPlay(block, slots)
        np.putmask(slots, multiplicity == 0, -1)
        return RowsInPlay(block, slots, multiplicity if multiplicity.max(initial=0) > 1 else None)


def transition(
    state: Array | None, rows: Sequence[PlacedBlock] | RowsOfNodes | RowsByNode, request: CountRequest
) -> Array:
    """The sums of `state` and of some more rows, in every replica.

    Args:
        state: None for an empty one; changed in place.
        rows: one block, or several to be counted together, which pays where there are more bins than rows; or, of
            histograms, rows that have been taken out of blocks; or, of drawn features, rows that stand node by node.
    """
    if isinstance(rows, RowsOfNodes):
        total = request.zeros() if state is None else state
        add_rows_of_nodes(Histograms(request.layout, total), rows)
        return total
    if isinstance(rows, RowsByNode):
        total = request.zeros() if state is None else state
        add_rows_by_node(total, request, rows)
        return total
    return finished(transition_coroutine(state, rows, request))


def transition_coroutine(state: Array | None, blocks: Sequence[PlacedBlock], request: CountRequest) -> Coroutine[Array]:
    """`transition` of blocks as a coroutine that pauses as many times a block as there are replicas."""
    total = request.zeros() if state is None else state
    together = len(blocks) > 1 and request.what in ("histograms", "sides") and request.drawn is None
    parts, gathered_below = [], request.problem.tuning.gathered_below
    for block in blocks:
        for replica in range(request.problem.n_replicas):
            yield
            if request.what in ("powers", "limbs"):
                _add_by_leaf(total, block, replica, request)
            elif request.what == "totals":
                add_totals(total, request.channels, block.counted(request, replica), gathered_below)
            elif together:
                parts.append(block.counted(request, replica))
            else:
                some = block.counted(request, replica)
                add_rows(Histograms(request.layout, total), some, gathered_below, request.drawn)
    if together:
        add_rows_of_nodes(Histograms(request.layout, total), RowsOfNodes.of(request.channels, parts))
    return total


def merge(left: Array, right: Array) -> Array:
    """The sums over two disjoint sets of rows; raises InexactSumError where one is no longer exact."""
    total: Array = left + right
    check_exact(total)
    return total


def final(state: Array) -> Array:
    """The state as the answer; raises InexactSumError where a sum is no longer exact."""
    check_exact(state)
    return state


def _add_by_leaf(state: Array, block: PlacedBlock, replica: int, request: CountRequest) -> None:
    problem, replicas = request.problem, request.problem.replicas
    node = block.nodes(request, replica)
    rows: Ints | None = None
    if request.held_out:
        rows = replicas.held_out(block.block, replica)
    elif (multiplicity := replicas.multiplicity(block.block, replica)) is not None:
        rows = flat_nonzero(multiplicity != 0)
        rows = rows if multiplicity.max(initial=0) < 2 else rows.repeat(multiplicity.take(rows))
    in_leaves = RowsInLeaves(block.block.target, block.block.weight, block.block.tree, node)
    in_leaves = in_leaves if rows is None else in_leaves.take(rows)
    if request.what == "limbs":
        in_leaves.add_limbs(state[request.channels.n_counts :], request.slot_of_node)
        return
    add = in_leaves.add_terms if problem.parameters.outcome.leaf_sums == "deviance" else in_leaves.add_powers
    add(state, problem, request.powers, request.means, replica * problem.n_groups)
