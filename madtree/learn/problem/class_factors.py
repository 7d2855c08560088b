"""By what each class's weight is multiplied where a tree is judged, by priors, losses and class weights.

Sums stay as they are counted, exact: the factors are applied to the sums of a node, never to rows. They follow from the
exact sums of a tree's root alone, so every way of counting gives the same ones.

After rpart (src/gini.c, `giniinit`), which calls them `prior` and `aprior`, the altered priors (Breiman et al. 1984,
section 4.4).
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats
from madtree.learn.problem.channels import over_classes
from madtree.records import dataclass
from madtree.trees import BALANCED, ClassParams


@dataclass(frozen=True)
class ClassFactors:
    """An entry for each class and tree (K, n_trees); 0 for a class that a tree has no row of.

    Attributes:
        share: for shares of classes, predictions and risks: prior over relative frequency, or the class weight.
        split: for gains and impurities: a class counts the more, the more its mistakes cost. With these a root weighs
            as much as with `share`.
    """

    share: Floats
    split: Floats

    @classmethod
    def of(cls, params: ClassParams, weights: Floats, rows: Floats) -> ClassFactors:
        """From the class weights and row counts (K, n_trees) of the trees' roots."""
        share = _share(params, weights, rows)
        if params.loss is None:
            return cls(share, share)
        n_classes = len(weights)
        cost = np.array(params.loss).reshape(n_classes, n_classes).sum(axis=1)[:, None]
        whole = share * weights
        mean = _divided(over_classes(whole * cost), over_classes(whole))
        return cls(share, _divided(share * cost, mean))

    def tiled(self, n_replicas: int) -> ClassFactors:
        """The factors of all replicas of each tree: those of folds count as the whole tree does, as in rpart."""
        return ClassFactors(np.tile(self.share, (1, n_replicas)), np.tile(self.split, (1, n_replicas)))


def _share(params: ClassParams, weights: Floats, rows: Floats) -> Floats:
    present = (rows > 0).astype(np.float64)
    if params.prior is not None:
        return _divided(np.array(params.prior)[:, None] * over_classes(weights), weights)
    if params.class_weight == BALANCED:
        return _divided(present * over_classes(rows), over_classes(present) * rows)
    if params.class_weight is not None:
        present *= np.array(params.class_weight)[:, None]
    return present


def _divided(above: Floats, below: Floats) -> Floats:
    """`above / below`; 0 where that is 0."""
    above, below = np.broadcast_arrays(above, below)
    quotient: Floats = np.divide(above, below, out=np.zeros(above.shape), where=below > 0)
    return quotient
