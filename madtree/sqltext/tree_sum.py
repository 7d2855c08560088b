"""Models of many trees a group as an SQL expression: sums over the trees, and which of several sums is the largest.

Sums are in the order of the trees, as the block scorer adds them up, so they are the same to the bit; but for dialects
that have them in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from madtree.records import dataclass
from madtree.sqltext.condition import READABLE, Spelling
from madtree.sqltext.predict import Output, tree_case
from madtree.trees import IsotonicFunction, Model, Node, Tree

FLOAT, FLOATS = "float8", "float8[]"
_MARGIN = " " * 8
_NEXT_LINE = f"\n{_MARGIN}"


@dataclass(frozen=True)
class GroupTrees:
    """The trees of a group, in order, and the scores that its rows begin with; of a calibrated model each score's
    function.
    """

    trees: Sequence[Tree]
    base: Sequence[float] = ()
    isotonic: Sequence[IsotonicFunction] = ()


@dataclass(frozen=True)
class TreeSum:
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

    def by_group(self, value: Callable[[GroupTrees], str], type_: str) -> str:
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

    def summed(
        self,
        trees: Sequence[Tree],
        leaf: Callable[[Node], float],
        base: Sequence[float] = (),
        more: Sequence[str] = (),
    ) -> str:
        """The sum of what the trees' leaves say, behind the numbers that it begins with, and `more`, which are SQL;
        NULL where one of these is.
        """
        output = Output("", FLOAT, lambda node: self.spelling.number(leaf(node)))
        features = {feature.name: feature for feature in self.model.features}
        terms = [*map(self.spelling.number, base), *more]
        for tree in trees:
            self.between()
            terms.append(tree_case(tree, features, output, self.spelling, _MARGIN, joins=True))
        most = self.spelling.terms
        while most and len(terms) > most:  # the dialect has no room for as many levels as there are terms
            batches = (terms[at : at + most] for at in range(0, len(terms), most))
            terms = [f"({added_up(batch, _NEXT_LINE)})" for batch in batches]
        return added_up(terms, _NEXT_LINE)

    def labels(self) -> list[str]:
        """The classes as literals."""
        return [self.spelling.value(label, self.model.dependent_type) for label in self.model.classes]

    def of_largest(self, sums: Sequence[str], values: Sequence[str]) -> str:
        """Of some values that of the largest sum, the first of several; NULL where the sums are. Each is computed once.
        """  # fmt: skip
        names = names_of(len(sums))
        pairs = zip(names, values, strict=True)
        cases = [f"WHEN {binary(f'm.{name}', '=', 'm.most')} THEN {value}" for name, value in pairs]
        return f"(SELECT {' '.join(['CASE', *cases, 'END'])}\nFROM {self.with_largest(sums)} AS m)"

    def with_largest(self, sums: Sequence[str]) -> str:
        """A sub-select of several sums, by `names_of`, and the largest of them as `most`."""
        columns = ", ".join(f"s.{name}" for name in names_of(len(sums)))
        return self.with_all(sums, f"{self.spelling.greatest}({columns}) AS most")

    def with_all(self, sums: Sequence[str], of_all: str) -> str:
        """A sub-select of several sums, by `names_of`, and of a column that follows from all of them, as `s`."""
        names = names_of(len(sums))
        listed = ",\n".join(f"{each} AS {name}" for each, name in zip(sums, names, strict=True))
        columns = ", ".join(f"s.{name}" for name in names)
        return self.spelling.computed(f"{columns}, {of_all}", f"{self.spelling.computed(listed)} AS s")


def names_of(n: int) -> list[str]:
    """Of so many sums in a sub-select."""
    return [f"s{number}" for number in range(1, n + 1)]


def added_up(terms: Sequence[str], space: str) -> str:
    return f"{space}+ ".join(terms)


def binary(left: str, symbol: str, right: str) -> str:
    """With an operator that is spelled bare, as in texts for users."""
    return f"{left} {symbol} {right}"


@dataclass(frozen=True)
class VoteSum(TreeSum):
    """A model whose trees vote for classes, or whose numbers are averaged."""

    def mean(self, leaf: Callable[[Node], float]) -> str:
        """The mean of what the trees' leaves say."""

        def of_group(group: GroupTrees) -> str:
            return binary(f"({self.summed(group.trees, leaf)})", "/", self.spelling.number(float(len(group.trees))))

        return self.by_group(of_group, FLOAT)

    def most_voted(self) -> str:
        """The class with most votes, the first of several."""
        classes, labels = self.model.classes, self.labels()
        if len(labels) == 1:
            return self.by_group(lambda _: labels[0], self.model.dependent_type)
        if len(labels) > 2:
            sums = [self.by_group(self._votes(label), FLOAT) for label in classes]
            return self.of_largest(sums, labels)

        def more(group: GroupTrees) -> str:
            half = self.spelling.number(len(group.trees) / 2)
            wins = binary(self._votes(classes[1])(group), ">", half)
            return f"CASE WHEN {wins}\n    THEN {labels[1]} ELSE {labels[0]} END"

        return self.by_group(more, self.model.dependent_type)

    def _votes(self, label: str) -> Callable[[GroupTrees], str]:
        return lambda group: self.summed(group.trees, lambda node: float(node.prediction == label))
