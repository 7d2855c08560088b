"""Histograms of two features from one pass over a node's rows: those of their joint table's lines, and of its columns.

A number of two bytes says both codes. Filling the table takes as long as counting the rows by one feature, and adding
it up as long as counting some 15,000 rows, which is why it is for large nodes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from madtree.learn.data import Array, Floats
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.problem import Rounding

_CODES = 256  # of one byte


def joint_pairs(layout: HistogramLayout, crowds: Sequence[int], is_packed: bool) -> list[int]:
    """The pairs of a layout's features (2 k and 2 k + 1) that can be counted at once.

    Args:
        crowds: of each pair, how many rows at most have the same two codes.
        is_packed: whether rows are packed numbers, of which a cell of the table holds a few only.
    """
    last = layout.first + len(layout.widths)
    pairs = range((layout.first + 1) // 2, min(last // 2, len(crowds)))
    return [pair for pair in pairs if not is_packed or crowds[pair] <= Rounding.PACKED_ROWS]


def of_no_pair(histograms: Histograms, pairs: list[int]) -> Iterator[Histograms]:
    """The parts that are of features in none of the `pairs`."""
    if not pairs:
        yield histograms
        return
    for i in range(len(histograms.layout.widths)):
        if (histograms.layout.first + i) // 2 not in pairs:
            yield histograms.features(i, i + 1)


def add_joint(
    histograms: Histograms,
    slot: int,
    columns: Mapping[int, Array],
    values: Sequence[Floats | None],
    crowd: int,
    is_packed: bool,
) -> None:
    """Count the rows of one node by pairs of features.

    Args:
        columns: of some of `joint_pairs` the codes (n_rows,), as `Records.joint_codes` has them.
        values: what is summed, (n_rows,) each: by channel, None for 1; or packed as one.
        crowd: of all pairs, the largest one.
    """
    together = _lines_together(crowd) if is_packed else _CODES
    found = np.empty((len(values), len(columns), 2, _CODES // together, _CODES))
    for number, codes in enumerate(columns.values()):
        place = codes if is_packed else codes.astype(np.intp)  # `bincount` would do it for each of the values
        for each, of_pair in zip(values, found[:, number], strict=True):
            table = np.bincount(place, each, _CODES * _CODES)
            of_pair[0] = np.add.reduce(table.reshape(together, -1, _CODES), axis=0)
            of_pair[1] = np.einsum("ij->i", table.reshape(-1, together)).reshape(_CODES, -1).T
    sums = np.stack([part.sum(axis=2) for part in (Rounding.unpacked(found[0]) if is_packed else found)])
    of_slot, first = histograms.of_slot(slot), histograms.layout.first
    for number, pair in enumerate(columns):
        for i, view in enumerate(of_slot[2 * pair - first : 2 * pair - first + 2]):
            view += sums[:, number, i, : view.shape[1]]


def _lines_together(crowd: int) -> int:
    """How many cells of packed numbers, of up to `crowd` rows each, can be added up: a power of two."""
    return 1 << min(Rounding.PACKED_ROWS // crowd, _CODES).bit_length() - 1
