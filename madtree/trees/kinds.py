"""The kinds of model: what a single tree and a forest of trees have of their own, as plain facts.

Whoever must know what a model is asks its kind the question at hand. What a kind *does* in a room (how it is scored,
what a report shows of it) is a table in that room, by kind.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from enum import Enum
from functools import cached_property
from itertools import accumulate

from madtree.records import dataclass


class Joining(Enum):
    """How what the trees say of a row becomes one prediction."""

    NONE = "none"  # there is one tree
    VOTE_OR_MEAN = "vote or mean"  # each votes for a class; numbers are averaged
    SUM = "sum"  # their numbers are added up, on a scale of the model's


class Members(Enum):
    """How many trees a group has."""

    ONE = "one"
    EQUAL = "equal"  # as many as any other group: the summary's num_trees
    OWN = "own"  # a number of its own: n_trees in `<output>_group`


@dataclass(frozen=True)
class ModelKind:
    """A kind of model.

    Attributes:
        trains: the function that makes such models; the summary names it as `method`.
        predicts: the one that predicts by all of a group's trees.
        draws, lists_surrogates: those that show single trees, with the arguments that tell which.
        noun: what a group has: "tree", "forest".
        object_name: the class of such models in Python.
        unit: what is counted while one is trained: "level", "tree", "round".
        described: the end of a sentence that begins with "The model is".
        label: stands behind "classification" and "regression"; empty where these say enough.
        joining: how its trees make one prediction.
        members: how many trees a group has.
        is_packed: whether its nodes are packed, a value a tree, and `<output>_nodes` is a view.
        groups_in, group_number: the suffix of the table that has a row for each group, and that row's number.
        place: columns of `<output>` that tell which tree of which group a row is.
        class_types, number_types: types of prediction for classes, and for numbers.
        class_sums, number_sums: of these, those that are the sum of what the trees say, so that a feature's part in it
            can be told; the usual one first.
        leaf_column: where a prediction is the leaf: its column, an array where a row ends in a leaf of each tree.
        is_expression: whether a model is scored as one SQL expression.
        writes_sql: the function that writes a model as one.
        unseen_in: the suffix of the table that has the error on rows which training has not shown to each tree; None
            where no table has.
        document: the name of its JSON format.
        says_numbers: whether its trees say numbers, whatever the model predicts.
        tells_rounds: whether `<output>_rounds` tells how training went.
        lowers: what a split lowers, and within which arguments.
        metrics: by which its settings can be compared; the first one for the outcome at hand is the usual one.
    """

    trains: str
    predicts: str
    draws: str
    lists_surrogates: str
    noun: str
    object_name: str
    unit: str
    described: str
    label: str
    joining: Joining
    members: Members
    is_packed: bool
    groups_in: str
    group_number: str
    place: tuple[str, ...]
    class_types: tuple[str, ...]
    number_types: tuple[str, ...]
    class_sums: tuple[str, ...]
    number_sums: tuple[str, ...]
    leaf_column: str
    is_expression: bool
    writes_sql: str
    unseen_in: str | None
    document: str
    says_numbers: bool = False
    tells_rounds: bool = False
    lowers: str = "the impurity within min_split, min_bucket and min_impurity_decrease"
    metrics: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """With its article: "a forest"."""
        return f"a {self.noun}"


TREE = ModelKind(
    trains="tree_train",
    predicts="tree_predict",
    draws="tree_display",
    lists_surrogates="tree_surr_display",
    noun="tree",
    object_name="Model",
    unit="level",
    described="a model of single trees",
    label="",
    joining=Joining.NONE,
    members=Members.ONE,
    is_packed=False,
    groups_in="",
    group_number="tree_id",
    place=(),
    class_types=("response", "prob", "leaf"),
    number_types=("response", "leaf"),
    class_sums=("prob",),
    number_sums=("response",),
    leaf_column="node_id",
    is_expression=True,
    writes_sql="tree_sql",
    unseen_in=None,
    document="madtree-tree",
    metrics=("accuracy", "balanced_accuracy", "log_loss", "auc", "rmse", "r2", "poisson_deviance"),
)
FOREST = ModelKind(
    trains="forest_train",
    predicts="forest_predict",
    draws="get_tree",
    lists_surrogates="get_tree_surr",
    noun="forest",
    object_name="Forest",
    unit="tree",
    described="a forest",
    label="forest",
    joining=Joining.VOTE_OR_MEAN,
    members=Members.EQUAL,
    is_packed=True,
    groups_in="_group",
    group_number="gid",
    place=("gid", "sample_id"),
    class_types=("response", "prob", "prob_mean", "leaf"),
    number_types=("response", "interval", "leaf"),
    class_sums=("prob", "prob_mean"),
    number_sums=("response",),
    leaf_column="node_ids",
    is_expression=False,
    writes_sql="tree_sql",
    unseen_in="_group",
    document="madtree-forest",
    metrics=("accuracy", "rmse", "r2"),
)
BOOSTED = replace(
    FOREST,
    trains="boost_train",
    predicts="boost_predict",
    noun="boosted model",
    object_name="BoostedModel",
    unit="round",
    described="a boosted model",
    label="boosting",
    joining=Joining.SUM,
    members=Members.OWN,
    class_types=("response", "prob", "raw", "leaf"),
    number_types=("response", "raw", "leaf"),
    class_sums=("raw",),
    number_sums=("raw",),
    writes_sql="boost_sql",
    unseen_in=None,
    document="madtree-boosted",
    metrics=("log_loss", "accuracy", "rmse", "poisson_deviance"),
    says_numbers=True,
    tells_rounds=True,
    lowers="the loss within min_bucket and min_gain",
)
KINDS = {kind.trains: kind for kind in (TREE, FOREST, BOOSTED)}  # by the summary's `method`


def kind_of_method(method: object) -> ModelKind:
    """The kind of a model whose summary says so; models of single trees need not say it."""
    return KINDS.get(method, TREE) if isinstance(method, str) else TREE


@dataclass(frozen=True)
class Numbering:
    """Which trees of a model are of which group. The ids of a group's trees follow each other from 1, those of the
    first group first. A group that failed has the ids of trees that are not there, or none.

    Attributes:
        each: trees of every group.
        counts: of each group, where these differ; then `each` is nothing.
    """

    each: int = 1
    counts: tuple[int, ...] = ()

    @property
    def most(self) -> int:
        """Trees of a group, at most."""
        return max(self.counts, default=self.each)

    def group(self, tree_id: int) -> int:
        """The number of the group that a tree is of, from 1."""
        if self.counts:
            return bisect_left(self._ends, tree_id) + 1
        return (tree_id - 1) // self.each + 1

    def members(self, group: int) -> int:
        """How many trees a group has."""
        return self.counts[group - 1] if self.counts else self.each

    def tree_id(self, group: int, member: int) -> int:
        """The id of a group's tree, which `member` counts from 1."""
        before = self._ends[group - 1] - self.counts[group - 1] if self.counts else (group - 1) * self.each
        return before + member

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """The last id of each group."""
        return tuple(accumulate(self.counts))


SINGLE = Numbering()  # each group has one tree, whose id is its number
