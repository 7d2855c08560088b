"""What the scores of boosted models come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Array, Floats, Ints, Values, ascends, portable, require
from madtree.records import dataclass
from madtree.trees import Link, StepFunction


def expected(scores: Floats, link: Link) -> Floats:
    """(n_rows, 1) the number that a score says."""
    return portable.exp(scores) if link is Link.LOG else scores


def probabilities(scores: Floats, link: Link, n_classes: int) -> Floats:
    """(n_rows, n_classes) of the classes, from scores (n_rows, n_scores), but for `Link.STEPS`."""
    if link is Link.SOFTMAX:
        powers = portable.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    score = scores[:, 0] * (2 if link is Link.HALF_LOGIT else 1)
    both = 1 / (1 + portable.exp(score)), 1 / (1 + portable.exp(-score))
    return np.stack(both, axis=1)[:, :n_classes]


@dataclass(frozen=True)
class StepArrays:
    """The step functions of some groups.

    Attributes:
        ends: (n_groups,) where each one's points end.
        scores, probabilities, slopes: (n_points,) as of `trees.StepFunction`.
    """

    ends: Ints
    scores: Floats
    probabilities: Floats
    slopes: Floats

    @classmethod
    def of(cls, functions: Sequence[StepFunction]) -> StepArrays:
        ends = np.cumsum([len(each.scores) for each in functions], dtype=np.int64)
        columns = ([x for each in functions for x in getattr(each, name)] for name in _POINTS)
        return cls(ends, *(np.array(column, np.float64) for column in columns))

    def to_values(self) -> dict[str, Array]:
        return {f"step_{name}": getattr(self, name) for name in ("ends", *_POINTS)}

    @classmethod
    def from_values(cls, given: Values, n_groups: int) -> StepArrays:
        """Raises MadtreeError where they are none of so many groups."""
        ends = given.ints("step_ends", (n_groups,), 1, 2**31, np.int64)
        require(n_groups > 0 and ascends(ends), "step_ends", "where the points of each group end")
        return cls(ends, *(given.floats(f"step_{name}", (int(ends[-1]),)) for name in _POINTS))

    def probabilities_of(self, scores: Floats, group: Ints) -> Floats:
        """(n_rows, 2) of the classes, from scores (n_rows,); `group` (n_rows,) is the place of each row's."""
        found = np.empty(len(scores))
        for number in np.unique(group).tolist():
            rows = np.flatnonzero(group == number)
            points = slice(int(self.ends[number - 1]) if number else 0, int(self.ends[number]))
            found[rows] = self._of_group(scores.take(rows), points)
        return np.stack((1 - found, found), axis=1)

    def _of_group(self, scores: Floats, points: slice) -> Floats:
        own = self.scores[points]
        place = np.maximum(np.searchsorted(own, scores, side="right") - 1, 0)
        slope = np.where(scores > own.take(place), self.slopes[points].take(place), 0.0)
        said = self.probabilities[points].take(place)
        # Beyond the last point nothing rises, however far that is.
        beyond = np.where(slope > 0, scores - own.take(place), 0.0)
        return np.asarray(said + beyond * slope)


_POINTS = ("scores", "probabilities", "slopes")
