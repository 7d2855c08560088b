"""Histograms of nodes whose children have not been searched yet: of two siblings only the smaller one is counted, the
other is the parent less its sibling, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

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
        wanted = set(self._place(nodes)[0].tolist())
        return KeptHistograms(tuple(each for number, each in enumerate(self.rounds) if number in wanted))

    def with_round(self, nodes: Ints, histograms: Histograms) -> KeptHistograms:
        """With those of `nodes` (n,), ascending."""
        return KeptHistograms((*self.rounds, (nodes, histograms)))

    def have(self, nodes: Ints) -> Bools:
        """(m,) of which of `nodes` (m,) there are histograms."""
        return np.asarray(self._place(nodes)[0] >= 0)

    def of(self, nodes: Ints, first: int, last: int) -> Iterator[tuple[Ints, Array]]:
        """Which of `nodes` (m,) a round has, (n,), and a copy (n_channels, last - first, n, width) of their histograms
        by the features `first` to `last - 1`, of one width.
        """
        own, slots = self._place(nodes)
        for number, (_, histograms) in enumerate(self.rounds):
            there, skipped = flat_nonzero(own == number), histograms.layout.first
            if len(there):
                yield there, histograms.view(first - skipped, last - skipped).take(slots.take(there), axis=2)

    def _place(self, nodes: Ints) -> Ints:
        """(2, m) the round that has each of `nodes` (m,), -1 where none has, and its slot there."""
        return self._places.take(nodes + 1, axis=1, mode="clip")

    @cached_property
    def _places(self) -> Ints:
        """By node; the first place is for no node, and the last one for nodes that have come later."""
        places = np.full((2, max((int(nodes[-1]) for nodes, _ in self.rounds), default=0) + 3), -1)
        for number, (nodes, _) in enumerate(self.rounds):
            places[0, nodes + 1], places[1, nodes + 1] = number, np.arange(len(nodes))
        return places


def entered(whole: Histograms | None, every: HistogramLayout, part: Histograms, slots: slice) -> Histograms:
    """The histograms of a whole frontier with those of some of its slots entered."""
    if whole is None:
        whole = Histograms(every, every.zeros(part.state.dtype))
    skipped = part.layout.first - every.first
    for first, last in part.layout.runs:
        view = whole.view(skipped + first, skipped + last)
        view[:, :, slots] = part.view(first, last)
    return whole
