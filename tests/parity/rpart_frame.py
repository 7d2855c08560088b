"""An rpart fit of `golden/` in madtree's terms: node numbers, sides, gains.

rpart says for every split which way small values go, madtree always sends them left (to the true branch). For unordered
features madtree's left is the side with the smaller mean, or with less of the first of two classes; with more classes
it is the side without the last level present. rpart's left has the smaller mean, or mean class number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEFT, ABSENT, RIGHT = 1, 2, 3  # in rpart's csplit


@dataclass(frozen=True)
class DataSet:
    """An entry of `cases.json`: a table, what is learned from it, and the settings to learn with."""

    name: str
    data: str
    method: str
    dependent: str
    dependent_kind: str
    features: dict[str, str]
    orders: dict[str, list[str]]
    exposure: str | None
    cases: dict[str, dict[str, Any]]

    def golden(self, case: str) -> dict[str, Any]:
        path = HERE / "golden" / f"{self.name.replace(' ', '_')}.json"
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))[case]
        return content


def data_sets() -> dict[str, DataSet]:
    content = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    defaults = {
        "anova": {"dependent_kind": "float", "orders": {}, "exposure": None},
        "class": {"dependent_kind": "factor", "orders": {}, "exposure": None},
        "poisson": {"dependent_kind": "integer", "orders": {}},
    }
    return {
        name: DataSet(**{"name": name, "data": name, **defaults[entry["method"]], **entry})
        for name, entry in content.items()
    }


@dataclass(frozen=True)
class Question:
    """What a split asks. `threshold` is a float; of an ordered feature's enum rpart tells the last low level's rank
    only, an int.
    """

    feature: str
    threshold: float | int | None = None
    left_levels: frozenset[str] | None = None
    right_levels: frozenset[str] | None = None
    low_goes_left: bool | None = None


@dataclass(frozen=True)
class Surrogate:
    question: Question
    agreement: float
    adjusted_agreement: float


@dataclass(frozen=True)
class Competitor:
    question: Question
    improvement: float


@dataclass(frozen=True)
class Node:
    """`improvement` is a gain as madtree counts it: a weighted sum over rows, in bits for the information split.
    `shares` are the probabilities of the classes.
    """

    n_rows: int
    weight: float
    risk: float
    complexity: float
    prediction: Any
    class_weights: list[float] | None
    shares: list[float] | None
    question: Question | None
    improvement: float | None
    surrogates: tuple[Surrogate, ...]
    competitors: tuple[Competitor, ...] = ()


class Fit:
    """One golden case.

    Attributes:
        nodes: by madtree's node ids.
        id_of: madtree's node id by rpart's node number.
    """

    def __init__(self, data_set: DataSet, case: str) -> None:
        self.data_set, self.settings = data_set, data_set.cases[case]
        self._golden = data_set.golden(case)
        frame = self._golden["frame"]
        self._row_of = {number: row for row, number in enumerate(frame["node"])}
        primaries = self._primaries()
        self.id_of = {1: 0}
        self.nodes: dict[int, Node] = {}
        for number in sorted(self._row_of):
            node_id, row = self.id_of[number], self._row_of[number]
            split = primaries.get(row)
            question, improvement = None, None
            surrogates: tuple[Surrogate, ...] = ()
            competitors: tuple[Competitor, ...] = ()
            if split is not None:
                low_left, flipped = self._direction(split)
                question = self._question(split, flipped, low_left)
                improvement = self._gain(split, row)
                n_others = frame["ncompete"][row]
                competitors = tuple(self._competitor(split + place, row) for place in range(1, n_others + 1))
                surrogates = tuple(self._surrogates(split, n_others, frame["nsurrogate"][row], flipped))
                self.id_of[2 * number] = 2 * node_id + (2 if flipped else 1)
                self.id_of[2 * number + 1] = 2 * node_id + (1 if flipped else 2)
            self.nodes[node_id] = Node(
                n_rows=frame["n"][row],
                weight=frame["wt"][row],
                risk=frame["dev"][row],
                complexity=frame["complexity"][row],
                prediction=frame["yval"][row] == "true" if data_set.dependent_kind == "boolean" else frame["yval"][row],
                class_weights=self._class_weights(row),
                shares=self._shares(row),
                question=question,
                improvement=improvement,
                surrogates=surrogates,
                competitors=competitors,
            )

    def _class_weights(self, row: int) -> list[float] | None:
        """Of a row of `frame`; with priors each class's counts by them over its frequency."""
        counts, prior = self._golden["counts"], self.settings.get("prior")
        if not counts or not prior:
            return counts[row] if counts else None
        total = sum(counts[0])
        return [n * share * total / n_root for n, share, n_root in zip(counts[row], prior, counts[0], strict=True)]

    def _shares(self, row: int) -> list[float] | None:
        """rpart's probabilities of the classes; it tells of them where they are not the counts' shares."""
        if "shares" in self._golden:
            return list(self._golden["shares"][row])
        counts = self._golden["counts"]
        return [n / sum(counts[row]) for n in counts[row]] if counts else None

    @property
    def cp_table(self) -> list[dict[str, float]]:
        """Rows with madtree's column names."""
        names = {"CP": "cp", "nsplit": "n_splits", "rel error": "rel_error", "xerror": "xerror", "xstd": "xstd"}
        columns = {names[name]: values for name, values in self._golden["cptable"].items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def importance(self) -> dict[str, float]:
        """Sums of gains by feature."""
        unit = self._unit()
        return {feature: value / unit for feature, (value,) in self._golden["importance"].items()}

    @property
    def trained_leaves(self) -> list[int | None]:
        """The node that each training row ended in; None for rows that rpart left out."""
        return [None if number is None else self.id_of[number] for number in self._golden["where"]]

    @property
    def scored_leaves(self) -> list[int]:
        """The node that each row of the new data ends in."""
        return [self.id_of[number] for number in self._golden["scored"]]

    @property
    def classes(self) -> list[str]:
        """As text, in order."""
        names: list[str] = self._golden["classes"]
        return names

    def splits_above(self, cp: float) -> list[int]:
        """The split nodes of the tree that rpart's `prune` makes of this one."""
        result = [0] if self.nodes[0].question and self.nodes[0].complexity > cp else []
        for number in result:
            children = (2 * number + 1, 2 * number + 2)
            result += [n for n in children if self.nodes[n].question and self.nodes[n].complexity > cp]
        return result

    @property
    def larger_child(self) -> dict[int, int | None]:
        """Of every split node the child with more rows, None if they have as many."""
        result: dict[int, int | None] = {}
        for number, node in self.nodes.items():
            if node.question:
                left, right = self.nodes[2 * number + 1].n_rows, self.nodes[2 * number + 2].n_rows
                result[number] = None if left == right else 2 * number + (1 if left > right else 2)
        return result

    def _primaries(self) -> dict[int, int]:
        """Row of `splits` by row of `frame`; the rows of competitors and surrogates follow
        their primary's.
        """
        frame, result, at = self._golden["frame"], {}, 0
        for row, feature in enumerate(frame["var"]):
            if feature != "<leaf>":
                result[row] = at
                at += 1 + frame["ncompete"][row] + frame["nsurrogate"][row]
        return result

    def _unit(self) -> float:
        """rpart's information gain is in nats."""
        return math.log(2) if self.settings.get("split") == "information" else 1.0

    def _gain(self, split: int, row: int) -> float:
        improve: float = self._golden["splits"]["improve"][split]
        # rpart divides the decrease of the sum of squares by the node's.
        return (
            improve * self._golden["frame"]["dev"][row] if self.data_set.method == "anova" else improve / self._unit()
        )

    def _sides(self, split: int) -> tuple[list[str], list[str], list[str]]:
        """All levels of a factor's split, and those that go to rpart's left and right."""
        splits = self._golden["splits"]
        levels = self._golden["levels"][splits["var"][split]]
        codes = self._golden["csplit"][int(splits["index"][split]) - 1]
        left, right = ([level for level, code in zip(levels, codes, strict=False) if code == c] for c in (LEFT, RIGHT))
        return levels, left, right

    def _low_goes_left(self, split: int) -> bool | None:
        """In rpart's sense of left; None for an unordered feature."""
        splits = self._golden["splits"]
        if abs(splits["ncat"][split]) == 1:
            return bool(splits["ncat"][split] == -1)
        if self.data_set.features[splits["var"][split]] == "ordered":
            levels, left, _ = self._sides(split)
            return levels[0] in left
        return None

    def _direction(self, split: int) -> tuple[bool | None, bool]:
        """Does a small value go to rpart's left, and is rpart's left madtree's right?"""
        low_left = self._low_goes_left(split)
        if low_left is not None:
            return low_left, not low_left
        if self._golden["counts"] is None:
            return None, False
        if len(self._golden["counts"][0]) == 2:
            return None, True
        levels, left, right = self._sides(split)
        return None, max(left + right, key=levels.index) in left

    def _question(self, split: int, flipped: bool, low_left: bool | None) -> Question:
        splits = self._golden["splits"]
        feature = splits["var"][split]
        if low_left is None:
            _, left, right = self._sides(split)
            sides = (right, left) if flipped else (left, right)
            return Question(feature, left_levels=frozenset(sides[0]), right_levels=frozenset(sides[1]))
        if self.data_set.features[feature] == "ordered":
            _, left, right = self._sides(split)
            threshold: float | int = len(left if low_left else right)
        else:
            threshold = float(splits["index"][split])
        return Question(feature, threshold, low_goes_left=low_left != flipped)

    def _competitor(self, split: int, row: int) -> Competitor:
        low_left, flipped = self._direction(split)
        return Competitor(self._question(split, flipped, low_left), self._gain(split, row))

    def _surrogates(self, primary: int, n_others: int, count: int, flipped: bool) -> Iterator[Surrogate]:
        splits = self._golden["splits"]
        first = primary + 1 + n_others
        for split in range(first, first + count):
            question = self._question(split, flipped, self._low_goes_left(split))
            yield Surrogate(question, splits["improve"][split], splits["adj"][split])
