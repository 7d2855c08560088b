"""A boosted model as an SQL expression: scores as the sums of trees, and what they come to.

Sums are in the order of the trees, as the block scorer adds them up, so scores are the same to the bit. Exponentials
are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from madtree.records import dataclass
from madtree.sqltext.condition import READABLE, Spelling
from madtree.sqltext.predict import Output, tree_case
from madtree.trees import Link, Model, StepFunction, Tree

_MOST_EXPONENT = 700.0  # PostgreSQL's exp refuses what is no float8, or is 0
_FLOAT, _FLOATS = "float8", "float8[]"
_MARGIN = " " * 8
_NEXT_LINE = f"\n{_MARGIN}"


@dataclass(frozen=True)
class GroupTrees:
    """The trees of a group, in order, the scores that its rows begin with, and the steps of a calibrated model."""

    trees: Sequence[Tree]
    base: Sequence[float]
    steps: StepFunction | None = None


@dataclass(frozen=True)
class ScoreSum:
    """What is to be written; each method gives an expression over the columns of the training table.

    Attributes:
        model: without its trees.
        groups: those that could be trained.
        between: called for each tree, for cancels to be let in.
        spelling: of the expression.
    """

    model: Model
    groups: Sequence[GroupTrees]
    between: Callable[[], None] = lambda: None
    spelling: Spelling = READABLE

    def scores(self, class_: int | None) -> str:
        """The score; of several that of a class, given by its place, or all as an array."""
        if self.model.n_scores > 1 and class_ is None:
            return self._by_group(lambda group: f"ARRAY[{', '.join(self._sums(group))}]", _FLOATS)
        return self._by_group(partial(self._sum, score=class_ or 0), _FLOAT)

    def number(self) -> str:
        """The number that the score says."""
        if self._link is Link.LOG:
            return self._by_group(lambda group: self._exp(self._sum(group)), _FLOAT)
        return self._by_group(self._sum, _FLOAT)

    def likeliest(self) -> str:
        """The class that is most probable."""
        type_ = self.model.dependent_type
        classes = [self.spelling.value(label, type_) for label in self.model.classes]
        if self.model.n_scores > 1:
            cases = [
                f"WHEN {_binary(f's.{name}', '=', 'm.most')} THEN {label}"
                for name, label in zip(self._names, classes, strict=True)
            ]
            return self._of_scores(" ".join(["CASE", *cases, "END"]))

        def likelier(group: GroupTrees) -> str:
            even = self.spelling.number(group.steps.even_score if group.steps else self._link.even_score)
            return f"CASE WHEN {_binary(self._sum(group), '>', even)}\n    THEN {classes[-1]} ELSE {classes[0]} END"

        return self._by_group(likelier if len(classes) > 1 else lambda _: classes[0], type_)

    def probability(self, class_: int | None) -> str:
        """The probability of a class, given by its place; or, where there are more than two, of all as an array."""
        if self.model.n_scores > 1:
            total = _added_up([f"e.{name}" for name in self._names], " ")
            shares = [_binary(f"e.{name}", "/", f"({total})") for name in self._names]
            said = f"ARRAY[{', '.join(shares)}]" if class_ is None else shares[class_]
            powers = ", ".join(f"{self._exp(_binary(f's.{name}', '-', 'm.most'))} AS {name}" for name in self._names)
            of_powers = f"(SELECT {said} FROM (SELECT {powers} OFFSET 0) AS e)"
            return self._of_scores(f"CASE WHEN s.{self._names[0]} IS NOT NULL THEN {of_powers} END")
        one = self.spelling.number(1.0)
        if self._link is Link.STEPS:
            return self._by_group(partial(self._stepped, class_=class_), _FLOAT)
        factor = (2.0 if self._link is Link.HALF_LOGIT else 1.0) * (-1 if class_ == 1 else 1)

        def share(group: GroupTrees) -> str:
            exponent = self._sum(group)
            if factor != 1:
                exponent = _binary(self.spelling.number(factor), "*", f"({exponent})")
            return _binary(one, "/", f"({_added_up([one, self._exp(exponent)], ' ')})")

        return self._by_group(share, _FLOAT)

    def _stepped(self, group: GroupTrees, class_: int | None) -> str:
        """The probability of a class, given by its place, by the steps of the group."""
        steps, number = group.steps, self.spelling.number
        assert steps is not None
        points = [*zip(steps.scores, steps.probabilities, steps.slopes, strict=True)]
        said = [number(points[0][1])]
        for score, probability, slope in points:
            rise = _binary(_binary("s.score", "-", number(score)).join("()"), "*", number(slope))
            said.append(_binary(number(probability), "+", rise) if slope else number(probability))
        cases = [
            f"WHEN {_binary('s.score', '<', number(score))} THEN {value}"
            for score, value in zip(steps.scores, said, strict=False)
        ]
        share = " ".join(["CASE", *cases, "ELSE", said[-1], "END"])
        share = share if class_ == 1 else _binary(number(1.0), "-", share)
        return f"(SELECT {share}\nFROM (SELECT {self._sum(group)} AS score\nOFFSET 0) AS s)"

    @property
    def _link(self) -> Link:
        return self.model.loss.link_of(len(self.model.classes))

    @property
    def _names(self) -> list[str]:
        return [f"s{number}" for number in range(1, self.model.n_scores + 1)]

    def _of_scores(self, value: str) -> str:
        """A value over the scores `s.<name>` of a row, and the largest of them, `m.most`; each is computed once."""
        scores = ",\n".join(
            f"{self._by_group(partial(self._sum, score=place), _FLOAT)} AS {name}"
            for place, name in enumerate(self._names)
        )
        most = f"LATERAL (SELECT GREATEST({', '.join(f's.{name}' for name in self._names)}) AS most OFFSET 0) AS m"
        return f"(SELECT {value}\nFROM (SELECT {scores}\nOFFSET 0) AS s, {most})"

    def _by_group(self, value: Callable[[GroupTrees], str], type_: str) -> str:
        """The value of a row's group; NULL of an unknown one."""
        if not self.groups:
            return self.spelling.null(type_)
        if not self.model.grouping_columns:
            return value(self.groups[0])
        branches = [
            f"    WHEN {self.spelling.of_group(self.model, group.trees[0])} THEN\n{_MARGIN}{value(group)}"
            for group in self.groups
        ]
        return "\n".join(["CASE", *branches, "END"])

    def _added_up(self, terms: Sequence[str]) -> str:
        """The sum of many; in batches where the dialect has no room for as many levels as there are terms."""
        most = self.spelling.terms
        while most and len(terms) > most:
            batches = (terms[at : at + most] for at in range(0, len(terms), most))
            terms = [f"({_added_up(batch, _NEXT_LINE)})" for batch in batches]
        return _added_up(terms, _NEXT_LINE)

    def _exp(self, exponent: str) -> str:
        """The exponential of what is not NULL; of the nearest number that has one."""
        return self.spelling.exp(exponent, _MOST_EXPONENT)

    def _sums(self, group: GroupTrees) -> list[str]:
        return [self._sum(group, place) for place in range(self.model.n_scores)]

    def _sum(self, group: GroupTrees, score: int = 0) -> str:
        """A score, which is never NULL."""
        output = Output("", _FLOAT, lambda leaf: self.spelling.number(float(leaf.prediction or 0)))
        features = {feature.name: feature for feature in self.model.features}
        terms = [self.spelling.number(group.base[score])]
        for tree in group.trees[score :: self.model.n_scores]:
            self.between()
            terms.append(tree_case(tree, features, output, self.spelling, _MARGIN))
        return self._added_up(terms)


def _binary(left: str, symbol: str, right: str) -> str:
    return f"{left} {symbol} {right}"


def _added_up(terms: Sequence[str], space: str) -> str:
    return f"{space}+ ".join(terms)
