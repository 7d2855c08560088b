"""The entries of small nodes from their rows, put in order: the classical exact search.

A node with fewer rows than its features have bins leaves most cells of its statistics empty, and looking through them
costs more than ordering its rows by code. What comes out is the same (core.entries): the cells that hold rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from madtree.core.binning import MISSING
from madtree.core.block import Block
from madtree.core.entries import Entries
from madtree.core.statistics import Planes, StatisticsLayout, add_codes
from madtree.core.types import Array, Floats, Ints

# Bins that cost as much to look through as a row costs to put in order: nodes with fewer rows than bins over this are
# swept. Measured by benchmarks/sweep.py: much the same for all numbers of bins and classes.
BINS_PER_ROW = 2
_CHUNK_VALUES = 120_000  # entries times planes that are worked on together
_DIGIT = 65_536


@dataclass(frozen=True)
class PlayedRows:
    """The rows of some nodes, copied out of the blocks.

    Attributes:
        slot: (n_rows,) int32.
        group: (n_rows,) class of each row, as blocks have it; zeros for regression.
        limbs: (n_limbs, n_rows) what is summed beside the row counts.
        parts: the blocks and the rows of each that are meant, in order.
        shift: (n_features,) bits by which codes are shifted to coarse ones (core.coarse), or None.
    """

    slot: Ints
    group: Ints
    limbs: Floats
    parts: Sequence[tuple[Block, Ints]]
    shift: Ints | None = None

    @classmethod
    def of(cls, planes: Planes, parts: Sequence[tuple[Block, Ints]]) -> PlayedRows:
        """`parts`: blocks and the slots (n_rows,) of their rows, negative for those not in play."""
        chosen = [(block, slots, np.flatnonzero(slots >= 0)) for block, slots in parts]
        slot = _joined([slots.take(rows) for _, slots, rows in chosen])
        if planes.n_classes:
            group = _joined([block.target.take(rows) for block, _, rows in chosen])
        else:
            group = np.zeros(len(slot), np.uint8)
        limbs: list[Floats] = []
        for source in ("weight", "target"):
            if (source == "weight" and planes.weight_limbs) or (source == "target" and planes.target_limbs):
                limbs.append(
                    np.concatenate([getattr(block, source).take(rows, axis=1) for block, _, rows in chosen], axis=1)
                )
        summed = np.concatenate(limbs) if limbs else np.zeros((0, len(slot)))
        return cls(slot, group, summed, [(block, rows) for block, _, rows in chosen])

    def codes(self, feature: int) -> Array:
        """(n_rows,) codes of one feature."""
        code = _joined([block.codes.column(feature).take(rows) for block, rows in self.parts])
        return code if self.shift is None else shifted(code, int(self.shift[feature]))


def shifted(code: Array, bits: int) -> Array:
    """Coarse codes (n,): code / 2**bits, rounded up, so that none but 0, missing, becomes 0."""
    if bits == 0:
        return code
    coarse: Array = code >> code.dtype.type(bits)
    coarse += (code & code.dtype.type((1 << bits) - 1)) != 0
    return coarse


def count(state: Array, layout: StatisticsLayout, rows: PlayedRows) -> None:
    """Count rows into `state` (n_planes, n_cells), in place: the same as `statistics.add_block` block by block, which
    adds all cells up once a block.
    """
    slot = np.multiply(rows.group, layout.n_slots, dtype=np.int64) + rows.slot
    add_codes(state, layout, slot, list(rows.limbs), rows.codes, (0, layout.n_slots))


def sweep(rows: PlayedRows, layout: StatisticsLayout) -> Iterator[Entries]:
    """The entries of the slots of `layout` in chunks of features, in order."""
    planes = layout.planes
    size = max(1, _CHUNK_VALUES // max(1, len(rows.slot) * planes.count))
    for first in range(0, len(layout.widths), size):
        span = range(first, min(first + size, len(layout.widths)))
        parts = [cells_of(rows, planes, rows.codes(layout.first + i)) for i in span]
        yield _entries(parts, layout, span.start)


def cells_of(rows: PlayedRows, planes: Planes, code: Array, mine: Ints | None = None) -> tuple[Ints, Ints, Floats]:
    """Slot, code (n_entries,) and sums (n_planes, n_entries) of the cells of one feature that hold rows, in order.

    Args:
        code: (n_rows,) of the feature.
        mine: indices of the rows that are meant; None for all.
    """

    def own(values: Array) -> Array:
        return values if mine is None else values.take(mine)

    slot, code = own(rows.slot), own(code)
    order = np.argsort(code, kind="stable")  # 8 and 16 bit integers are sorted by their digits
    order = order[np.searchsorted(code.take(order), MISSING, side="right") :]
    order = order.take(order_of_slots(slot.take(order)))
    slot, code = slot.take(order), code.take(order)
    first = np.ones(len(order), np.bool_)
    first[1:] = (code[1:] != code[:-1]) | (slot[1:] != slot[:-1])
    start = np.flatnonzero(first)
    slot, code = slot.take(start), code.take(start).astype(np.int64)
    sums = np.empty((planes.count, len(start)))
    group = own(rows.group).take(order)
    alone = len(start) == len(order)
    at = 0
    for limb in (None, *rows.limbs):
        values = None if limb is None else own(limb).take(order)
        for k in range(planes.groups if limb is None or at < planes.groups * (1 + planes.weight_limbs) else 1):
            part = (group == k).astype(np.float64) if planes.groups > 1 else np.ones(len(order))
            if values is not None:
                part *= values
            sums[at] = part if alone else np.add.reduceat(part, start) if len(start) else part
            at += 1
    return slot, code, sums


def order_of_slots(slot: Ints) -> Ints:
    """(n,) the stable order of non-negative integers, by digits of 16 bits."""
    order = np.argsort((slot % _DIGIT).astype(np.uint16), kind="stable")
    high = slot // _DIGIT
    while len(high) and int(high.max()):
        order = order.take(np.argsort((high % _DIGIT).astype(np.uint16).take(order), kind="stable"))
        high = high // _DIGIT
    return order


def _entries(parts: Sequence[tuple[Ints, Ints, Floats]], layout: StatisticsLayout, first: int) -> Entries:
    lengths = [len(slot) for slot, _, _ in parts]
    feature = np.repeat(np.arange(first, first + len(parts)), lengths)
    slot = _joined([slot for slot, _, _ in parts])
    code = _joined([code for _, code, _ in parts])
    sums = parts[0][2] if len(parts) == 1 else np.concatenate([sums for _, _, sums in parts], axis=1)
    return Entries.of_cells(layout, feature, slot, code, sums)


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
