"""The split criteria by name, and what each is for: declared here, computed in `madtree/learn/criteria`.

To add one, declare it here, and put a module with a `Criterion` of its name into that room.
"""

from __future__ import annotations

from typing import Literal

from madtree.records import dataclass


@dataclass(frozen=True)
class OutcomeKind:
    """What kind of thing a tree predicts, and so what is summed over rows.

    Attributes:
        name: in the plural.
        of_classes: rows are counted by class; else each row has a number, its target, and targets are summed.
        is_centred: sums are of targets less the middle of their range where that is far from 0; else of the targets
            themselves.
        has_second: rows may have a second number beside the target that is summed, too: one of `SUMMED_NUMBERS`.
        leaf_sums: what a pass over the rows adds up once a tree is grown, for the risk of its nodes: "squares" of
            distances to their means, or terms of their "deviance"; None where the risk follows from what is summed
            anyway.
    """

    name: str
    of_classes: bool = False
    is_centred: bool = False
    has_second: bool = False
    leaf_sums: str | None = None


CLASSES = OutcomeKind("classes", of_classes=True)
NUMBERS = OutcomeKind("numbers", is_centred=True, leaf_sums="squares")
SCORES = OutcomeKind("scores")
COUNTS = OutcomeKind("counts", has_second=True, leaf_sums="deviance")


@dataclass(frozen=True)
class DeclaredCriterion:
    """What is known of a criterion without computing anything.

    Attributes:
        outcome: what it is for.
        aliases: what users may write for its name as well.
        sees_purity: of classes: whether a split may gain that leaves as many mistakes as there were.
        in_sklearn: scikit-learn's name for it, or for what comes closest; None where it has none.
        gain_by_chance: what each category more of a feature that says nothing gains, of a row: its "impurity", or "half
            a nat"; None where nobody knows.
    """

    name: str
    outcome: OutcomeKind
    aliases: tuple[str, ...] = ()
    sees_purity: bool = False
    in_sklearn: str | None = None
    gain_by_chance: Literal["impurity", "half a nat"] | None = None


# Of the trees of a boosted model: by gradients and hessians of its loss, or by votes for one of many classes. Nobody
# chooses them.
NEWTON = DeclaredCriterion("newton", SCORES)
VOTES = DeclaredCriterion("votes", CLASSES)
OF_BOOSTING = {criterion.name: criterion for criterion in (NEWTON, VOTES)}
# In the order in which they are told of.
CRITERIA = {
    criterion.name: criterion
    for criterion in (
        DeclaredCriterion("gini", CLASSES, sees_purity=True, in_sklearn="gini", gain_by_chance="impurity"),
        DeclaredCriterion(
            "entropy",
            CLASSES,
            ("cross-entropy", "cross_entropy"),
            sees_purity=True,
            in_sklearn="entropy",
            gain_by_chance="half a nat",
        ),
        DeclaredCriterion("gain_ratio", CLASSES, ("gain-ratio",), sees_purity=True, in_sklearn="entropy"),
        DeclaredCriterion("misclassification", CLASSES, ("misclass",)),
        DeclaredCriterion("mse", NUMBERS, in_sklearn="squared_error", gain_by_chance="impurity"),
        DeclaredCriterion("poisson", COUNTS, in_sklearn="poisson"),
    )
}


def criteria_of(*, classes: bool) -> tuple[str, ...]:
    """The names of the criteria of classes, or of all others."""
    return tuple(name for name, criterion in CRITERIA.items() if criterion.outcome.of_classes == classes)


def is_of_counts(name: object) -> bool:
    """Whether a criterion is known by this name, and is one of counts."""
    return isinstance(name, str) and name in CRITERIA and CRITERIA[name].outcome == COUNTS


@dataclass(frozen=True)
class Metric:
    """What is known of a metric that settings are compared by.

    Attributes:
        name: as `tree_evaluate` has it.
        outcome: what it is for.
        is_error: whether less is better.
        of_two: whether it is for two classes.
    """

    name: str
    outcome: OutcomeKind
    is_error: bool = False
    of_two: bool = False


# In the order in which they are told of.
METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", CLASSES),
        Metric("balanced_accuracy", CLASSES),
        Metric("log_loss", CLASSES, is_error=True),
        Metric("auc", CLASSES, of_two=True),
        Metric("rmse", NUMBERS, is_error=True),
        Metric("r2", NUMBERS),
        Metric("poisson_deviance", COUNTS, is_error=True),
    )
}
