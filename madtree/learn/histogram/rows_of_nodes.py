"""The rows of some nodes, taken out of their blocks: to be counted together, or put in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from madtree.learn.data import Array, Block, CodeLayout, Floats, Ints, flat_nonzero
from madtree.learn.problem import Channels
from madtree.records import dataclass


@dataclass(frozen=True)
class RowsInPlay:
    """Rows of a block that are in play, and what they count for.

    Attributes:
        slots: (n_rows,) slot of each row's node; negative for rows that are not meant.
        multiplicity: (n_rows,) how often each row counts, None where all count once.
    """

    block: Block
    slots: Ints
    multiplicity: Array | None = None

    def rows(self) -> Ints:
        """Indices of the rows that are meant, each as often as it counts."""
        active = flat_nonzero(self.slots >= 0)
        return active if self.multiplicity is None else np.repeat(active, self.multiplicity.take(active))


class HasCodes(Protocol):
    def column(self, feature: int) -> Array:
        """(n_rows,) codes of a feature."""
        ...


@dataclass(frozen=True)
class RowsOfNodes:
    """The rows of some nodes.

    Attributes:
        slot: (n_rows,) int32.
        row_class: (n_rows,) class of each row, as blocks have it; zeros for regression.
        limbs: (n_limbs, n_rows) what is summed beside the row counts.
        sources: where the codes are, and which rows of each are meant, in order; None for all of them.
        shift: (n_features,) bits by which codes are shifted to coarse ones (learn.split.coarse), or None.
        times: (n_rows,) how often each row counts, what is summed included; None where rows come as often as they
            count. Only of rows that are put in order, never of those that are counted.
    """

    slot: Ints
    row_class: Ints
    limbs: Floats
    sources: Sequence[tuple[HasCodes, Ints | None]]
    shift: Ints | None = None
    times: Floats | None = None

    @classmethod
    def of(cls, channels: Channels, parts: Sequence[RowsInPlay]) -> RowsOfNodes:
        chosen = [(part, part.rows()) for part in parts]
        slot = joined([part.slots.take(rows) for part, rows in chosen])
        if channels.n_classes:
            row_class = joined([part.block.target.take(rows) for part, rows in chosen])
        else:
            row_class = np.zeros(len(slot), np.uint8)
        limbs: list[Floats] = []
        for source in ("weight", "target"):
            if (source == "weight" and channels.weight_limbs) or (source == "target" and channels.target_limbs):
                limbs.append(
                    np.concatenate([getattr(part.block, source).take(rows, axis=1) for part, rows in chosen], axis=1)
                )
        summed = np.concatenate(limbs) if limbs else np.zeros((0, len(slot)))
        return cls(slot, row_class, summed, [(part.block.codes, rows) for part, rows in chosen])

    def codes(self, feature: int) -> Array:
        """(n_rows,) codes of one feature."""
        columns = [
            source.column(feature) if rows is None else source.column(feature).take(rows)
            for source, rows in self.sources
        ]
        code = joined(columns)
        return code if self.shift is None else shifted(code, int(self.shift[feature]))

    def to_values(self, widths: Ints, first: int) -> dict[str, Any]:
        """As named arrays, with the codes of the features `first` to `first + len(widths) - 1`."""
        codes = CodeLayout.for_widths(widths).empty(len(self.slot))
        for i in range(len(widths)):
            codes.column(i)[:] = self.codes(first + i)
        return {
            "slot": self.slot,
            "row_class": self.row_class,
            "limbs": self.limbs,
            "narrow": codes.narrow,
            "wide": codes.wide,
        }

    @classmethod
    def from_values(cls, values: Sequence[dict[str, Any]], widths: Ints, first: int) -> RowsOfNodes:
        """The rows of several `to_values` as one."""
        sources: list[tuple[HasCodes, Ints | None]] = [
            (_SomeFeatures(CodeLayout.for_widths(widths), v["narrow"], v["wide"], first), None) for v in values
        ]
        slot, row_class = (joined([v[name] for v in values]) for name in ("slot", "row_class"))
        return cls(slot, row_class, np.concatenate([v["limbs"] for v in values], axis=1), sources)


@dataclass(frozen=True)
class _SomeFeatures:
    """Codes of the features from `first` on."""

    layout: CodeLayout
    narrow: Array
    wide: Array
    first: int

    def column(self, feature: int) -> Array:
        place = feature - self.first
        row: Array = (self.wide if self.layout.wide[place] else self.narrow)[int(self.layout.position[place])]
        return row


def shifted(code: Array, bits: int) -> Array:
    """Coarse codes (n,): code / 2**bits, rounded up, so that none but 0, missing, becomes 0."""
    if bits == 0:
        return code
    coarse: Array = code >> code.dtype.type(bits)
    coarse += (code & code.dtype.type((1 << bits) - 1)) != 0
    return coarse


def joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
