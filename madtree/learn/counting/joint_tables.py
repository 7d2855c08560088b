"""Histograms of two features from one pass over a node's rows: those of their joint table's lines, and of its columns.

A number of two bytes says both codes. Filling the table takes as long as counting the rows by one feature, and adding
it up as long as counting some 15,000 rows, which is why it is for large nodes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from madtree.learn.data import Array, Floats
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.learn.problem import Rounding

_CODES = 256  # of one byte


def lines_together(codes: Array) -> int:
    """How many lines of the joint table of some rows, or columns of it, can be added up as packed numbers: a power of
    two, or 0 where there are too many rows in a cell. `codes` (n_rows,) as of `Records.joint_codes`.
    """
    table = np.bincount(codes, minlength=_CODES * _CODES)
    fitting = (n for n in (_CODES >> i for i in range(9)) if max(map(np.max, _added(table, n))) <= Rounding.PACKED_ROWS)
    return next(fitting, 0)


def joint_pairs(layout: HistogramLayout, lines: Sequence[int], is_packed: bool) -> list[int]:
    """The pairs of a layout's features (2 k and 2 k + 1) that can be counted at once.

    Args:
        lines: of each pair, as of `lines_together`.
        is_packed: whether rows are packed numbers, of which a cell of the table holds a few only.
    """
    last = layout.first + len(layout.widths)
    pairs = range((layout.first + 1) // 2, min(last // 2, len(lines)))
    return [pair for pair in pairs if not is_packed or lines[pair]]


def fit_packed(layout: HistogramLayout, lines: Sequence[int]) -> bool:
    """Whether a layout's features can be counted by packed numbers however many of the rows there are."""
    first, end = layout.first // 2, (layout.first + len(layout.widths) + 1) // 2
    return end <= len(lines) and set(lines[first:end]) <= {_CODES}


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
    lines: int,
    is_packed: bool,
) -> None:
    """Count the rows of one node by pairs of features.

    Args:
        columns: of some of `joint_pairs`, ascending, the codes (n_rows,), as `Records.joint_codes` has them.
        values: what is summed, (n_rows,) each: by channel, None for 1; or packed as one.
        lines: of all pairs, the fewest.
    """
    together = lines if is_packed else _CODES
    found = np.empty((len(values), len(columns), 2, _CODES // together, _CODES))
    for number, codes in enumerate(columns.values()):
        place = codes if is_packed else codes.astype(np.intp)  # `bincount` would do it for each of the values
        for each, of_pair in zip(values, found[:, number], strict=True):
            low, high = _added(np.bincount(place, each, _CODES * _CODES), together)
            of_pair[0], of_pair[1] = low, high.reshape(_CODES, -1).T
    sums = (Rounding.unpacked(found[0]) if is_packed else found).sum(axis=3)
    first, pairs = histograms.layout.first, list(columns)
    begins = [at for at, pair in enumerate(pairs) if pair - 1 not in columns]
    for begin, end in pairwise([*begins, len(pairs)]):  # neighbours at once
        histograms.add(slot, 2 * pairs[begin] - first, sums[:, begin:end].reshape(len(sums), -1, _CODES))


def _added(table: Array, together: int) -> tuple[Array, Array]:
    """Sums of a joint table (256 * 256,): (256 / together, 256) of so many of its lines each, and (65,536 / together,)
    of so many of its columns in each line.
    """
    low = np.add.reduce(table.reshape(together, -1, _CODES), axis=0)
    return low, np.einsum("ij->i", table.reshape(-1, together))
