"""The losses that boosted trees lower, as plain facts: what each is for, and how its scores become predictions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from madtree.records import dataclass

# Up to here 1 / (1 + exp(-score)) and 1 / (1 + exp(score)) are the same float64.
_EVEN_SCORE = 1.5 * 2.0**-53


class Link(Enum):
    """How the score of a row, or its scores, become what is predicted."""

    IDENTITY = "identity"  # the score itself
    LOG = "log"  # its exponential
    LOGIT = "logit"  # of two classes the probability of the second: 1 / (1 + exp(-score))
    HALF_LOGIT = "half logit"  # the same, of twice the score
    SOFTMAX = "softmax"  # of classes: exp(score) over the sum of all classes' ones
    ONE_VS_REST = "one vs rest"  # of classes: 1 / (1 + exp(-score)) over the sum of all classes' ones
    # Of two classes the probability of the second, by the model's `IsotonicFunction`; of more what those
    # of each class say, over the sum of all classes' ones.
    ISOTONIC = "isotonic"

    @property
    def even_score(self) -> float:
        """The largest score of two classes at which the second one is not yet the more probable."""
        return _EVEN_SCORE / 2 if self is Link.HALF_LOGIT else _EVEN_SCORE

    @property
    def keeps_order(self) -> bool:
        """Whether, where each class has a score, that with the largest one is the most probable."""
        return self in (Link.SOFTMAX, Link.ONE_VS_REST)


@dataclass(frozen=True)
class DeclaredLoss:
    """What is known of a loss without computing anything.

    Attributes:
        of_classes: whether it is for classes; else for numbers.
        link: from scores to predictions, of one score a row.
        link_of_many: with more than two classes, which have a score each; None where it is for two at most.
        is_positive: whether the numbers must be above 0; `is_count`: or 0.
        takes_quantile: whether it has a quantile that users choose.
        of_quantiles: whether leaves add quantiles of residuals, and not Newton's steps.
        has_threshold: whether residuals count up to a threshold, which each group has of its own.
        of_votes: whether of more than two classes only trees that vote lower it; their steps are not its.
        is_trained: whether trees are grown to lower it; else it says how a calibrated model's scores are read.
        aliases: what users may write for its name as well.
    """

    name: str
    of_classes: bool
    link: Link
    link_of_many: Link | None = None
    is_positive: bool = False
    is_count: bool = False
    takes_quantile: bool = False
    of_quantiles: bool = False
    has_threshold: bool = False
    of_votes: bool = False
    is_trained: bool = True
    aliases: tuple[str, ...] = ()

    def n_scores(self, n_classes: int) -> int:
        """Scores of a row, and so trees of a round."""
        return n_classes if n_classes > 2 else 1

    def link_of(self, n_classes: int) -> Link:
        return self.link_of_many if n_classes > 2 and self.link_of_many else self.link


ISOTONIC, SIGMOID = "isotonic", "sigmoid"  # methods of calibration
# In the order in which they are told of.
LOSSES = {
    loss.name: loss
    for loss in (
        DeclaredLoss("log_loss", True, Link.LOGIT, Link.SOFTMAX, aliases=("binary_crossentropy", "deviance")),
        DeclaredLoss("exponential", True, Link.HALF_LOGIT, Link.SOFTMAX, of_votes=True),
        DeclaredLoss("squared_error", False, Link.IDENTITY, aliases=("mse", "l2")),
        DeclaredLoss("absolute_error", False, Link.IDENTITY, of_quantiles=True, aliases=("mae", "l1")),
        DeclaredLoss("quantile", False, Link.IDENTITY, takes_quantile=True, of_quantiles=True),
        DeclaredLoss("huber", False, Link.IDENTITY, takes_quantile=True, of_quantiles=True, has_threshold=True),
        DeclaredLoss("poisson", False, Link.LOG, is_count=True),
        DeclaredLoss("gamma", False, Link.LOG, is_positive=True),
        DeclaredLoss(ISOTONIC, True, Link.ISOTONIC, is_trained=False),
        # Of two classes a sigmoid makes scores of `log_loss`.
        DeclaredLoss(SIGMOID, True, Link.LOGIT, Link.ONE_VS_REST, is_trained=False),
    )
}


class LeafValue(Enum):
    """What a leaf adds to the scores of its rows."""

    STEP = "step"  # Newton's step of the loss, or a quantile of residuals
    VOTE = "vote"  # for its largest class, by the logarithm of the odds that the tree is right
    LOGIT = "logit"  # half the logarithm of the odds of the second class


@dataclass(frozen=True)
class BoostMethod:
    """A way of boosting.

    Attributes:
        leaf: what leaves add.
        loss: the one that it lowers; None where that is free. Then scores begin with those of the mean outcome, else
            with 0 where there are several classes.
    """

    name: str
    leaf: LeafValue
    loss: str | None = None

    def fits(self, loss: DeclaredLoss, n_classes: int) -> bool:
        """Whether it lowers the loss of so many classes."""
        if n_classes <= 2:
            return True
        if loss.of_votes:
            return self.leaf is LeafValue.VOTE
        return self.loss is None and loss.link_of_many is not None


GRADIENT = "gradient"
# In the order in which they are told of (Freund and Schapire 1997; Zhu, Zou, Rosset and Hastie 2009; Friedman, Hastie
# and Tibshirani 2000).
METHODS = {
    method.name: method
    for method in (
        BoostMethod(GRADIENT, LeafValue.STEP),
        BoostMethod("adaboost", LeafValue.VOTE, "exponential"),
        BoostMethod("real", LeafValue.LOGIT, "exponential"),
        BoostMethod("gentle", LeafValue.STEP, "exponential"),
        BoostMethod("logitboost", LeafValue.STEP, "log_loss"),
    )
}


def losses_of(*, classes: bool) -> tuple[str, ...]:
    """The names of the losses of classes, or of numbers, that trees are grown by."""
    return tuple(name for name, loss in LOSSES.items() if loss.of_classes == classes and loss.is_trained)


def loss_fault(summary: Mapping[str, object], is_classification: bool) -> str | None:
    """What is wrong with the loss that a model's summary names; None where nothing is."""
    loss, level = LOSSES.get(str(summary.get("loss"))), summary.get("quantile")
    if loss is None or loss.of_classes != is_classification:
        return "loss in its summary is none for what it predicts"
    if loss.takes_quantile and not (isinstance(level, float) and 0 < level < 1):
        return "quantile in its summary is none for its loss"
    return None
