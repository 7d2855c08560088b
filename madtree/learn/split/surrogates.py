"""Surrogate splits: other features that imitate a node's split where its own feature is missing.

Breiman et al. 1984, section 5.3, as rpart does it (src/surrogate.c, src/choose_surg.c). The histograms are those of a
classification whose classes are the sides of the primary split: LEFT, RIGHT, and UNKNOWN for rows whose primary feature
is missing. Rows of the last kind agree with nothing, but their values bound the midpoints that an ordered surrogate may
be cut at.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import LEFT, N_SIDES, RIGHT, Array, Floats, Ints, flat_nonzero
from madtree.learn.histogram import Histograms
from madtree.learn.problem import Problem, weights_by_class
from madtree.learn.split.occupied_bins import OccupiedBins, first_of_best, split_by_chunks
from madtree.records import dataclass

_MIN_ROWS = 2  # on each side, so that a chance hit does not beat going with the majority
_MIN_ADJUSTED = 1e-10  # below this, agreement beyond the majority's is rounding
_TIE = 1e-12


@dataclass(frozen=True)
class SurrogateSplit:
    """One surrogate of one node.

    Attributes:
        feature: index.
        cut: largest code on the low side of an ordered surrogate, and `threshold` the value that it stands for.
        low_goes_left: whether codes up to the cut go left; True for an unordered one.
        left_codes, right_codes: categories on either side of an unordered one, else None.
        agreement, adjusted: share of weight sent the same way; the same beyond what the majority would reach.
    """

    feature: int
    cut: int
    threshold: float
    low_goes_left: bool
    left_codes: Ints | None
    right_codes: Ints | None
    agreement: float
    adjusted: float


def find_surrogates(
    problem: Problem, histograms: Histograms, tree: Ints, primary: Ints, found: list[list[SurrogateSplit]]
) -> None:
    """Add the surrogates among the layout's features to `found`, and keep each slot's best ones.

    Args:
        histograms: by side.
        tree: (n_slots,) the tree of each slot; `primary` (n_slots,) the feature that it is split by.
        found: for each slot its surrogates, by falling agreement; among equals the earlier feature comes first.
    """
    sides = _side_weights(problem, histograms.totals(), tree)[: RIGHT + 1]
    for part in split_by_chunks(histograms, problem.tuning.chunk_values):
        occupied = OccupiedBins.of_histograms(part)
        if occupied.n_segments:
            _Imitation(problem, occupied, tree, primary, sides).add_to(found)
    for surrogates in found:
        surrogates.sort(key=lambda s: (-s.agreement, s.feature))
        del surrogates[problem.parameters.max_surrogates :]


def _side_weights(problem: Problem, sums: Array, tree: Ints) -> Floats:
    """(N_SIDES, m) weights by side, of sums (n_channels, m)."""
    return weights_by_class(np.asarray(sums, np.float64), N_SIDES, problem.weight_grid, tree)


class _Imitation:
    """How well splits by some features imitate the primary splits."""

    def __init__(self, problem: Problem, occupied: OccupiedBins, tree: Ints, primary: Ints, sides: Floats) -> None:
        """`sides` (2, n_slots): weight that the primary split sends left and right."""
        self.problem = problem
        self.occupied = occupied
        self.tree = tree[occupied.slot]
        self.candidate = occupied.feature != primary[occupied.slot]
        self.unordered = problem.unordered[occupied.feature]
        totals = occupied.totals()
        self.known = _side_weights(problem, totals, self.tree)  # (N_SIDES, n_segments), of rows that have the feature
        whole = self.known if problem.parameters.surrogate_style else sides[:, occupied.slot]
        self.weight = whole[LEFT] + whole[RIGHT]
        self.majority = np.maximum(whole[LEFT], whole[RIGHT])

    def add_to(self, found: list[list[SurrogateSplit]]) -> None:
        self._add_ordered(found)
        self._add_unordered(found)

    def _scores(self, segment: Ints, agree: Floats) -> tuple[Floats, Floats]:
        """Agreement and adjusted agreement (m,) of surrogates of `segment` (m,) that agree in the weight `agree`
        (m,).
        """
        agreement = agree / self.weight[segment]
        majority = self.majority[segment] / self.weight[segment]
        adjusted = np.zeros(len(segment))
        np.divide(agreement - majority, 1 - majority, out=adjusted, where=majority < 1)
        return agreement, adjusted

    def _add_ordered(self, found: list[list[SurrogateSplit]]) -> None:
        occupied = self.occupied
        running, total = occupied.running()
        rows_low = running[LEFT] + running[RIGHT]
        rows_high = (total[LEFT] + total[RIGHT])[occupied.segment] - rows_low
        eligible = (self.candidate & ~self.unordered)[occupied.segment]
        at = flat_nonzero(eligible & (rows_low >= _MIN_ROWS) & (rows_high >= _MIN_ROWS))
        segment = occupied.segment[at]
        low = _side_weights(self.problem, running[:, at], self.tree[segment])
        high = self.known[:, segment] - low
        low_left = low[LEFT] + high[RIGHT]
        low_right = low[RIGHT] + high[LEFT]
        agree, first = first_of_best(np.maximum(low_left, low_right), segment, occupied.n_segments, _TIE)
        # Sending all rows one way is no split, however well it agrees.
        chosen = flat_nonzero((first >= 0) & (agree > np.maximum(*self.known[: RIGHT + 1]) * (1 + _TIE)))
        agreement, adjusted = self._scores(chosen, agree[chosen])
        low_code, high_code = occupied.code[at[first[chosen]]], occupied.code[at[first[chosen]] + 1]
        bins, tree, feature = self.problem.bins, self.tree[chosen], occupied.feature[chosen]
        thresholds = bins.threshold(tree, feature, low_code, high_code)
        cuts = bins.cut(tree, feature, low_code, high_code)
        for i in flat_nonzero(adjusted > _MIN_ADJUSTED).tolist():
            s = int(chosen[i])
            k = int(first[s])
            found[int(occupied.slot[s])].append(
                SurrogateSplit(
                    feature=int(occupied.feature[s]),
                    cut=int(cuts[i]),
                    threshold=float(thresholds[i]),
                    low_goes_left=bool(low_left[k] >= low_right[k]),
                    left_codes=None,
                    right_codes=None,
                    agreement=float(agreement[i]),
                    adjusted=float(adjusted[i]),
                )
            )

    def _add_unordered(self, found: list[list[SurrogateSplit]]) -> None:
        """Each category goes the way that more of its weight goes; a tie, the way that more of all weight goes."""
        occupied = self.occupied
        for s in flat_nonzero(self.candidate & self.unordered).tolist():
            span = np.arange(occupied.start[s], occupied.stop[s])
            rows = occupied.sums[: RIGHT + 1, span]
            span, rows = span[rows.sum(axis=0) > 0], rows[:, rows.sum(axis=0) > 0]
            weights = _side_weights(self.problem, occupied.sums[:, span], np.full(len(span), self.tree[s]))
            left_is_default = bool(self.known[LEFT, s] > self.known[RIGHT, s])
            goes_left = (weights[LEFT] > weights[RIGHT]) | ((weights[LEFT] == weights[RIGHT]) & left_is_default)
            alike = np.where(goes_left, rows[LEFT], rows[RIGHT]).sum()
            # As in rpart, which asks for two rows that agree and two that do not, not for two on each side.
            if alike < _MIN_ROWS or rows.sum() - alike < _MIN_ROWS:
                continue
            agree = np.where(goes_left, weights[LEFT], weights[RIGHT]).sum(keepdims=True)
            agreement, adjusted = self._scores(np.array([s]), agree)
            if adjusted[0] > _MIN_ADJUSTED:
                codes = occupied.code[span]
                found[int(occupied.slot[s])].append(
                    SurrogateSplit(
                        feature=int(occupied.feature[s]),
                        cut=-1,
                        threshold=np.nan,
                        low_goes_left=True,
                        left_codes=codes[goes_left],
                        right_codes=codes[~goes_left],
                        agreement=float(agreement[0]),
                        adjusted=float(adjusted[0]),
                    )
                )
