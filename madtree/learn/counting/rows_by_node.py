"""Rows that stand node by node: a form in which rows are counted without asking each of them where it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np

from madtree.learn.counting.count_request import CountRequest
from madtree.learn.counting.joint_tables import add_joint, fit_packed, joint_pairs, of_no_pair
from madtree.learn.data import Array, CodesOfRows, Floats, Ints, Runs, pieces_of
from madtree.learn.histogram import Histograms, add_codes
from madtree.learn.problem import Rounding, SearchTuning
from madtree.records import dataclass

_VALUES = 40_960  # rows times features up to which all features are counted at once


class Records(CodesOfRows, Protocol):
    """What is known of rows that stand side by side."""

    @property
    def classes(self) -> Array:
        """(n_rows,) class of each."""
        ...

    @property
    def times(self) -> Floats | None:
        """(n_rows,) how often each counts; None for once."""
        ...

    @property
    def limbs(self) -> list[Floats]:
        """What is summed beside the row counts, each row as often as it counts, (n_rows,) each."""
        ...

    @property
    def lines(self) -> tuple[int, ...]:
        """Of each two neighbouring features, how many lines of a joint table can be added up (`lines_together`); none
        where rows do not tell two codes as one number.
        """
        ...

    def __len__(self) -> int: ...

    def part(self, first: int, stop: int) -> Records:
        """The rows from `first` to before `stop`."""
        ...

    def column(self, feature: int, first: int, stop: int) -> Array:
        """(stop - first,) codes of one feature, of the rows from `first` to before `stop`."""
        ...

    def codes_of(self, feature: int, end: int, first: int, stop: int) -> Array:
        """(end - feature, stop - first) uint16 codes of the features from `feature` to before `end`; a copy."""
        ...

    def joint_codes(self, pair: int, first: int, stop: int) -> Array:
        """(stop - first,) the codes of feature 2 `pair`, plus 256 times those of the next one."""
        ...

    def gather_of(self, feature: Ints, runs: Runs) -> Array:
        """(n_rows,) the code of one feature, `feature` (n_runs,) int64, in each row; a copy."""
        ...


@dataclass(frozen=True)
class RowsByNode:
    """The rows of some nodes, one node after the other.

    Attributes:
        nodes, sizes: (n,) which nodes, and rows of each.
    """

    rows: Records
    nodes: Ints
    sizes: Ints

    @cached_property
    def runs(self) -> Runs:
        """The rows of each node."""
        return Runs(self.sizes)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """From which to which row those of each node go."""
        return list(pairwise([0, *accumulate(self.sizes.tolist())]))

    def are_large(self, tuning: SearchTuning) -> bool:
        """Whether its nodes are worked off one by one rather than row by row."""
        return len(self.rows) > tuning.node_rows * len(self.nodes)


def add_rows_by_node(state: Array, request: CountRequest, some: RowsByNode) -> None:
    """Count the rows of the nodes that a request asks for into its `state`, in place; those of other nodes are left
    out. Each node's rows must come at once, but for a node that comes alone.
    """
    if request.drawn is None:
        _add_features(state, request, some)
    else:
        _add_drawn(state, request, request.drawn, some)


def _add_features(state: Array, request: CountRequest, some: RowsByNode) -> None:
    """Count them by all features of the request."""
    rows, layout, is_packed = some.rows, request.layout, request.problem.is_packed
    histograms = Histograms(layout, state)
    slots = request.slot_of_node.take(some.nodes)
    # One node that comes alone has bins of its own only; counted with others, it would have those of all slots.
    one_by_one = len(slots) == 1 or some.are_large(request.problem.tuning)
    if not one_by_one:  # those of nodes that are not asked for get a number past the end
        slot = some.runs.spread(np.where(slots < 0, layout.n_slots * layout.channels.n_counts, slots))
        classes = None if layout.channels.n_counts == 1 else np.multiply(rows.classes, layout.n_slots, dtype=np.int64)
        slot = slot if classes is None else slot + classes
        add_codes(
            histograms,
            slot,
            list(Rounding.unpacked(rows.limbs[0])[1:]) if is_packed else rows.limbs,
            lambda feature: rows.column(feature, 0, len(rows)),
            (0, layout.n_slots),
            rows.times,
        )
        return
    for slot, (first, stop) in zip(slots.tolist(), some.bounds, strict=True):
        if slot < 0:
            continue
        own = rows if len(slots) == 1 else rows.part(first, stop)
        values = own.limbs if is_packed else [own.times, *own.limbs]
        pairs: list[int] = []
        if layout.channels.n_counts == 1 and stop - first >= request.problem.tuning.joint_rows:
            pairs = joint_pairs(layout, rows.lines, is_packed)
        if pairs:
            columns = {pair: own.joint_codes(pair, 0, len(own)) for pair in pairs}
            add_joint(histograms, slot, columns, values, min(rows.lines[pair] for pair in pairs), is_packed)
        for part in of_no_pair(histograms, pairs):
            if state.dtype != np.float64 or layout.channels.n_counts > 1:
                column = partial(own.column, first=0, stop=len(own))
                add_codes(part, own.classes.astype(np.int64), own.limbs, column, (slot, 1), own.times)
            else:
                _add_node(part, slot, own, values, is_packed)


def _add_node(
    histograms: Histograms, slot: int, rows: Records, values: Sequence[Floats | None], is_packed: bool
) -> None:
    """Count the rows of one node by feature; `values` and `is_packed` as of `add_joint`.

    Few values are counted by all features at once: of a small node that takes half the time.
    """
    layout, n_features = histograms.layout, len(histograms.layout.widths)
    offsets = layout.of_a_slot
    sums = np.empty((len(values), offsets[-1]))
    are_few = not is_packed or fit_packed(layout, rows.lines)
    for piece in pieces_of(len(rows), max(len(rows), 1) if are_few else Rounding.PACKED_ROWS):
        first, stop = piece.start, piece.stop
        of_piece = [None if each is None else each[piece] for each in values]
        together = n_features if (stop - first) * n_features <= _VALUES else 1
        for at in range(0, n_features, together):
            begin, end = offsets[at], offsets[at + together]
            if together == 1:
                place = rows.column(layout.first + at, first, stop)
            else:
                codes = rows.codes_of(layout.first, layout.first + n_features, first, stop)
                place = (codes + np.array(offsets[:-1], np.min_scalar_type(offsets[-1]))[:, None]).ravel()
            place = place.astype(np.intp)  # `bincount` would do it for each of the values
            for own, each in zip(sums, of_piece, strict=True):
                weights = each if each is None or together == 1 else np.concatenate([each] * together)
                own[begin:end] = np.bincount(place, weights, end - begin)
        found = Rounding.unpacked(sums[0]) if is_packed else sums
        for begin, end in layout.runs:
            own = found[:, offsets[begin] : offsets[end]].reshape(len(found), end - begin, -1)
            histograms.view(begin, end)[:, :, slot] += own


def _add_drawn(state: Array, request: CountRequest, drawn_of_slots: Ints, some: RowsByNode) -> None:
    """Count them by the features that were drawn (n_slots, n_drawn)."""
    rows, n_counts = some.rows, request.channels.n_counts
    bins = state.reshape(len(state), drawn_of_slots.shape[1], request.n_slots, -1)
    width = bins.shape[-1]
    slots = request.slot_of_node.take(some.nodes)
    is_asked = slots >= 0
    own_slots = slots[is_asked]
    n_asked = len(own_slots)
    # All other nodes are counted as one more, and forgotten: bins of each would take more time than their rows.
    number = np.where(is_asked, np.cumsum(is_asked) - 1, n_asked)
    n_nodes = n_asked + (n_asked < len(slots))
    one_by_one = some.are_large(request.problem.tuning)
    if n_counts > 1:
        base: Ints = np.multiply(rows.classes, n_nodes * width, dtype=np.int64)
    else:
        base = np.zeros(len(rows), np.int64)
    if not one_by_one:
        base += some.runs.spread(number * width)
    elif n_nodes > 1:
        for start, (first, stop) in zip((number * width).tolist(), some.bounds, strict=True):
            base[first:stop] += start
    drawn = drawn_of_slots.take(slots, axis=0, mode="clip")  # any for nodes that are not asked for
    index = np.empty_like(base)
    for j, features in enumerate(drawn.T):
        if one_by_one:
            for feature, (first, stop) in zip(features.tolist(), some.bounds, strict=True):
                np.add(base[first:stop], rows.column(feature, first, stop), out=index[first:stop])
        else:
            np.add(base, rows.gather_of(features, some.runs), out=index)
        for i, values in enumerate((rows.times, *rows.limbs)):
            sums = np.bincount(index, values, minlength=n_counts * n_nodes * width)
            sums = sums.reshape(n_counts, n_nodes, width)
            own = bins[i * n_counts : (i + 1) * n_counts, j]
            if n_nodes == 1:  # it may come in pieces
                own[:, own_slots[0]] += sums[:, 0].astype(own.dtype, copy=False)
            else:
                own[:, own_slots] = sums[:, :n_asked]
