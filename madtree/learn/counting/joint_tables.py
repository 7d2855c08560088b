"""Histograms of two features from one pass over a node's rows: those of their joint table's lines, and of its columns.

A number of two bytes says both codes. Filling the table takes as long as counting the rows by one feature, and adding
it up as long as counting some 30,000 rows, which is why it is for large nodes only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Array, Floats, Ints, pieces_of
from madtree.learn.histogram import HistogramLayout, feature_view
from madtree.learn.problem import Rounding

_CODES = 256  # of one byte
_ADDS_AT_ONCE = np.lib.NumpyVersion(np.__version__) >= "1.25.0"  # before it took ten times as long


def joint_pairs(layout: HistogramLayout, crowds: Sequence[int], is_packed: bool) -> list[int]:
    """The pairs of a layout's features (2 k and 2 k + 1) that can be counted at once.

    Args:
        crowds: of each pair, how many rows at most have the same two codes.
        is_packed: whether rows are packed numbers, of which a cell of the table holds a few only.
    """
    last = layout.first + len(layout.widths)
    pairs = range((layout.first + 1) // 2, min(last // 2, len(crowds)))
    return [pair for pair in pairs if not is_packed or crowds[pair] <= Rounding.PACKED_ROWS]


def add_joint(
    state: Array,
    layout: HistogramLayout,
    slot: int,
    pair: int,
    codes: Array,
    values: Sequence[Floats],
    crowd: int,
    is_packed: bool,
) -> None:
    """Count the rows of one node into `state` by two features.

    Args:
        codes: (n_rows,) of both, as `Records.joint_codes` has them.
        values: what is summed, (n_rows,) each: by channel, or packed as one.
        crowd: of the pair, as in `joint_pairs`.
    """
    views = [feature_view(state, layout, 2 * pair - layout.first + i)[:, slot] for i in range(2)]
    for channel, each in enumerate(values):
        sums = np.zeros(_CODES * _CODES)
        for piece in pieces_of(len(codes)):
            add_at(sums, codes[piece], each[piece])
        table = sums.reshape(_CODES, _CODES)
        for view, lines in zip(views, (table, table.T), strict=True):
            if is_packed:
                for own, part in zip(view, Rounding.unpacked(_folded(lines, crowd)), strict=True):
                    own += part.sum(axis=0)[: view.shape[1]]
            else:
                view[channel] += lines.sum(axis=0)[: view.shape[1]]


def _folded(table: Floats, crowd: int) -> Floats:
    """(m, 256) the lines of a table (256, 256) of packed numbers added up as far as these hold it: a cell has `crowd`
    rows at most.
    """
    while len(table) > 1 and (crowd := 2 * crowd) <= Rounding.PACKED_ROWS:
        half = len(table) // 2
        table = table[:half] + table[half:]
    return table


def add_at(sums: Floats, place: Ints, values: Floats) -> None:
    """Add `values` (n_rows,) to the `sums` at their places, `place` (n_rows,), in place.

    Where numpy has a loop of its own for it, that takes two thirds of the time of a new array of sums (`bincount`).
    """
    if _ADDS_AT_ONCE:
        np.add.at(sums, place.astype(np.intp, copy=False), values)
    else:
        sums += np.bincount(place, values, minlength=len(sums))
