"""How much each class counts: prior probabilities, losses and weights of classes, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

BALANCED = "balanced"  # the class weights that let all classes of a tree count alike
PRIOR_SUM = 1e-6  # by how much the sum of priors may differ from 1
MOST_CLASS_PARAMS = 1_000  # classes up to which they may be given
LEAST_CLASS_PARAM, LARGEST_CLASS_PARAM = 1e-9, 1e9  # of priors and class weights; losses may be 0, too


@dataclass(frozen=True)
class ClassParams:
    """What `class_params` says; the classes are in their order. Values are checked by whoever builds this.

    Attributes:
        prior: (K,) the share of each class among the rows that a tree is meant for, none 0, as rpart's
            `parms$prior`; None for the training rows' own.
        loss: (K * K,) row by row: what it costs to predict the second class where the first one is true, as rpart's
            `parms$loss`; None where every mistake costs 1.
        class_weight: (K,) by what the weights of each class's rows are multiplied; or "balanced": by what lets all
            classes that a tree has count alike (scikit-learn); None for 1. Not with a prior, which says the same.
    """

    prior: tuple[float, ...] | None = None
    loss: tuple[float, ...] | None = None
    class_weight: tuple[float, ...] | str | None = None

    def fault(self, n_classes: int) -> str | None:
        """What does not fit a target with so many classes: which numbers, how many there are and should be."""
        for name, given, wanted in (
            ("prior", self.prior, n_classes),
            ("loss", self.loss, n_classes * n_classes),
            ("class_weight", None if self.class_weight == BALANCED else self.class_weight, n_classes),
        ):
            if given is not None and len(given) != wanted:
                return f"{name} has {len(given)} number{'s' * (len(given) != 1)}, and there should be {wanted}"
        return None
