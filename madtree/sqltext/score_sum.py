"""A boosted model as an SQL expression: scores as the sums of trees, and what they come to. Exponentials are those of
the database.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from madtree.records import dataclass
from madtree.sqltext.tree_sum import FLOAT, FLOATS, GroupTrees, TreeSum, added_up, binary, names_of
from madtree.trees import Link

_MOST_EXPONENT = 700.0  # PostgreSQL's exp refuses what is no float8, or is 0


@dataclass(frozen=True)
class ScoreSum(TreeSum):
    """A boosted model."""

    def by_group(self, value: Callable[[GroupTrees], str], type_: str) -> str:
        """As of all sums; NULL, too, where a row has no offset."""
        found, offset = super().by_group(value, type_), self._offset
        return f"CASE WHEN {self.spelling.is_number(offset)} THEN {found} END" if offset and self.groups else found

    def scores(self, class_: int | None) -> str:
        """The score; of several that of a class, given by its place, or all as an array."""
        if self.model.n_scores > 1 and class_ is None:
            return self.by_group(lambda group: self.spelling.array(self._sums(group)), FLOATS)
        return self.by_group(partial(self._sum, score=class_ or 0), FLOAT)

    def number(self) -> str:
        """The number that the score says."""
        if self._link is Link.LOG:
            return self.by_group(lambda group: self._exp(self._sum(group)), FLOAT)
        return self.by_group(self._sum, FLOAT)

    def likeliest(self) -> str:
        """The class that is most probable."""
        type_, classes = self.model.dependent_type, self.labels()
        if self.model.n_scores > 1:
            return self.of_largest(self._each_score() if self._link.keeps_order else self._each_mass(), classes)

        def likelier(group: GroupTrees) -> str:
            even = self.spelling.number(group.isotonic[0].even_score if group.isotonic else self._link.even_score)
            return f"CASE WHEN {binary(self._sum(group), '>', even)}\n    THEN {classes[-1]} ELSE {classes[0]} END"

        return self.by_group(likelier if len(classes) > 1 else lambda _: classes[0], type_)

    def probability(self, class_: int | None) -> str:
        """The probability of a class, given by its place; or, where there are more than two, of all as an array."""
        if self._link is Link.SOFTMAX:
            return self._share_of_powers(class_)
        if self.model.n_scores > 1:
            return self._share_of_masses(class_)
        return self.by_group(partial(self._mass, is_second=class_ == 1), FLOAT)

    def _mass(self, group: GroupTrees, score: int = 0, *, is_second: bool = True) -> str:
        """What a score says by itself: of two classes the probability of the second one, or of the first one."""
        if group.isotonic:
            return self._isotonic(group, score, is_second=is_second)
        one, exponent = self.spelling.number(1.0), self._sum(group, score)
        factor = (2.0 if self._link is Link.HALF_LOGIT else 1.0) * (-1 if is_second else 1)
        if factor != 1:
            exponent = binary(self.spelling.number(factor), "*", f"({exponent})")
        return binary(one, "/", f"({added_up([one, self._exp(exponent)], ' ')})")

    def _share_of_masses(self, class_: int | None) -> str:
        """By what each score says by itself, of the sum of all; equal ones where that is 0."""
        names, number = names_of(self.model.n_scores), self.spelling.number
        shares = [binary(f"m.{name}", "/", "m.total") for name in names]
        even = [number(1 / self.model.n_scores)] * len(names)
        some, none = (self.spelling.array(each) if class_ is None else each[class_] for each in (shares, even))
        result = f"CASE WHEN {binary('m.total', '>', number(0.0))} THEN {some} WHEN m.total IS NOT NULL THEN {none} END"
        total = added_up([f"s.{name}" for name in names], " ")
        return f"(SELECT {result}\nFROM {self.with_all(self._each_mass(), f'{total} AS total')} AS m)"

    def _share_of_powers(self, class_: int | None) -> str:
        """By the exponentials of the scores, each of them above the largest one."""
        names = names_of(self.model.n_scores)
        total = added_up([f"e.{name}" for name in names], " ")
        shares = [binary(f"e.{name}", "/", f"({total})") for name in names]
        result = self.spelling.array(shares) if class_ is None else shares[class_]
        powers = [f"{self._exp(binary(f'm.{name}', '-', 'm.most'))} AS {name}" for name in names]
        scores = f"{self.with_largest(self._each_score())} AS m"
        of_powers = self.spelling.computed(", ".join([*powers, "m.most"]), scores)
        return f"(SELECT CASE WHEN e.most IS NOT NULL THEN {result} END\nFROM {of_powers} AS e)"

    def _isotonic(self, group: GroupTrees, score: int, *, is_second: bool) -> str:
        """As of `_mass`, by the isotonic function of the score."""
        function, number = group.isotonic[score], self.spelling.number
        points = [*zip(function.scores, function.probabilities, function.slopes, strict=True)]
        result = [number(points[0][1])]
        for point, probability, slope in points:
            rise = binary(binary("s.score", "-", number(point)).join("()"), "*", number(slope))
            result.append(binary(number(probability), "+", rise) if slope else number(probability))
        cases = [
            f"WHEN {binary('s.score', '<', number(point))} THEN {value}"
            for point, value in zip(function.scores, result, strict=False)
        ]
        share = " ".join(["CASE", *cases, "ELSE", result[-1], "END"])
        share = share if is_second else binary(number(1.0), "-", share)
        return f"(SELECT {share}\nFROM {self.spelling.computed(f'{self._sum(group, score)} AS score')} AS s)"

    @property
    def _link(self) -> Link:
        return self.model.loss.link_of(len(self.model.classes))

    def _each_score(self) -> list[str]:
        return [self.by_group(partial(self._sum, score=place), FLOAT) for place in range(self.model.n_scores)]

    def _each_mass(self) -> list[str]:
        return [self.by_group(partial(self._mass, score=place), FLOAT) for place in range(self.model.n_scores)]

    def _exp(self, exponent: str) -> str:
        """The exponential of what is not NULL; of the nearest number that has one."""
        return self.spelling.exp(exponent, _MOST_EXPONENT)

    def _sums(self, group: GroupTrees) -> list[str]:
        return [self._sum(group, place) for place in range(self.model.n_scores)]

    def _sum(self, group: GroupTrees, score: int = 0) -> str:
        """A score, which is never NULL."""
        trees = group.trees[score :: self.model.n_scores]
        offset = [self._offset] if self._offset else []
        return self.summed(trees, lambda leaf: float(leaf.prediction or 0), [group.base[score]], offset)

    @cached_property
    def _offset(self) -> str:
        """What is added to a row's score; empty where nothing is."""
        return "" if self.model.offsets is None else self.spelling.expression(self.model.offsets, "offsets")
