"""The loss of rows whose scores are kept beside them: one score a row, or one for each of several classes.

A block's scores have a line for the outcome, one for the weight where rows have weights, one for each score and, where
there are several, one for the logarithm of the sum of their exponentials at the beginning of a round. The gradients of
all of a round's trees are those at its beginning: score k does not change before tree k is grown, and of the others
that logarithm says enough.

Of more than two classes the exponential loss is exp(-F_y), of scores that add up to 0: it is least where they are the
logarithms of the classes' probabilities, less their mean (Zhu, Zou, Rosset and Hastie 2009, whose scores are
K - 1 times these). Trees that lower it vote for classes, and need no gradients.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats, portable
from madtree.learn.losses.losses import LEAST_SHARE, SMOOTH, Loss
from madtree.learn.losses.robust import MEDIAN, ROBUST, robust_loss
from madtree.records import dataclass
from madtree.trees import LOSSES

_OUTCOME = 0


@dataclass(frozen=True)
class RowLoss:
    """A loss, and how the scores of rows lie.

    Attributes:
        loss: its name.
        n_scores: of a row; 1, or as many as there are classes.
        weighted: whether rows have weights.
        quantile: of "quantile", the one that is predicted; None of losses that have none.
    """

    loss: str
    n_scores: int
    weighted: bool
    quantile: float | None = None

    @property
    def of_votes(self) -> bool:
        """Whether all trees of a round are one that votes, by what it adds to each score."""
        return self.n_scores > 1 and LOSSES[self.loss].of_votes

    @property
    def level(self) -> float | None:
        """The score to begin with is this quantile of the outcomes, and what leaves add that of their rows' residuals;
        None where they follow from sums.
        """
        if not LOSSES[self.loss].of_quantiles:
            return None
        return self.quantile if self.loss == "quantile" else MEDIAN

    @property
    def _has_log_sum(self) -> bool:
        return self.n_scores > 1 and not self.of_votes

    @property
    def n_lines(self) -> int:
        return 1 + self.weighted + self.n_scores + self._has_log_sum

    @property
    def first(self) -> int:
        """The line of the first score."""
        return 1 + self.weighted

    def begun(self, outcomes: Floats, weights: Floats | None, base: Floats) -> Floats:
        """(n_lines, n_rows) of rows that trees have said nothing of; `base` (n_scores, n_rows)."""
        lines = np.empty((self.n_lines, len(outcomes)))
        lines[_OUTCOME] = outcomes
        if self.weighted:
            lines[1] = 1.0 if weights is None else weights
        lines[self.first : self.first + self.n_scores] = base
        return lines

    def base_of_classes(self, shares: Floats, *, from_zero: bool) -> Floats:
        """(n_groups, n_scores) the scores to begin with, of the classes' shares (n_classes, n_groups).

        `from_zero`: 0, but where there is a single class: trees that begin there need not end where that is certain.
        """
        if from_zero:
            base = self.base_of_classes(shares, from_zero=False)
            return np.where(np.count_nonzero(shares, axis=0)[:, None] == 1, base, 0.0)
        if self.n_scores == 1:
            mean = shares[1] if len(shares) > 1 else np.zeros(shares.shape[1])
            return self.of(None).base(mean)[:, None]
        logarithms = portable.log(np.maximum(shares, LEAST_SHARE))
        mean = np.asarray(logarithms.cumsum(axis=0)[-1]) / len(shares)  # class after class, in any company
        return np.asarray((logarithms - mean).T)  # so that they add up to 0

    def end_round(self, lines: Floats) -> None:
        """Enter what the next round's gradients need beside the scores, in place."""
        if self._has_log_sum:
            lines[-1] = self._log_sum(lines)

    def of(self, threshold: Floats | float | None) -> Loss:
        """The loss of one score.

        `threshold`: of "huber", the absolute error from which on it is linear, one or (n_rows,); None as long as it is
        not known.
        """
        if self.loss in ROBUST:
            return robust_loss(self.loss, self.quantile, 0.0 if threshold is None else threshold)
        return SMOOTH[self.loss]

    def residuals(self, lines: Floats) -> Floats:
        """(n_rows,) what is left of the outcomes; where there is one score."""
        found: Floats = lines[_OUTCOME] - lines[self.first] + 0.0  # no -0.0
        return found

    def columns(
        self, lines: Floats, score: int, threshold: Floats | float | None = None
    ) -> tuple[dict[str, Floats], Floats | None]:
        """(n_rows,) each: the target and the weight of the tree of that score, which are gradient and hessian times the
        rows' weights; of a tree that votes the weight alone, since its target is the class. And the loss, by the same
        threshold, where it comes with these.
        """
        found: Floats | None = None
        if self.of_votes:
            found = self._vote_losses(lines)
            columns = {"weight": found}
        else:
            own = lines[self.first + score]
            if self.n_scores > 1:
                share = portable.exp(own - lines[-1])
                gradient, hessian = share - (lines[_OUTCOME] == score), share * (1 - share)
            else:
                gradient, hessian, found = self.of(threshold).of_rows(lines[_OUTCOME], own)
            columns = {"target": gradient, "weight": hessian}
        return {name: each * lines[1] if self.weighted else each for name, each in columns.items()}, found

    def losses(self, lines: Floats, threshold: Floats | float | None = None) -> Floats:
        """(n_rows,) the loss of each row, at the end of a round."""
        if self.of_votes:
            return self._vote_losses(lines)
        if self.n_scores > 1:
            return self.softmax_losses(lines)
        return self.of(threshold).of_rows(lines[_OUTCOME], lines[self.first])[2]

    def weights(self, lines: Floats) -> Floats | None:
        """(n_rows,) the weight of each row; None where all are 1."""
        return lines[1] if self.weighted else None

    def softmax_losses(self, lines: Floats) -> Floats:
        """(n_rows,) minus the logarithm of the probability of each row's class, of several scores a row, at the end of
        a round.
        """
        return np.asarray(lines[-1] - self._scores_of_outcomes(lines))

    def _vote_losses(self, lines: Floats) -> Floats:
        """(n_rows,) exp(-F_y)."""
        return portable.exp(-self._scores_of_outcomes(lines))

    def _scores_of_outcomes(self, lines: Floats) -> Floats:
        """(n_rows,) the score of each row's class."""
        found: Floats = lines[self.first + lines[_OUTCOME].astype(np.intp), np.arange(lines.shape[1])]
        return found

    def _log_sum(self, lines: Floats) -> Floats:
        """(n_rows,) logarithm of the sum of the scores' exponentials, class after class."""
        scores = lines[self.first : self.first + self.n_scores]
        largest = scores.max(axis=0)
        total = np.zeros(len(largest))
        for own in scores:
            total += portable.exp(own - largest)
        return np.asarray(largest + portable.log(total))
