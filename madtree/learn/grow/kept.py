"""Histograms of nodes whose children have not been searched yet: of two siblings only the smaller one is counted, the
other is the parent less its sibling, exactly.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from madtree.learn.data import Bools, Ints, flat_nonzero
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
        wanted = {self._places[node][0] for node in nodes.tolist() if node in self._places}
        return KeptHistograms(tuple(each for number, each in enumerate(self.rounds) if number in wanted))

    def with_round(self, nodes: Ints, histograms: Histograms) -> KeptHistograms:
        """With those of `nodes` (n,), ascending."""
        return KeptHistograms((*self.rounds, (nodes, histograms)))

    def have(self, nodes: Ints) -> Bools:
        """(m,) of which of `nodes` (m,) there are histograms."""
        return np.array([node in self._places for node in nodes.tolist()], np.bool_)

    def subtract(self, parents: Ints, smaller: Histograms, siblings: Ints, whole: Histograms, places: Ints) -> None:
        """Enter those of `parents` (m,), all of which must be here, less those of `siblings` (m,), slots of `smaller`,
        at `places` (m,), slots of `whole`; these two are of the same features.
        """
        own, slots = np.array([self._places[node] for node in parents.tolist()]).T
        for number in set(own.tolist()):
            there, (_, histograms) = flat_nonzero(own == number), self.rounds[number]
            skipped = whole.layout.first - histograms.layout.first
            for first, last in whole.layout.runs:
                rest = histograms.view(skipped + first, skipped + last).take(slots.take(there), axis=2)
                rest -= smaller.view(first, last).take(siblings.take(there), axis=2)
                whole.view(first, last)[:, :, places.take(there)] = rest

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        """By node the round that has it, and its slot there."""
        rounds = enumerate(nodes.tolist() for nodes, _ in self.rounds)
        return {node: (number, slot) for number, nodes in rounds for slot, node in enumerate(nodes)}


def entered(whole: Histograms | None, every: HistogramLayout, part: Histograms, slots: slice) -> Histograms:
    """The histograms of a whole frontier with those of some of its slots entered."""
    if whole is None:
        whole = Histograms(every, every.zeros(part.state.dtype))
    skipped = part.layout.first - every.first
    for first, last in part.layout.runs:
        view = whole.view(skipped + first, skipped + last)
        view[:, :, slots] = part.view(first, last)
    return whole
