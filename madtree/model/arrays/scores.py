"""What the scores of boosted models come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Array, Floats, Ints, Values, ascends, portable, require
from madtree.records import dataclass
from madtree.trees import IsotonicFunction, Link


def expected(scores: Floats, link: Link) -> Floats:
    """(n_rows, 1) the number that a score says."""
    return portable.exp(scores) if link is Link.LOG else scores


def probabilities(scores: Floats, link: Link, n_classes: int) -> Floats:
    """(n_rows, n_classes) of the classes, from scores (n_rows, n_scores), but for `Link.ISOTONIC`."""
    return shares(masses(scores, link, n_classes))


def shares(masses: Floats) -> Floats:
    """(n_rows, n_classes) probabilities: of two classes `masses` (n_rows, n_classes) themselves, of more their parts of
    the sum, and equal ones where that is 0.
    """
    n_classes = masses.shape[1]
    if n_classes <= 2:
        return masses
    total = masses.sum(axis=1, keepdims=True)
    some = total > 0
    return np.where(some, masses / np.where(some, total, 1.0), 1 / n_classes)


def likeliest(scores: Floats, masses: Floats, link: Link) -> Ints:
    """(n_rows,) the place of the most probable class, the first of several: to the bit that of `boost_sql`."""
    found: Ints = (scores if link.keeps_order else masses).argmax(axis=1)
    return found


def masses(scores: Floats, link: Link, n_classes: int) -> Floats:
    """(n_rows, n_classes) what `shares` makes probabilities of, from scores (n_rows, n_scores); not for
    `Link.ISOTONIC`.
    """
    if link is Link.SOFTMAX:
        return portable.exp(scores - scores.max(axis=1, keepdims=True))
    if link is Link.ONE_VS_REST:
        return np.asarray(1 / (1 + portable.exp(-scores)))
    score = scores[:, 0] * (2 if link is Link.HALF_LOGIT else 1)
    both = 1 / (1 + portable.exp(score)), 1 / (1 + portable.exp(-score))
    return np.stack(both, axis=1)[:, :n_classes]


@dataclass(frozen=True)
class IsotonicArrays:
    """The isotonic functions of some groups, one for each score.

    Attributes:
        ends: (n_groups * n_scores,) where each one's points end.
        scores, probabilities, slopes: (n_points,) as of `trees.IsotonicFunction`.
    """

    ends: Ints
    scores: Floats
    probabilities: Floats
    slopes: Floats

    @classmethod
    def of(cls, groups: Sequence[Sequence[IsotonicFunction]]) -> IsotonicArrays:
        functions = [each for group in groups for each in group]
        ends = np.cumsum([len(each.scores) for each in functions], dtype=np.int64)
        columns = ([x for each in functions for x in getattr(each, name)] for name in _POINTS)
        return cls(ends, *(np.array(column, np.float64) for column in columns))

    def to_values(self) -> dict[str, Array]:
        return {f"point_{name}": getattr(self, name) for name in ("ends", *_POINTS)}

    @classmethod
    def from_values(cls, given: Values, n_functions: int) -> IsotonicArrays:
        """Raises MadtreeError where they are not so many."""
        ends = given.ints("point_ends", (n_functions,), 1, 2**31, np.int64)
        require(n_functions > 0 and ascends(ends), "point_ends", "where the points of each function end")
        return cls(ends, *(given.floats(f"point_{name}", (int(ends[-1]),)) for name in _POINTS))

    def masses(self, scores: Floats, group: Ints) -> Floats:
        """(n_rows, n_classes) as of the function of this name; `group` (n_rows,) is the place of each row's."""
        n_scores = scores.shape[1]
        found = np.empty_like(scores)
        for number in np.unique(group).tolist():
            rows = np.flatnonzero(group == number)
            for score in range(n_scores):
                found[rows, score] = self._values_at(number * n_scores + score, scores[rows, score])
        return found if n_scores > 1 else np.concatenate((1 - found, found), axis=1)

    def _values_at(self, number: int, scores: Floats) -> Floats:
        """What a function, given by its place, says of scores (n,)."""
        points = slice(int(self.ends[number - 1]) if number else 0, int(self.ends[number]))
        own = self.scores[points]
        place = np.maximum(np.searchsorted(own, scores, side="right") - 1, 0)
        slope = np.where(scores > own.take(place), self.slopes[points].take(place), 0.0)
        values = self.probabilities[points].take(place)
        # Beyond the last point nothing rises, however far that is.
        beyond = np.where(slope > 0, scores - own.take(place), 0.0)
        return np.asarray(values + beyond * slope)


_POINTS = ("scores", "probabilities", "slopes")
