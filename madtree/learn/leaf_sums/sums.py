"""What the risk of leaves is made of where it does not follow from the sums of histograms.

Of numbers, sums of powers of the distance to a leaf's mean, and so the risk of regression trees and its
cross-validation. Powers of the distance to a node's own mean lose no digits where the mean is large against the spread;
they are summed on grids of their own, so that these sums do not depend on the order of rows either.

Of counts, sums that the Poisson deviance of any node is made of, at any rate.

A row with y events in an exposure t has, at the rate r, the deviance 2 (y log(y / (r t)) - y + r t). With the
logarithm taken at the rate R of the whole tree, c = y log(y / (R t)), that is 2 (c - y (1 + log(r / R)) + r t). So a
node's deviance at whatever rate follows from its sums of c, y and t, and the sum of its rows' squared deviances from
those of products of two of them. No term depends on the node, so inner nodes have the sums of their leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import USUAL_BLOCK_ROWS, Array, Floats, Grid, Ints, pieces_of
from madtree.learn.problem import Problem
from madtree.records import dataclass
from madtree.trees import EXPOSURE

LIMBS = 3  # about 100 bits for a million rows: a leaf's spread may be 10**-9 of the target's range
_TURNS = 8  # sums of a node
_TURN: Array = np.tile(np.arange(_TURNS, dtype=np.uint8), USUAL_BLOCK_ROWS // _TURNS)  # of each row
SQUARES = (2,)
UP_TO_FOURTH = (1, 2, 3, 4)


def power_grid(problem: Problem, power: int, first: int = 0) -> Grid:
    """The grid of weight times a power of the distance to a leaf's mean, which is at most twice the largest target; of
    the trees from `first` on.
    """
    largest = (2.0 * problem.largest_target) ** power * problem.largest_weight
    return Grid.choose(largest[first:], problem.rows[first:], LIMBS)


def _power(values: Floats, power: int) -> Floats:
    """`values ** power` for a power of 1 to 4. By products, which are the same bits everywhere: numpy's own powers from
    the third on differ in their last digits from version to version.
    """
    if power == 1:
        return values
    square = values * values
    return square if power == 2 else square * values if power == 3 else square * square


def join_powers(problem: Problem, powers: Sequence[int], state: Floats, tree: Ints) -> Floats:
    """(n_powers, n_nodes) sums, of a state (n_powers * LIMBS, n_nodes) of nodes of the trees `tree` (n_nodes,)."""
    parts = state.reshape(len(powers), LIMBS, -1)
    return np.stack([power_grid(problem, power).join(part, tree) for power, part in zip(powers, parts, strict=True)])


# Of each sum the powers of c, y and t.
_TERMS = {1: (1, 0, 0), 2: (2, 0, 0), 3: (0, 2, 0), 4: (0, 0, 2), 5: (1, 1, 0), 6: (1, 0, 1), 7: (0, 1, 1)}
LOGARITHMS = (1,)
LOGARITHMS_AND_PRODUCTS = tuple(_TERMS)


def base_rates(problem: Problem, sums: Floats) -> Floats:
    """(n_trees,) rates R at which logarithms are taken, from the sums (n_channels, n_trees) of whole trees.

    Each tree's own, whatever trees grow beside it; those for cross-validation have the main trees', which have all
    rows. 1 where there are no events.
    """
    n = problem.n_main
    rate = problem.means(sums[:, :n], np.arange(n, dtype=np.int32))
    return np.tile(np.where(rate > 0, rate, 1.0), problem.n_trees // n)


def term_grid(problem: Problem, term: int, base: Floats, first: int = 0) -> Grid:
    """The grid of weight times a term, of the trees from `first` on; `base` (n_trees,). Each replica of a tree has its
    own, where it has a base rate of its own.
    """
    events = problem.largest_target
    least, most = problem.ranges.get(EXPOSURE.name, (1.0, 1.0))
    with np.errstate(all="ignore"):
        # y log(y / k) is least where y = k / e, and greatest at the most events in the least exposure.
        highest = events * np.maximum(np.log(events / (least * base)), 0.0)
        logarithm = np.maximum(np.nan_to_num(highest), most * base)
        c, y, t = _TERMS[term]
        largest = logarithm**c * events**y * np.asarray(most, np.float64) ** t * problem.largest_weight
    return Grid.choose(largest[first:], problem.rows[first:], LIMBS)


def join_terms(problem: Problem, terms: Sequence[int], state: Floats, tree: Ints, base: Floats) -> Floats:
    """(n_terms, n_nodes) sums, of a state (n_terms * LIMBS, n_nodes) of nodes of the trees `tree` (n_nodes,).

    `base`: (n_trees,).
    """
    parts = state.reshape(len(terms), LIMBS, -1)
    return np.stack([term_grid(problem, term, base).join(part, tree) for term, part in zip(terms, parts, strict=True)])


@dataclass(frozen=True)
class RowsInLeaves:
    """Rows whose outcomes are summed by leaves.

    Attributes:
        target, weight, tree: as of `Block`.
        node: (n_rows,) the leaf that each row ended in.
    """

    target: Array
    weight: Floats | None
    tree: Ints | None
    node: Ints

    def take(self, rows: Ints) -> RowsInLeaves:
        """Some of the rows (m,)."""
        weight = None if self.weight is None else self.weight.take(rows, axis=-1)
        tree = None if self.tree is None else self.tree.take(rows)
        return RowsInLeaves(self.target.take(rows, axis=-1), weight, tree, self.node.take(rows))

    def add_limbs(self, state: Floats, slot_of_node: Ints) -> None:
        """Add the limbs of weights and targets to `state` (n_limbs, n_slots), in place.

        What is summed up first are nodes, so that no row is asked for its slot. Adding to the sum that the row before
        was added to takes three times as long: of few nodes each has several sums that take turns.
        """
        n_rows = len(self.node)
        turns = _TURNS if len(slot_of_node) * _TURNS <= min(n_rows, USUAL_BLOCK_ROWS) else 1
        slot = np.repeat(slot_of_node + 1, turns)
        for rows in pieces_of(n_rows):
            place = self.node[rows]
            if turns > 1:
                place = place.astype(np.uint16) * np.uint16(turns)
                place += _TURN[: len(place)]
            place = place.astype(np.intp)
            for sums, limb in zip(state, [*(() if self.weight is None else self.weight), *self.target], strict=False):
                of_places = np.bincount(place, limb[rows], minlength=len(slot))
                sums += np.bincount(slot, of_places, minlength=len(sums) + 1)[1:]

    def add_powers(self, state: Floats, problem: Problem, powers: Sequence[int], means: Floats, first: int) -> None:
        """Add weighted powers of distances to `state` (n_powers * LIMBS, n_nodes), in place.

        Args:
            means: (n_nodes,) means less the tree's centre.
            first: number of the replica's first tree.
        """
        assert problem.target_grid is not None
        value, weight = problem.target_grid.join(self.target, self.tree), self._weights(problem)
        distance = (value if weight is None else value / weight) - means[self.node]
        for place, power in enumerate(powers):
            term = _power(distance, power)
            self._add(state, place, power_grid(problem, power, first), term if weight is None else term * weight)

    def add_terms(self, state: Floats, problem: Problem, terms: Sequence[int], base: Floats, first: int) -> None:
        """Add weighted terms to `state` (n_terms * LIMBS, n_nodes), in place.

        Args:
            base: (n_nodes,) `base_rates` of each node's tree; those of the trees come first.
            first: number of the replica's first tree.
        """
        assert problem.target_grid is not None
        limbs = problem.target_grid.limbs
        events = problem.target_grid.join(self.target[:limbs], self.tree)
        exposure = np.ones(len(events))
        if problem.exposure_grid is not None:
            exposure = problem.exposure_grid.join(self.target[limbs:], self.tree)
        weight = self._weights(problem)
        if weight is not None:
            events = events / weight
            exposure = exposure if problem.exposure_grid is None else exposure / weight
        with np.errstate(all="ignore"):  # plans that somebody has made up come to no numbers, which `final` refuses
            logarithm = np.where(events > 0, events * np.log(events / (exposure * base[self.node])), 0.0)
            for place, term in enumerate(terms):
                c, y, t = _TERMS[term]
                values = (1.0 if weight is None else weight) * logarithm**c * events**y * exposure**t
                self._add(state, place, term_grid(problem, term, base[: problem.n_trees], first), values)

    def _weights(self, problem: Problem) -> Floats | None:
        """(n_rows,), None where every weight is 1."""
        grid = problem.weight_grid
        return None if self.weight is None or grid is None else grid.join(self.weight, self.tree)

    def _add(self, state: Floats, place: int, grid: Grid, values: Floats) -> None:
        """Add values (n_rows,), as limbs of their grid, to the sum of the given place in `state`."""
        for limb, part in enumerate(grid.split(values, self.tree), LIMBS * place):
            state[limb] += np.bincount(self.node, part, minlength=state.shape[1])
