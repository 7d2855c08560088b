"""Histograms of nodes whose children have not been searched yet: of two siblings only the smaller one is counted, the
other is the parent less its sibling, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from madtree.learn.data import Array, Bools, Ints, flat_nonzero
from madtree.learn.histogram import HistogramLayout, Histograms
from madtree.records import dataclass


@dataclass(frozen=True)
class KeptHistograms:
    """The histograms of some rounds.

    Attributes:
        rounds: the nodes (n,) of each round of growth, ascending, and their histograms.
    """

    rounds: tuple[tuple[Ints, Histograms], ...] = ()

    @property
    def bins(self) -> int:
        """In all."""
        return sum(histograms.layout.total_bins for _, histograms in self.rounds)

    def only(self, nodes: Ints) -> KeptHistograms:
        """The rounds that have some of `nodes` (m,)."""
        rounds = zip(self._slots(nodes), self.rounds, strict=True)
        return KeptHistograms(tuple(each for slots, each in rounds if (slots >= 0).any()))

    def with_round(self, nodes: Ints, histograms: Histograms) -> KeptHistograms:
        """With those of `nodes` (n,), ascending."""
        return KeptHistograms((*self.rounds, (nodes, histograms)))

    def have(self, nodes: Ints) -> Bools:
        """(m,) of which of `nodes` (m,) there are histograms."""
        found = np.zeros(len(nodes), np.bool_)
        for slots in self._slots(nodes):
            found |= slots >= 0
        return found

    def of(self, nodes: Ints, first: int, last: int) -> Iterator[tuple[Ints, Array]]:
        """Which of `nodes` (m,) a round has, (n,), and a copy (n_channels, last - first, n, width) of their histograms
        by the features `first` to `last - 1`, of one width.
        """
        for slots, (_, histograms) in zip(self._slots(nodes), self.rounds, strict=True):
            there, skipped = flat_nonzero(slots >= 0), histograms.layout.first
            if len(there):
                yield there, histograms.view(first - skipped, last - skipped).take(slots.take(there), axis=2)

    def _slots(self, nodes: Ints) -> list[Ints]:
        """(m,) of `nodes` (m,) in the histograms of each round, -1 of those that it does not have."""
        found = []
        for own, _ in self.rounds:
            at = np.minimum(own.searchsorted(nodes), len(own) - 1)
            found.append(np.where(own.take(at) == nodes, at, -1))
        return found


def entered(whole: Histograms | None, every: HistogramLayout, part: Histograms, slots: slice) -> Histograms:
    """The histograms of a whole frontier with those of some of its slots entered."""
    if whole is None:
        whole = Histograms(every, every.zeros(part.state.dtype))
    skipped = part.layout.first - every.first
    for first, last in part.layout.runs:
        view = whole.view(skipped + first, skipped + last)
        view[:, :, slots] = part.view(first, last)
    return whole
