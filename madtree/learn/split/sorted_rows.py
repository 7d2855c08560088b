"""The best splits of small nodes from their rows alone, many nodes at once.

Nodes of about as many rows are laid out as a table (`row_tables`): a column for each feature and node. Every column is
put in order by code, and candidate splits lie where the code changes. So no row looks up its node, and
there are no bins. What is found is what `search` finds among the same rows' bins, to the bit: the sums are integers,
and the gains come from the same formulas. Unordered features are left to `search`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.criteria import criterion_of
from madtree.learn.data import Array, Bools, Ints, heads, stable_order
from madtree.learn.histogram import HistogramLayout, RowsOfNodes
from madtree.learn.problem import Problem
from madtree.learn.split.best_splits import BestSplits, PicksSplits
from madtree.learn.split.node_rows import SmallNodes, order_by_digits, stretches, sweep
from madtree.learn.split.row_tables import MOST_ROWS, RowContents, RowTable, in_order
from madtree.learn.split.search import search
from madtree.records import dataclass

_LEAST_CELLS = 8_192  # of a table that is quicker than several smaller ones with fewer empty cells


def search_small(
    problem: Problem,
    small: SmallNodes,
    found: BestSplits,
    allowed: Bools | None = None,
    picks: PicksSplits | None = None,
) -> Iterator[None]:
    """Improve `found`, whose slots are those of some small nodes, as a coroutine.

    Args:
        allowed: (n_slots, n_features) whether a node may be split by a feature of the layout; None for yes.
        picks: as for `search`.
    """
    wanted = np.ones_like(small.features, np.bool_) if allowed is None else allowed
    in_order = wanted & ~problem.unordered[small.features]
    by_bins_alone = picks or problem.parameters.has_competitors or criterion_of(problem).finds_missing_side
    standing = None if by_bins_alone else _Standing.of(small.rows)
    if standing is None or int(standing.sizes.max(initial=0)) > MOST_ROWS:
        standing, in_order = None, np.zeros_like(wanted)
    by_bins = wanted & ~in_order
    # A tie goes to the earlier feature: so those of a node are looked at in order, in whichever of the two ways.
    most = max(1, problem.tuning.copied_codes // max(1, len(small.rows.slot)))
    some_in_order, some_by_bins = (np.logical_or.reduce(mask, axis=0) for mask in (in_order, by_bins))
    for first, last in stretches(some_in_order, some_by_bins, most):
        places = slice(first, last)
        if standing is not None and in_order[:, places].any():
            yield from _search_tables(problem, small, standing, places, in_order, found)
        if by_bins[:, places].any():
            yield from _search_bins(problem, small, places, by_bins, found, picks)


def _search_bins(
    problem: Problem, small: SmallNodes, places: slice, allowed: Bools, found: BestSplits, picks: PicksSplits | None
) -> Iterator[None]:
    """Search the bins that the rows fill, of some features of the layout."""
    whole = small.layout
    layout = HistogramLayout(whole.channels, whole.widths[places], whole.n_slots, whole.first + places.start)
    for some in sweep(small.rows, layout, problem.tuning.chunk_values, allowed[:, places]):
        some.feature = small.features[some.slot, some.feature - whole.first]
        search(problem, [some], small.tree, found, picks, small.sums, small.bounds)
        yield


@dataclass(frozen=True)
class _Standing:
    """Where the rows of each node stand.

    Attributes:
        slots, first, sizes: (n_nodes,) each node that has rows, its first row, and how many.
        order: (n_rows,) the order in which the rows of a node stand side by side; None for that in which they come.
    """

    slots: Ints
    first: Ints
    sizes: Ints
    order: Ints | None

    @classmethod
    def of(cls, rows: RowsOfNodes) -> _Standing:
        slot, order = rows.slot, None
        first = heads(slot)
        if len(first) and int(np.bincount(slot.take(first)).max()) > 1:
            order = order_by_digits(slot)
            slot = slot.take(order)
            first = heads(slot)
        return cls(slot.take(first), first, np.diff(first, append=len(slot)), order)

    def of_about_one_size(self, least_cells: int) -> Iterator[tuple[int, Ints]]:
        """The nodes that may be split, in parts, and the width of a table that has room for each part.

        In a table at most half of each line is empty, unless it has fewer than `least_cells` cells.
        """
        by_size = stable_order(self.sizes.astype(np.uint32))
        sizes = self.sizes[by_size]
        least, stop = int(np.searchsorted(sizes, 2)), len(sizes)
        while stop > least:
            width = int(sizes[stop - 1])
            first = min(int(np.searchsorted(sizes, width // 2, side="right")), stop - least_cells // width)
            yield width, by_size[max(first, least) : stop]
            stop = first

    def ordered(self, values: Array) -> Array:
        """Values of the rows (n_rows,) as the rows stand."""
        return values if self.order is None else values.take(self.order)


def _search_tables(
    problem: Problem, small: SmallNodes, standing: _Standing, places: slice, allowed: Bools, found: BestSplits
) -> Iterator[None]:
    """Search the ordered features at some places of the layout."""
    rows, first = small.rows, small.layout.first
    row_class, limbs = standing.ordered(rows.row_class), [standing.ordered(limb) for limb in rows.limbs]
    times = None if rows.times is None else standing.ordered(rows.times)
    contents = RowContents.of(problem, row_class, times, limbs, standing.first, standing.sizes)
    codes = (standing.ordered(rows.codes(first + place)) for place in range(places.start, places.stop))
    keys = [contents.keys(code) for code in codes]
    most_cells = problem.tuning.chunk_values // problem.channels.count
    for width, nodes in standing.of_about_one_size(_LEAST_CELLS // len(keys)):
        size = max(1, most_cells // (width * len(keys)))
        for start in range(0, len(nodes), size):
            mine = nodes[start : start + size]
            slots = standing.slots[mine]
            own = standing.first[mine]
            ordered = in_order(keys, own, standing.sizes[mine], width)
            table = RowTable.of(problem, small.tree[slots], contents, ordered, own)
            table.improve(found, slots, small.features[slots, places].T, allowed[slots, places].T)
            yield
